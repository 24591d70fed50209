//! An edit script: the steps that turn a matched place into its new text. Lines that old and new text have in common
//! stay in the file untouched; where the match folded look-alikes, so do the characters that they have in common. The
//! script is built once and applied to every place with the same text.

mod build;
mod line_segments;

use std::collections::BTreeSet;
use std::ops::Range;

use crate::splice::Change;

use super::fence::CodeLines;
use super::quotes::PendingQuote;
use super::source::SourceText;
use super::text_lines::{TextLines, is_newline_at};
use super::whole_lines::whole_lines;
use super::{Deletion, EditedPlace};

/// A part of the text that a hunk produces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Segment {
    /// Text of the file that stays, by its range in the place.
    Kept(Range<usize>),
    /// New text.
    Inserted(String),
    /// An inserted quote that becomes curly unless it is in code, which depends on the place.
    Quote {
        quote: PendingQuote,
        /// The number of its line in the new text.
        line: usize,
        /// The number of back quotes before it on that line.
        ticks: usize,
    },
}

/// The effect of an edit on any place with this text: hunks whose offsets count from the start of the place.
#[derive(Debug)]
pub(super) struct EditScript<'a> {
    hunks: Vec<ScriptHunk>,
    old: &'a TextLines<'a>,
    new: &'a TextLines<'a>,
    /// The characters that the new text adds and that are written as ASCII instead of as sent.
    pub(super) straightened: BTreeSet<char>,
}

/// One run of changed lines: the range of the place that it replaces, and the text that it writes there.
#[derive(Debug)]
struct ScriptHunk {
    range: Range<usize>,
    segments: Vec<Segment>,
    newline_after: FollowingNewline,
}

/// The effect of a hunk on the newline right after the place, where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FollowingNewline {
    /// The hunk leaves it alone.
    Untouched,
    /// The hunk deletes the last lines, the first of which starts at this offset. It deletes the newline after the
    /// place as part of them, because the newline before them belongs to a line that stays.
    DeletedFrom(usize),
    /// The hunk adds lines after an empty last line, after the newline that follows the place. Before that newline they
    /// would also be at the start of the empty line, and it would be unknown which line end they take.
    InsertBehind,
}

/// The places with their changes.
#[derive(Debug, Default)]
pub(super) struct EditedPlaces {
    pub(super) places: Vec<EditedPlace>,
    /// Whether a quote was made curly.
    pub(super) curled: bool,
}

impl EditScript<'_> {
    /// Returns the changes at each of these places, which are sorted and do not overlap.
    pub(super) fn apply_to(
        &self,
        source: &SourceText<'_>,
        places: &[Range<usize>],
        deletion: Deletion,
    ) -> EditedPlaces {
        let view = source.view;
        let mut edited = EditedPlaces::default();
        for (number, place) in places.iter().enumerate() {
            let next = places.get(number + 1).map_or(view.len(), |next| next.start);
            // Only a newline that belongs to no place can be deleted with this one or have lines inserted after it.
            let takes_next_newline =
                !self.old.ended && is_newline_at(view, place.end) && next > place.end;
            let mut range = place.clone();
            let mut changes = Vec::with_capacity(self.hunks.len());
            if deletion == Deletion::Requested {
                let before = edited.places.last().map_or(0, |place| place.range.end);
                let mut deleted = place.clone();
                if let Some(whole) = whole_lines(view, place, self.old)
                    && before <= whole.start
                    && whole.end <= next
                    && !source.is_damaged(&whole)
                {
                    range = range.start.min(whole.start)..range.end.max(whole.end);
                    deleted = whole;
                }
                changes.push(Change {
                    range: deleted,
                    text: String::new(),
                });
            } else {
                for hunk in &self.hunks {
                    match hunk.newline_after {
                        FollowingNewline::DeletedFrom(start) if takes_next_newline => {
                            changes.push(Change {
                                range: place.start + start..place.end + 1,
                                text: String::new(),
                            })
                        }
                        FollowingNewline::InsertBehind if takes_next_newline => {
                            changes.push(Change {
                                range: place.end + 1..place.end + 1,
                                text: hunk.added_lines(),
                            })
                        }
                        _ => self.push_hunk_changes(
                            hunk,
                            view,
                            place.start,
                            &mut edited,
                            &mut changes,
                        ),
                    }
                }
            }
            edited.places.push(EditedPlace { range, changes });
        }
        edited
    }

    /// Adds the changes of one hunk at the place that starts at `base`: one change for each run of insertions between
    /// two kept segments, unless it leaves the text as it is.
    fn push_hunk_changes(
        &self,
        hunk: &ScriptHunk,
        view: &str,
        base: usize,
        edited: &mut EditedPlaces,
        changes: &mut Vec<Change>,
    ) {
        let mut at = base + hunk.range.start;
        let mut text = String::new();
        let mut push_change = |at: usize, to: usize, text: &mut String| {
            let unchanged = view[at..to] == **text;
            let text = std::mem::take(text);
            if !unchanged {
                changes.push(Change {
                    range: at..to,
                    text,
                });
            }
        };
        // The character before `text` in the result. Only the first segment needs to look at earlier changes.
        let mut before = result_character_before(view, &edited.places, at);
        let mut code_lines: Option<CodeLines> = None;
        for segment in &hunk.segments {
            match segment {
                Segment::Kept(range) => {
                    push_change(at, base + range.start, &mut text);
                    at = base + range.end;
                    before = view[..at].chars().next_back();
                }
                Segment::Inserted(inserted) => {
                    text.push_str(inserted);
                    before = inserted.chars().next_back().or(before);
                }
                Segment::Quote { quote, line, ticks } => {
                    let code = code_lines
                        .get_or_insert_with(|| CodeLines::scan(view, base, &self.new.lines));
                    let written = if code.is_code(*line, *ticks) {
                        quote.sent
                    } else {
                        edited.curled = true;
                        quote.curly_form(before)
                    };
                    text.push(written);
                    before = Some(written);
                }
            }
        }
        push_change(at, base + hunk.range.end, &mut text);
    }
}

impl ScriptHunk {
    /// Returns the lines that the hunk adds after another line, each with its newline.
    fn added_lines(&self) -> String {
        let mut text = String::new();
        for segment in &self.segments {
            match segment {
                Segment::Inserted(inserted) => text.push_str(inserted),
                Segment::Quote { quote, .. } => text.push(quote.sent),
                Segment::Kept(_) => {}
            }
        }
        let mut lines = text.strip_prefix('\n').unwrap_or(&text).to_owned();
        lines.push('\n');
        lines
    }
}

/// Returns the character before an offset once the changes of earlier places are made.
fn result_character_before(view: &str, edited: &[EditedPlace], offset: usize) -> Option<char> {
    let mut at = offset;
    let changes = edited
        .iter()
        .rev()
        .flat_map(|place| place.changes.iter().rev());
    for change in changes {
        if change.range.end < at {
            break;
        }
        if let Some(last) = change.text.chars().next_back() {
            return Some(last);
        }
        at = change.range.start;
    }
    view[..at].chars().next_back()
}
