//! The refusals for a hunk: they say which of its lines differs from the file, where it occurs, or what it lacks. Each
//! is short, so that a refusal can name every part of a reply that failed.

use lancet_text::{
    Correction, FirstDifference, Gaps, Guard, HunkMiss, LineStarts, NewText, Verdict,
    already_there, closest, correct, first_difference,
};
use serde_json::json;

use crate::message::{Message, Say, message, verbatim};
use crate::next_call::{Remedy, TextEdit};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::examine::edit::source::{SentEdit, SeveralPlaces};
use crate::stages::locate::Target;
use crate::visible::visible_line;
use crate::wording::{QuotedPath, count, cut, lines_named, quote_path};

/// The longest line that is quoted, in characters.
const LONGEST_LINE: usize = 200;
/// The most groups of lines that are named.
const LINES_NAMED: usize = 40;
/// The most lines of a file that are compared where none of a hunk's lines is in it.
const COMPARED: usize = 20_000;

/// A hunk and the text that it is applied to.
#[derive(Clone, Copy)]
pub(crate) struct MetHunk<'h> {
    pub(crate) target: &'h Target,
    /// The text after the edits so far.
    pub(crate) text: &'h str,
    pub(crate) is_edited: bool,
    pub(crate) sent: SentEdit<'h>,
}

impl MetHunk<'_> {
    fn path(&self) -> QuotedPath {
        quote_path(self.target.path())
    }

    /// Returns the phrase that is added for a text that earlier parts have changed.
    fn by_then(&self) -> &'static str {
        match self.is_edited {
            true => " as the parts before this one would leave it",
            false => "",
        }
    }

    fn refuse(&self, kind: RefusalKind, text: impl Say) -> Refusal {
        Refusal::stating(kind, text).with("file_path", self.path())
    }
}

/// Returns the refusal for old lines that are not in the file.
pub(crate) fn hunk_not_found(met: MetHunk<'_>, guard: Option<&Guard>) -> Refusal {
    let (path, by_then) = (met.path(), met.by_then());
    if let Some(guard) = guard {
        let line = line_of(met.text, guard.place.start);
        let text = message!(
            "The old lines are not in {}{} as sent. They fit line {} on the rung `{}`, but what the change should do there is not certain. {} Send the lines exactly as the file has them.",
            path,
            by_then,
            line,
            verbatim(guard.rung.name()),
            verbatim(&guard.reason)
        );
        let data = json!({ "rung": guard.rung.name(), "line": line, "reason": guard.reason });
        return met.refuse(RefusalKind::NotFound, text).with("guard", data);
    }
    let SentEdit { old, new, .. } = met.sent;
    let made_before = already_there(met.text, &LineStarts::new(met.text), old, new);
    let made_before = made_before.map(|places| {
        message!("The new ones are already there, at {}: the change may have been made before; leave this part out if that is so.", verbatim(places))
    });
    let nearest = || match made_before {
        Some(_) => None,
        None => nearest_line(met.text, old),
    };
    let Some(found) = first_difference(met.text, old).or_else(nearest) else {
        let is_known = met.sent.old.lines().any(|line| {
            let line = line.trim();
            !line.is_empty() && met.text.lines().any(|other| other.trim() == line)
        });
        let why = match is_known {
            true => {
                "They are, but not at a place where this part may go: look at its anchors, its line numbers and its end-of-file marks."
            }
            false => "None of them is: look at the path, and read the file.",
        };
        let why = made_before.unwrap_or_else(|| message!("{}", why));
        let text = message!("The old lines are not in {}{}. {}", path, by_then, why);
        return met.refuse(RefusalKind::NotFound, text);
    };
    let sent = met.sent.old.lines().nth(found.in_hunk).unwrap_or_default();
    let there = match met.text.lines().nth(found.in_view) {
        Some(line) => message!(
            "line {} of the file is `{}`",
            found.in_view + 1,
            verbatim(quoted(line))
        ),
        None => message!("the file ends after line {}", found.in_view),
    };
    let remedy = match made_before {
        None => corrected(met),
        // The change may already have been made, so following a suggestion could make it twice.
        Some(_) => None,
    };
    let made_before = made_before.map(|words| message!("{} ", words));
    let text = message!(
        "The old lines are not in {}{}. {}At the nearest place the first that differs is line {} of them: `{}`, and {}. Copy the lines from the file.",
        path,
        by_then,
        made_before,
        found.in_hunk + 1,
        verbatim(quoted(sent)),
        there
    );
    let difference = json!({
        "line": found.in_hunk + 1,
        "sent": cut(sent, LONGEST_LINE),
        "file_line": found.in_view + 1,
        "file": met.text.lines().nth(found.in_view).map(|line| cut(line, LONGEST_LINE)),
    });
    met.refuse(RefusalKind::NotFound, text)
        .helped_by(remedy)
        .with("difference", difference)
}

