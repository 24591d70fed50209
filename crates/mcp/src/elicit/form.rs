//! The elicitation forms of a question, and the meaning of their answers. An answer that is not understood is a no.

use lancet::approval::{ChangeKind, FileQuestion, Question};
use rmcp::model::{ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, Request};
use serde_json::{Value, json};

/// The longest diff that a question shows, over all files together, in characters.
const MAX_DIFF_LENGTH: usize = 8_000;
/// The longest notes that a question shows, in bytes; the first is always shown.
const MAX_NOTES_LENGTH: usize = 4_000;
/// Clients whose dialog shows three lines of a message, and how many more there are: Claude Code 2.1.326, November
/// 2026. For them the message begins with what changes, and the reason for the question follows.
const CLIENTS_WITH_SHORT_DIALOG: &[&str] = &["claude-code"];
/// The default of the field for the reason.
const DEFAULT_REASON: &str = "no reason";

/// The meaning of an answered form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormAnswer {
    Yes,
    Session,
    Always,
    /// No, in the form; the person may be prompted for a reason.
    No,
    /// No, without the form, or by an answer that is not understood.
    Declined,
    /// The form was closed without an answer.
    Dismissed,
}

/// Makes the form for the decision. For a protected or secret name there is no preset answer, and the field must be
/// filled in. Clients that preselect the first choice all the same (Codex) preselect the no.
pub(crate) fn decision_form(question: &Question) -> Option<ElicitRequest> {
    let (mut decisions, first) = match question.is_protected() {
        true => (vec!["no", "yes", "session"], "no: do not; yes: write it"),
        false => (vec!["yes", "no", "session"], "yes: write it; no: do not"),
    };
    let mut meanings = format!(
        "{first}; session: yes, and ask no more in this session about {}",
        question.offers.session
    );
    let rules = &question.offers.always;
    if !rules.is_empty() {
        decisions.push("always");
        let noun = if rules.len() == 1 { "rule" } else { "rules" };
        meanings.push_str(&format!(
            "; always: yes, and add the {noun} {} to your settings",
            rules.join(", ")
        ));
    }
    let field = json!({ "type": "string", "title": "Decision", "description": meanings, "enum": decisions });
    let mut schema = json!({ "type": "object", "properties": { "decision": field } });
    if question.is_protected() {
        schema["required"] = json!(["decision"]);
    } else {
        schema["properties"]["decision"]["default"] = json!("yes");
    }
    new_request(describe_question(question), schema)
}

/// Makes the form for the reason of a no.
pub(crate) fn reason_form() -> Option<ElicitRequest> {
    let field = json!({ "type": "string", "title": "Reason", "description": "Words for the model", "default": DEFAULT_REASON });
    let schema =
        json!({ "type": "object", "properties": { "reason": field }, "required": ["reason"] });
    let message = "Nothing is written. What should the model be told about it?";
    new_request(message.to_owned(), schema)
}

fn new_request(message: String, schema: Value) -> Option<ElicitRequest> {
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: serde_json::from_value(schema).ok()?,
    };
    Some(Request::new(params))
}

/// Interprets an answer. A plain accept is a yes, except for protected and secret names, where the form must name the
/// decision.
pub(super) fn interpret_answer(result: &ElicitResult, question: &Question) -> FormAnswer {
    match result.action {
        ElicitationAction::Accept => {}
        ElicitationAction::Cancel => return FormAnswer::Dismissed,
        _ => return FormAnswer::Declined,
    }
    let is_plain = match &result.content {
        None => true,
        Some(content) => content.as_object().is_some_and(serde_json::Map::is_empty),
    };
    if is_plain && !question.is_protected() {
        return FormAnswer::Yes;
    }
    match text_field(result, "decision") {
        Some("yes") => FormAnswer::Yes,
        Some("session") => FormAnswer::Session,
        Some("always") => FormAnswer::Always,
        Some("no") => FormAnswer::No,
        _ => FormAnswer::Declined,
    }
}

/// Returns the name of the program that decided, where the client says that no person did.
pub(super) fn deciding_program(result: &ElicitResult) -> Option<String> {
    let by = text_field(result, "by")?;
    (!by.is_empty()).then(|| by.to_owned())
}

/// Returns the reason of a no, where one was given.
pub(crate) fn extract_reason(result: &ElicitResult) -> Option<String> {
    if result.action != ElicitationAction::Accept {
        return None;
    }
    let words = text_field(result, "reason")?;
    (!words.is_empty() && words != DEFAULT_REASON).then(|| words.to_owned())
}

