//! Offers: the corrected text to send instead of an old text that was not found, as a sentence and as data.

use std::ops::Range;

use lancet_text::{CorrectionOffer, NewText, Region};
use serde_json::{Value, json};

use super::{COPY_ADVICE, MAX_REGION_LENGTH, TargetText, whole_text_block};
use crate::audience::Vocabulary;
use crate::message::{Message, Term, message, tool_and_shell_term};
use crate::next_call::Correction;

/// The explanation for a place that can never match an `old_string`.
const NOT_TEXT_EXPLANATION: Term = tool_and_shell_term(
    "it holds bytes that are no text in the file's encoding (shown as \u{fffd}), and those never match: send an old_string before or after them",
    "it holds bytes that are no text in the file's encoding (shown as \u{fffd}), and those never match: give an --old before or after them",
);

/// The longest text that is given as data, in bytes.
const MAX_DATA_LENGTH: usize = 64 << 10;

/// The longest text of one place among several that is shown, in characters.
const MAX_PLACE_LENGTH: usize = 1_200;

/// How many places of the corrected text are listed.
const MAX_LISTED_PLACES: usize = 5;

/// Describes the place that was meant, with the text to send for it.
pub(super) fn describe_offer(
    met: TargetText<'_>,
    offer: &CorrectionOffer,
    terms: Vocabulary,
) -> (Message, Value) {
    let (old_name, new_name) = (terms.old_name(), terms.new_name());
    let mut words = Message::default();
    for flaw in &offer.flaws {
        words.push(message!(" {}", flaw));
    }
    let lines = name_lines(&offer.lines);
    let mut told = lines_as_json(&offer.lines);
    let differences = Message::joined(&offer.differences, "; ");
    words.push(match differences.is_empty() {
        true => message!("\nThe text that fits is {}", lines),
        false => message!("\nThe nearest text is {}: {}", lines, differences),
    });
    if is_damaged(met, &offer.range) {
        words.push(message!("; {}.", NOT_TEXT_EXPLANATION));
        return (words, told);
    }
    let text = &met.text.view[offer.range.clone()];
    if offer.new == NewText::Unknown {
        words.push(match whole_text_block(old_name, text, MAX_REGION_LENGTH) {
            Some(whole) => message!(
                ". Its full text, with which {} has to be written out too:\n{}",
                new_name,
                whole
            ),
            None => message!(".{}", COPY_ADVICE),
        });
        return (words, told);
    }
    words.push(match whole_text_block(old_name, text, MAX_REGION_LENGTH) {
        Some(whole) => message!(". If that is what was meant, {} this {}:\n{}", tool_and_shell_term("send", "use"), old_name, whole),
        None => message!(". It is too long to be shown here: read these lines, and send that text or edit a part of it."),
    });
    if text.len() <= MAX_DATA_LENGTH {
        told["old_string"] = json!(text);
    }
    if let NewText::Instead(new) = &offer.new {
        words.push(match whole_text_block(new_name, new, MAX_REGION_LENGTH) {
            Some(whole) => message!(
                "\n{} it with this {}:\n{}",
                terms.send_verb(),
                new_name,
                whole
            ),
            None => message!("\n{} has to be mended in the same way.", new_name),
        });
        if new.len() <= MAX_DATA_LENGTH {
            told["new_string"] = json!(new);
        }
    }
    (words, told)
}

/// Returns the texts to send for the place that was meant; none where they are not known.
pub(super) fn correction(met: TargetText<'_>, offer: &CorrectionOffer) -> Option<Correction> {
    let new = match &offer.new {
        NewText::Unknown => return None,
        NewText::Instead(new) => Some(new.clone()),
        _ => None,
    };
    if is_damaged(met, &offer.range) {
        return None;
    }
    Some(Correction {
        old: Some(met.text.view[offer.range.clone()].to_owned()),
        new,
        lines: Some((offer.lines.start + 1, offer.lines.end)),
    })
}

/// Describes the places where the corrected text occurs.
pub(super) fn describe_several_places(
    met: TargetText<'_>,
    offers: &[CorrectionOffer],
    terms: Vocabulary,
) -> (Message, Vec<Value>) {
    let mut words = Message::default();
    let mut nearest = Vec::new();
    for flaw in offers.first().iter().flat_map(|offer| &offer.flaws) {
        words.push(message!(" {}", flaw));
    }
    let how = match words.is_empty() {
        true => "But for white space",
        false => "Without that",
    };
    words.push(message!(
        " {} the text is at {} places, and which one is meant is unknown.",
        how,
        offers.len()
    ));
    words.push(message!(
        " Send {} with lines around it that tell the place, and {} with the same lines.",
        terms.old_name(),
        terms.new_name()
    ));
    for offer in offers.iter().take(MAX_LISTED_PLACES) {
        let text = &met.text.view[offer.range.clone()];
        words.push(show_place(&offer.lines, text));
        nearest.push(lines_as_json(&offer.lines));
    }
    if let Some(more @ 1..) = offers.len().checked_sub(MAX_LISTED_PLACES) {
        words.push(message!("\n{} more are not shown.", more));
    }
    (words, nearest)
}

/// Describes similar regions; none of them is offered as a correction.
pub(super) fn describe_similar_regions(
    met: TargetText<'_>,
    regions: &[Region],
    gaps: bool,
    terms: Vocabulary,
) -> (Message, Vec<Value>) {
    let mut words = Message::default();
    if gaps {
        words.push(" A line that is only `...` matches nothing: Edit takes no gaps, and the text around it does not fit one place of the file. Send the whole text.");
    } else if regions.is_empty() {
        words.push(" Nothing in the file is close to it.");
        words.push(COPY_ADVICE);
    } else {
        words.push(message!(
            "{}{} exactly as the file has it.",
            tool_and_shell_term(" Which text was meant is not certain; send ", " Give "),
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
        let differences = Message::joined(&region.differences, "; ");
        let differences = match (is_damaged(met, &region.range), differences.is_empty()) {
            (false, _) => differences,
            (true, true) => message!("{}", NOT_TEXT_EXPLANATION),
            (true, false) => message!("{}; {}", differences, NOT_TEXT_EXPLANATION),
        };
        words.push(message!(
            "\n{} {}: {}.",
            lead,
            name_lines(&region.lines),
            differences
        ));
        // Where several regions are equally near, each is shown for the caller to choose from.
        if several && region.is_nearest {
            words.push(show_place(
                &region.lines,
                &met.text.view[region.range.clone()],
            ));
        }
        nearest.push(lines_as_json(&region.lines));
    }
    (words, nearest)
}

/// Shows the text of one of several places; for a long text, only its lines are named.
fn show_place(lines: &Range<usize>, text: &str) -> Message {
    let name = name_lines(lines);
    match whole_text_block(&name, text, MAX_PLACE_LENGTH) {
        Some(whole) => message!("\nThe text of {}:\n{}", &name, whole),
        None => message!("\nThe text of {} is too long to be shown here.", name),
    }
}

fn is_damaged(met: TargetText<'_>, range: &Range<usize>) -> bool {
    let overlaps = |place: &Range<usize>| place.start < range.end && range.start < place.end;
    met.damaged.iter().any(overlaps)
}

fn lines_as_json(lines: &Range<usize>) -> Value {
    json!({ "startLine": lines.start + 1, "endLine": lines.end })
}

fn name_lines(lines: &Range<usize>) -> Message {
    if lines.len() == 1 {
        message!("line {}", lines.start + 1)
    } else {
        message!("lines {}-{}", lines.start + 1, lines.end)
    }
}
