//! Prints a tool's answer: text for people, one JSON object for programs, and the exit code.

mod change;

use std::io::IsTerminal as _;

use lancet::outcome::Outcome;
use lancet::{RefusalKind, Reply};
use serde_json::{Value, json};

use self::change::DiffForm;
use crate::failure::{Exit, Failure};
use crate::surroundings::Surroundings;
use crate::terminal::{
    Colour, Style, TerminalApprover, escape_for_terminal, print, print_error, stdout_is_terminal,
};

/// The message for a user who answered no to a question about their own command.
const CANCELLED: &str = "Cancelled; nothing was written.\n";

/// The output format that was requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    /// Plain text.
    Text,
    /// One JSON object.
    Json,
}

impl OutputFormat {
    /// Returns the format that the flag `--json` selects.
    pub(crate) fn from_json_flag(json: bool) -> Self {
        if json {
            OutputFormat::Json
        } else {
            OutputFormat::Text
        }
    }
}

/// How an answer is presented.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Presentation<'a> {
    /// Numbered lines.
    Lines,
    /// A change that a person made: the outcome for each file, and its diff. Notes go to standard error.
    Change(&'a TerminalApprover),
    /// The text that a model would read.
    Plain(&'a TerminalApprover),
}

impl<'a> Presentation<'a> {
    fn approver(self) -> Option<&'a TerminalApprover> {
        match self {
            Presentation::Lines => None,
            Presentation::Change(approver) | Presentation::Plain(approver) => Some(approver),
        }
    }
}

/// Prints an answer; returns the exit code.
pub(crate) fn print_reply(
    reply: &Reply,
    form: OutputFormat,
    shape: Presentation<'_>,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let failed_to_ask = shape.approver().and_then(TerminalApprover::failed_to_ask);
    let text = failed_to_ask.as_deref().unwrap_or(reply.text());
    match (form, reply.refusal()) {
        (OutputFormat::Json, _) => print(&reply_json(reply, text))?,
        (OutputFormat::Text, Some(kind)) => print_error(&match shape {
            Presentation::Plain(_) => format_refusal(kind, text, around),
            _ if text.starts_with("A person declined") => CANCELLED.to_owned(),
            _ => format_refusal(kind, text, around),
        }),
        (OutputFormat::Text, None) => {
            let colour = around.colour(stdout_is_terminal());
            let is_plain = !stdout_is_terminal() && colour == Colour::Off;
            match (shape, reply.outcome()) {
                (Presentation::Change(approver), Outcome::Changed(change)) => {
                    let diffs = match () {
                        () if approver.has_shown() => DiffForm::Seen,
                        () if is_plain => DiffForm::Bare,
                        () => DiffForm::Numbered,
                    };
                    print(&change::describe_change(change, diffs, colour, around))?;
                    let colour = around.colour(std::io::stderr().is_terminal());
                    print_error(&change::format_notes(change, colour));
                }
                (Presentation::Lines, _) if !is_plain => print(&colour.dim_line_numbers(text))?,
                (_, _) if is_plain => print(&ensure_final_newline(text))?,
                (_, _) => print(&ensure_final_newline(&escape_for_terminal(text)))?,
            }
        }
    }
    Ok(exit_for_reply(reply))
}

/// Prints why a command failed before it had an answer.
pub(crate) fn print_failure(failure: &Failure, form: OutputFormat) {
    print_error_answer(failure.name(), &failure.message, form);
}

/// Prints an error that did not come from a tool, by its stable name and its message.
pub(crate) fn print_error_answer(name: &str, message: &str, form: OutputFormat) {
    match form {
        OutputFormat::Json => {
            let error = json!({ "name": name, "message": message });
            // If standard output is closed, the error cannot be reported.
            let _ = print(&format!("{}\n", json!({ "error": error, "text": message })));
        }
        OutputFormat::Text => print_error(&format!("lancet: {}\n", escape_for_terminal(message))),
    }
}

/// Returns the exit code for an answer.
pub(crate) fn exit_for_reply(reply: &Reply) -> Exit {
    match reply.outcome() {
        Outcome::Refused(refused) => match refused.kind {
            RefusalKind::Io | RefusalKind::Internal => Exit::System,
            _ => Exit::Refused,
        },
        Outcome::Changed(change) if !change.left_out.is_empty() => Exit::Refused,
        _ => Exit::Done,
    }
}

/// Returns the tool's data and its text, as one JSON object on one line.
fn reply_json(reply: &Reply, text: &str) -> String {
    let mut data = reply.data().clone();
    if let Value::Object(fields) = &mut data {
        fields.insert("text".to_owned(), json!(text));
    }
    format!("{data}\n")
}

/// Formats a refusal for standard error, which may be a terminal even where standard output is not.
fn format_refusal(kind: RefusalKind, text: &str, around: &Surroundings) -> String {
    let (head, text) = (format!("refused ({})", kind.name()), text.trim_end());
    if std::io::stderr().is_terminal() {
        let colour = around.colour(true);
        format!(
            "{} {}\n",
            colour.paint(Style::Red, &head),
            escape_for_terminal(text)
        )
    } else {
        format!("lancet: {head} {text}\n")
    }
}

fn ensure_final_newline(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') {
        text.to_owned()
    } else {
        format!("{text}\n")
    }
}
