//! A comment sent by a form: the user's text with the text of the line that it is about, for a session that wrote in
//! the file and can still receive messages.

use lancet::history::{History, IdMatch};
use lancet::outcome::unified_diff;
use lancet::review::{NewComment, ReviewText, ReviewedFile, Reviews};
use lancet_rendering::{Role, parse_lines};

use super::list::path_from_id;
use crate::page::WebPage;
use crate::page::fields::Fields;

/// The longest text of a comment, in characters, without the quoted line. The field has the same limit.
const MAX_COMMENT_LENGTH: usize = 1_800;
/// The length to which a quoted line is cut, in characters.
const MAX_QUOTE_LENGTH: usize = 80;

/// Reads the comment of a form; none if the form is about a file or session that does not exist.
///
/// # Errors
/// The comment cannot be stored. The message says why.
pub(super) fn parse_form(
    page: &WebPage,
    review: &Reviews,
    form: &Fields,
) -> Result<Option<NewComment>, String> {
    let id = form.first_value("file").unwrap_or_default();
    let Some(path) = path_from_id(review, id) else {
        return Ok(None);
    };
    let Some(session) = form.first_value("session") else {
        return Ok(None);
    };
    let shown = id.split_once('.').map_or(id, |(operation, _)| operation);
    let file = review.file(&path).ok().flatten();
    let history = page.lancet.history();
    if !has_session_written(file.as_ref(), history.as_ref(), shown, session) {
        return Ok(None);
    }
    if has_session_ended(page, session) {
        return Err("the session has ended, and it had no name by which it could be taken up again: no agent would get the comment".to_owned());
    }
    let words = form
        .first_raw_value("words")
        .unwrap_or_default()
        .replace("\r\n", "\n");
    let words = words.trim();
    let length = words.chars().count();
    if length > MAX_COMMENT_LENGTH {
        return Err(format!(
            "it has {length} characters, and at most {MAX_COMMENT_LENGTH} reach the agent"
        ));
    }
    // A line is quoted only from the text that was shown: in a newer text its number may refer to another line.
    let file = file.filter(|file| file.operation == shown);
    let place = CommentTarget::parse_form(form);
    let quoted = file.as_ref().and_then(|file| place.quoted_line(file));
    let words = match (&place, quoted) {
        _ if words.is_empty() => String::new(),
        (CommentTarget::Removed(line), Some(text)) => {
            format!("on the removed line {line} `{text}`: {words}")
        }
        (CommentTarget::Removed(line), None) => format!("on the removed line {line}: {words}"),
        (_, Some(text)) => format!("on `{text}`: {words}"),
        (_, None) => words.to_owned(),
    };
    let comment = NewComment::new(session, path, words);
    Ok(Some(match place {
        CommentTarget::Lines(first, last) => {
            comment.on_lines((first, last), file.and_then(|file| file.after))
        }
        _ => comment,
    }))
}

/// The lines that a comment is about.
enum CommentTarget {
    File,
    /// Lines of the new text.
    Lines(u64, u64),
    /// A line of the old text.
    Removed(u64),
}

impl CommentTarget {
    fn parse_form(form: &Fields) -> Self {
        let removed = form
            .first_value("line")
            .and_then(|line| line.strip_prefix('-'));
        if let Some(removed) = removed.and_then(|line| line.parse().ok()) {
            return Self::Removed(removed);
        }
        let line = form.number("line");
        let first: Option<u64> = line.or_else(|| form.number("first"));
        let last = line.or_else(|| form.number("last")).or(first);
        match first.zip(last) {
            Some((first, last)) => Self::Lines(first, last),
            None => Self::File,
        }
    }

    /// Returns the text of the line; of several lines, the first.
    fn quoted_line(&self, file: &ReviewedFile) -> Option<String> {
        let ReviewText::Lines { hunks, .. } = &file.text else {
            return None;
        };
        let hunks: Vec<_> = hunks.iter().map(|hunk| hunk.hunk.clone()).collect();
        let diff = unified_diff(&hunks);
        let lines = parse_lines(&diff);
        let found = lines.iter().find(|line| match self {
            Self::File => false,
            Self::Lines(first, _) => line.new.map(|new| new as u64) == Some(*first),
            Self::Removed(old) => {
                line.role == Role::Removed && line.old.map(|at| at as u64) == Some(*old)
            }
        });
        let text = found?.text().trim();
        let mut quoted: String = text.chars().take(MAX_QUOTE_LENGTH).collect();
        if quoted.len() < text.len() {
            quoted.push('…');
        }
        (!quoted.is_empty()).then_some(quoted)
    }
}

/// Returns whether a session is one of those that wrote in the file: since the last look, or as the operation that
/// was shown.
fn has_session_written(
    file: Option<&ReviewedFile>,
    history: Option<&History>,
    shown: &str,
    session: &str,
) -> bool {
    let contributions = file.map(|file| file.contributions.as_slice());
    let mut others = contributions
        .unwrap_or_default()
        .iter()
        .filter(|one| !one.is_a_persons);
    if others.any(|one| one.operation.session == session) {
        return true;
    }
    let found = history.and_then(|history| history.find(shown).ok());
    matches!(found, Some(IdMatch::One(found)) if found.id == shown && found.session == session)
}

/// Returns whether a session without a name has ended, so that no process will answer for it again.
fn has_session_ended(page: &WebPage, session: &str) -> bool {
    let known = page
        .lancet
        .sessions()
        .and_then(|sessions| sessions.list().ok());
    let mut known = known.into_iter().flatten();
    let found = known.find(|one| one.key == session);
    found.is_some_and(|one| !one.is_named && one.connections.is_empty())
}
