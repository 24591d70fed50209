//! The refusal for old text that occurs at several places, with a longer text for each place that occurs only once.

use std::ops::Range;

use lancet_text::{Found, LineTable, Query, Rung, Verdict, apply_changes, find, unique_extension};
use serde_json::{Value, json};

use super::whole_text_block;
use crate::message::{Message, message, term, verbatim};
use crate::next_call::{Correction, Remedy};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::examine::edit::source::SeveralPlaces;
use crate::stages::locate::Target;
use crate::wording::{count, quote_path};

/// How many places are listed with a longer text.
const PLACES_WITH_TEXT: usize = 5;
/// How many further places are listed by their line.
const PLACES_WITH_LINE: usize = 200;
/// The longest text that is suggested for one place, in characters.
const LONGEST_SUGGESTION: usize = 800;

/// How many places are listed at most, with a longer text or by their line.
pub(crate) const NAMED_PLACES: usize = PLACES_WITH_TEXT + PLACES_WITH_LINE;

/// The text in which several places were found, where it is in memory.
#[derive(Clone, Copy)]
pub(crate) struct Searched<'a> {
    /// The query to the matching ladder.
    pub(crate) query: Query<'a>,
    pub(crate) lines: &'a dyn LineTable,
}

impl Searched<'_> {
    /// Returns the column, from 1, at which a place begins.
    fn column(&self, place: &Range<usize>) -> usize {
        let line = self.lines.line_range(self.lines.line_of(place.start));
        self.query.view[line.start..place.start].chars().count() + 1
    }
}

/// Returns the refusal for old text that occurs at several places. `numbers` are the lines, from 1, of the first
/// places. Where the text is streamed, no longer texts are searched for.
pub(crate) fn ambiguous(
    context: &CallContext<'_>,
    target: &Target,
    several: &SeveralPlaces<'_>,
    numbers: &[usize],
    searched: Option<Searched<'_>>,
) -> Refusal {
    let path = quote_path(target.path());
    let SeveralPlaces {
        rung,
        places,
        total,
        ..
    } = *several;
    let how = several.rung_named();
    let terms = context.vocabulary;
    let mut text = message!(
        "{} matches {} in {}{}{}",
        terms.old_name(),
        verbatim(count(total, "place")),
        &path,
        how,
        term(
            ", and which one is meant is unknown. Nothing was changed.",
            "; nothing was changed."
        )
    );
    let mut data = Vec::new();
    let mut corrections = Vec::new();
    let mut grows = false;
    let mut shown_before: Option<String> = None;
    let listed = places.iter().zip(numbers).enumerate();
    for (which, (place, line)) in listed.take(PLACES_WITH_TEXT) {
        let shares_line = [which.checked_sub(1), Some(which + 1)]
            .into_iter()
            .flatten()
            .any(|other| numbers.get(other) == Some(line));
        let at = match searched.filter(|_| shares_line) {
            Some(searched) => message!("line {}, column {}", *line, searched.column(place)),
            None => message!("line {}", *line),
        };
        let at = message!("{}{}", at, several.on_rung(which));
        let longer = searched.and_then(|Searched { query, lines }| {
            let range = unique_extension(query.view, lines, places, which)?;
            if is_cut(&query, place) {
                return None;
            }
            let longer = &query.view[range.clone()];
            let whole = whole_text_block(terms.old_name(), longer, LONGEST_SUGGESTION)?;
            Some((query, range, whole))
        });
        let Some((query, range, whole)) = longer else {
            text.push(message!("\nAt {}.", at));
            data.push(with_rung(json!({ "line": line }), several, which));
            continue;
        };
        let others = |other: &&Range<usize>| range.start <= other.start && other.end <= range.end;
        let new = match places.iter().filter(others).count() {
            1 => replaced(&query, rung, place, &range),
            _ => replaced_beside_others(&query, rung, place, &range),
        };
        grows = true;
        let longer = &query.view[range];
        let told = json!({ "line": line, "old_string": longer });
        let mut told = with_rung(told, several, which);
        // A longer text that covers several places is shown once.
        text.push(match shown_before.as_deref() == Some(longer) {
            true => message!("\nTo change {}, send the same {}", at, terms.old_name()),
            false => message!(
                "\nTo change {}{}{}:\n{}",
                at,
                term(", send this ", ", use this "),
                terms.old_name(),
                whole
            ),
        });
        shown_before = Some(longer.to_owned());
        if let Some(new) = new {
            // A text that is too long to be shown is returned only in the data.
            if let Some(whole) = whole_text_block(terms.new_name(), &new, LONGEST_SUGGESTION) {
                text.push(message!("\nwith this {}:\n{}", terms.new_name(), whole));
            }
            told["new_string"] = json!(new);
            corrections.push(Correction {
                old: Some(longer.to_owned()),
                new: Some(new),
                lines: Some((*line, *line)),
            });
        }
        data.push(told);
    }
    let rest = numbers.get(PLACES_WITH_TEXT..).unwrap_or_default();
    if !rest.is_empty() {
        text.push(message!(
            "\nFurther places at lines {}.",
            Message::joined(
                rest.iter().enumerate().map(|(at, line)| {
                    message!("{}{}", *line, several.on_rung(PLACES_WITH_TEXT + at))
                }),
                ", "
            )
        ));
        data.extend(rest.iter().map(|line| json!({ "line": line })));
    }
    let left = total.saturating_sub(NAMED_PLACES);
    if left > 0 {
        text.push(message!(" {} more are not listed.", left));
    }
    text.push(match grows {
        true => term(
            "\nSend one of these longer texts, and new_string longer by the same lines: new_string repeats unchanged what old_string gained.",
            "\nMake --old longer, for example one of these, and --new by the same lines.",
        ),
        false => term(
            "\nSend a longer text that occurs once, and new_string longer by the same lines.",
            "\nMake --old longer, and --new by the same lines.",
        ),
    });
    if let Some(all) = terms.replace_all() {
        text.push(message!(
            "{}{}{}",
            term(" Or ", " Or use "),
            all,
            term(" to change all places.", ".")
        ));
    }
    Refusal::stating(RefusalKind::Ambiguous, text)
        .helped_by(Remedy::corrections(corrections))
        .with("file_path", path)
        .with("count", total)
        .with("places", data)
}

