//! Edits that make one text of another, each of a text that occurs exactly once: they can be sent as they are, because
//! no context but the text itself decides where they apply.

use std::ops::Range;
use std::time::Duration;

use crate::diff::{LineStarts, LineTable, difference};
use crate::unique::occurs_once;

/// The longest text that is compared, in bytes.
const MAX_TEXT_LENGTH: usize = 1 << 20;

/// The time that the comparison may take.
const COMPARISON_BUDGET: Duration = Duration::from_millis(20);

/// The most edits that are returned.
const MAX_EDITS: usize = 40;

/// The most unchanged lines that an edit includes to be unique.
const MAX_ADDED_LINES: usize = 12;

/// The number of unchanged lines between two changes up to which one edit makes both.
const MAX_JOINED_GAP: usize = 3;

/// An edit of a text that occurs exactly once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniqueEdit {
    /// The text to replace.
    pub old: String,
    /// The text to replace it with.
    pub new: String,
    /// The first and the last changed line of the text before all edits, from 1. Where lines are only added, both are
    /// the line before them.
    pub lines: (usize, usize),
}

/// Returns the edits that make `new` of `old`, each applied to the result of the ones before it. `None` if the texts
/// are equal or too different, or if a change has no unique text within the limits.
pub fn unique_edits(old: &str, new: &str) -> Option<Vec<UniqueEdit>> {
    if old.len().max(new.len()) > MAX_TEXT_LENGTH {
        return None;
    }
    let found = difference(old, new, 0, COMPARISON_BUDGET);
    if found.coarse {
        return None;
    }
    let blocks = join_close_changes(found.blocks);
    if blocks.is_empty() || blocks.len() > MAX_EDITS {
        return None;
    }
    let new_lines = LineStarts::new(new);
    let mut current = old.to_owned();
    let mut edits = Vec::with_capacity(blocks.len());
    for (before, after) in blocks {
        let lines = LineStarts::new(&current);
        // The changes above are made, so lines have the numbers of the new text.
        let there = after.start..after.start + before.len();
        let (from, to) = (
            whole_lines(&current, &lines, &there),
            whole_lines(new, &new_lines, &after),
        );
        let replaced = &new[to];
        let edit = shortest_unique_edit(&current, &lines, &there, replaced)?;
        edits.push(UniqueEdit {
            old: edit.0,
            new: edit.1,
            lines: (before.start + usize::from(!before.is_empty()), before.end),
        });
        current.replace_range(from, replaced);
    }
    (current == new).then_some(edits)
}

/// Joins changes with few lines between them.
fn join_close_changes(
    blocks: Vec<(Range<usize>, Range<usize>)>,
) -> Vec<(Range<usize>, Range<usize>)> {
    let mut all: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for (old, new) in blocks {
        match all.last_mut() {
            Some(last) if old.start - last.0.end <= MAX_JOINED_GAP => {
                last.0.end = old.end;
                last.1.end = new.end;
            }
            _ => all.push((old, new)),
        }
    }
    all
}

/// Returns the place of whole lines with their line ends.
fn whole_lines(text: &str, lines: &LineStarts, range: &Range<usize>) -> Range<usize> {
    let start = |line: usize| match line < lines.line_count() {
        true => lines.line_range(line).start,
        false => text.len(),
    };
    start(range.start)..start(range.end)
}

/// Returns the old and the new text of an edit that replaces some lines: with as few unchanged lines around them as
/// make the old text unique.
fn shortest_unique_edit(
    text: &str,
    lines: &LineStarts,
    changed: &Range<usize>,
    new: &str,
) -> Option<(String, String)> {
    let place = whole_lines(text, lines, changed);
    let below_most = lines.line_count().saturating_sub(changed.end);
    for added in 0..=MAX_ADDED_LINES {
        for above in 0..=added {
            let below = added - above;
            if above > changed.start || below > below_most {
                continue;
            }
            let wide = whole_lines(text, lines, &(changed.start - above..changed.end + below));
            let mut old = &text[wide.clone()];
            let (lead, tail) = (&text[wide.start..place.start], &text[place.end..wide.end]);
            let whole = format!("{lead}{new}{tail}");
            let mut replaced = whole.as_str();
            // A text without the newline at its end is what a model would send.
            if let (Some(shorter), Some(short)) = (old.strip_suffix('\n'), whole.strip_suffix('\n'))
                && !shorter.is_empty()
            {
                (old, replaced) = (shorter, short);
            }
            if !old.trim().is_empty() && occurs_once(text, old) {
                return Some((old.to_owned(), replaced.to_owned()));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Applies the edits as an agent would: each old text must occur once.
    fn apply_edits(text: &str, edits: &[UniqueEdit]) -> String {
        let mut text = text.to_owned();
        for edit in edits {
            assert_eq!(text.matches(&edit.old).count(), 1, "{edit:?} in {text:?}");
            text = text.replacen(&edit.old, &edit.new, 1);
        }
        text
    }

    #[test]
    fn extends_repeated_line_by_neighbour() {
        let edits = unique_edits("a\nx\nb\nx\n", "a\nx\nb\ny\n").expect("edits");
        assert_eq!(edits.len(), 1);
        assert_eq!(
            (edits[0].old.as_str(), edits[0].new.as_str()),
            ("b\nx", "b\ny")
        );
        assert_eq!(edits[0].lines, (4, 4));
    }

    #[test]
    fn insertion_includes_adjacent_line() {
        let edits = unique_edits("a\nb\n", "a\nnew\nb\n").expect("edits");
        assert_eq!(apply_edits("a\nb\n", &edits), "a\nnew\nb\n");
        assert_eq!(edits[0].lines, (1, 1));
    }

    #[test]
    fn equal_texts_have_no_edits() {
        assert_eq!(unique_edits("a\n", "a\n"), None);
    }

    /// Texts of few different lines, so that most of them repeat.
    fn text_of_repeated_lines() -> impl Strategy<Value = String> {
        let line = prop::sample::select(vec!["a", "b", "  c", "", "long line"]);
        let lines = prop::collection::vec(line, 0..14);
        (lines, any::<bool>()).prop_map(|(lines, ends)| {
            let text = lines.join("\n");
            match ends {
                true => text + "\n",
                false => text,
            }
        })
    }

    proptest! {
        #![proptest_config(crate::laws::config())]

        #[test]
        fn edits_produce_new_text(old in text_of_repeated_lines(), new in text_of_repeated_lines()) {
            if let Some(edits) = unique_edits(&old, &new) {
                prop_assert_eq!(apply_edits(&old, &edits), new);
            }
        }
    }
}
