//! Reports of agents' hooks: a person's prompts, and the session that an agent's process is in.

use lancet_history::{CheckpointKind, CheckpointQuery, HistoryError, MarkQuery, PromptMark};

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

    /// Returns the newest prompt at which a checkpoint of a root was set. Its session need not have changed a file.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn newest_prompt_with_checkpoint(&self) -> Result<Option<PromptMark>, HistoryError> {
        for root in self.engine.roots() {
            let Some(workspace) = self.engine.workspace_of(root) else {
                continue;
            };
            let query = CheckpointQuery {
                workspace: Some(workspace.id),
                ..CheckpointQuery::default()
            };
            let checkpoints = self.query_store(|store| store.checkpoints(&query))?;
            let mut checkpoints = checkpoints.into_iter();
            let Some(found) = checkpoints.find(|one| one.kind == CheckpointKind::Prompt) else {
                continue;
            };
            let query = MarkQuery {
                session: Some(found.session),
                limit: Some(1),
                ..MarkQuery::default()
            };
            let mut marks = self.query_store(|store| store.prompt_marks(&query))?;
            if let Some(mark) = marks.pop() {
                return Ok(Some(mark));
            }
        }
        Ok(None)
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
