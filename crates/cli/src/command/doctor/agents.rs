//! The agents that lancet is installed in: whether their hooks ever reported, and whether their sub-agents are
//! distinguished.

use std::path::Path;

use lancet_serving::sub_agents::SubAgentClient;
use serde_json::{Value, json};

use crate::command::history::time;
use crate::command::{hook, install};

/// An agent that lancet is installed in.
#[derive(Debug)]
pub(super) struct AgentFacts {
    title: String,
    /// Whether lancet supports hooks of this agent.
    has_hooks: bool,
    is_codex: bool,
    /// When a hook last reported, in milliseconds since 1970.
    heard: Option<i64>,
    /// Whether a hook reported a call of the agent's own tools, whose changes are recorded.
    own_calls_heard: bool,
    sub_agents: SubAgentFacts,
}

/// How the sub-agents of an agent are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SubAgentFacts {
    /// The agent is not known to run sub-agents through the same server, or its calls name them.
    None,
    /// The agent's hooks distinguish them.
    Apart,
    /// They cannot be distinguished.
    Shared,
}

/// Reads the agents of a state folder.
pub(super) fn inspect(state: &Path) -> Vec<AgentFacts> {
    let heard = lancet::doors::examine_hooks(state);
    let installed = install::installed_agents(state).into_iter();
    installed
        .map(|agent| {
            let hook = match agent.name {
                "claude-code" => "claude",
                name => name,
            };
            let of_agent = heard.iter().filter(|(name, _, _)| name == hook);
            let runs = SubAgentClient::all_clients().iter();
            let runs = runs.filter(|known| known.title == agent.title).count() > 0;
            let own_calls_heard = of_agent.clone().any(|(_, event, _)| event == "own-call");
            let calls_are_told = of_agent.clone().any(|(_, event, _)| event == "call");
            AgentFacts {
                title: agent.title.to_owned(),
                has_hooks: hook::AGENTS.contains(&hook),
                is_codex: hook == "codex",
                own_calls_heard,
                heard: of_agent.map(|(_, _, seconds)| seconds * 1000).max(),
                sub_agents: match (runs, calls_are_told) {
                    (false, _) => SubAgentFacts::None,
                    (true, true) => SubAgentFacts::Apart,
                    (true, false) => SubAgentFacts::Shared,
                },
            }
        })
        .collect()
}

impl AgentFacts {
    /// Describes the agent in one line.
    pub(super) fn describe(&self) -> String {
        let recorded = match self.own_calls_heard {
            true => "; what its own tools change is recorded",
            false => "",
        };
        let hooks = match self.heard {
            Some(time) => format!("hooks last heard {} ago{recorded}", time::format_age(time)),
            None if !self.has_hooks => "it has no hooks that lancet knows".to_owned(),
            None if self.is_codex => {
                "no hook heard yet: Codex runs them after you have trusted them (\"Trust all and continue\" at its start, or /hooks)".to_owned()
            }
            None => "no hook heard yet".to_owned(),
        };
        let sub_agents = match self.sub_agents {
            SubAgentFacts::None => "",
            SubAgentFacts::Apart => "; each sub-agent has its own record of what it read",
            SubAgentFacts::Shared => {
                "; its sub-agents cannot be distinguished, so they share one record of what was read, and a Write over an existing file needs its revision"
            }
        };
        format!("{}: {hooks}{sub_agents}", self.title)
    }

    /// Returns the facts as JSON.
    pub(super) fn facts_json(&self) -> Value {
        json!({
            "agent": self.title,
            "hooksHeard": self.heard.map(time::format_rfc3339),
            "ownToolsRecorded": self.own_calls_heard,
            "subAgents": match self.sub_agents {
                SubAgentFacts::None => Value::Null,
                SubAgentFacts::Apart => json!("apart"),
                SubAgentFacts::Shared => json!("shared"),
            },
        })
    }
}
