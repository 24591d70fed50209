//! The elicitation forms of a question, and the meaning of their answers. An answer that is not understood is a no.

use lancet::approval::{ChangeKind, OtherFile, Question};
use rmcp::model::{ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, Request};
use serde_json::{Value, json};

/// The longest diff that a question shows, in characters.
const LONGEST_DIFF: usize = 8_000;
/// The default of the field for the reason.
const NO_REASON: &str = "no reason";

/// The meaning of an answered form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormAnswer {
    Yes,
    Session,
    Always,
    /// No, in the form; a reason may be asked for.
    No,
    /// No, without the form, or by an answer that is not understood.
    Declined,
    /// The form was closed without an answer.
    Dismissed,
}

/// The form for the decision. A protected or secret name has no preset answer, and the field must be filled in.
pub(super) fn decision(question: &Question) -> Option<ElicitRequest> {
    let mut decisions = vec!["yes", "no", "session"];
    let mut meanings = format!(
        "yes: write it; no: do not; session: yes, and ask no more in this session about {}",
        question.offers.session
    );
    if let Some(rule) = &question.offers.always {
        decisions.push("always");
        meanings.push_str(&format!(
            "; always: yes, and add the rule {rule} to your settings"
        ));
    }
    let field = json!({ "type": "string", "title": "Decision", "description": meanings, "enum": decisions });
    let mut schema = json!({ "type": "object", "properties": { "decision": field } });
    if question.protected {
        schema["required"] = json!(["decision"]);
    } else {
        schema["properties"]["decision"]["default"] = json!("yes");
    }
    request(worded(question), schema)
}

/// The form for the reason of a no.
pub(super) fn reason() -> Option<ElicitRequest> {
    let field = json!({ "type": "string", "title": "Reason", "description": "Words for the model", "default": NO_REASON });
    let schema =
        json!({ "type": "object", "properties": { "reason": field }, "required": ["reason"] });
    let message = "Nothing is written. What should the model be told about it?";
    request(message.to_owned(), schema)
}

fn request(message: String, schema: Value) -> Option<ElicitRequest> {
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: serde_json::from_value(schema).ok()?,
    };
    Some(Request::new(params))
}

/// Interprets an answer. A plain accept is a yes, except for protected and secret names, which need the word itself.
pub(super) fn understood(result: &ElicitResult, question: &Question) -> FormAnswer {
    match result.action {
        ElicitationAction::Accept => {}
        ElicitationAction::Cancel => return FormAnswer::Dismissed,
        _ => return FormAnswer::Declined,
    }
    let is_plain = match &result.content {
        None => true,
        Some(content) => content.as_object().is_some_and(serde_json::Map::is_empty),
    };
    if is_plain && !question.protected {
        return FormAnswer::Yes;
    }
    match field(result, "decision") {
        Some("yes") => FormAnswer::Yes,
        Some("session") => FormAnswer::Session,
        Some("always") => FormAnswer::Always,
        Some("no") => FormAnswer::No,
        _ => FormAnswer::Declined,
    }
}

/// The reason of a no, where one was given.
pub(super) fn words(result: &ElicitResult) -> Option<String> {
    if result.action != ElicitationAction::Accept {
        return None;
    }
    let words = field(result, "reason")?;
    (!words.is_empty() && words != NO_REASON).then(|| words.to_owned())
}

fn field<'r>(result: &'r ElicitResult, name: &str) -> Option<&'r str> {
    Some(result.content.as_ref()?.get(name)?.as_str()?.trim())
}

/// The text of the question: every path with its lines, reason, rule and diff. The texts of a question are already
/// escaped.
fn worded(question: &Question) -> String {
    let (added, removed) = question.lines;
    let mut words = format!(
        "{} wants to {} {} (+{added} -{removed}).\nAsked because {}.\n",
        question.tool,
        verb(question.kind),
        question.shown_path(),
        question.reason
    );
    if let Some(rule) = &question.rule {
        words.push_str(&format!("Rule: {rule}\n"));
    }
    if !question.others.is_empty() {
        words.push_str("The same call would also:\n");
        words.extend(question.others.iter().map(other));
    }
    for notice in &question.notices {
        words.push_str(&format!("Note: {notice}\n"));
    }
    words.push('\n');
    words.push_str(&bounded(&question.diff));
    words
}

fn other(file: &OtherFile) -> String {
    let (added, removed) = file.lines;
    let protected = match file.protected {
        true => ", protected",
        false => "",
    };
    format!(
        "{} {} (+{added} -{removed}{protected})\n",
        verb(file.kind),
        file.shown_path()
    )
}

fn verb(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Create => "create",
        ChangeKind::Delete => "remove",
        _ => "change",
    }
}

/// The beginning of a diff, in whole lines where it has any, with a note about what is left out.
fn bounded(diff: &str) -> String {
    let Some((end, _)) = diff.char_indices().nth(LONGEST_DIFF) else {
        return diff.to_owned();
    };
    let end = diff[..end].rfind('\n').map_or(end, |line| line + 1);
    let (shown, rest) = diff.split_at(end);
    format!(
        "{}\nNot shown: {} more lines of the diff ({} characters).",
        shown.trim_end_matches('\n'),
        rest.lines().count(),
        rest.chars().count()
    )
}

#[cfg(test)]
mod tests;
