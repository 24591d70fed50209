//! Offers: the corrected text to send instead of an old text that was not found, in words and as data.

use std::ops::Range;

use lancet_text::{NewText, Offer, Region};
use serde_json::{Value, json};

use super::{COPY, LONGEST_REGION, Met, shown};
use crate::audience::Vocabulary;

/// The explanation for a place that no `old_string` can match.
const NOT_TEXT: &str = "it holds bytes that are no text in the file's encoding (shown as \u{fffd}), and those never match: send an old_string before or after them";

/// The longest text that is given as data, in bytes.
const LONGEST_DATA: usize = 64 << 10;

/// The longest text of one place among several that is shown, in characters.
const LONGEST_PLACE: usize = 1_200;

/// How many places of the corrected text are listed.
const SEVERAL_MOST: usize = 5;

/// Describes the place that was meant, with the text to send for it.
pub(super) fn told(met: Met<'_>, offer: &Offer, terms: Vocabulary) -> (String, Value) {
    let (old_name, new_name) = (terms.old_name(), terms.new_name());
    let mut words = String::new();
    for flaw in &offer.flaws {
        words.push(' ');
        words.push_str(flaw);
    }
    let lines = named(&offer.lines);
    let mut told = data(&offer.lines);
    let differences = offer.differences.join("; ");
    words.push_str(&match differences.as_str() {
        "" => format!("\nThe text that fits is {lines}"),
        _ => format!("\nThe nearest text is {lines}: {differences}"),
    });
    if is_damaged(met, &offer.range) {
        words.push_str(&format!("; {NOT_TEXT}."));
        return (words, told);
    }
    let text = &met.text.view[offer.range.clone()];
    if offer.new == NewText::Unknown {
        words.push_str(&match shown(old_name, text, LONGEST_REGION) {
            Some(whole) => format!(
                ". Its full text, with which {new_name} has to be written out too:\n{whole}"
            ),
            None => format!(".{COPY}"),
        });
        return (words, told);
    }
    words.push_str(&match shown(old_name, text, LONGEST_REGION) {
        Some(whole) => format!(". If that is what was meant, send this {old_name}:\n{whole}"),
        None => ". It is too long to be shown here: read these lines, and send that text or edit a part of it.".to_owned(),
    });
    if text.len() <= LONGEST_DATA {
        told["old_string"] = json!(text);
    }
    if let NewText::Instead(new) = &offer.new {
        words.push_str(&match shown(new_name, new, LONGEST_REGION) {
            Some(whole) => format!("\n{} it with this {new_name}:\n{whole}", terms.send()),
            None => format!("\n{new_name} has to be mended in the same way."),
        });
        if new.len() <= LONGEST_DATA {
            told["new_string"] = json!(new);
        }
    }
    (words, told)
}

/// Describes the places where the corrected text occurs.
pub(super) fn several(met: Met<'_>, offers: &[Offer], terms: Vocabulary) -> (String, Vec<Value>) {
    let mut words = String::new();
    let mut nearest = Vec::new();
    for flaw in offers.first().iter().flat_map(|offer| &offer.flaws) {
        words.push(' ');
        words.push_str(flaw);
    }
    let how = match words.as_str() {
        "" => "But for white space",
        _ => "Without that",
    };
    words.push_str(&format!(
        " {how} the text stands at {} places, and which one is meant is unknown.",
        offers.len()
    ));
    words.push_str(&format!(
        " Send {} with lines around it that tell the place, and {} with the same lines.",
        terms.old_name(),
        terms.new_name()
    ));
    for offer in offers.iter().take(SEVERAL_MOST) {
        let text = &met.text.view[offer.range.clone()];
        words.push_str(&place_shown(&offer.lines, text));
        nearest.push(data(&offer.lines));
    }
    if let Some(more @ 1..) = offers.len().checked_sub(SEVERAL_MOST) {
        words.push_str(&format!("\n{more} more are not shown."));
    }
    (words, nearest)
}

/// Describes regions that are similar; none of them is offered as a correction.
pub(super) fn unsure(
    met: Met<'_>,
    regions: &[Region],
    gaps: bool,
    terms: Vocabulary,
) -> (String, Vec<Value>) {
    let mut words = String::new();
    if gaps {
        words.push_str(" A line that is only `...` stands for nothing: Edit takes no gaps, and the text around it does not fit one place of the file. Send the whole text.");
    } else if regions.is_empty() {
        words.push_str(" Nothing in the file is close to it.");
        words.push_str(COPY);
    } else {
        words.push_str(&format!(
            " Which text was meant is not certain; send {} exactly as the file has it.",
            terms.old_name()
        ));
    }
    let mut nearest = Vec::new();
    let several = regions.iter().filter(|region| region.is_nearest).count() > 1;
    for (at, region) in regions.iter().enumerate() {
        let lead = match (at, several && region.is_nearest) {
            (0, false) => "The nearest text is",
            (_, false) => "Also near:",
            (0, true) => "Equally near are",
            (_, true) => "and",
        };
        let differences = region.differences.join("; ");
        let differences = match (is_damaged(met, &region.range), differences.as_str()) {
            (false, _) => differences,
            (true, "") => NOT_TEXT.to_owned(),
            (true, _) => format!("{differences}; {NOT_TEXT}"),
        };
        words.push_str(&format!(
            "\n{lead} {}: {differences}.",
            named(&region.lines)
        ));
        // Where several are equally near, each is shown for the caller to choose.
        if several && region.is_nearest {
            words.push_str(&place_shown(
                &region.lines,
                &met.text.view[region.range.clone()],
            ));
        }
        nearest.push(data(&region.lines));
    }
    (words, nearest)
}

/// Shows the text of a place among others; of a long one only its lines are named.
fn place_shown(lines: &Range<usize>, text: &str) -> String {
    let name = named(lines);
    match shown(&name, text, LONGEST_PLACE) {
        Some(whole) => format!("\nThe text of {name}:\n{whole}"),
        None => format!("\nThe text of {name} is too long to be shown here."),
    }
}

fn is_damaged(met: Met<'_>, range: &Range<usize>) -> bool {
    let overlaps = |place: &Range<usize>| place.start < range.end && range.start < place.end;
    met.damaged.iter().any(overlaps)
}

fn data(lines: &Range<usize>) -> Value {
    json!({ "startLine": lines.start + 1, "endLine": lines.end })
}

fn named(lines: &Range<usize>) -> String {
    if lines.len() == 1 {
        format!("line {}", lines.start + 1)
    } else {
        format!("lines {}-{}", lines.start + 1, lines.end)
    }
}
