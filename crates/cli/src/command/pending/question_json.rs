//! A question as JSON, for `pending --json` and `pending show --json`.

use lancet::approval::FileQuestion;
use lancet::questions::{QuestionState, RecordedQuestion};
use serde_json::{Value, json};

use super::hunks;
use crate::command::history::time;

/// Returns the name of a question's state.
pub(super) fn state_name(state: QuestionState) -> &'static str {
    match state {
        QuestionState::Open => "open",
        QuestionState::Approved => "approved",
        QuestionState::Rejected => "rejected",
        QuestionState::Used => "written",
        QuestionState::Superseded => "superseded",
    }
}

/// Returns a question without its diffs.
pub(super) fn question_json(one: &RecordedQuestion, short: &str) -> Value {
    let question = &one.question;
    let files: Vec<Value> = question.files.iter().map(file_json).collect();
    json!({
        "question": one.id,
        "short": short,
        "time": time::format_rfc3339(one.time),
        "state": state_name(one.state),
        "tool": question.tool,
        "session": question.session,
        "client": question.client,
        "call": question.call,
        "reason": question.joined_reasons(),
        "protected": question.is_protected(),
        "whole": question.is_whole,
        "callerAlive": one.is_caller_alive,
        "offers": { "session": question.offers.session, "always": question.offers.always },
        "decidedBy": one.decided.as_ref().map(|(by, _)| by),
        "decidedAt": one.decided.as_ref().map(|(_, at)| time::format_rfc3339(*at)),
        "followedBy": one.followed_by,
        "files": files,
    })
}

/// Returns a question with the diffs, the numbers of the hunks, and the texts where they may be shown whole.
pub(super) fn full_question_json(one: &RecordedQuestion, short: &str) -> Value {
    let mut data = question_json(one, short);
    data["answer"] = json!(one.answer);
    for (at, numbered) in hunks::number_pieces(&one.question).into_iter().enumerate() {
        let pieces: Vec<Value> = numbered
            .iter()
            .map(|piece| {
                let numbers: Vec<usize> = piece.hunks.iter().map(|(number, _)| *number).collect();
                json!({ "hunks": numbers, "diff": piece.diff() })
            })
            .collect();
        data["files"][at]["pieces"] = json!(pieces);
        data["files"][at]["oldText"] = json!(one.question.files[at].old_text);
        data["files"][at]["newText"] = json!(one.question.files[at].text);
        data["files"][at]["notices"] = json!(one.question.files[at].notices);
    }
    data
}

fn file_json(file: &FileQuestion) -> Value {
    json!({
        "file_path": file.path.display().to_string(),
        "type": file.kind.as_str(),
        "movedFrom": file.moved_from.as_ref().map(|path| path.display().to_string()),
        "added": file.lines.0,
        "removed": file.lines.1,
        "revision": file.base,
        "reason": file.reason,
        "rule": file.rule,
        "protected": file.protected,
        "editable": file.text.is_some(),
    })
}
