//! The refusals for a reply: they say why it cannot be parsed, or which of its parts failed and which would have
//! applied.

use std::collections::BTreeMap;
use std::path::Path;

use lancet_dialects::{ParseError, ParseErrorKind, ReplyPart};
use serde_json::{Value, json};

use crate::message::{Message, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::wording::{cut, line_list, quote_path};

/// How many failed parts are described besides the first.
const OTHERS_TOLD: usize = 50;
/// The longest text about each of these, in characters.
const LONGEST_TEXT: usize = 900;
/// The most parts that the data lists.
const PARTS_MOST: usize = 1_000;

/// The parts that failed, by their number from 0.
type Failed = BTreeMap<usize, Refusal>;

/// Returns the refusal for a reply that cannot be parsed.
pub(super) fn unparsable(error: &ParseError) -> Refusal {
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
    Refusal::stating(RefusalKind::Invalid, text)
        .with("line", error.line)
        .with("column", error.column)
        .with("kind", kind)
}

/// Joins the refusals of all changes of a reply into one; `part_of` gives the part, from 0, that each change comes
/// from. If only parts that change nothing were refused, and others change something, the refusals become sentences of
/// the answer.
pub(super) fn join(
    failures: Vec<Option<Refusal>>,
    parts: &[ReplyPart],
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
        let idle = failed.keys().take(OTHERS_TOLD);
        let sentences = idle.map(|number| left_out(parts, *number)).collect();
        return match failed.into_values().next() {
            Some(first) if changes_nothing => Err(first),
            _ => Ok(sentences),
        };
    }
    // A part that changes nothing is not the reason for the refusal.
    failed.retain(|_, refusal| !refusal.idle);
    all_failed(failed, parts)
}

fn left_out(parts: &[ReplyPart], number: usize) -> Message {
    message!(
        "part {} of the reply{} changes nothing and was left out",
        number + 1,
        place(parts, number)
    )
}

/// Describes the position of a part in the reply, and its file.
fn place(parts: &[ReplyPart], number: usize) -> Message {
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
fn all_failed(mut failed: Failed, parts: &[ReplyPart]) -> Result<Vec<Message>, Refusal> {
    let told = parts_told(&failed, parts);
    let fitting = (0..parts.len()).filter(|number| !failed.contains_key(number));
    let fitting: Vec<usize> = fitting.map(|number| number + 1).collect();
    let Some((number, mut first)) = failed.pop_first() else {
        return Ok(Vec::new());
    };
    if parts.len() == 1 {
        return Err(first.with("parts", told));
    }
    let mut others = Message::default();
    for (number, refusal) in failed.iter().take(OTHERS_TOLD) {
        others.push(message!(
            "Part {}{}: {}. {}\n",
            number + 1,
            place(parts, *number),
            verbatim(refusal.kind().name()),
            refusal.message().clone().cut(LONGEST_TEXT)
        ));
    }
    if let Some(more @ 1..) = failed.len().checked_sub(OTHERS_TOLD) {
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
        place(parts, number)
    );
    let (remedy, first) = first.take_remedy();
    Err(first
        .helped_by(remedy.and_then(|remedy| remedy.in_edit(number)))
        .led_by(lead)
        .with("part", number + 1)
        .with("parts", told)
        .and_then(others))
}

/// Returns the parts as data: number, line, path, and why each was refused.
fn parts_told(failed: &Failed, parts: &[ReplyPart]) -> Vec<Value> {
    let parts = parts.iter().enumerate().take(PARTS_MOST);
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
                told["message"] = json!(cut(refusal.text(), LONGEST_TEXT));
            }
            told
        })
        .collect()
}
