//! The prompts of agents' users, as the agents' hooks report them: for `undo --to-prompt`, and between the changes in
//! the log.

use std::collections::HashMap;
use std::path::PathBuf;

use lancet::history::{
    History, LogQuery, MarkQuery, Operation, PromptMark, ReversalDirection, SubAgent, SubAgents,
};

use super::access::unreadable_failure;
use super::{missing_prompt, time};
use crate::failure::Failure;
use crate::terminal::{Colour, Style, escape_for_terminal};

/// Returns the N-th newest prompt of a session. Without a session, that of the newest prompt in the project is used.
pub(super) fn nth_newest_prompt(
    history: &History,
    session: Option<&str>,
    number: usize,
) -> Result<PromptMark, Failure> {
    let session = match session {
        Some(session) => session.to_owned(),
        None => {
            let newest = MarkQuery {
                limit: Some(1),
                ..MarkQuery::default()
            };
            let newest = history
                .recorded_prompts(&newest)
                .map_err(unreadable_failure)?;
            // A session whose calls changed nothing is found by the checkpoint of its prompt.
            let newest = match newest.into_iter().next() {
                Some(newest) => Some(newest),
                None => history
                    .newest_prompt_with_checkpoint()
                    .map_err(unreadable_failure)?,
            };
            newest
                .ok_or_else(|| missing_prompt::missing_prompt_failure(history, "this project"))?
                .session
        }
    };
    let query = MarkQuery {
        session: Some(session.clone()),
        limit: Some(number),
        ..MarkQuery::default()
    };
    let mut marks = history
        .recorded_prompts(&query)
        .map_err(unreadable_failure)?;
    match (marks.len(), marks.pop()) {
        (0, _) => Err(missing_prompt::missing_prompt_failure(
            history,
            &format!("the session {session}"),
        )),
        (found, Some(mark)) if found == number => Ok(mark),
        (found, _) => Err(Failure::refused(format!(
            "the session {session} has {found} prompts on record; give --to-prompt {found} at most"
        ))),
    }
}

/// Returns the heading of a question about all changes since a prompt. It names sub-agents if they made some of the
/// changes.
pub(super) fn question_heading(history: &History, mark: &PromptMark) -> Result<String, Failure> {
    let made = LogQuery {
        tree: Some(mark.session.clone()),
        after: Some(mark.sequence),
        reversible: Some(ReversalDirection::UndoableOrRedone),
        ..LogQuery::default()
    };
    let made = history.log(&made).map_err(unreadable_failure)?;
    let sub_agents = match made.iter().any(|made| made.session != mark.session) {
        true => " and its sub-agents",
        false => "",
    };
    Ok(format!(
        "All changes of {}{sub_agents} since the prompt of {}:\n  {}\n",
        escape_for_terminal(&mark.session),
        time::format_local(mark.time),
        escape_for_terminal(&mark.prompt)
    ))
}

/// The prompts between listed operations: each is printed below the changes that it caused.
pub(super) struct Prompts {
    /// The prompts of each session, newest first.
    marks: HashMap<String, Vec<PromptMark>>,
    /// The oldest listed operation that each prompt caused, by the prompt's id.
    first: HashMap<i64, String>,
    sub_agents: SubAgents,
}

impl Prompts {
    /// Loads the prompts of the sessions of these operations, which are newest first. `below` are the folders in which the
    /// sessions have changed files; without one it is the project.
    pub(super) fn load_for_operations(
        history: &History,
        operations: &[Operation],
        below: &[PathBuf],
    ) -> Result<Self, Failure> {
        let mut marks: HashMap<String, Vec<PromptMark>> = HashMap::new();
        let query = MarkQuery {
            below: below.to_vec(),
            ..MarkQuery::default()
        };
        for mark in history
            .recorded_prompts(&query)
            .map_err(unreadable_failure)?
        {
            marks.entry(mark.session.clone()).or_default().push(mark);
        }
        let mut found = Self {
            marks,
            first: HashMap::new(),
            sub_agents: history.sub_agents().map_err(unreadable_failure)?,
        };
        for operation in operations {
            if let Some(id) = found.prompt_of(operation).map(|mark| mark.id) {
                found.first.insert(id, operation.id.clone());
            }
        }
        Ok(found)
    }

    /// Returns the sub-agent that made an operation.
    pub(super) fn sub_agent(&self, operation: &Operation) -> Option<&SubAgent> {
        self.sub_agents.get(&operation.session)
    }

    /// Returns the prompt that caused an operation. If a sub-agent made it, that is the user's prompt to its parent.
    pub(super) fn prompt_of(&self, operation: &Operation) -> Option<&PromptMark> {
        let marks = self
            .marks
            .get(self.sub_agents.top_session(&operation.session))?;
        let later = marks.partition_point(|mark| mark.sequence >= operation.sequence);
        marks.get(later)
    }

    /// Returns the line of a prompt, if an operation is the first one that it caused.
    pub(super) fn prompt_line(&self, operation: &Operation, colour: Colour) -> String {
        let mark = self.prompt_of(operation);
        let mark = mark.filter(|mark| self.first.get(&mark.id) == Some(&operation.id));
        mark.map_or_else(String::new, |mark| {
            let line = format!(
                "  prompt {}  {}  [{}]",
                time::format_local(mark.time),
                escape_for_terminal(&mark.prompt),
                escape_for_terminal(&mark.session)
            );
            format!("{}\n", colour.paint(Style::Dim, &line))
        })
    }
}
