//! The refusal for old text that occurs at several places, with a longer text for each place that occurs only once.

use std::ops::Range;

use lancet_text::{
    FoundPlaces, LineTable, Query, Rung, Verdict, apply_changes, find, unique_extension,
};
use serde_json::{Value, json};

use super::whole_text_block;
use crate::message::{Message, message, tool_and_shell_term, verbatim};
use crate::next_call::{Correction, Remedy};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::examine::edit::source::SeveralPlaces;
use crate::stages::locate::Target;
use crate::wording::{format_count, quote_path};

/// How many places are listed with a longer text.
pub(super) const MAX_PLACES_WITH_TEXT: usize = 5;
/// How many further places are listed by their line.
const MAX_PLACES_WITH_LINE: usize = 200;
/// The longest text that is suggested for one place, in characters.
const MAX_SUGGESTION_LENGTH: usize = 800;

/// How many places are listed at most, with a longer text or by their line.
pub(crate) const MAX_NAMED_PLACES: usize = MAX_PLACES_WITH_TEXT + MAX_PLACES_WITH_LINE;

/// The text in which several places were found, where it is in memory.
#[derive(Clone, Copy)]
pub(crate) struct SearchedText<'a> {
    /// The query to the matching ladder.
    pub(crate) query: Query<'a>,
    pub(crate) lines: &'a dyn LineTable,
}

