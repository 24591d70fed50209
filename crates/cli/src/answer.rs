//! Prints a tool's answer: text for people, one JSON object for programs, and the exit code.

use std::io::IsTerminal as _;

use lancet::outcome::Outcome;
use lancet::{RefusalKind, Reply};
use serde_json::{Value, json};

use crate::failure::{Exit, Failure};
use crate::surroundings::Surroundings;
use crate::terminal::{
    Colour, Style, TerminalApprover, print, print_error, stdout_is_terminal, visible, visible_line,
};
use crate::words::at_the_shell;

/// The answer to a person who said no to a command of their own.
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
    /// The format by the flag `--json`.
    pub(crate) fn of(json: bool) -> Self {
        if json {
            OutputFormat::Json
        } else {
            OutputFormat::Text
        }
    }
}

/// How an answer is presented at a terminal. Files and pipes get the text that a model would read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Presentation<'a> {
    /// Numbered lines.
    Lines,
    /// A diff.
    Change(&'a TerminalApprover),
    /// The text that a model would read.
    Plain(&'a TerminalApprover),
}

/// Prints an answer; returns the exit code.
pub(crate) fn put(
    reply: &Reply,
    form: OutputFormat,
    shape: Presentation<'_>,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let unasked = match shape {
        Presentation::Change(approver) | Presentation::Plain(approver) => approver.unasked(),
        Presentation::Lines => None,
    };
    let text = unasked.as_deref().unwrap_or(reply.text());
    match (form, reply.refusal()) {
        (OutputFormat::Json, _) => print(&object(reply, text))?,
        (OutputFormat::Text, Some(kind)) => print_error(&match shape {
            // That is what a model would read.
            Presentation::Plain(_) => refusal(kind, text, around),
            _ if text.starts_with("A person declined") => CANCELLED.to_owned(),
            _ => refusal(kind, &at_the_shell(text, around.working.as_deref()), around),
        }),
        (OutputFormat::Text, None)
            if !stdout_is_terminal() && around.colour(false) == Colour::Off =>
        {
            print(&closed(text))?;
        }
        (OutputFormat::Text, None) => {
            let colour = around.colour(stdout_is_terminal());
            print(&match shape {
                Presentation::Lines => colour.numbered(text),
                Presentation::Change(approver) => change(reply, colour, approver),
                Presentation::Plain(_) => closed(&visible(text)),
            })?;
        }
    }
    Ok(exit_of(reply))
}

/// Prints why a command failed before it had an answer.
pub(crate) fn put_failure(failure: &Failure, form: OutputFormat) {
    match form {
        OutputFormat::Json => {
            let error = json!({ "name": failure.name(), "message": failure.message });
            // If standard output is closed there is nobody to report that to.
            let _ = print(&format!(
                "{}\n",
                json!({ "error": error, "text": failure.message })
            ));
        }
        OutputFormat::Text => print_error(&format!("lancet: {}\n", visible(&failure.message))),
    }
}

/// The exit code that an answer stands for.
pub(crate) fn exit_of(reply: &Reply) -> Exit {
    match reply.outcome() {
        Outcome::Refused(refused) => match refused.kind {
            RefusalKind::Io | RefusalKind::Internal => Exit::System,
            _ => Exit::Refused,
        },
        Outcome::Changed(change) if !change.left_out.is_empty() => Exit::Refused,
        _ => Exit::Done,
    }
}

/// The tool's data and its text, as one JSON object on one line.
fn object(reply: &Reply, text: &str) -> String {
    let mut data = reply.data().clone();
    if let Value::Object(fields) = &mut data {
        fields.insert("text".to_owned(), json!(text));
    }
    format!("{data}\n")
}

/// A change for a person: the headline, the diff unless the question has just shown it, and the notices.
fn change(reply: &Reply, colour: Colour, approver: &TerminalApprover) -> String {
    let person = reply.person();
    let (headline, diff) = person.split_once('\n').unwrap_or((person, ""));
    let mut out = format!("{}\n", colour.paint(Style::Bold, &visible_line(headline)));
    if !approver.has_shown() {
        out.push_str(&colour.numbered_diff(diff));
    }
    let warnings: Vec<&String> = match reply.outcome() {
        Outcome::Changed(change) => {
            let of_files = change.files.iter().flat_map(|file| &file.warnings);
            of_files.chain(&change.notes).collect()
        }
        _ => Vec::new(),
    };
    for warning in warnings {
        let note = format!("note: {}", visible(warning));
        out.push_str(&format!("{}\n", colour.paint(Style::Dim, &note)));
    }
    out
}

/// A refusal for standard error, which may be a terminal even where standard output is not.
fn refusal(kind: RefusalKind, text: &str, around: &Surroundings) -> String {
    let (head, text) = (format!("refused ({})", kind.name()), text.trim_end());
    if std::io::stderr().is_terminal() {
        let colour = around.colour(true);
        format!("{} {}\n", colour.paint(Style::Red, &head), visible(text))
    } else {
        format!("lancet: {head} {text}\n")
    }
}

fn closed(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') {
        text.to_owned()
    } else {
        format!("{text}\n")
    }
}
