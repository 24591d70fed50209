//! Sub-agents, and the conversations that calls belong to, as the hooks of agents report them.

use std::collections::HashMap;

use lancet_history::{
    AnnouncementHandling, CallOwner, ConversationReport, ConversationRole, HistoryError,
    RunningSubAgent, SubAgent,
};

use super::History;

/// How many parents are followed upwards. Agents nest two or three deep.
const MAX_PARENTS: usize = 16;

/// The sub-agents of a state folder, by their sessions.
#[derive(Clone, Debug, Default)]
pub struct SubAgents(HashMap<String, SubAgent>);

impl SubAgents {
    /// Returns the record of a session that is a sub-agent; none for any other.
    pub fn get(&self, session: &str) -> Option<&SubAgent> {
        self.0.get(session)
    }

    /// Returns the session that a person talks to: the session itself, or the one at the top of its parents.
    pub fn top_session<'s>(&'s self, session: &'s str) -> &'s str {
        let parents = std::iter::successors(Some(session), |session| {
            self.get(session).map(|found| found.parent.as_str())
        });
        parents.take(MAX_PARENTS).last().unwrap_or(session)
    }

    /// Returns how many parents a session has.
    pub fn depth(&self, session: &str) -> usize {
        let parents = std::iter::successors(self.get(session), |found| self.get(&found.parent));
        parents.take(MAX_PARENTS).count()
    }

    /// Sorts sessions as a tree: each sub-agent directly after its parent, in the order given. A session whose parent
    /// is not in the list stays where it is.
    pub fn as_tree<T>(&self, sessions: Vec<T>, name: impl Fn(&T) -> &str) -> Vec<T> {
        let names: Vec<String> = sessions.iter().map(|one| name(one).to_owned()).collect();
        let parent = |at: usize| {
            let parent = &self.get(&names[at])?.parent;
            names.iter().position(|name| name == parent)
        };
        let mut order = Vec::with_capacity(names.len());
        let mut open: Vec<usize> = (0..names.len())
            .rev()
            .filter(|&at| parent(at).is_none())
            .collect();
        while let Some(at) = open.pop() {
            order.push(at);
            let children = (0..names.len()).rev();
            open.extend(children.filter(|&child| parent(child) == Some(at)));
        }
        let mut sessions: Vec<Option<T>> = sessions.into_iter().map(Some).collect();
        let sorted = order.into_iter().filter_map(|at| sessions[at].take());
        let mut sorted: Vec<T> = sorted.collect();
        // Sessions that are each other's parents. No agent reports such a cycle.
        sorted.extend(sessions.into_iter().flatten());
        sorted
    }
}

impl FromIterator<SubAgent> for SubAgents {
    fn from_iter<I: IntoIterator<Item = SubAgent>>(all: I) -> Self {
        let by_session = all.into_iter().map(|one| (one.session.clone(), one));
        Self(by_session.collect())
    }
}

impl History {
    /// Returns the sub-agents of the state folder.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn sub_agents(&self) -> Result<SubAgents, HistoryError> {
        Ok(self
            .query_store(|store| store.sub_agents())?
            .into_iter()
            .collect())
    }

    /// Records that a session is a sub-agent of another one.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn add_sub_agent(
        &self,
        session: &str,
        parent: &str,
        kind: Option<&str>,
    ) -> Result<(), HistoryError> {
        self.query_store(|store| store.add_sub_agent(session, parent, kind))
    }

    /// Records that a known sub-agent has been running in the agent's process since this time, in milliseconds
    /// since 1970.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn begin_run(&self, process: &str, session: &str, since: i64) -> Result<(), HistoryError> {
        self.query_store(|store| store.begin_run(process, session, since))
    }

    /// Records that a sub-agent has ended.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn end_run(&self, session: &str) -> Result<(), HistoryError> {
        self.query_store(|store| store.end_run(session))
    }

    /// Returns the sub-agents that run in the agent's process and began before this time, in milliseconds since 1970.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn running(
        &self,
        process: &str,
        before: i64,
    ) -> Result<Vec<RunningSubAgent>, HistoryError> {
        self.query_store(|store| store.running_sub_agents(process, before))
    }

    /// Records that the parent of the sub-agents in the agent's process goes on while they run.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn note_parent_continues(&self, process: &str) -> Result<(), HistoryError> {
        self.query_store(|store| store.mark_parent_continues(process))
    }

    /// Records that the sub-agents in the agent's process whose parent waits for them have ended.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn end_awaited_runs(&self, process: &str) -> Result<(), HistoryError> {
        self.query_store(|store| store.end_awaited_sub_agents(process))
    }

    /// Records which conversation the next call with this key belongs to.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn announce_call(&self, key: &str, owner: &CallOwner) -> Result<(), HistoryError> {
        self.query_store(|store| store.announce_call(key, owner))
    }

    /// Returns the conversation of a call that was announced under this key.
    ///
    /// # Errors
    /// The state folder cannot be read or written.
    pub fn call_owner(
        &self,
        key: &str,
        then: AnnouncementHandling,
    ) -> Result<Option<CallOwner>, HistoryError> {
        self.query_store(|store| store.call_owner(key, then))
    }

    /// Records what a hook reports about the conversation of the agent's process. A report that comes while the turn of
    /// another conversation runs is a sub-agent's.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn report_conversation(
        &self,
        process: &str,
        session: &str,
        report: ConversationReport,
    ) -> Result<ConversationRole, HistoryError> {
        self.query_store(|store| store.report_conversation(process, session, report))
    }

    /// Records that the turn of a session has ended.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn end_turn(&self, process: &str, session: &str) -> Result<(), HistoryError> {
        self.query_store(|store| store.end_turn(process, session))
    }

    /// Records that a hook of an agent was run for this event.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn record_hook_run(&self, agent: &str, event: &str) -> Result<(), HistoryError> {
        self.query_store(|store| store.record_hook_run(agent, event))
    }

    /// Returns when hooks of an agent were last run, by event, in seconds since 1970. The times are at most an hour out
    /// of date.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn last_hook_runs(&self, agent: &str) -> Result<Vec<(String, i64)>, HistoryError> {
        self.query_store(|store| store.hook_run_times(agent))
    }
}

#[cfg(test)]
mod tests {
    use lancet_history::{Store, SubAgentStore as _};

    use super::*;

    fn sub_agents_from_pairs(pairs: &[(&str, &str)]) -> SubAgents {
        let folder = tempfile::tempdir().expect("folder");
        let store = Store::new(folder.path());
        for (session, parent) in pairs {
            store.add_sub_agent(session, parent, None).expect("kept");
        }
        store.sub_agents().expect("read").into_iter().collect()
    }

    #[test]
    fn sorts_sessions_as_tree() {
        let agents = sub_agents_from_pairs(&[("b", "a"), ("c", "b"), ("e", "d"), ("f", "a")]);
        let sorted = agents.as_tree(vec!["c", "a", "e", "f", "b"], |name| name);
        assert_eq!(sorted, ["a", "f", "b", "c", "e"]);
        assert_eq!((agents.depth("c"), agents.top_session("c")), (2, "a"));
        assert_eq!((agents.depth("a"), agents.top_session("a")), (0, "a"));
        assert_eq!(agents.top_session("e"), "d");
    }

    #[test]
    fn cyclic_parents_terminate_and_lose_no_session() {
        let agents = sub_agents_from_pairs(&[("a", "b"), ("b", "a")]);
        assert_eq!(agents.as_tree(vec!["a", "b"], |name| name).len(), 2);
        assert!(agents.depth("a") <= MAX_PARENTS);
    }
}
