//! The refusals for a marker that is not found or occurs at several places. A marker only names a place and is not
//! changed, so no new text has to be corrected with it.

use lancet_text::{Correction, find_correction, unique_extension};
use serde_json::json;

use super::ambiguous::SearchedText;
use super::{LinedText, MAX_REGION_LENGTH, TargetText, whole_text_block};
use crate::message::{message, verbatim};
use crate::next_call::{self, Remedy};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::examine::edit::source::SeveralPlaces;
use crate::stages::locate::Target;
use crate::wording::{format_count, name_lines, quote_path};

/// The most places that are listed with a longer marker.
const MAX_PLACES_WITH_TEXT: usize = 5;
/// The most places that are listed by their line.
const MAX_PLACES_WITH_LINE: usize = 200;
/// The longest marker that is suggested, in characters.
const MAX_SUGGESTION_LENGTH: usize = 1_200;

/// Returns the refusal for a marker that is not in the file. `met` is none where the file is streamed.
pub(crate) fn marker_not_found_refusal(
    context: &CallContext<'_>,
    target: &Target,
    met: Option<TargetText<'_>>,
    marker: &str,
) -> Refusal {
    let path = quote_path(target.path());
    let mut text = message!("marker was not found in {}.", &path);
    let mut nearest = Vec::new();
    let mut remedy = None;
    let met = met.filter(|_| context.cancel.stopped().is_none());
    let found = met.map(|met| {
        let LinedText { view, lines } = met.text;
        (view, find_correction(view, lines, marker, marker))
    });
    match found {
        Some((view, Correction::One(offer))) => {
            nearest.push(json!({ "startLine": offer.lines.start + 1, "endLine": offer.lines.end }));
            let lines = name_lines((offer.lines.start + 1..=offer.lines.end).collect(), 20);
            text.push(message!(" The nearest text is {}.", verbatim(lines)));
            remedy = Remedy::corrections(vec![next_call::Correction {
                old: Some(view[offer.range.clone()].to_owned()),
                new: None,
                lines: Some((offer.lines.start + 1, offer.lines.end)),
            }]);
            match whole_text_block("marker", &view[offer.range], MAX_REGION_LENGTH) {
                Some(whole) => text.push(message!(
                    " If that is what was meant, send this marker:\n{}",
                    whole
                )),
                None => text.push(" Read these lines and send a part of that text."),
            }
        }
        Some((_, Correction::Unsure { regions, .. })) if !regions.is_empty() => {
            for region in &regions {
                let lines = name_lines((region.lines.start + 1..=region.lines.end).collect(), 20);
                text.push(message!(" Near is the text of {}.", verbatim(lines)));
                nearest.push(
                    json!({ "startLine": region.lines.start + 1, "endLine": region.lines.end }),
                );
            }
            text.push(" Read them and send the marker exactly as the file has it.");
        }
        _ => text.push(" Read the part where the lines are to go and copy a line of it."),
    }
    Refusal::from_message(RefusalKind::NotFound, text)
        .with_remedy(remedy)
        .with_field("file_path", path)
        .with_field("nearest", nearest)
}

/// Returns the refusal for a marker that occurs at several places. `numbers` are the lines, from 1, of the first
/// places.
pub(crate) fn marker_ambiguous_refusal(
    target: &Target,
    several: &SeveralPlaces<'_>,
    numbers: &[usize],
    searched: Option<SearchedText<'_>>,
) -> Refusal {
    let path = quote_path(target.path());
    let how = several.rung_suffix();
    let mut text = message!(
        "marker matches {} in {}{}, at {}, and which one is meant is unknown. Nothing was changed.",
        verbatim(format_count(several.total, "place")),
        &path,
        how,
        verbatim(name_lines(numbers.to_vec(), MAX_PLACES_WITH_LINE))
    );
    let mut data = Vec::new();
    let mut corrections = Vec::new();
    let mut grows = false;
    for (which, line) in numbers.iter().enumerate() {
        let longer = searched.filter(|_| which < MAX_PLACES_WITH_TEXT);
        let longer = longer.and_then(|SearchedText { query, lines }| {
            let range = unique_extension(query.view, lines, several.places, which)?;
            Some(&query.view[range])
        });
        let whole = longer.and_then(|text| whole_text_block("marker", text, MAX_SUGGESTION_LENGTH));
        data.push(match (longer, whole) {
            (Some(longer), Some(whole)) => {
                grows = true;
                let rung = several.place_rung_suffix(which);
                text.push(message!(
                    "\nFor line {}{}, send this marker:\n{}",
                    verbatim(line),
                    rung,
                    whole
                ));
                corrections.push(next_call::Correction {
                    old: Some(longer.to_owned()),
                    new: None,
                    lines: Some((*line, *line)),
                });
                json!({ "line": line, "marker": longer })
            }
            _ => json!({ "line": line }),
        });
    }
    text.push(match grows {
        true => "\nSend one of these longer markers.",
        false => "\nSend a longer marker that occurs once.",
    });
    Refusal::from_message(RefusalKind::Ambiguous, text)
        .with_remedy(Remedy::corrections(corrections))
        .with_field("file_path", path)
        .with_field("count", several.total)
        .with_field("places", data)
}
