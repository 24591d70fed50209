//! The message to the model that accompanies an answer: the user's text, and the user's comments on lines of the
//! diff, each with its file and line.

use lancet::approval::{FileQuestion, Question};
use lancet_rendering::{Role, parse_lines};

use crate::page::fields::Fields;

/// The longest message of an answer, in characters; the model gets no more.
const MAX_MESSAGE_LENGTH: usize = 4_000;
/// The length to which a quoted line is cut, in characters.
const MAX_QUOTE_LENGTH: usize = 80;

/// Returns the message of a form; none if it has none.
///
/// # Errors
/// The message is too long, or a comment is on a file that the question does not have. The error says so.
pub(super) fn form_message(question: &Question, fields: &Fields) -> Result<Option<String>, String> {
    let mut all: Vec<String> = Vec::new();
    all.extend(fields.first_value("words").map(normalize_text));
    let places = fields.all("comment-file").zip(fields.all("comment-line"));
    for ((file, line), words) in places.zip(fields.all("comment")) {
        let words = normalize_text(words);
        if words.is_empty() {
            continue;
        }
        let file = file.parse().ok();
        let file = file.and_then(|at: usize| question.files.get(at));
        let file = file.ok_or("A comment is on a file that is not in this question.")?;
        all.push(format!("{}: {words}", comment_location(file, line.trim())?));
    }
    let all = all.join("\n");
    match all.chars().count() {
        0 => Ok(None),
        length if length > MAX_MESSAGE_LENGTH => Err(format!(
            "The words have {length} characters together; {MAX_MESSAGE_LENGTH} reach the model. Nothing was decided: shorten them."
        )),
        _ => Ok(Some(all)),
    }
}

/// Returns a text with LF line ends and without surrounding blanks.
fn normalize_text(words: &str) -> String {
    words.replace("\r\n", "\n").trim().to_owned()
}

/// Returns the place of a comment: the file, the line number, and the text of the line. A removed line has a minus
/// sign before its number.
fn comment_location(file: &FileQuestion, line: &str) -> Result<String, String> {
    let path = file.escaped_relative_path();
    if line.is_empty() {
        return Ok(path);
    }
    let (number, is_old) = match line.strip_prefix('-') {
        Some(number) => (number, true),
        None => (line, false),
    };
    let number: usize = number
        .parse()
        .map_err(|_| format!("{line} is no number of a line. Nothing was decided."))?;
    let quoted = match quoted_line(file, number, is_old) {
        Some(text) => format!(" `{text}`"),
        None => String::new(),
    };
    Ok(match is_old {
        true => format!("{path}:{number} (removed){quoted}"),
        false => format!("{path}:{number}{quoted}"),
    })
}

/// Returns the text of a line of the diff.
fn quoted_line(file: &FileQuestion, number: usize, is_old: bool) -> Option<String> {
    let diff = file.diff();
    let lines = parse_lines(&diff);
    let mut found = lines.iter().filter(|line| match is_old {
        true => line.role == Role::Removed && line.old == Some(number),
        false => line.new == Some(number),
    });
    let text = found.next()?.text().trim();
    let mut quoted: String = text.chars().take(MAX_QUOTE_LENGTH).collect();
    if quoted.len() < text.len() {
        quoted.push('…');
    }
    (!quoted.is_empty()).then_some(quoted)
}
