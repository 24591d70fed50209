//! Random files, and intended changes of them: the files before and after are known before any reply is written.

use std::collections::BTreeMap;

/// A random number generator with a seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// Returns a number below `most`, which is not 0.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % most as u64) as usize
    }

    pub(crate) fn one_in(&mut self, most: usize) -> bool {
        self.below(most) == 0
    }
}

/// The text of a file as lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Doc {
    pub(crate) lines: Vec<String>,
    pub(crate) crlf: bool,
    /// Whether the last line has a newline.
    pub(crate) ended: bool,
}

impl Doc {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let end = if self.crlf { "\r\n" } else { "\n" };
        let mut text = self.lines.join(end);
        if self.ended && !self.lines.is_empty() {
            text.push_str(end);
        }
        text.into_bytes()
    }

    /// Returns the text after edits. A newline that the last line lacks stays missing, but where that line is deleted
    /// the one before it keeps its newline.
    pub(crate) fn edited(&self, edits: &[LineEdit]) -> Doc {
        let mut lines = Vec::new();
        let mut at = 0;
        for edit in edits {
            lines.extend_from_slice(&self.lines[at..edit.at]);
            lines.extend_from_slice(&edit.new);
            at = edit.at + edit.gone;
        }
        lines.extend_from_slice(&self.lines[at..]);
        let cut_off = edits.last().is_some_and(|edit| {
            edit.new.is_empty() && edit.gone > 0 && edit.at + edit.gone == self.lines.len()
        });
        Doc {
            lines,
            crlf: self.crlf,
            ended: self.ended || cut_off || self.lines.is_empty(),
        }
    }
}

/// Lines that are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineEdit {
    pub(crate) at: usize,
    pub(crate) gone: usize,
    pub(crate) new: Vec<String>,
}

/// The intended change of a file.
#[derive(Clone, Debug)]
pub(crate) enum Meant {
    Edited(Vec<LineEdit>),
    Created(Doc),
    Deleted,
    Moved(String, Vec<LineEdit>),
}

/// The changes that a format can express.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    EditsAndNewFiles,
    All,
}

/// Whether the same line occurs at several places.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// Few different lines, many of them blank.
    Common,
    /// Every line occurs once in all files.
    Distinct,
}

/// Files, and the intended changes of some of them.
#[derive(Clone, Debug)]
pub(crate) struct Story {
    pub(crate) files: BTreeMap<String, Doc>,
    pub(crate) changes: Vec<(String, Meant)>,
}

const COMMON: [&str; 9] = [
    "",
    "",
    "a",
    "b",
    "    x = 1",
    "\ty",
    "}",
    "{",
    "caf\u{e9} \u{201c}q\u{201d}",
];
const NAMES: [&str; 4] = ["a.txt", "src/b.py", "src/deep/c.rs", "d with blank.md"];

/// Whether files may have CR LF line ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    Lf,
    Any,
}

impl Story {
    pub(crate) fn random(dice: &mut Dice, says: Says, kind: LineKind, ends: Ends) -> Story {
        let mut made = 0;
        let mut line = |dice: &mut Dice, word: &str| {
            made += 1;
            match kind {
                LineKind::Common => COMMON[dice.below(COMMON.len())].to_owned(),
                LineKind::Distinct => {
                    format!("{}{word} number {made} here", "  ".repeat(dice.below(3)))
                }
            }
        };
        let mut files = BTreeMap::new();
        for name in NAMES {
            let count = if dice.one_in(8) {
                0
            } else {
                1 + dice.below(14)
            };
            let lines: Vec<String> = (0..count).map(|_| line(dice, "line")).collect();
            // A file without any line end gets LF. A text that ends in an empty line has its final newline.
            let ended = !dice.one_in(4) || lines.last().is_none_or(String::is_empty);
            let crlf = ends == Ends::Any && dice.one_in(4) && (lines.len() > 1 || ended);
            let crlf = crlf && !lines.is_empty();
            files.insert(name.to_owned(), Doc { lines, crlf, ended });
        }
        let mut changes = Vec::new();
        for name in NAMES {
            let doc = &files[name];
            let meant = match dice.below(8) {
                0..4 => Meant::Edited(edits(dice, doc, &mut line)),
                4 if says == Says::All => Meant::Deleted,
                5 if says == Says::All => {
                    let edits = match dice.one_in(2) {
                        true => Vec::new(),
                        false => edits(dice, doc, &mut line),
                    };
                    Meant::Moved(format!("moved/{name}"), edits)
                }
                6 => {
                    let count = 1 + dice.below(4);
                    let lines = (0..count).map(|_| line(dice, "new")).collect();
                    let doc = Doc {
                        lines,
                        crlf: false,
                        ended: true,
                    };
                    // A line with blanks in it is prose unless it is the name of an existing file.
                    let new = format!("new/{}", name.replace(' ', "-"));
                    changes.push((new, Meant::Created(doc)));
                    continue;
                }
                _ => continue,
            };
            changes.push((name.to_owned(), meant));
        }
        changes.retain(|(_, meant)| !matches!(meant, Meant::Edited(edits) if edits.is_empty()));
        Story { files, changes }
    }

    /// Returns the files as they are meant to be in the end.
    pub(crate) fn after(&self) -> BTreeMap<String, Vec<u8>> {
        let bytes = self
            .files
            .iter()
            .map(|(name, doc)| (name.clone(), doc.bytes()));
        let mut after: BTreeMap<String, Vec<u8>> = bytes.collect();
        for (name, meant) in &self.changes {
            match meant {
                Meant::Edited(edits) => {
                    after.insert(name.clone(), self.files[name].edited(edits).bytes());
                }
                Meant::Created(doc) => {
                    after.insert(name.clone(), doc.bytes());
                }
                Meant::Deleted => {
                    after.remove(name);
                }
                Meant::Moved(to, edits) => {
                    after.remove(name);
                    after.insert(to.clone(), self.files[name].edited(edits).bytes());
                }
            }
        }
        after
    }
}

/// Makes edits of a text, apart from each other or adjacent. None of them leaves its lines as they are.
fn edits(
    dice: &mut Dice,
    doc: &Doc,
    line: &mut impl FnMut(&mut Dice, &str) -> String,
) -> Vec<LineEdit> {
    let mut edits = Vec::new();
    let mut at = 0;
    for _ in 0..1 + dice.below(3) {
        let left = doc.lines.len() - at;
        let start = at + dice.below(left + 1);
        let gone = dice.below((doc.lines.len() - start).min(3) + 1);
        let mut new: Vec<String> = (0..dice.below(4)).map(|_| line(dice, "fresh")).collect();
        // An empty last line without a newline is not a line.
        if !doc.ended && start + gone == doc.lines.len() {
            let text = new.iter().rposition(|line| !line.is_empty());
            new.truncate(text.map_or(0, |last| last + 1));
        }
        if doc.lines[start..start + gone] != new[..] {
            edits.push(LineEdit {
                at: start,
                gone,
                new,
            });
            // One line at least stays between two edits, so that they are two.
            at = start + gone + 1;
        }
        if at > doc.lines.len() {
            break;
        }
    }
    // Edits that together leave the text as it was express no change.
    if doc.edited(&edits).lines == doc.lines {
        return Vec::new();
    }
    edits
}
