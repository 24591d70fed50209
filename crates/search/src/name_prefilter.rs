//! A prefilter for ignore patterns: rules out most entries by their name alone, before the patterns themselves run,
//! which is most of the work of a walk. It has no false negatives: an entry that a pattern matches always passes.
//! Entries that pass are matched in full.

/// The literal parts of the last components of some patterns.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamePrefilter {
    /// A pattern cannot be reduced to its last component: every name passes.
    always: bool,
    parts: Vec<LastComponent>,
    /// For every last byte, the end of the range of `parts` that end in it. Parts that end in a wildcard follow after
    /// all of them, from `wild` on.
    ends: Vec<(u8, u32)>,
    wild: u32,
}

/// The last component of a pattern: what a name must begin with, contain and end with.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LastComponent {
    start: Box<[u8]>,
    middle: Vec<Box<[u8]>>,
    end: Box<[u8]>,
    /// Whether it has a wildcard; without one, `start` is the whole name.
    wild: bool,
    folders_only: bool,
}

impl LastComponent {
    fn may_match(&self, name: &[u8], is_folder: bool) -> bool {
        if self.folders_only && !is_folder {
            return false;
        }
        let (start, end) = (self.start.len(), self.end.len());
        if !self.wild {
            return name.len() == start && begins_with(name, &self.start);
        }
        name.len() >= start + end
            && begins_with(&name[name.len() - end..], &self.end)
            && begins_with(name, &self.start)
            && self.middle.iter().all(|piece| contains_bytes(name, piece))
    }
}

/// Returns whether a name begins with a text. It compares byte by byte: names are short and mostly differ in the first
/// byte, and `starts_with` took half of the time of a walk here.
fn begins_with(name: &[u8], start: &[u8]) -> bool {
    name.len() >= start.len() && name.iter().zip(start).all(|(one, other)| one == other)
}

fn contains_bytes(name: &[u8], piece: &[u8]) -> bool {
    let Some((first, rest)) = piece.split_first() else {
        return true;
    };
    let mut places = name.iter().enumerate();
    places.any(|(at, byte)| byte == first && begins_with(&name[at + 1..], rest))
}

impl NamePrefilter {
    /// Returns a prefilter that every name passes.
    pub(crate) fn passing_all() -> Self {
        NamePrefilter {
            always: true,
            ..NamePrefilter::default()
        }
    }

    /// Builds the prefilter from the lines of an ignore file.
    pub(crate) fn new<'l>(lines: impl IntoIterator<Item = &'l str>) -> Self {
        let mut prefilter = NamePrefilter::default();
        for line in lines {
            match parse_last_component(line) {
                ParsedLast::Nothing => {}
                ParsedLast::Unknown => prefilter.always = true,
                ParsedLast::Known(part) => prefilter.parts.push(part),
            }
        }
        let key = |part: &LastComponent| {
            let last = if part.wild {
                part.end.last()
            } else {
                part.start.last()
            };
            last.copied()
        };
        // Parts that end in a wildcard have no last byte and sort last.
        prefilter
            .parts
            .sort_by_key(|part| key(part).map_or(256, u16::from));
        for (at, part) in (0_u32..).zip(&prefilter.parts) {
            let Some(last) = key(part) else { break };
            prefilter.wild = at + 1;
            match prefilter.ends.last_mut() {
                Some((known, end)) if *known == last => *end = at + 1,
                _ => prefilter.ends.push((last, at + 1)),
            }
        }
        prefilter
    }

    /// Returns whether a pattern may match an entry of this name.
    pub(crate) fn may_match(&self, name: &[u8], is_folder: bool) -> bool {
        if self.always {
            return true;
        }
        let Some(last) = name.last() else { return true };
        let may_match =
            |parts: &[LastComponent]| parts.iter().any(|part| part.may_match(name, is_folder));
        if let Ok(at) = self.ends.binary_search_by_key(last, |(byte, _)| *byte) {
            let start = at.checked_sub(1).map_or(0, |before| self.ends[before].1);
            if may_match(&self.parts[start as usize..self.ends[at].1 as usize]) {
                return true;
            }
        }
        may_match(&self.parts[self.wild as usize..])
    }
}

enum ParsedLast {
    /// The line is a comment or empty.
    Nothing,
    /// The name alone does not decide whether the pattern matches.
    Unknown,
    Known(LastComponent),
}

