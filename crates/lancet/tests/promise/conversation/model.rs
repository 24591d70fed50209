//! The model of a conversation: the content of the disk, and what each session knows about it, byte by byte.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use lancet::Reply;
use serde_json::json;

use crate::ground::{Entry, Ground, numbered};

pub(crate) const NAMES: [&str; 3] = ["a.txt", "b.txt", "c.txt"];

/// The entry at a name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Missing,
    File(String),
    /// A link to another of the names.
    Link(usize),
    /// A link out of the root.
    Outside,
    Pipe,
    Folder,
}

/// The knowledge of a session about a file.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) version: String,
    /// For every byte, whether it was shown.
    pub(crate) seen: Vec<bool>,
    /// Whether the version itself is still stored, so that a diff from it can be made.
    pub(crate) kept: bool,
}

impl Known {
    pub(crate) fn whole(text: &str) -> Known {
        Known {
            version: text.to_owned(),
            seen: vec![true; text.len()],
            kept: true,
        }
    }

    pub(crate) fn replace(&mut self, range: Range<usize>, new: &str) {
        self.version.replace_range(range.clone(), new);
        self.seen.splice(range, vec![true; new.len()]);
        self.kept = true;
    }

    fn show(&mut self, line: usize) {
        if let Some(range) = line_range(&self.version, line) {
            self.seen[range].fill(true);
        }
    }
}

/// Returns the bytes of a line, from 0, with its newline.
fn line_range(text: &str, line: usize) -> Option<Range<usize>> {
    let mut start = 0;
    for (number, piece) in text.split_inclusive('\n').enumerate() {
        if number == line {
            return Some(start..start + piece.len());
        }
        start += piece.len();
    }
    None
}

/// Returns the range that an edit replaces: a deletion of whole lines includes the blanks around them and their
/// newline, and leaves a newline that ends a line with other text.
pub(crate) fn replaced(text: &str, at: usize, old: &str, new: &str) -> Range<usize> {
    let end = at + old.len();
    let start = text[..at].trim_end_matches([' ', '\t']).len();
    let starts_line = start == 0 || text.as_bytes()[start - 1] == b'\n';
    let rest = text[end..].trim_start_matches([' ', '\t']);
    if !new.is_empty() || old.trim_matches([' ', '\t', '\n']).is_empty() {
        return at..end;
    }
    let is_at_line_start = at == 0 || text.as_bytes()[at - 1] == b'\n';
    match (old.starts_with('\n'), old.ends_with('\n')) {
        (true, true) if !is_at_line_start => at + 1..end,
        (false, true) if starts_line => start..end,
        (false, false) if starts_line && rest.starts_with('\n') => {
            start..text.len() - rest.len() + 1
        }
        _ => at..end,
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) files: [Node; 3],
    pub(crate) known: [[Option<Known>; 3]; 2],
}

impl Default for Model {
    fn default() -> Model {
        Model {
            files: [Node::Missing, Node::Missing, Node::Missing],
            known: Default::default(),
        }
    }
}