/// Returns the corrected edit of the file that a hunk was meant to be, where only the hunk's lines determine its place.
fn corrected(met: MetHunk<'_>) -> Option<Remedy> {
    let SentEdit { request, old, new } = met.sent;
    let bounds = &request.as_hunk()?.bounds;
    let is_elsewhere = !bounds.anchors.is_empty() || bounds.next_anchor.is_some() || bounds.at_end;
    if is_elsewhere || bounds.gaps == Gaps::Allowed || met.is_edited {
        return None;
    }
    let Correction::One(offer) = correct(met.text, &LineStarts::new(met.text), old, new) else {
        return None;
    };
    let new = match offer.new {
        NewText::AsSent => new.to_owned(),
        NewText::Instead(new) => new,
        NewText::Unknown => return None,
    };
    Some(Remedy::Edits(vec![TextEdit {
        path: met.target.path().to_path_buf(),
        old: met.text[offer.range].to_owned(),
        new,
        lines: (offer.lines.start + 1, offer.lines.end),
    }]))
}

/// Returns the line of the file that is nearest to the first old line, where none of the old lines is in the file.
fn nearest_line(text: &str, old: &str) -> Option<FirstDifference> {
    let mut sent = old.lines().enumerate();
    let (in_hunk, wanted) = sent.find(|(_, line)| !line.trim().is_empty())?;
    let wanted = wanted.trim();
    let lines = || text.lines().take(COMPARED).map(str::trim);
    if lines().any(|line| line == wanted) {
        return None;
    }
    let found = closest(wanted, lines(), 1).first().copied()?;
    let in_view = lines().position(|line| line == found)?;
    Some(FirstDifference { in_hunk, in_view })
}

/// Returns the lines of places that are on different rungs, each with its rung.
fn lines_with_rungs(several: &SeveralPlaces<'_>, numbers: &[usize]) -> Message {
    let named = numbers.iter().enumerate().take(LINES_NAMED);
    let mut lines: Vec<Message> = named
        .map(|(at, line)| message!("line {}{}", verbatim(line), several.on_rung(at)))
        .collect();
    if numbers.len() > LINES_NAMED {
        lines.push(message!("{} more", numbers.len() - LINES_NAMED));
    }
    Message::joined(lines, ", ")
}

/// Returns the refusal for old lines that occur at several places.
pub(crate) fn hunk_ambiguous(
    met: MetHunk<'_>,
    several: &SeveralPlaces<'_>,
    numbers: Vec<usize>,
) -> Refusal {
    let what = match met.sent.old.is_empty() {
        true => "The anchor is",
        false => "The old lines are",
    };
    let how = several.rung_named();
    let lines = match several.looser.is_empty() {
        true => message!("{}", verbatim(lines_named(numbers.clone(), LINES_NAMED))),
        false => lines_with_rungs(several, &numbers),
    };
    let text = message!(
        "{} at {} in {}{}{}: {}. Which one is meant is unknown. Send more of the lines around the change.",
        what,
        verbatim(count(several.total, "place")),
        met.path(),
        met.by_then(),
        how,
        lines
    );
    met.refuse(RefusalKind::Ambiguous, text)
        .with("lines", numbers)
}

/// Returns the refusal for a hunk that cannot be placed for a reason other than its lines.
pub(crate) fn unplaced(met: MetHunk<'_>, miss: &HunkMiss) -> Refusal {
    let path = met.path();
    let text = match miss {
        HunkMiss::NoAnchor(anchor) => message!(
            "The anchor `{}` is no whole line of {}, or none in the scope of the anchors before it. Copy the line from the file.",
            verbatim(quoted(anchor)),
            path
        ),
        HunkMiss::NoPlace => message!(
            "Lines are to be added to {}, and nothing says where: a line number alone is no place. Send lines of the file around them.",
            path
        ),
        HunkMiss::EndsInNewline => message!(
            "The last old line is marked as having no newline, and {} ends in one. Leave the mark out.",
            path
        ),
        HunkMiss::UnpairedGaps => message!(
            "The old lines are not in {}, and their lines `...` do not pair up with those of the new lines. Write as many of them on both sides, with text of the file between them.",
            path
        ),
        HunkMiss::PiecesOutOfOrder(piece) => message!(
            "Piece {} between the lines `...` is in {}, but before the piece that it should follow. Send the pieces in the order of the file.",
            piece + 1,
            path
        ),
        HunkMiss::Piece(piece, verdict) => return unplaced_piece(met, *piece, verdict),
    };
    met.refuse(RefusalKind::NotFound, text)
}

/// Returns the refusal for a piece between gaps that cannot be placed.
fn unplaced_piece(met: MetHunk<'_>, piece: usize, verdict: &Verdict) -> Refusal {
    let path = met.path();
    let piece = piece + 1;
    match verdict {
        Verdict::Ambiguous { places, .. } | Verdict::TooMany { first: places, .. } => {
            let shown = places.iter().take(super::NAMED_PLACES);
            let numbers: Vec<usize> = shown.map(|place| line_of(met.text, place.start)).collect();
            let text = message!(
                "Piece {} between the lines `...` is at {} in {}: {}. Send more of its lines.",
                piece,
                verbatim(count(places.len(), "place")),
                path,
                verbatim(lines_named(numbers.clone(), LINES_NAMED))
            );
            met.refuse(RefusalKind::Ambiguous, text)
                .with("lines", numbers)
        }
        _ => {
            let text = message!(
                "Piece {} between the lines `...` is not in {}. Copy its lines from the file.",
                piece,
                path
            );
            met.refuse(RefusalKind::NotFound, text)
        }
    }
}

/// Returns the number of a line, from 1.
fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

fn quoted(line: &str) -> String {
    visible_line(&cut(line, LONGEST_LINE)).into_owned()
}
