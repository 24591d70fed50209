//! The rung `blank-edge`: the old text has one blank line too many at its start, at its end, or at both, which the file
//! does not have there. The rest of the old text matches on an earlier rung.

use std::ops::Range;

use crate::look_alike::{Folded, is_blank, trim_blank_end};
use crate::splice::{Change, apply_changes};

use super::text_lines::{is_newline_at, starts_line};
use super::verdict::{ambiguous_verdict, forbidden_verdict};
use super::{
    EditedPlace, FurtherMatches, GuardRefusal, Rung, SearchTask, Verdict, exact, try_lenient_rungs,
};

/// The rest must have this many lines that are not blank, or [`MIN_CHARACTERS`] characters that are not white space:
/// a shorter text would match by chance.
const MIN_LINES: usize = 2;
/// The other half of the condition: see [`MIN_LINES`].
const MIN_CHARACTERS: usize = 20;

/// Which blank lines are removed from the old text.
#[derive(Debug, Clone, Copy)]
enum BlankEdges {
    Start,
    End,
    Both,
}

pub(super) fn find(task: &SearchTask<'_>) -> Option<Verdict> {
    let mut found: Option<Verdict> = None;
    for edges in [BlankEdges::Start, BlankEdges::End, BlankEdges::Both] {
        let Some(verdict) = try_without(task, edges) else {
            continue;
        };
        found = Some(match found {
            None => verdict,
            Some(earlier) => combine_matches(earlier, verdict),
        });
    }
    found
}

fn try_without(task: &SearchTask<'_>, edges: BlankEdges) -> Option<Verdict> {
    let (old, new) = cut_edges(task.old, task.new, edges)?;
    if !is_long_enough(old) {
        return None;
    }
    let rest = SearchTask {
        old,
        new,
        further: FurtherMatches::OfAllRungs,
        ..*task
    };
    let view = task.source.view;
    match exact::find(&rest).or_else(|| try_lenient_rungs(&rest))? {
        Verdict::Found(mut found) => {
            found.rung = Rung::BlankEdge;
            found
                .places
                .retain(|place| lacks_blank_line(view, &place.range, edges));
            let first = found.places.first()?.range.clone();
            let guard = if is_unsure(task, edges) {
                Some((first, UNSURE_REASON))
            } else {
                let stood = |place: &EditedPlace| line_that_would_be_duplicated(task, place, edges);
                let place = match new.is_empty() {
                    true => None,
                    false => found.places.iter().find_map(stood),
                };
                place.map(|place| (place, DUPLICATED_LINE_REASON))
            };
            Some(match guard {
                Some((place, reason)) => forbidden_verdict(Rung::BlankEdge, place, reason),
                None => Verdict::Found(found),
            })
        }
        Verdict::Ambiguous { places, looser, .. } => {
            let rung = |at: usize| looser.get(&at).copied().unwrap_or(Rung::BlankEdge);
            let mut named: Vec<(Rung, Range<usize>)> = places
                .into_iter()
                .enumerate()
                .map(|(at, place)| (rung(at), place))
                .collect();
            let fits = |(_, place): &(Rung, Range<usize>)| lacks_blank_line(view, place, edges);
            match named.iter().filter(|place| fits(place)).count() {
                0 => return None,
                // The rest must be unique by itself: a place within a line counts against it.
                1 => {}
                _ => named.retain(fits),
            }
            Some(ambiguous_verdict(Rung::BlankEdge, Vec::new(), named))
        }
        Verdict::NotFound { guard } => {
            let guard = guard?;
            lacks_blank_line(view, &guard.place, edges).then_some(Verdict::NotFound {
                guard: Some(GuardRefusal {
                    rung: Rung::BlankEdge,
                    ..guard
                }),
            })
        }
        Verdict::TooMany { first, count, .. } => Some(Verdict::TooMany {
            rung: Rung::BlankEdge,
            first,
            count,
        }),
        leaked @ Verdict::Leaked { .. } => Some(leaked),
    }
}

/// Returns the verdict where removing lines at different edges both matched: ambiguous, whatever each edit would have
/// been.
fn combine_matches(one: Verdict, other: Verdict) -> Verdict {
    let mut places: Vec<Range<usize>> = Vec::new();
    for verdict in [one, other] {
        match verdict {
            Verdict::Found(found) => {
                places.extend(found.places.into_iter().map(|place| place.range))
            }
            Verdict::Ambiguous { places: more, .. } => places.extend(more),
            Verdict::NotFound { guard } => places.extend(guard.map(|guard| guard.place)),
            many @ (Verdict::Leaked { .. } | Verdict::TooMany { .. }) => return many,
        }
    }
    places.sort_by_key(|place| (place.start, place.end));
    places.dedup_by_key(|place| place.start);
    ambiguous_verdict(Rung::BlankEdge, places, Vec::new())
}

/// Returns old and new text without the blank lines at these edges; `None` where the old text has no blank line there.
fn cut_edges<'a>(old: &'a str, new: &'a str, edges: BlankEdges) -> Option<(&'a str, &'a str)> {
    match edges {
        BlankEdges::Start => cut_start(old, new),
        BlankEdges::End => cut_end(old, new),
        BlankEdges::Both => {
            let (old, new) = cut_start(old, new)?;
            cut_end(old, new)
        }
    }
}

fn cut_start<'a>(old: &'a str, new: &'a str) -> Option<(&'a str, &'a str)> {
    let (line, rest) = old.split_once('\n')?;
    is_blank(line).then(|| {
        let blank = &old[..=line.len()];
        (rest, new.strip_prefix(blank).unwrap_or(new))
    })
}

