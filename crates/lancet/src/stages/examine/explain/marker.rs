//! The refusals for a marker that is not found or occurs at several places. A marker only names a place and is not
//! changed, so no new text has to be corrected with it.

use lancet_text::{Correction, correct, unique_extension};
use serde_json::json;

use super::ambiguous::Searched;
use super::{LONGEST_REGION, Lines, Met, whole_text_block};
use crate::message::{message, verbatim};
use crate::next_call::{self, Remedy};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::examine::edit::source::SeveralPlaces;
use crate::stages::locate::Target;
use crate::wording::{count, lines_named, quote_path};

/// The most places that are listed with a longer marker.
const PLACES_WITH_TEXT: usize = 5;
/// The most places that are listed by their line.
const PLACES_WITH_LINE: usize = 200;
/// The longest marker that is suggested, in characters.
const LONGEST_SUGGESTION: usize = 1_200;

/// Returns the refusal for a marker that is not in the file. `met` is none where the file is streamed.
pub(crate) fn marker_not_found(
    context: &CallContext<'_>,
    target: &Target,
    met: Option<Met<'_>>,
    marker: &str,
) -> Refusal {
    let path = quote_path(target.path());
    let mut text = message!("marker was not found in {}.", &path);
    let mut nearest = Vec::new();
    let mut remedy = None;
    let met = met.filter(|_| context.cancel.stopped().is_none());
    let found = met.map(|met| {
        let Lines { view, lines } = met.text;
        (view, correct(view, lines, marker, marker))
    });
    match found {
        Some((view, Correction::One(offer))) => {
            nearest.push(json!({ "startLine": offer.lines.start + 1, "endLine": offer.lines.end }));
            let lines = lines_named((offer.lines.start + 1..=offer.lines.end).collect(), 20);
            text.push(message!(" The nearest text is {}.", verbatim(lines)));
            remedy = Remedy::corrections(vec![next_call::Correction {
                old: Some(view[offer.range.clone()].to_owned()),
                new: None,
                lines: Some((offer.lines.start + 1, offer.lines.end)),
            }]);
            match whole_text_block("marker", &view[offer.range], LONGEST_REGION) {
                Some(whole) => text.push(message!(
                    " If that is what was meant, send this marker:\n{}",
                    whole
                )),
                None => text.push(" Read these lines and send a part of that text."),
            }
        }
        Some((_, Correction::Unsure { regions, .. })) if !regions.is_empty() => {
            for region in &regions {
                let lines = lines_named((region.lines.start + 1..=region.lines.end).collect(), 20);
                text.push(message!(" Near is the text of {}.", verbatim(lines)));
                nearest.push(
                    json!({ "startLine": region.lines.start + 1, "endLine": region.lines.end }),
                );
            }
            text.push(" Read them and send the marker exactly as the file has it.");
        }
        _ => text.push(" Read the part where the lines are to go and copy a line of it."),
    }
    Refusal::stating(RefusalKind::NotFound, text)
        .helped_by(remedy)
        .with("file_path", path)
        .with("nearest", nearest)
}

/// Returns the refusal for a marker that occurs at several places. `numbers` are the lines, from 1, of the first
/// places.
pub(crate) fn marker_ambiguous(
    target: &Target,
    several: &SeveralPlaces<'_>,
    numbers: &[usize],
    searched: Option<Searched<'_>>,
) -> Refusal {
    let path = quote_path(target.path());
    let how = several.rung_named();
    let mut text = message!(
        "marker matches {} in {}{}, at {}, and which one is meant is unknown. Nothing was changed.",
        verbatim(count(several.total, "place")),
        &path,
        how,
        verbatim(lines_named(numbers.to_vec(), PLACES_WITH_LINE))
    );
    let mut data = Vec::new();
    let mut corrections = Vec::new();
    let mut grows = false;
    for (which, line) in numbers.iter().enumerate() {
        let longer = searched.filter(|_| which < PLACES_WITH_TEXT);
        let longer = longer.and_then(|Searched { query, lines }| {
            let range = unique_extension(query.view, lines, several.places, which)?;
            Some(&query.view[range])
        });
        let whole = longer.and_then(|text| whole_text_block("marker", text, LONGEST_SUGGESTION));
        data.push(match (longer, whole) {
            (Some(longer), Some(whole)) => {
                grows = true;
                let rung = several.on_rung(which);
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
    Refusal::stating(RefusalKind::Ambiguous, text)
        .helped_by(Remedy::corrections(corrections))
        .with("file_path", path)
        .with("count", several.total)
        .with("places", data)
}