impl SearchedText<'_> {
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
    searched: Option<SearchedText<'_>>,
) -> Refusal {
    let path = quote_path(target.path());
    let SeveralPlaces { places, total, .. } = *several;
    let how = several.rung_suffix();
    let terms = context.vocabulary;
    let mut text = message!(
        "{} matches {} in {}{}{}",
        terms.old_name(),
        verbatim(format_count(total, "place")),
        &path,
        how,
        tool_and_shell_term(
            ", and which one is meant is unknown. Nothing was changed.",
            "; nothing was changed."
        )
    );
    let mut data = Vec::new();
    let mut corrections = Vec::new();
    let mut grows = false;
    let mut shown_before: Option<String> = None;
    let listed = places.iter().zip(numbers).enumerate();
    for (which, (place, line)) in listed.take(MAX_PLACES_WITH_TEXT) {
        let shares_line = [which.checked_sub(1), Some(which + 1)]
            .into_iter()
            .flatten()
            .any(|other| numbers.get(other) == Some(line));
        let at = match searched.filter(|_| shares_line) {
            Some(searched) => message!("line {}, column {}", *line, searched.column(place)),
            None => message!("line {}", *line),
        };
        let at = message!("{}{}", at, several.place_rung_suffix(which));
        let longer = searched.and_then(|searched| {
            let range = extend_until_unique(searched, several, which)?;
            let query = searched.query;
            let longer = &query.view[range.clone()];
            let whole = whole_text_block(terms.old_name(), longer, MAX_SUGGESTION_LENGTH)?;
            Some((query, range, whole))
        });
        let Some((query, range, whole)) = longer else {
            text.push(message!("\nAt {}.", at));
            data.push(add_rung(json!({ "line": line }), several, which));
            continue;
        };
        let new = new_text_for_longer_place(&query, several, place, &range);
        grows = true;
        let longer = &query.view[range];
        let told = json!({ "line": line, "old_string": longer });
        let mut told = add_rung(told, several, which);
        // A longer text that covers several places is shown once.
        text.push(match shown_before.as_deref() == Some(longer) {
            true => message!("\nTo change {}, send the same {}", at, terms.old_name()),
            false => message!(
                "\nTo change {}{}{}:\n{}",
                at,
                tool_and_shell_term(", send this ", ", use this "),
                terms.old_name(),
                whole
            ),
        });
        shown_before = Some(longer.to_owned());
        if let Some(new) = new {
            // A text that is too long to be shown is returned only in the data.
            if let Some(whole) = whole_text_block(terms.new_name(), &new, MAX_SUGGESTION_LENGTH) {
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
    let rest = numbers.get(MAX_PLACES_WITH_TEXT..).unwrap_or_default();
    if !rest.is_empty() {
        text.push(message!(
            "\nFurther places at lines {}.",
            Message::joined(
                rest.iter().enumerate().map(|(at, line)| {
                    message!(
                        "{}{}",
                        *line,
                        several.place_rung_suffix(MAX_PLACES_WITH_TEXT + at)
                    )
                }),
                ", "
            )
        ));
        data.extend(rest.iter().map(|line| json!({ "line": line })));
    }
    let left = total.saturating_sub(MAX_NAMED_PLACES);
    if left > 0 {
        text.push(message!(" {} more are not listed.", left));
    }
    text.push(match grows {
        true => tool_and_shell_term(
            "\nSend one of these longer texts, and new_string longer by the same lines: new_string repeats unchanged what old_string gained.",
            "\nMake --old longer, for example one of these, and --new by the same lines.",
        ),
        false => tool_and_shell_term(
            "\nSend a longer text that occurs once, and new_string longer by the same lines.",
            "\nMake --old longer, and --new by the same lines.",
        ),
    });
    if let Some(all) = terms.replace_all() {
        text.push(message!(
            "{}{}{}",
            tool_and_shell_term(" Or ", " Or use "),
            all,
            tool_and_shell_term(" to change all places.", ".")
        ));
    }
    Refusal::from_message(RefusalKind::Ambiguous, text)
        .with_remedy(Remedy::corrections(corrections))
        .with_field("file_path", path)
        .with_field("count", total)
        .with_field("places", data)
}

/// Returns an old text that occurs only at this place, and the new text for it.
pub(super) fn unique_edit(
    searched: SearchedText<'_>,
    several: &SeveralPlaces<'_>,
    which: usize,
) -> Option<(String, String)> {
    let range = extend_until_unique(searched, several, which)?;
    let place = several.places.get(which)?;
    let new = new_text_for_longer_place(&searched.query, several, place, &range)?;
    Some((searched.query.view[range].to_owned(), new))
}

/// Returns the place with the lines around it that make its text unique.
fn extend_until_unique(
    SearchedText { query, lines }: SearchedText<'_>,
    several: &SeveralPlaces<'_>,
    which: usize,
) -> Option<Range<usize>> {
    let range = unique_extension(query.view, lines, several.places, which)?;
    let place = several.places.get(which)?;
    (!is_cut_inside_line(&query, place)).then_some(range)
}

/// Returns the new text for a longer text around a place.
fn new_text_for_longer_place(
    query: &Query<'_>,
    several: &SeveralPlaces<'_>,
    place: &Range<usize>,
    longer: &Range<usize>,
) -> Option<String> {
    let covered = |other: &&Range<usize>| longer.start <= other.start && other.end <= longer.end;
    match several.places.iter().filter(covered).count() {
        1 => extended_new_text(query, several.rung, place, longer),
        _ => extended_new_text_with_others(query, several.rung, place, longer),
    }
}

/// Returns the data of a place, with its rung where the places are on different rungs.
fn add_rung(mut data: Value, several: &SeveralPlaces<'_>, place: usize) -> Value {
    if let Some(rung) = several.place_rung(place) {
        data["rung"] = json!(rung.name());
    }
    data
}

/// Returns whether the old text seems to be cut off inside a line: in the middle of a word, or where the new text
/// continues in the same way as the line. Then it is unknown what the longer text should become.
fn is_cut_inside_line(query: &Query<'_>, place: &Range<usize>) -> bool {
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
fn extended_new_text(
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
    if let Verdict::Found(FoundPlaces { places, .. }) = find(&alone)
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
fn extended_new_text_with_others(
    query: &Query<'_>,
    rung: Rung,
    place: &Range<usize>,
    longer: &Range<usize>,
) -> Option<String> {
    let view = query.view;
    let line_start = view[..place.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = match view[place.clone()].ends_with('\n') {
        true => Some(place.end),
        false => view[place.end..].find('\n').map(|at| place.end + at + 1),
    };
    let own = line_start.max(longer.start)..line_end.unwrap_or(view.len());
    let alone = Query {
        view: &view[own.clone()],
        damaged: &[],
        ..*query
    };
    if let Verdict::Found(FoundPlaces { places, .. }) = find(&alone)
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
