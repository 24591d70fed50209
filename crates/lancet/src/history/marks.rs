//! Reports of agents' hooks: a person's prompts, and the session that an agent's process is in.

use lancet_history::{HistoryError, MarkQuery, PromptMark};

use super::History;

impl History {
    /// Records that a prompt was sent in a session. At most [`PromptMark::MAX_PROMPT_CHARACTERS`] characters of it are stored.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn record_prompt(&self, session: &str, prompt: &str) -> Result<(), HistoryError> {
        self.query_store(|store| store.record_prompt(session, prompt))
    }

    /// Lists marks, newest first. A query with neither folders nor a session means the sessions that have changed a
    /// file below the roots.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn recorded_prompts(&self, query: &MarkQuery) -> Result<Vec<PromptMark>, HistoryError> {
        if !query.below.is_empty() || query.session.is_some() {
            return self.query_store(|store| store.prompt_marks(query));
        }
        let query = MarkQuery {
            below: self.roots(),
            ..query.clone()
        };
        self.query_store(|store| store.prompt_marks(&query))
    }

    /// Records that the agent of this process, named by its id and start time, is in this session now.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn report_session(&self, process: &str, session: &str) -> Result<(), HistoryError> {
        self.query_store(|store| store.report_session(process, session))
    }

    /// Returns the session that was last reported for this process.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn reported_session(&self, process: &str) -> Result<Option<String>, HistoryError> {
        self.query_store(|store| store.reported_session(process))
    }
}