/// Parses the last component of the pattern on a line, as the `ignore` crate reads a line.
fn parse_last_component(line: &str) -> ParsedLast {
    if line.starts_with('#') {
        return ParsedLast::Nothing;
    }
    let line = if line.ends_with("\\ ") {
        line
    } else {
        line.trim_end()
    };
    if line.is_empty() {
        return ParsedLast::Nothing;
    }
    let line = match line.strip_prefix('\\') {
        Some(rest) if rest.starts_with(['!', '#']) => rest,
        _ => line.strip_prefix('!').unwrap_or(line),
    };
    let folders_only = line.ends_with('/');
    let line = line.strip_suffix('/').unwrap_or(line);
    let last = line.rsplit('/').next().unwrap_or(line);
    // Alternatives and negated classes may contain slashes.
    if line.contains(['{', '}', '\\']) || last.contains("**") || last.is_empty() {
        return ParsedLast::Unknown;
    }
    let mut pieces = vec![Vec::new()];
    let mut bytes = last.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'*' | b'?' => pieces.push(Vec::new()),
            b'[' => {
                let class: Vec<u8> = bytes.by_ref().take_while(|byte| *byte != b']').collect();
                let plain = class.iter().all(|byte| byte.is_ascii_alphanumeric());
                if !plain || class.is_empty() {
                    return ParsedLast::Unknown;
                }
                pieces.push(Vec::new());
            }
            b']' => return ParsedLast::Unknown,
            _ => {
                if let Some(piece) = pieces.last_mut() {
                    piece.push(byte);
                }
            }
        }
    }
    let wild = pieces.len() > 1;
    let end = if wild {
        pieces.pop().unwrap_or_default()
    } else {
        Vec::new()
    };
    let mut pieces = pieces.into_iter().map(Vec::into_boxed_slice);
    ParsedLast::Known(LastComponent {
        start: pieces.next().unwrap_or_default(),
        middle: pieces.filter(|piece| !piece.is_empty()).collect(),
        end: end.into_boxed_slice(),
        wild,
        folders_only,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ignore::gitignore::GitignoreBuilder;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn prefilter_rejects_most_names() {
        let lines = "# of a kernel\n.*\n*.o\n*.asn1.[ch]\n*.mod.c\n/vmlinux\n/snap/\n\\#*#\n*~\npatches-*\n!/debian/";
        let prefilter = NamePrefilter::new(lines.lines());
        for name in [
            ".x",
            "a.o",
            "x.asn1.c",
            "x.mod.c",
            "vmlinux",
            "#x#",
            "a~",
            "patches-1",
        ] {
            assert!(prefilter.may_match(name.as_bytes(), false), "{name}");
        }
        for name in [
            "a.c", "asn1.c", "mod.c", "Makefile", "snap", "debian", "x.oo", "o", "pat",
        ] {
            assert!(!prefilter.may_match(name.as_bytes(), false), "{name}");
        }
        assert!(prefilter.may_match(b"snap", true) && prefilter.may_match(b"debian", true));
    }

    fn pattern_line() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "a", "b", "ab", ".", "*", "**", "?", "/", "[ab]", "[!a]", "[^a]", "[+-9]", "[a-c]",
            "[", "]", "{a,b}", "{a/b,c}", "\\", "!", "#", " ", "c", "-", "[]a]", "[/a]", "*.c",
        ]);
        prop::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(crate::laws::config())]

        #[test]
        fn prefilter_passes_every_matching_name(
            lines in prop::collection::vec(pattern_line(), 1..4),
            path in "[abc.+-]{1,3}(/[abc.! #]{1,3}){0,2}",
            is_folder in any::<bool>(),
        ) {
            let mut builder = GitignoreBuilder::new("/root");
            for line in &lines {
                let _ = builder.add_line(None, line);
            }
            let patterns = builder.build().expect("those that are none are left out");
            let path = Path::new("/root").join(path);
            // `.` and `..` are not entries of a folder.
            if let Some(name) = path.file_name()
                && path.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes())
                && !patterns.matched(&path, is_folder).is_none()
            {
                let name = name.as_encoded_bytes();
                let prefilter = NamePrefilter::new(lines.iter().map(String::as_str));
                prop_assert!(prefilter.may_match(name, is_folder), "{:?} {:?}", lines, path);
            }
        }
    }
}