fn cut_end<'a>(old: &'a str, new: &'a str) -> Option<(&'a str, &'a str)> {
    let body = old.strip_suffix('\n').unwrap_or(old);
    let (_, line) = body.rsplit_once('\n')?;
    if !is_blank(line) {
        return None;
    }
    // A blank line that ends in a newline is removed with it, the last one without a newline is removed with the
    // newline before it.
    let blank = match old.ends_with('\n') {
        true => &old[body.len() - line.len()..],
        false => &old[body.len() - line.len() - 1..],
    };
    let rest = &old[..old.len() - blank.len()];
    let shorter = new
        .strip_suffix(blank)
        .filter(|shorter| !old.ends_with('\n') || shorter.is_empty() || shorter.ends_with('\n'));
    Some((rest, shorter.unwrap_or(new)))
}

/// The reason for refusing where [`is_unsure`] is true.
const UNSURE_REASON: &str = "The old text has a blank line more at its edge than the file, and the new text has some of those blank lines, so it is unknown whether one that the file has is meant to go.";

/// Returns whether the old text has several blank lines at one of these edges, and the new text has some but not all of
/// them. The one that the file does not have is dropped where the new text also has it. In this case it is unknown
/// which one that is.
fn is_unsure(task: &SearchTask<'_>, edges: BlankEdges) -> bool {
    let is_unsure = |old: usize, new: usize| 0 < new && new < old;
    let start = |text: &str| text.split('\n').take_while(|line| is_blank(line)).count();
    let end = |text: &str| {
        let body = text.strip_suffix('\n').unwrap_or(text);
        body.rsplit('\n').take_while(|line| is_blank(line)).count()
    };
    let (old, new) = (task.old, task.new);
    let at_start = || is_unsure(start(old), start(new));
    let at_end = || is_unsure(end(old), end(new));
    match edges {
        _ if new.is_empty() => false,
        BlankEdges::Start => at_start(),
        BlankEdges::End => at_end(),
        BlankEdges::Both => at_start() || at_end(),
    }
}

/// The reason for refusing where [`line_that_would_be_duplicated`] finds a line.
const DUPLICATED_LINE_REASON: &str = "The old text has a blank line at its edge that the file does not have, and the new text has there the line that the file has next: the blank line seems to be meant as that line, which would then be there twice.";

/// Returns the place together with the adjacent line that the edit would write once more at one of these edges, because
/// the blank line of the old text represents it; `None` where it writes no such line there.
fn line_that_would_be_duplicated(
    task: &SearchTask<'_>,
    place: &EditedPlace,
    edges: BlankEdges,
) -> Option<Range<usize>> {
    let view = task.source.view;
    // The line before the place and the one after it, with the line ends between them and the place.
    let before = view[..place.range.start].strip_suffix('\n');
    let before = before.map(|text| text.rsplit('\n').next().unwrap_or(text));
    let end = match starts_line(view, place.range.end) {
        true => place.range.end,
        false => (place.range.end + 1).min(view.len()),
    };
    let after = view[end..].split('\n').next().filter(|_| end < view.len());
    let start = place.range.start;
    let local: Vec<Change> = place
        .changes
        .iter()
        .map(|change| Change {
            range: change.range.start - start..change.range.end - start,
            text: change.text.clone(),
        })
        .collect();
    let written = apply_changes(&view[start..end], &local);
    let written = written.strip_suffix('\n').unwrap_or(&written);
    let same = |line: Option<&str>, other: Option<&str>| {
        let folded = |line: &str| Folded::new(trim_blank_end(line)).text().to_owned();
        line.zip(other)
            .is_some_and(|(line, other)| folded(line) == folded(other))
    };
    let first = same(written.split('\n').next(), before);
    let last = same(written.rsplit('\n').next(), after);
    let (first, last) = match edges {
        BlankEdges::Start => (first, false),
        BlankEdges::End => (false, last),
        BlankEdges::Both => (first, last),
    };
    let mut whole = place.range.clone();
    if first {
        whole.start -= before.map_or(0, str::len) + 1;
    }
    if last {
        let newline = usize::from(starts_line(view, place.range.end));
        whole.end = (end + after.map_or(0, str::len) + newline).min(view.len());
    }
    let found = match task.source.is_damaged(&whole) {
        true => place.range.clone(),
        false => whole,
    };
    (first || last).then_some(found)
}

fn is_long_enough(rest: &str) -> bool {
    let lines = rest.split('\n').filter(|line| !is_blank(line)).count();
    let characters = rest.chars().filter(|character| !character.is_whitespace());
    lines >= MIN_LINES || characters.take(MIN_CHARACTERS).count() == MIN_CHARACTERS
}

/// Returns whether the place consists of whole lines and the file has no blank line where one was removed.
fn lacks_blank_line(view: &str, place: &Range<usize>, edges: BlankEdges) -> bool {
    let ends_line =
        place.end == view.len() || is_newline_at(view, place.end) || starts_line(view, place.end);
    if !starts_line(view, place.start) || !ends_line {
        return false;
    }
    let blank_before = || {
        let line = view[..place.start]
            .strip_suffix('\n')
            .map(|before| before.rsplit('\n').next().unwrap_or(before));
        line.is_some_and(is_blank)
    };
    let blank_after = || {
        let after = &view[place.end..];
        let after = match starts_line(view, place.end) {
            true => after,
            false => after.strip_prefix('\n').unwrap_or(after),
        };
        let line = after.split('\n').next().unwrap_or(after);
        !after.is_empty() && is_blank(line)
    };
    match edges {
        BlankEdges::Start => !blank_before(),
        BlankEdges::End => !blank_after(),
        BlankEdges::Both => !blank_before() && !blank_after(),
    }
}
