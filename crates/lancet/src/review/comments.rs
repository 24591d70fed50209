//! Comments of a review: a person's remarks about lines, for the session that wrote them.

use std::path::PathBuf;

use lancet_history::{
    Comment, CommentDraft, CommentKind, CommentQuery, DeliveredWith, HistoryError,
    MAX_WAITING_COMMENTS, Revision,
};
use serde_json::json;

use super::Reviews;
use crate::stages::persons_words;

/// The longest comment, in characters.
pub const MAX_COMMENT_LENGTH: usize = 2_000;

/// A comment that a person makes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewComment {
    /// The session that it is for.
    pub session: String,
    /// The file's absolute path.
    pub path: PathBuf,
    /// The first and the last line, from 1; none where the comment is about the whole file.
    pub lines: Option<(u64, u64)>,
    /// The revision that the line numbers refer to.
    pub revision: Option<Revision>,
    /// The text.
    pub words: String,
}

impl NewComment {
    /// Makes a comment for a session, about a whole file.
    pub fn new(
        session: impl Into<String>,
        path: impl Into<PathBuf>,
        words: impl Into<String>,
    ) -> Self {
        Self {
            session: session.into(),
            path: path.into(),
            lines: None,
            revision: None,
            words: words.into(),
        }
    }

    /// Sets the lines that the comment is about, and the revision that has them.
    #[must_use]
    pub fn on_lines(mut self, lines: (u64, u64), revision: Option<Revision>) -> Self {
        self.lines = Some(lines);
        self.revision = revision;
        self
    }
}

/// Why a comment was not recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommentError {
    /// There is no text, or too much, or the line numbers are invalid.
    #[error("{0}")]
    DoesNotFit(String),
    /// Too many comments wait for the session.
    #[error(
        "{MAX_WAITING_COMMENTS} comments wait for this session already; they are delivered with its next answer"
    )]
    TooMany,
    /// The state folder cannot be used.
    #[error(transparent)]
    Store(#[from] HistoryError),
}

impl Reviews {
    /// Records a comment. It reaches the session with its next answer or prompt; a session that has ended gets it when
    /// it is resumed. Comments are stored for thirty days. Returns the number of the comment.
    ///
    /// # Errors
    /// The comment does not fit, too many wait, or the state folder cannot be written.
    pub fn add_comment(&self, comment: &NewComment) -> Result<i64, CommentError> {
        let words = comment.words.trim();
        let length = words.chars().count();
        let refuse = |words: &str| Err(CommentError::DoesNotFit(words.to_owned()));
        let (first, last) = match comment.lines {
            Some((first, last)) if first == 0 || last < first => {
                return refuse("the lines of a comment are counted from 1, the first one first");
            }
            lines => lines.unwrap_or((0, 0)),
        };
        if words.is_empty() {
            return refuse("a comment needs words");
        }
        if length > MAX_COMMENT_LENGTH {
            let text = format!(
                "a comment has at most {MAX_COMMENT_LENGTH} characters, and this one has {length}"
            );
            return refuse(&text);
        }
        if comment.session.is_empty() || !self.covers(&comment.path) {
            return refuse("a comment is about a file of this project and for a session");
        }
        let event = json!({
            "state": "waiting", "path": comment.path.to_string_lossy(), "first": first, "last": last,
        });
        let id = self.store.add_comment(&CommentDraft {
            kind: CommentKind::Words,
            session: &comment.session,
            path: &comment.path,
            first,
            last,
            revision: comment.revision,
            words,
            operation: None,
            event: &event.to_string(),
        })?;
        id.ok_or(CommentError::TooMany)
    }

    /// Returns the comments on files below the roots, newest first, including those that were delivered.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn comments(&self, most: usize) -> Result<Vec<Comment>, HistoryError> {
        let mut found = self.store.list_comments(&CommentQuery {
            below: self.lancet.roots(),
            limit: Some(most),
            ..CommentQuery::default()
        })?;
        found.retain(|comment| comment.kind == CommentKind::Words);
        Ok(found)
    }

    /// Removes a comment that has not reached its session. False if it has.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn withdraw_comment(&self, id: i64) -> Result<bool, HistoryError> {
        self.store.withdraw_comment(id)
    }

    /// Returns the comments that wait for a session, as sentences for its next prompt, at most `most` characters of
    /// them. They count as delivered from now on, and no other answer or process delivers them again.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn deliver_with_prompt(
        &self,
        session: &str,
        most: usize,
    ) -> Result<Vec<String>, HistoryError> {
        let mut sentences = Vec::new();
        let mut left = most;
        for comment in self.store.waiting_comments(session)? {
            let words = format!("[lancet: {}]", persons_words::format_comment(&comment));
            let Some(rest) = left.checked_sub(words.chars().count() + 1) else {
                break;
            };
            if self
                .store
                .deliver_comment(comment.id, DeliveredWith::Prompt)?
            {
                left = rest;
                sentences.push(words);
            }
        }
        Ok(sentences)
    }
}