/// Returns the data of a place, with its rung where the places are on different rungs.
fn with_rung(mut data: Value, several: &SeveralPlaces<'_>, place: usize) -> Value {
    if let Some(rung) = several.rung_of(place) {
        data["rung"] = json!(rung.name());
    }
    data
}

/// Returns whether the old text seems to be cut off inside a line: in the middle of a word, or where the new text
/// continues in the same way as the line. Then it is unknown what the longer text should become.
fn is_cut(query: &Query<'_>, place: &Range<usize>) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let view = query.view;
    let rest = view[place.end..].split('\n').next().unwrap_or_default();
    let lead = view[..place.start].rsplit('\n').next().unwrap_or_default();
    let (Some(next), Some(last)) = (rest.chars().next(), view[place.clone()].chars().next_back())
    else {
        return false;
    };
    let goes_on = |sent: char| !last.is_whitespace() && sent == next && sent != last;
    lead.trim().is_empty()
        && ((is_word(last) && is_word(next)) || query.new.chars().next_back().is_some_and(goes_on))
}

/// Computes the replacement of the longer text: the new text, extended by the same lines.
fn replaced(
    query: &Query<'_>,
    rung: Rung,
    place: &Range<usize>,
    longer: &Range<usize>,
) -> Option<String> {
    // The newline after the text is included; otherwise deleting its last line would leave an empty line.
    let ended = query.view[longer.end..].starts_with('\n');
    let whole = &query.view[longer.start..longer.end + usize::from(ended)];
    let alone = Query {
        view: whole,
        damaged: &[],
        ..*query
    };
    if let Verdict::Found(Found { places, .. }) = find(&alone)
        && let [only] = places.as_slice()
    {
        let result = apply_changes(whole, &only.changes);
        return match ended {
            true => result.strip_suffix('\n').map(str::to_owned),
            false => Some(result),
        };
    }
    if rung != Rung::Exact {
        return None;
    }
    let view = query.view;
    let (before, after) = (
        &view[longer.start..place.start],
        &view[place.end..longer.end],
    );
    Some(format!("{before}{}{after}", query.new))
}

/// Computes the replacement of a longer text that covers other places of the old text, too: only this one changes.
/// Returns `None` where the result depends on how the place was found.
fn replaced_beside_others(
    query: &Query<'_>,
    rung: Rung,
    place: &Range<usize>,
    longer: &Range<usize>,
) -> Option<String> {
    let view = query.view;
    let line_start = view[..place.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = view[place.end..].find('\n').map(|at| place.end + at + 1);
    let own = line_start.max(longer.start)..line_end.unwrap_or(view.len());
    let alone = Query {
        view: &view[own.clone()],
        damaged: &[],
        ..*query
    };
    if let Verdict::Found(Found { places, .. }) = find(&alone)
        && let [only] = places.as_slice()
    {
        let result = apply_changes(alone.view, &only.changes);
        let text = format!("{}{result}", &view[longer.start..own.start]);
        return match longer.end.checked_sub(own.end) {
            Some(_) => Some(format!("{text}{}", &view[own.end..longer.end])),
            None => text.strip_suffix('\n').map(str::to_owned),
        };
    }
    // Another place is on the same line. Indentation that the new text repeats would require examining that line.
    let lead = &view[line_start..place.start];
    let repeats = query.new.starts_with([' ', '\t']) && lead.trim().is_empty() && !lead.is_empty();
    if rung != Rung::Exact || repeats {
        return None;
    }
    let after = &view[place.end..longer.end];
    Some(format!(
        "{}{}{after}",
        &view[longer.start..place.start],
        query.new
    ))
}
