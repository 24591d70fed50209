//! The warning for a write that inserts characters into a file which people cannot see.

use crate::message::{FileText, Message, message};
use std::ops::ControlFlow;

use lancet_text::{
    Change, Hidden, HiddenKind, added_hidden_kinds, apply_changes, hidden_runs, may_contain_hidden,
};

/// The word at the beginning of the warning, which programs look for.
const WARNING_NAME: &str = "hidden_text";
/// How many of the last bytes of a piece are scanned again with the next piece, because hidden text may cross the
/// boundary.
const OVERLAP: usize = 16;

/// Returns the warning about changes to a text.
pub(crate) fn hidden_in_changes(view: &str, changes: &[Change]) -> Option<Message> {
    // The whole result is built only where the changes contain such characters.
    if !changes
        .iter()
        .any(|change| may_contain_hidden(&change.text))
    {
        return None;
    }
    hidden_in_texts(view, &apply_changes(view, changes))
}

/// Returns the warning about a text that replaces another.
pub(crate) fn hidden_in_texts(old: &str, new: &str) -> Option<Message> {
    let place = |found: &Hidden| {
        let before = &new[..found.range.start];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before[start..].chars().count() + 1;
        format!("line {line}, column {column}: {}", found.describe(new))
    };
    hidden_text_warning(added_hidden_kinds(old, new).iter().map(place).collect())
}

/// Returns the warning about a text that is inserted into a file which is read in pieces; `is_there` lists the kinds
/// that the file already contains.
pub(crate) fn hidden_in_insertion(new: &str, is_there: &[HiddenKind]) -> Option<Message> {
    let brought = added_hidden_kinds("", new);
    let brought = brought
        .iter()
        .filter(|found| !is_there.contains(&found.kind));
    hidden_text_warning(brought.map(|found| found.describe(new)).collect())
}

fn hidden_text_warning(places: Vec<String>) -> Option<Message> {
    (!places.is_empty()).then(|| {
        message!("{}: this brings in text that people do not see: {}. Take it out again unless it is wanted", WARNING_NAME, FileText(places.join("; ")))
    })
}

/// Scans the pieces of a file, in order, for hidden text.
#[derive(Default)]
pub(crate) struct PieceScanner {
    kept: Vec<u8>,
    pub(crate) kinds: Vec<HiddenKind>,
}

impl PieceScanner {
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        self.kept.extend_from_slice(bytes);
        for found in hidden_runs(&String::from_utf8_lossy(&self.kept)) {
            if !self.kinds.contains(&found.kind) {
                self.kinds.push(found.kind);
            }
        }
        let old = self.kept.len().saturating_sub(OVERLAP);
        self.kept.drain(..old);
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audience::Audience;

    #[test]
    fn scan_in_pieces_finds_same_as_whole_scan() {
        let text = "a\u{202E}b\u{200B}\u{200B}c\u{E0041}";
        for step in 1..text.len() {
            let mut pieces = PieceScanner::default();
            for piece in text.as_bytes().chunks(step) {
                assert!(pieces.feed(piece).is_continue());
            }
            pieces.kinds.sort_unstable();
            let mut wanted: Vec<_> = hidden_runs(text).map(|found| found.kind).collect();
            wanted.sort_unstable();
            assert_eq!(pieces.kinds, wanted, "in pieces of {step}");
        }
    }

    #[test]
    fn warning_names_place_in_new_text() {
        let change = Change {
            range: 4..4,
            text: "x\u{202E}".into(),
        };
        let told = hidden_in_changes("one\ntwo\n", &[change]).expect("a warning");
        let told = told.render(&Audience::default());
        assert!(told.starts_with("hidden_text: "), "{told}");
        assert!(
            told.contains("line 2, column 2: bidirectional control U+202E"),
            "{told}"
        );
    }
}