fn text_field<'r>(result: &'r ElicitResult, name: &str) -> Option<&'r str> {
    Some(result.content.as_ref()?.get(name)?.as_str()?.trim())
}

/// Renders the question as text: every path with its lines, reasons, rules and diffs. The texts of a question are safe
/// to show.
fn describe_question(question: &Question) -> String {
    let mut words = describe_first_line(question);
    let several = question.files.len() > 1;
    let list: String = match several {
        true => question.files.iter().map(describe_listed_file).collect(),
        false => String::new(),
    };
    let asked = format!("Asked because {}.\n", question.joined_reasons());
    let client = question.client.as_deref();
    let is_short = client.is_some_and(|name| CLIENTS_WITH_SHORT_DIALOG.contains(&name));
    if is_short && !several {
        let diff = bounded_diffs(question);
        words.push_str(skip_leading_context(&diff).trim_end_matches('\n'));
        words.push_str(&format!(
            "\n\n{asked}{}{}",
            describe_rules(question),
            describe_notes(question)
        ));
        return words;
    }
    words.push_str(&match is_short {
        true => format!("{list}{asked}"),
        false => format!("{asked}{list}"),
    });
    words.push_str(&describe_rules(question));
    words.push_str(&describe_notes(question));
    words.push('\n');
    words.push_str(&bounded_diffs(question));
    words
}

/// Returns a diff from its first changed line on.
fn skip_leading_context(diff: &str) -> &str {
    let mut at = 0;
    for line in diff.split_inclusive('\n') {
        if line.starts_with(['+', '-']) {
            return &diff[at..];
        }
        at += line.len();
    }
    diff
}

/// Lists the rules that require the question, each once.
fn describe_rules(question: &Question) -> String {
    let mut rules: Vec<&str> = Vec::new();
    for file in &question.files {
        if let Some(rule) = file.rule.as_deref().filter(|rule| !rules.contains(rule)) {
            rules.push(rule);
        }
    }
    let lines = rules.iter().map(|rule| format!("Rule: {rule}\n"));
    lines.collect()
}

fn describe_first_line(question: &Question) -> String {
    let (added, removed) = question.line_counts();
    let what = match question.files.as_slice() {
        [file] => describe_file_change(file),
        files => format!("change {} files", files.len()),
    };
    format!("{} wants to {what} (+{added} -{removed}).\n", question.tool)
}

/// Describes one of several files.
fn describe_listed_file(file: &FileQuestion) -> String {
    let (added, removed) = file.lines;
    let mark = match (file.protected, &file.reason) {
        (true, _) => ", protected",
        (false, Some(_)) => "",
        (false, None) => ", needs no answer by itself",
    };
    format!(
        "{} (+{added} -{removed}{mark})\n",
        describe_file_change(file)
    )
}

/// Describes what happens to a file.
fn describe_file_change(file: &FileQuestion) -> String {
    let path = file.escaped_path();
    match (file.kind, file.escaped_old_path()) {
        (ChangeKind::Create, _) => format!("create {path}"),
        (ChangeKind::Delete, _) => format!("remove {path}"),
        (_, Some(old)) => format!("move {old} to {path}"),
        _ => format!("change {path}"),
    }
}

/// Returns the notices of all files, up to the length limit.
fn describe_notes(question: &Question) -> String {
    let several = question.files.len() > 1;
    let mut words = String::new();
    let mut left_out = 0;
    for file in &question.files {
        for notice in &file.notices {
            let note = match several {
                true => format!("Note on {}: {notice}\n", file.escaped_path()),
                false => format!("Note: {notice}\n"),
            };
            if left_out == 0 && (words.is_empty() || words.len() + note.len() <= MAX_NOTES_LENGTH) {
                words.push_str(&note);
            } else {
                left_out += 1;
            }
        }
    }
    if left_out > 0 {
        words.push_str(&format!("Not shown: {left_out} more notes.\n"));
    }
    words
}

/// Returns the diffs up to the length limit, in whole lines where they have any, and says what is left out.
fn bounded_diffs(question: &Question) -> String {
    if let [file] = question.files.as_slice() {
        return bounded_diff(&file.diff());
    }
    let each = question
        .files
        .iter()
        .filter(|file| file.pieces.iter().any(|piece| !piece.diff.is_empty()))
        .map(|file| format!("{}\n{}", file.escaped_path(), file.diff()));
    bounded_diff(&each.collect::<String>())
}

fn bounded_diff(diff: &str) -> String {
    let Some((end, _)) = diff.char_indices().nth(MAX_DIFF_LENGTH) else {
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
