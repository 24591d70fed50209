//! The refusals for a hunk: they say which of its lines differs from the file, where it occurs, or what it lacks. Each
//! is short, so that a refusal can name every part of a reply that failed.

use lancet_text::{
    Correction, FinalNewline, FirstDifference, GapHandling, GuardRefusal, HunkNotFound, LineStarts,
    NewText, Verdict, closest_names, describe_existing_new_text, find_correction, first_difference,
};
use serde_json::json;

use super::ambiguous::{MAX_PLACES_WITH_TEXT, SearchedText, unique_edit};
use crate::message::{Message, Say, message, verbatim};
use crate::next_call::{Remedy, TextEdit};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::examine::edit::source::{SentEdit, SeveralPlaces};
use crate::stages::locate::Target;
use crate::visible::escape_line_for_terminal;
use crate::wording::{QuotedPath, format_count, name_lines, quote_path, truncate};

/// The longest line that is quoted, in characters.
const MAX_LINE_LENGTH: usize = 200;
/// The most groups of lines that are named.
const MAX_NAMED_LINES: usize = 40;
/// The most lines of a file that are compared where none of a hunk's lines is in it.
const MAX_COMPARED_LINES: usize = 20_000;

/// A hunk and the text that it is applied to.
#[derive(Clone, Copy)]
pub(crate) struct HunkInText<'h> {
    pub(crate) target: &'h Target,
    /// The text after the edits so far.
    pub(crate) text: &'h str,
    pub(crate) is_edited: bool,
    pub(crate) sent: SentEdit<'h>,
}

impl HunkInText<'_> {
    fn path(&self) -> QuotedPath {
        quote_path(self.target.path())
    }

    /// Returns the phrase that is added for a text that earlier parts have changed.
    fn earlier_parts_phrase(&self) -> &'static str {
        match self.is_edited {
            true => " as the parts before this one would leave it",
            false => "",
        }
    }

    fn refuse(&self, kind: RefusalKind, text: impl Say) -> Refusal {
        Refusal::from_message(kind, text).with_field("file_path", self.path())
    }
}

/// Returns the refusal for old lines that are not in the file.
pub(crate) fn hunk_not_found_refusal(met: HunkInText<'_>, guard: Option<&GuardRefusal>) -> Refusal {
    let (path, by_then) = (met.path(), met.earlier_parts_phrase());
    if let Some(guard) = guard {
        let line = line_number_at(met.text, guard.place.start);
        let text = message!(
            "The old lines are not in {}{} as sent. They fit line {} on the rung `{}`, but what the change should do there is not certain. {} Send the lines exactly as the file has them.",
            path,
            by_then,
            line,
            verbatim(guard.rung.name()),
            verbatim(&guard.reason)
        );
        let data = json!({ "rung": guard.rung.name(), "line": line, "reason": guard.reason });
        return met
            .refuse(RefusalKind::NotFound, text)
            .with_field("guard", data);
    }
    let SentEdit { old, new, .. } = met.sent;
    let made_before = describe_existing_new_text(met.text, &LineStarts::new(met.text), old, new);
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
            verbatim(quote_line(line))
        ),
        None => message!("the file ends after line {}", found.in_view),
    };
    let remedy = match made_before {
        None => corrected_edit(met),
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
        verbatim(quote_line(sent)),
        there
    );
    let difference = json!({
        "line": found.in_hunk + 1,
        "sent": truncate(sent, MAX_LINE_LENGTH),
        "file_line": found.in_view + 1,
        "file": met.text.lines().nth(found.in_view).map(|line| truncate(line, MAX_LINE_LENGTH)),
    });
    met.refuse(RefusalKind::NotFound, text)
        .with_remedy(remedy)
        .with_field("difference", difference)
}

