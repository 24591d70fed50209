//! One text has one result: an Edit and a SEARCH/REPLACE block with the same texts produce the same file. One of the
//! two is refused alone only where it says less than the other: the text is also within a line, which is a place for an
//! Edit and none for a block, or it occurs once with its newline and once at the end of the file without it, which a
//! block cannot distinguish.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::new_query;
use crate::hunk::{HunkBounds, find_hunk};
use crate::ladder::{Query, Verdict, find};
use crate::laws;
use crate::look_alike::fold_char;
use crate::splice::{Change, apply_changes};

/// Lines that are equal except for what a slip drops.
const SIMILAR_LINES: [&str; 18] = [
    "",
    "a",
    "  a",
    "    a",
    "\ta",
    "a ",
    "b",
    "  b",
    "xa",
    "x  a",
    "say \"hi\"",
    "    say \"hi\"",
    "say \u{201c}hi\u{201d}",
    "  say \u{201c}hi\u{201d}\t",
    "if x {",
    "}",
    "  }",
    " ",
];

/// The errors that a model makes in a text that it copies from a file.
#[derive(Clone, Copy, Debug)]
enum CopySlip {
    None,
    Deeper,
    Dedented,
    FirstLineBare,
    Spaced,
    Tabbed,
    Trimmed,
    Trailing,
    BlankFirst,
    BlankLast,
    BlankBoth,
    Straight,
}

const ALL_SLIPS: [CopySlip; 12] = [
    CopySlip::None,
    CopySlip::Deeper,
    CopySlip::Dedented,
    CopySlip::FirstLineBare,
    CopySlip::Spaced,
    CopySlip::Tabbed,
    CopySlip::Trimmed,
    CopySlip::Trailing,
    CopySlip::BlankFirst,
    CopySlip::BlankLast,
    CopySlip::BlankBoth,
    CopySlip::Straight,
];

/// Returns lines as they are sent with a slip.
fn apply_slip(lines: &[&str], slip: CopySlip) -> Vec<String> {
    let each = |change: &dyn Fn(&str) -> String| lines.iter().map(|line| change(line)).collect();
    let mut sent: Vec<String> = each(&|line| line.to_owned());
    match slip {
        CopySlip::None => {}
        CopySlip::Deeper => sent = each(&|line| format!("  {line}")),
        CopySlip::Dedented => {
            let filled = lines.iter().filter(|line| !line.trim().is_empty());
            let least = filled
                .map(|line| line.len() - line.trim_start().len())
                .min();
            sent = each(&|line| {
                line.get(least.unwrap_or_default()..)
                    .unwrap_or_default()
                    .to_owned()
            });
        }
        CopySlip::FirstLineBare => sent[0] = sent[0].trim_start().to_owned(),
        CopySlip::Spaced => sent = each(&|line| line.replace('\t', "    ")),
        CopySlip::Tabbed => sent = each(&|line| line.replace("    ", "\t")),
        CopySlip::Trimmed => sent = each(&|line| line.trim_end().to_owned()),
        CopySlip::Trailing => sent = each(&|line| format!("{line} ")),
        CopySlip::BlankFirst => sent.insert(0, String::new()),
        CopySlip::BlankLast => sent.push(String::new()),
        CopySlip::BlankBoth => {
            sent.insert(0, String::new());
            sent.push(String::new());
        }
        CopySlip::Straight => sent = each(&|line| line.chars().map(fold_char).collect()),
    }
    sent
}

/// Returns both sides as lines that end in a newline.
fn join_with_newlines(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Returns the view after an edit; `None` where the edit is refused.
fn result_of_edit(query: &Query<'_>, verdict: Verdict) -> Option<String> {
    let Verdict::Found(found) = verdict else {
        return None;
    };
    let places = found.places.into_iter();
    let changes: Vec<Change> = places.flat_map(|place| place.changes).collect();
    Some(apply_changes(query.view, &changes))
}

/// Returns whether the old text, with or without a blank line at its edges, occurs in the view from the middle of a
/// line on.
fn is_in_part_of_line(view: &str, old: &str) -> bool {
    let fold = |text: &str| text.chars().map(fold_char).collect::<String>();
    let (view, old) = (fold(view), fold(old));
    let mut rests = vec![old.as_str()];
    for rest in [&old[..], old.trim_end_matches([' ', '\t', '\n'])] {
        let after = rest.find('\n').filter(|at| rest[..*at].trim().is_empty());
        rests.extend(after.map(|at| &rest[at + 1..]));
        rests.push(rest);
    }
    rests.retain(|rest| !rest.is_empty());
    let inside = view
        .char_indices()
        .filter(|(at, _)| *at > 0 && view.as_bytes()[at - 1] != b'\n');
    let mut texts = inside.map(|(at, _)| &view[at..]);
    texts.any(|text| rests.iter().any(|rest| text.starts_with(rest)))
}

proptest! {
    #![proptest_config(laws::config())]

    #[test]
    fn edit_and_search_block_give_same_result(
        lines in prop::collection::vec(select(SIMILAR_LINES.to_vec()), 1..9),
        is_ended in any::<bool>(),
        (from, length) in (any::<Index>(), 1_usize..5),
        new in prop::collection::vec(select(SIMILAR_LINES.to_vec()), 0..4),
        (old_slip, new_slip) in (select(ALL_SLIPS.to_vec()), select(ALL_SLIPS.to_vec())),
        kept in any::<bool>(),
    ) {
        let mut view = lines.join("\n");
        if is_ended {
            view.push('\n');
        }
        let from = from.index(lines.len());
        let old_lines = &lines[from..(from + length).min(lines.len())];
        // New lines often repeat old lines.
        let new_lines: Vec<&str> = if kept { [old_lines, &new].concat() } else { new };
        let new_lines = if new_lines.is_empty() { Vec::new() } else { apply_slip(&new_lines, new_slip) };
        let (old, new) = (join_with_newlines(&apply_slip(old_lines, old_slip)), join_with_newlines(&new_lines));
        let query = new_query(&view, &old, &new);
        let edit = result_of_edit(&query, find(&query));
        let block = find_hunk(&query, &HunkBounds::default(), None).expect("a hunk without bounds");
        let block = result_of_edit(&query, block);
        let at_end = !is_ended && view.contains(&old) && view.ends_with(old.trim_end_matches('\n'));
        let may_differ = (is_in_part_of_line(&view, &old) || at_end) && (edit.is_none() || block.is_none());
        prop_assert!(edit == block || may_differ, "{view:?}: {old:?} -> {new:?}\nedit  {edit:?}\nblock {block:?}");
    }
}
