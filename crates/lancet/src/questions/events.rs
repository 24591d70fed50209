//! The content of the events `waiting` and `decided`, as JSON.

use serde_json::{Value, json};

use super::RecordedQuestion;
use crate::approval::{Answer, FileQuestion, Pick, Question};
use crate::operation;

/// After this time an undecided question is removed, in milliseconds.
const EXPIRES_AFTER: i64 = 7 * 24 * 60 * 60 * 1_000;

/// Returns the content of the event `waiting` for a question.
pub(crate) fn waiting_event(id: &str, question: &Question) -> String {
    let file = |file: &FileQuestion| {
        json!({
            "path": file.path.display().to_string(),
            "kind": file.kind.as_str(),
            "added": file.lines.0,
            "removed": file.lines.1,
        })
    };
    let files: Vec<Value> = question.files.iter().map(file).collect();
    let rule = question.files.iter().find_map(|file| file.rule.as_deref());
    let event = json!({
        "question": id,
        "tool": question.tool,
        "files": files,
        "reason": question.joined_reasons(),
        "rule": rule,
        "protected": question.is_protected(),
        "offers": { "session": question.offers.session, "always": question.offers.always },
        "expires": operation::current_milliseconds() + EXPIRES_AFTER,
    });
    event.to_string()
}

/// Returns the content of the event `decided` for a decision.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
pub(super) fn decided_event(found: &RecordedQuestion, answer: &Answer, by: &str) -> String {
    let (decision, words, picks) = match answer {
        Answer::Yes => ("yes", None, None),
        Answer::No(words) => ("no", words.as_deref(), None),
        Answer::NoByProgram { words, .. } => ("no", words.as_deref(), None),
        Answer::Unanswered(words) => ("unanswered", words.as_deref(), None),
        Answer::Session => ("session", None, None),
        Answer::Always => ("always", None, None),
        Answer::Edited(_) => ("edited", None, None),
        Answer::Picked { files, words } => ("picked", words.as_deref(), Some(files)),
        _ => ("unknown", None, None),
    };
    let hunks = picks.map(|picks| picked_hunks(&found.question, picks));
    let event = json!({
        "question": found.id,
        "decision": decision,
        "hunks": hunks,
        "by": by,
        "words": words,
    });
    event.to_string()
}

/// Returns the numbers of the hunks that are written, counted from 1 over the files in the order of the question.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
fn picked_hunks(question: &Question, picks: &[Pick]) -> Vec<usize> {
    let mut first = 1;
    let mut hunks = Vec::new();
    for (file, pick) in question.files.iter().zip(picks) {
        let pieces = file.pieces.iter().enumerate();
        let taken = pieces.filter(|(at, _)| match pick {
            Pick::Whole | Pick::Edited(_) => true,
            Pick::Pieces(picked) => picked.contains(at),
            Pick::Nothing => false,
            _ => false,
        });
        hunks.extend(taken.flat_map(|(_, piece)| piece.hunks.clone().map(|hunk| first + hunk)));
        first += file
            .pieces
            .iter()
            .map(|piece| piece.hunks.end)
            .max()
            .unwrap_or(0);
    }
    hunks
}