/// Returns the corrected edit of the file that a hunk was meant to be, where only the hunk's lines determine its place.
fn corrected_edit(met: HunkInText<'_>) -> Option<Remedy> {
    let SentEdit { request, old, new } = met.sent;
    let bounds = &request.as_hunk()?.bounds;
    let is_elsewhere = !bounds.anchors.is_empty() || bounds.next_anchor.is_some() || bounds.at_end;
    if is_elsewhere || bounds.gaps == GapHandling::Allowed || met.is_edited {
        return None;
    }
    let Correction::One(offer) = find_correction(met.text, &LineStarts::new(met.text), old, new)
    else {
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
    let lines = || text.lines().take(MAX_COMPARED_LINES).map(str::trim);
    if lines().any(|line| line == wanted) {
        return None;
    }
    let found = closest_names(wanted, lines(), 1).first().copied()?;
    let in_view = lines().position(|line| line == found)?;
    Some(FirstDifference { in_hunk, in_view })
}

/// Returns the lines of places that are on different rungs, each with its rung.
fn lines_with_rungs(several: &SeveralPlaces<'_>, numbers: &[usize]) -> Message {
    let named = numbers.iter().enumerate().take(MAX_NAMED_LINES);
    let mut lines: Vec<Message> = named
        .map(|(at, line)| message!("line {}{}", verbatim(line), several.place_rung_suffix(at)))
        .collect();
    if numbers.len() > MAX_NAMED_LINES {
        lines.push(message!("{} more", numbers.len() - MAX_NAMED_LINES));
    }
    Message::joined(lines, ", ")
}

/// Returns the refusal for old lines that occur at several places.
pub(crate) fn hunk_ambiguous_refusal(
    met: HunkInText<'_>,
    several: &SeveralPlaces<'_>,
    numbers: Vec<usize>,
    searched: SearchedText<'_>,
) -> Refusal {
    let what = match met.sent.old.is_empty() {
        true => "The anchor is",
        false => "The old lines are",
    };
    let how = several.rung_suffix();
    let lines = match several.looser.is_empty() {
        true => message!("{}", verbatim(name_lines(numbers.clone(), MAX_NAMED_LINES))),
        false => lines_with_rungs(several, &numbers),
    };
    let text = message!(
        "{} at {} in {}{}{}: {}. Which one is meant is unknown. Send more of the lines around the change.",
        what,
        verbatim(format_count(several.total, "place")),
        met.path(),
        met.earlier_parts_phrase(),
        how,
        lines
    );
    met.refuse(RefusalKind::Ambiguous, text)
        .with_remedy(edit_for_each_place(met, several, &numbers, searched))
        .with_field("lines", numbers)
}

/// Returns the edit of each of the first places, where the old lines alone say what it does there.
fn edit_for_each_place(
    met: HunkInText<'_>,
    several: &SeveralPlaces<'_>,
    numbers: &[usize],
    searched: SearchedText<'_>,
) -> Option<Remedy> {
    let bounds = &met.sent.request.as_hunk()?.bounds;
    let lacks_newline = [bounds.old_end, bounds.new_end].contains(&FinalNewline::Lacking);
    if met.sent.old.is_empty()
        || bounds.gaps == GapHandling::Allowed
        || bounds.at_end
        || lacks_newline
    {
        return None;
    }
    let places = several.places.iter().zip(numbers).enumerate();
    let edits = places
        .take(MAX_PLACES_WITH_TEXT)
        .filter_map(|(which, (_, line))| {
            let (old, new) = unique_edit(searched, several, which)?;
            Some(TextEdit {
                path: met.target.path().to_path_buf(),
                old,
                new,
                lines: (*line, *line),
            })
        });
    let edits: Vec<TextEdit> = edits.collect();
    (!edits.is_empty()).then_some(Remedy::Edits(edits))
}

/// Returns the refusal for a hunk that cannot be placed for a reason other than its lines.
pub(crate) fn unplaced_refusal(met: HunkInText<'_>, miss: &HunkNotFound) -> Refusal {
    let path = met.path();
    let text = match miss {
        HunkNotFound::NoAnchor(anchor) => message!(
            "The anchor `{}` is no whole line of {}, or none in the scope of the anchors before it. Copy the line from the file.",
            verbatim(quote_line(anchor)),
            path
        ),
        HunkNotFound::NoPlace => message!(
            "Lines are to be added to {}, and nothing says where: a line number alone is no place. Send lines of the file around them.",
            path
        ),
        HunkNotFound::EndsInNewline => message!(
            "The last old line is marked as having no newline, and {} ends in one. Leave the mark out.",
            path
        ),
        HunkNotFound::UnpairedGaps => message!(
            "The old lines are not in {}, and their lines `...` do not pair up with those of the new lines. Write as many of them on both sides, with text of the file between them.",
            path
        ),
        HunkNotFound::PiecesOutOfOrder(piece) => message!(
            "Piece {} between the lines `...` is in {}, but before the piece that it should follow. Send the pieces in the order of the file.",
            piece + 1,
            path
        ),
        HunkNotFound::Piece(piece, verdict) => return unplaced_piece_refusal(met, *piece, verdict),
    };
    met.refuse(RefusalKind::NotFound, text)
}

/// Returns the refusal for a piece between gaps that cannot be placed.
fn unplaced_piece_refusal(met: HunkInText<'_>, piece: usize, verdict: &Verdict) -> Refusal {
    let path = met.path();
    let piece = piece + 1;
    match verdict {
        Verdict::Ambiguous { places, .. } | Verdict::TooMany { first: places, .. } => {
            let shown = places.iter().take(super::MAX_NAMED_PLACES);
            let numbers: Vec<usize> = shown
                .map(|place| line_number_at(met.text, place.start))
                .collect();
            let text = message!(
                "Piece {} between the lines `...` is at {} in {}: {}. Send more of its lines.",
                piece,
                verbatim(format_count(places.len(), "place")),
                path,
                verbatim(name_lines(numbers.clone(), MAX_NAMED_LINES))
            );
            met.refuse(RefusalKind::Ambiguous, text)
                .with_field("lines", numbers)
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
fn line_number_at(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

fn quote_line(line: &str) -> String {
    escape_line_for_terminal(&truncate(line, MAX_LINE_LENGTH)).into_owned()
}