impl Model {
    /// Returns the file that a name leads to and its text, or the refusal for what it leads to instead.
    pub(crate) fn resolve(&self, file: usize) -> Result<(usize, String), &'static str> {
        let mut at = file;
        for _ in 0..4 {
            match &self.files[at] {
                Node::Missing => return Err("missing"),
                Node::File(text) => return Ok((at, text.clone())),
                Node::Link(to) => at = *to,
                Node::Outside => return Err("outside"),
                Node::Pipe | Node::Folder => return Err("special"),
            }
        }
        Err("special")
    }

    /// Drops the contents, because after a restart versions are known by their hash alone.
    pub(crate) fn forget_contents(&mut self) {
        for known in self.known.iter_mut().flatten().flatten() {
            known.kept = false;
        }
    }

    /// Records what a Read showed, and checks it against the true content.
    pub(crate) fn saw(&mut self, session: usize, key: usize, text: &str, reply: &Reply) {
        let slot = &mut self.known[session][key];
        let mut known = match slot.take() {
            Some(known) if known.version == text => known,
            known => {
                assert_ne!(reply.data()["type"], json!("unchanged"), "{known:?}");
                Known {
                    version: text.to_owned(),
                    seen: vec![false; text.len()],
                    kept: true,
                }
            }
        };
        if reply.data()["type"] != json!("unchanged") {
            known.kept = true;
        }
        self.known[session][key] = Some(known);
        self.show(session, key, reply);
    }

    /// Records the lines that an answer to a change shows.
    pub(crate) fn shown_after(
        &mut self,
        session: usize,
        files: impl IntoIterator<Item = usize>,
        reply: &Reply,
    ) {
        // With several files the answer says which lines belong to which. Then only the lines of a single one are
        // recorded.
        let keys: Vec<usize> = files
            .into_iter()
            .filter_map(|file| Some(self.resolve(file).ok()?.0))
            .collect();
        let Some(first) = keys.first() else { return };
        if keys.iter().all(|key| key == first) {
            self.show(session, *first, reply);
            return;
        }
        for part in reply.text().split("[lancet: ") {
            for key in &keys {
                if part.contains(&format!("/{}: ", NAMES[*key])) && part.contains("dited ") {
                    let known = self.known[session][*key].as_mut().unwrap();
                    for (number, line) in numbered(part) {
                        let range = line_range(&known.version, number - 1).unwrap();
                        assert_eq!(known.version[range].trim_end_matches('\n'), line);
                        known.show(number - 1);
                    }
                }
            }
        }
    }

    fn show(&mut self, session: usize, key: usize, reply: &Reply) {
        let known = self.known[session][key].as_mut().unwrap();
        for (number, line) in numbered(reply.text()) {
            let range = line_range(&known.version, number - 1).unwrap_or_else(|| {
                panic!("line {number} of {:?}: {}", known.version, reply.text())
            });
            assert_eq!(
                known.version[range].trim_end_matches('\n'),
                line,
                "the answer shows the file"
            );
            known.show(number - 1);
        }
    }

    /// Records the diff of a stale refusal: what it shows is seen, what it does not touch is seen as before.
    pub(crate) fn shown_stale(&mut self, session: usize, key: usize, text: &str, reply: &Reply) {
        let Some(known) = &self.known[session][key] else {
            return;
        };
        let Some(diff) = reply.data()["error"]["diff"].as_str() else {
            assert!(
                !known.kept || known.version == text,
                "a diff could have been shown: {}",
                reply.text()
            );
            return;
        };
        assert!(known.kept, "a diff from a version that is not kept");
        // The last line of an answer has no line end, because clients trim it.
        let lines = diff.strip_suffix('\n').unwrap_or(diff);
        assert!(reply.text().contains(lines), "the diff is shown whole");
        let mut after = Known {
            version: text.to_owned(),
            seen: vec![false; text.len()],
            kept: true,
        };
        let (mut old_line, mut new_line) = (0, 0);
        let carry = |old_line: usize, new_line: usize, after: &mut Known| {
            let (old, new) = (
                line_range(&known.version, old_line).unwrap(),
                line_range(text, new_line).unwrap(),
            );
            assert_eq!(
                known.version[old.clone()],
                text[new.clone()],
                "unchanged by the diff"
            );
            after.seen[new].copy_from_slice(&known.seen[old]);
        };
        for line in diff.lines() {
            if let Some(header) = line.strip_prefix("@@ -") {
                let (old, new) = hunk(header);
                while old_line < old {
                    carry(old_line, new_line, &mut after);
                    old_line += 1;
                    new_line += 1;
                }
                assert_eq!((old_line, new_line), (old, new), "{diff}");
                continue;
            }
            match line.as_bytes()[0] {
                b' ' => {
                    after.show(new_line);
                    (old_line, new_line) = (old_line + 1, new_line + 1);
                }
                b'+' => {
                    let range = line_range(text, new_line).unwrap();
                    assert_eq!(text[range].trim_end_matches('\n'), &line[1..]);
                    after.show(new_line);
                    new_line += 1;
                }
                b'-' => old_line += 1,
                _ => {}
            }
        }
        while line_range(&known.version, old_line).is_some() {
            carry(old_line, new_line, &mut after);
            (old_line, new_line) = (old_line + 1, new_line + 1);
        }
        assert!(
            line_range(text, new_line).is_none(),
            "the diff leads to the file: {diff}"
        );
        self.known[session][key] = Some(after);
    }

    /// Asserts that the disk is as in the model, and nothing else is there.
    pub(crate) fn check(&self, ground: &Ground) {
        let found: BTreeMap<String, Node> = ground
            .tree()
            .into_iter()
            .map(|(name, entry)| {
                let node = match entry {
                    Entry::File { bytes, .. } => Node::File(String::from_utf8(bytes).unwrap()),
                    Entry::Folder => Node::Folder,
                    Entry::Special => Node::Pipe,
                    Entry::Link(to) => {
                        let to = to.file_name().map(PathBuf::from).unwrap_or_default();
                        let known = NAMES.iter().position(|name| to == PathBuf::from(name));
                        known.map_or(Node::Outside, Node::Link)
                    }
                };
                (name, node)
            })
            .collect();
        let expected: BTreeMap<String, Node> = (0..3)
            .filter(|file| self.files[*file] != Node::Missing)
            .map(|file| (NAMES[file].to_owned(), self.files[file].clone()))
            .collect();
        assert_eq!(found, expected, "the disk is not what it should be");
    }
}

/// Returns the first old and new line, from 0, of `a,b +c,d @@`. A side without lines names the line before.
fn hunk(header: &str) -> (usize, usize) {
    let mut sides = header.split(" @@").next().unwrap().split(" +").map(|side| {
        let (start, count) = side.split_once(',').unwrap_or((side, "1"));
        let (start, count): (usize, usize) = (start.parse().unwrap(), count.parse().unwrap());
        if count == 0 { start } else { start - 1 }
    });
    (sides.next().unwrap(), sides.next().unwrap())
}
