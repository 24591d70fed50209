//! The refusals for a response: they say why it cannot be parsed, or which of its parts failed and which would have
//! applied.

use std::collections::BTreeMap;
use std::path::Path;

use lancet_dialects::{ParseError, ParseErrorKind, ResponsePart};
use serde_json::{Value, json};

use crate::message::{Message, message, verbatim};
use crate::next_call::{PartRemedy, Remedy};
use crate::refusal::{Refusal, RefusalKind};
use crate::wording::{line_list, quote_path, truncate};

/// How many failed parts are described besides the first.
const MAX_OTHER_FAILURES: usize = 50;
/// The longest text about each of these, in characters.
const MAX_FAILURE_LENGTH: usize = 900;
/// The most parts that the data lists.
const MAX_LISTED_PARTS: usize = 1_000;

/// The parts that failed, by their number from 0.
type Failed = BTreeMap<usize, Refusal>;

/// Returns the refusal for a response that cannot be parsed.
pub(super) fn unparsable_refusal(error: &ParseError) -> Refusal {
    let kind = match error.kind {
        ParseErrorKind::CutOff => "cut_off",
        ParseErrorKind::Unsupported => "unsupported",
        ParseErrorKind::NoEdit => "no_edit",
        _ => "malformed",
    };
    let text = message!(
        "The reply cannot be applied, and nothing was changed. Line {}, column {} of it: {}",
        error.line,
        error.column,
        verbatim(&error.message)
    );
    Refusal::from_message(RefusalKind::Invalid, text)
        .with_field("line", error.line)
        .with_field("column", error.column)
        .with_field("kind", kind)
}

/// Joins the refusals of all changes of a response into one; `part_of` gives the part, from 0, that each change comes
/// from. If only parts that change nothing were refused, and others change something, the refusals become sentences of
/// the answer.
pub(super) fn join_refusals(
    failures: Vec<Option<Refusal>>,
    parts: &[ResponsePart],
    part_of: &[usize],
    changes_nothing: bool,
) -> Result<Vec<Message>, Refusal> {
    let mut failed: Failed = BTreeMap::new();
    for (failure, number) in failures.into_iter().zip(part_of) {
        if let Some(refusal) = failure {
            failed.entry(*number).or_insert(refusal);
        }
    }
    if failed.values().all(|refusal| refusal.idle) {
        let idle = failed.keys().take(MAX_OTHER_FAILURES);
        let sentences = idle
            .map(|number| left_out_message(parts, *number))
            .collect();
        return match failed.into_values().next() {
            Some(first) if changes_nothing => Err(first),
            _ => Ok(sentences),
        };
    }
    // A part that changes nothing is not the reason for the refusal.
    failed.retain(|_, refusal| !refusal.idle);
    join_failed_parts(failed, parts)
}

fn left_out_message(parts: &[ResponsePart], number: usize) -> Message {
    message!(
        "part {} of the reply{} changes nothing and was left out",
        number + 1,
        describe_position(parts, number)
    )
}

/// Describes the position of a part in the response, and its file.
fn describe_position(parts: &[ResponsePart], number: usize) -> Message {
    match parts.get(number) {
        Some(part) => message!(
            " (line {}, {})",
            part.line,
            quote_path(Path::new(&part.path))
        ),
        None => Message::default(),
    }
}

/// Returns the refusal of the first part that failed, with the others.
fn join_failed_parts(mut failed: Failed, parts: &[ResponsePart]) -> Result<Vec<Message>, Refusal> {
    let told = failed_parts_as_json(&failed, parts);
    let fitting = (0..parts.len()).filter(|number| !failed.contains_key(number));
    let fitting: Vec<usize> = fitting.map(|number| number + 1).collect();
    let Some((number, first)) = failed.pop_first() else {
        return Ok(Vec::new());
    };
    if parts.len() == 1 {
        return Err(first.with_field("parts", told));
    }
    let (remedy, first) = first.take_remedy();
    let (remedy, mut first) = (combine_remedies(remedy, number, &mut failed), first);
    let mut others = Message::default();
    for (number, refusal) in failed.iter().take(MAX_OTHER_FAILURES) {
        others.push(message!(
            "Part {}{}: {}. {}\n",
            number + 1,
            describe_position(parts, *number),
            verbatim(refusal.kind().name()),
            refusal.message().clone().truncate(MAX_FAILURE_LENGTH)
        ));
    }
    if let Some(more @ 1..) = failed.len().checked_sub(MAX_OTHER_FAILURES) {
        others.push(message!("And {} more parts were refused.\n", more));
    }
    for refusal in failed.into_values() {
        // If one of the refusals may be shown only after a person's approval, the same applies to the joined one.
        first.withheld = first.withheld.or(refusal.withheld);
    }
    others.push(match fitting.len() {
        0 => message!("No part would have fitted."),
        1 => message!(
            "Part {} would have fitted.",
            verbatim(line_list(fitting, 60))
        ),
        _ => message!(
            "Parts {} would have fitted.",
            verbatim(line_list(fitting, 60))
        ),
    });
    let lead = message!(
        "Part {} of {}{} was refused, so no file was changed. ",
        number + 1,
        parts.len(),
        describe_position(parts, number)
    );
    Err(first
        .with_remedy(remedy)
        .with_lead(lead)
        .with_field("part", number + 1)
        .with_field("parts", told)
        .with_paragraph(others))
}

/// Returns the remedy for all parts that failed; none where one of them has none. A Read that the first one lacks comes
/// before anything else.
fn combine_remedies(first: Option<Remedy>, number: usize, others: &mut Failed) -> Option<Remedy> {
    let edits = match first? {
        Remedy::Edits(edits) => edits,
        other => return other.for_edit(number),
    };
    let mut parts = vec![PartRemedy {
        part: number,
        edits,
    }];
    for (&part, refusal) in others {
        match refusal.remedy.take().map(|remedy| *remedy) {
            Some(Remedy::Edits(edits)) => parts.push(PartRemedy { part, edits }),
            _ => return None,
        }
    }
    Some(Remedy::Parts(parts))
}

/// Returns the parts as data: number, line, path, and why each was refused.
fn failed_parts_as_json(failed: &Failed, parts: &[ResponsePart]) -> Vec<Value> {
    let parts = parts.iter().enumerate().take(MAX_LISTED_PARTS);
    parts
        .map(|(number, part)| {
            let refusal = failed.get(&number);
            let mut told = json!({
                "part": number + 1,
                "line": part.line,
                "file_path": part.path,
                "fits": refusal.is_none(),
            });
            if let Some(refusal) = refusal {
                told["name"] = json!(refusal.kind().name());
                told["message"] = json!(truncate(refusal.text(), MAX_FAILURE_LENGTH));
            }
            told
        })
        .collect()
}
