//! Sub-agents (conversations started by other conversations), and which conversation each call of an agent belongs
//! to, as the agent's hooks report it. The implementation in SQLite is [`Store`](crate::Store).

use crate::error::HistoryError;

/// A conversation that another one started.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SubAgent {
    /// The name of its session.
    pub session: String,
    /// The name of the session that started it.
    pub parent: String,
    /// The agent's own name for the kind of sub-agent.
    pub kind: Option<String>,
    /// The time at which it was first reported, in milliseconds since 1970.
    pub time: i64,
}

/// A sub-agent that runs in an agent's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningSubAgent {
    /// The name of its session.
    pub session: String,
    /// Whether its parent continues to work while it runs.
    pub is_beside: bool,
}

/// The conversation that a call belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallOwner {
    /// The name of its session.
    pub session: String,
    /// Whether the call may belong to another conversation that runs at the same time.
    pub is_shared: bool,
}

/// Whether the announcement of a call is kept when the call is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnouncementHandling {
    /// It is kept, since the key belongs to this call alone.
    Kept,
    /// It is removed, since the same key may occur again.
    Removed,
}

/// An event that a hook reports about the conversation of an agent's process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversationReport {
    /// A conversation began.
    Start,
    /// The user switched to another conversation, or began a new one in place of the last.
    Switch,
    /// A prompt was sent.
    Prompt,
}

/// The kind of conversation that was reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversationRole {
    /// The user's own: the process is now in it.
    Person,
    /// A sub-agent's: it was reported while the turn of this session was running.
    SubAgentOf(String),
}

/// A store of sub-agents and announced calls. A process is named by its id and start time.
pub trait SubAgentStore: Send + Sync {
    /// Records that a session is a sub-agent of another one.
    ///
    /// # Errors
    /// The store cannot be written.
    fn add_sub_agent(
        &self,
        session: &str,
        parent: &str,
        kind: Option<&str>,
    ) -> Result<(), HistoryError>;

    /// Returns all sub-agents, newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn sub_agents(&self) -> Result<Vec<SubAgent>, HistoryError>;

    /// Records that a known sub-agent runs in a process since this time, in milliseconds since 1970.
    ///
    /// # Errors
    /// The store cannot be written.
    fn begin_run(&self, process: &str, session: &str, since: i64) -> Result<(), HistoryError>;

    /// Records that a sub-agent has ended.
    ///
    /// # Errors
    /// The store cannot be written.
    fn end_run(&self, session: &str) -> Result<(), HistoryError>;

    /// Returns the sub-agents that run in a process and began before this time, in milliseconds since 1970.
    ///
    /// # Errors
    /// The store cannot be read.
    fn running_sub_agents(
        &self,
        process: &str,
        before: i64,
    ) -> Result<Vec<RunningSubAgent>, HistoryError>;

    /// Records that the parent of the sub-agents that run in a process continues to work while they run.
    ///
    /// # Errors
    /// The store cannot be written.
    fn mark_parent_continues(&self, process: &str) -> Result<(), HistoryError>;

    /// Records that the sub-agents in a process whose parent waits for them have ended.
    ///
    /// # Errors
    /// The store cannot be written.
    fn end_awaited_sub_agents(&self, process: &str) -> Result<(), HistoryError>;

    /// Records the conversation that the next call with this key belongs to.
    ///
    /// # Errors
    /// The store cannot be written.
    fn announce_call(&self, key: &str, owner: &CallOwner) -> Result<(), HistoryError>;

    /// Returns the conversation of a call that was announced under this key; the latest one if there are several.
    ///
    /// # Errors
    /// The store cannot be read or written.
    fn call_owner(
        &self,
        key: &str,
        then: AnnouncementHandling,
    ) -> Result<Option<CallOwner>, HistoryError>;

    /// Records what a hook reports of the conversation of a process. A conversation that is reported while the turn
    /// of another one runs is a sub-agent's, and the process stays in that other one.
    ///
    /// # Errors
    /// The store cannot be written.
    fn report_conversation(
        &self,
        process: &str,
        session: &str,
        report: ConversationReport,
    ) -> Result<ConversationRole, HistoryError>;

    /// Records that the turn of a session has ended.
    ///
    /// # Errors
    /// The store cannot be written.
    fn end_turn(&self, process: &str, session: &str) -> Result<(), HistoryError>;

    /// Records that a hook of an agent was run for this event.
    ///
    /// # Errors
    /// The store cannot be written.
    fn record_hook_run(&self, agent: &str, event: &str) -> Result<(), HistoryError>;

    /// Returns the times at which hooks of an agent were last run, by event, in seconds since 1970; at most an hour
    /// out of date.
    ///
    /// # Errors
    /// The store cannot be read.
    fn hook_run_times(&self, agent: &str) -> Result<Vec<(String, i64)>, HistoryError>;
}
