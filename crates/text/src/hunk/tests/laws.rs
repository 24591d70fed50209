//! Hunks are placed as an oracle says that tries every window of lines, and line numbers follow edits.

use proptest::prelude::*;

use super::{apply_hunk_at, new_query};
use crate::hunk::{HunkBounds, HunkSides, LastLine, LineShifts, find_hunk};
use crate::ladder::{Query, Tolerance, Verdict};
use crate::laws;
use crate::splice::{Change, apply_changes};

/// Generates a view of few different lines, some of them indented, and whether it ends in a newline.
fn generated_view() -> impl Strategy<Value = (Vec<&'static str>, bool)> {
    let line = prop::sample::select(vec!["", "a", "b", "f:", "  a", "  f:", "    a", "    b"]);
    (prop::collection::vec(line, 1..12), any::<bool>())
}

fn join_lines(lines: &[&str], ended: bool) -> String {
    let mut text = lines.join("\n");
    // An empty last line has to have its newline to be one.
    if !lines.is_empty() && (ended || lines.last().is_some_and(|line| line.is_empty())) {
        text.push('\n');
    }
    text
}

fn join_with_newlines(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn indent_length(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the windows, as first line and length, in which a hunk under an anchor may be.
fn windows_below_anchor(
    lines: &[&str],
    anchor: &str,
    hunk: &HunkBounds,
) -> Vec<std::ops::Range<usize>> {
    let count = lines.iter().filter(|line| line.trim() == anchor).count();
    let mut scopes = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if line.trim() != anchor || line.trim().is_empty() {
            continue;
        }
        let deeper =
            |line: &&&str| line.trim().is_empty() || indent_length(line) > indent_length(lines[at]);
        let mut end = at + 1 + lines[at + 1..].iter().take_while(deeper).count();
        let is_flat = lines[at + 1..end].iter().all(|line| line.trim().is_empty());
        if is_flat && count == 1 {
            let next = hunk.next_anchor.as_deref();
            let ends = |line: &&&str| next != Some(line.trim());
            end = at + 1 + lines[at + 1..].iter().take_while(ends).count();
        }
        let closed = match hunk.last_line {
            LastLine::Kept => (end + 1).min(lines.len()),
            LastLine::Replaced => end,
        };
        scopes.push(at..closed);
    }
    scopes
}

/// Returns how often a text occurs in another one, overlaps included.
fn count_occurrences(text: &str, part: &str) -> usize {
    let places = 0..text.len();
    places.filter(|at| text[*at..].starts_with(part)).count()
}

/// Returns the result of a hunk by trying every window of lines.
fn expected_result(
    (lines, is_ended): (&[&str], bool),
    (old, new): (&[&str], &[&str]),
    hunk: &HunkBounds,
    line: Option<usize>,
) -> String {
    let allowed = hunk
        .anchors
        .first()
        .map(|anchor| windows_below_anchor(lines, anchor, hunk));
    if allowed.as_ref().is_some_and(Vec::is_empty) {
        return "no anchor".to_owned();
    }
    let is_allowed = |start: usize| {
        let end = start + old.len();
        allowed.as_ref().is_none_or(|scopes| {
            scopes
                .iter()
                .any(|scope| scope.start <= start && end <= scope.end)
        }) && (!hunk.at_end || end == lines.len())
    };
    let mut places: Vec<usize> = (0..=lines.len().saturating_sub(old.len()))
        .filter(|start| lines[*start..].starts_with(old) && is_allowed(*start))
        .collect();
    if places.len() > 1
        && let Some(line) = line.filter(|line| places.contains(line))
    {
        places = vec![line];
    }
    match places[..] {
        [] => "not found".to_owned(),
        // At an end without newline, the lines are compared with the place that an edit with the same texts finds.
        [start]
            if start + old.len() == lines.len()
                && !is_ended
                && hunk.anchors.is_empty()
                && !hunk.at_end
                && count_occurrences(&join_lines(lines, false), &join_with_newlines(old)) == 1 =>
        {
            "ambiguous 2".to_owned()
        }
        [start] => {
            let mut result = lines.to_vec();
            result.splice(start..start + old.len(), new.iter().copied());
            join_lines(&result, is_ended)
        }
        _ => format!("ambiguous {}", places.len()),
    }
}

proptest! {
    #![proptest_config(laws::config())]

    #[test]
    fn search_agrees_with_trying_every_window(
        (lines, is_ended) in generated_view(),
        from in 0_usize..12,
        length in 1_usize..4,
        new in prop::collection::vec(prop::sample::select(vec!["x", "y", "  z"]), 1..3),
        anchored in any::<bool>(),
        next_anchor in any::<bool>(),
        at_end in prop::bool::weighted(0.2),
        kept in any::<bool>(),
        line in prop::option::of(0_usize..12),
    ) {
        let from = from % lines.len();
        let old = &lines[from..(from + length).min(lines.len())];
        let hunk = HunkBounds {
            anchors: anchored.then(|| "f:".to_owned()).into_iter().collect(),
            next_anchor: next_anchor.then(|| "b".to_owned()),
            at_end,
            last_line: if kept { LastLine::Kept } else { LastLine::Replaced },
            ..HunkBounds::default()
        };
        let view = join_lines(&lines, is_ended);
        let (old_text, new_text) = (join_with_newlines(old), join_with_newlines(&new));
        let exact = Query { tolerance: Tolerance::Exact, ..new_query(&view, &old_text, &new_text) };
        let got = match find_hunk(&exact, &hunk, line) {
            Ok(Verdict::Found(found)) => {
                let changes: Vec<Change> = found.places.into_iter().flat_map(|place| place.changes).collect();
                apply_changes(&view, &changes)
            }
            Ok(Verdict::Ambiguous { places, .. }) => format!("ambiguous {}", places.len()),
            Ok(Verdict::NotFound { .. }) => "not found".to_owned(),
            Err(_) => "no anchor".to_owned(),
            Ok(other) => format!("{other:?}"),
        };
        // An empty last line has its newline, whatever the view is said to have.
        let is_ended = is_ended || lines.last().is_some_and(|line| line.is_empty());
        let mut wanted = expected_result((&lines, is_ended), (old, &new), &hunk, line);
        if wanted.ends_with("\n") && !view.ends_with('\n') && !is_ended {
            wanted.pop();
        }
        prop_assert_eq!(got, wanted, "{:?} {:?}", view, old_text);
    }

    /// No input makes the search panic, and what it finds stays inside the view.
    #[test]
    fn search_accepts_any_input(
        view in "[ab.\n\t é]{0,30}", old in "([ab.\t é]{0,4}\n){0,4}", new in "([ab.\t é]{0,4}\n){0,4}",
        anchor in prop::option::of("[ab]{0,2}"), line in prop::option::of(any::<usize>()),
        flags in 0_u8..64,
    ) {
        use crate::hunk::{FinalNewline, GapHandling};
        let bit = |at: u8| flags & (1 << at) != 0;
        let lacking = |yes: bool| if yes { FinalNewline::Lacking } else { FinalNewline::Unmarked };
        let hunk = HunkBounds {
            anchors: anchor.into_iter().collect(),
            next_anchor: bit(5).then(|| "b".to_owned()),
            at_end: bit(0),
            old_end: lacking(bit(1)),
            new_end: lacking(bit(2)),
            gaps: if bit(3) { GapHandling::Allowed } else { GapHandling::Literal },
            last_line: if bit(4) { LastLine::Kept } else { LastLine::Replaced },
            sides: if bit(4) { HunkSides::WithContext } else { HunkSides::Texts },
        };
        let _ = apply_hunk_at(&view, &old, &new, &hunk, line);
    }

    /// A line that no edit touched has the number that the shifts return.
    #[test]
    fn line_shifts_track_untouched_lines(
        count in 1_usize..10, rounds in prop::collection::vec((0_usize..12, 0_usize..4, 0_usize..4), 1..5),
    ) {
        let mut lines: Vec<String> = (0..count).map(|number| format!("line {number}")).collect();
        let mut shifts = LineShifts::default();
        for (at, gone, new) in rounds {
            let at = at.min(lines.len());
            let gone = gone.min(lines.len() - at);
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let start = lines[..at].iter().map(|line| line.len() + 1).sum::<usize>();
            let end = start + lines[at..at + gone].iter().map(|line| line.len() + 1).sum::<usize>();
            let change = Change { range: start..end, text: "new\n".repeat(new) };
            shifts.record(&text, [&change]);
            lines.splice(at..at + gone, vec!["new".to_owned(); new]);
        }
        for number in 0..count {
            let now = lines.iter().position(|line| *line == format!("line {number}"));
            prop_assert_eq!(shifts.current_line(number, 0), now, "line {}", number);
        }
    }
}
