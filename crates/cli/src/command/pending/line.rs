//! Formats a question on one line, with the reason on a second one.

use lancet::approval::{FileQuestion, Question};
use lancet::questions::RecordedQuestion;

use super::find::ShortEnding;
use crate::command::history::{time, who};
use crate::terminal::{Colour, Style, escape_for_terminal, escape_line_for_terminal};

/// How many files a line names.
const MAX_NAMED_FILES: usize = 3;
/// The widest column of clients, in characters; a longer name moves the rest of its line.
const MAX_CLIENT_WIDTH: usize = 24;

/// How wide the columns of a list are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns {
    id: usize,
    age: usize,
    asker: usize,
    tool: usize,
}

impl Columns {
    /// Returns the columns that fit these questions, each with the id that is shown for it.
    pub(super) fn for_questions(questions: &[RecordedQuestion], shown: &[ShortEnding<'_>]) -> Self {
        let mut widest = Self::default();
        let width = |text: &str| text.chars().count();
        for (one, id) in questions.iter().zip(shown) {
            widest.id = widest.id.max(width(id.shown));
            widest.age = widest.age.max(width(&time::format_age(one.time)));
            widest.asker = widest
                .asker
                .max(width(&question_origin(&one.question)).min(MAX_CLIENT_WIDTH));
            widest.tool = widest.tool.max(width(&one.question.tool));
        }
        widest
    }
}

/// Returns the origin of a question: the client, and the session where it has a name.
pub(super) fn question_origin(question: &Question) -> String {
    let client = question
        .client
        .as_deref()
        .map_or("-", who::client_display_name);
    let client = escape_line_for_terminal(client);
    match who::is_unnamed(&question.session) || question.session.is_empty() {
        true => client.into_owned(),
        false => format!("{client} [{}]", escape_line_for_terminal(&question.session)),
    }
}

/// Lists the files with the numbers of their added and removed lines.
pub(super) fn format_file_list(question: &Question, colour: Colour) -> String {
    let name = |file: &FileQuestion| {
        let (added, removed) = file.lines;
        format!(
            "{} {} {}",
            file.escaped_relative_path(),
            colour.paint(Style::Green, &format!("+{added}")),
            colour.paint(Style::Red, &format!("-{removed}"))
        )
    };
    let named: Vec<String> = question
        .files
        .iter()
        .take(MAX_NAMED_FILES)
        .map(name)
        .collect();
    match question.files.len().saturating_sub(MAX_NAMED_FILES) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// Formats one question: id, age, origin, tool and files; below it the reason for the question.
pub(super) fn format_question(
    one: &RecordedQuestion,
    id: ShortEnding<'_>,
    columns: Columns,
    colour: Colour,
) -> String {
    let question = &one.question;
    let rest = id.shown.len() - id.unique.len();
    let head = format!(
        "{}{}{}",
        colour.paint(Style::Dim, &id.shown[..rest]),
        colour.paint(Style::Cyan, id.unique),
        " ".repeat(columns.id.saturating_sub(id.shown.len())),
    );
    let mut why = question.joined_reasons();
    if !one.is_caller_alive {
        why.push_str(" (the process that asked has ended; a yes counts when the agent asks again)");
    }
    format!(
        "{head}  {:>age$}  {:<asker$}  {:<tool$}  {}\n{}  {}\n",
        time::format_age(one.time),
        question_origin(question),
        escape_for_terminal(&question.tool),
        format_file_list(question, colour),
        " ".repeat(columns.id),
        colour.paint(Style::Dim, &escape_line_for_terminal(&why)),
        age = columns.age,
        asker = columns.asker,
        tool = columns.tool,
    )
}
