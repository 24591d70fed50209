//! Records the prompts that the user sent to an agent, and which session an agent's process is in. The agent's own
//! hooks report both. The implementation in SQLite is [`Store`](crate::Store).

use std::path::PathBuf;

use crate::error::HistoryError;

/// The point in a session's changes at which the user sent a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptMark {
    /// The number of the mark in the order of recording.
    pub id: i64,
    /// The name of the session.
    pub session: String,
    /// The time of the prompt, in milliseconds since 1970.
    pub time: i64,
    /// The [`sequence`](crate::Operation::sequence) of the newest operation at that time, which may have been removed
    /// since; 0 if there was none.
    pub sequence: i64,
    /// The beginning of the prompt's first line, at most [`PromptMark::MAX_PROMPT_CHARACTERS`] characters.
    pub prompt: String,
}

impl PromptMark {
    /// The largest number of characters that are stored of a prompt.
    pub const MAX_PROMPT_CHARACTERS: usize = 80;

    /// Returns the part of a prompt that is stored: its first line that is not blank, without control characters.
    #[must_use]
    pub fn stored_line(prompt: &str) -> String {
        let line = prompt.lines().map(str::trim).find(|line| !line.is_empty());
        let plain = line.unwrap_or_default().chars().map(|c| match c {
            c if c.is_control() => ' ',
            c => c,
        });
        plain.take(Self::MAX_PROMPT_CHARACTERS).collect()
    }
}

/// A filter on marks; the result is newest first. Fields are added with new versions: end a literal with
/// `..MarkQuery::default()`.
#[derive(Clone, Debug, Default)]
pub struct MarkQuery {
    /// Only marks of this session.
    pub session: Option<String>,
    /// Only marks of sessions that have changed a file below one of these folders, themselves or by sub-agents.
    pub below: Vec<PathBuf>,
    /// The largest number of marks to return.
    pub limit: Option<usize>,
}

/// A store of marks and of the sessions of agents' processes.
pub trait MarkStore: Send + Sync {
    /// Records that a prompt was sent in a session.
    ///
    /// # Errors
    /// The store cannot be written.
    fn record_prompt(&self, session: &str, prompt: &str) -> Result<(), HistoryError>;

    /// Returns the marks that match the query, newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn prompt_marks(&self, query: &MarkQuery) -> Result<Vec<PromptMark>, HistoryError>;

    /// Records that the agent of this process is now in this session. A process is named by its id and start time.
    ///
    /// # Errors
    /// The store cannot be written.
    fn report_session(&self, process: &str, session: &str) -> Result<(), HistoryError>;

    /// Returns the session that was last reported for this process.
    ///
    /// # Errors
    /// The store cannot be read.
    fn reported_session(&self, process: &str) -> Result<Option<String>, HistoryError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_first_line_up_to_limit() {
        assert_eq!(
            PromptMark::stored_line("\n  fix the\tparser \nplease"),
            "fix the parser"
        );
        assert_eq!(PromptMark::stored_line(" \n"), "");
        assert_eq!(
            PromptMark::stored_line(&"é".repeat(200)).chars().count(),
            PromptMark::MAX_PROMPT_CHARACTERS
        );
        assert_eq!(PromptMark::stored_line("a\u{1b}[31mb"), "a [31mb");
    }
}
