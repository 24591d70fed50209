//! Finds the conversation of agents that name none in `_meta`: its id is in the environment of the server, or the
//! agent's hooks report it. Both name the same session, so that what a hook records belongs to the server's calls. If
//! a hook announces a call before it is made, the call belongs to the conversation that the hook named.

use lancet::Lancet;
use lancet::history::AnnouncementHandling;
use serde_json::Value;

use crate::identity::session_name;
use crate::pool::{JobProgress, Pool};
use crate::sub_agents::{SubAgentClient, key_of_id, key_of_request, sub_agent_session};

/// An agent whose conversations are found by other means than `_meta`.
struct KnownAgent {
    /// Its name for `lancet hook`; empty if it has no hooks.
    hook: &'static str,
    /// The beginning of its client's name, in lower case; empty if any client may have the variable.
    client: &'static str,
    /// The first part of its sessions' names; empty if that is the client's name.
    prefix: &'static str,
    /// The environment variable with the id.
    variable: Option<&'static str>,
    /// The means by which a call that its hook has announced is recognised.
    recognised: RecognisedBy,
}

/// The means by which the server recognises a call that a hook has announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecognisedBy {
    /// By the agent's id of the call, which both the hook and the server receive.
    Id,
    /// By its content, since the server receives no id.
    Request,
    /// Hooks announce no calls.
    Nothing,
}

impl KnownAgent {
    /// Returns the key of a call.
    fn call_key(
        &self,
        process: Option<&str>,
        id: Option<&str>,
        tool: &str,
        arguments: &Value,
    ) -> Option<String> {
        match self.recognised {
            RecognisedBy::Id => Some(key_of_id(self.prefix, id?)),
            RecognisedBy::Request => Some(key_of_request(process?, tool, arguments)),
            RecognisedBy::Nothing => None,
        }
    }
}

const AGENTS: &[KnownAgent] = &[
    KnownAgent {
        hook: "claude",
        client: "claude-code",
        prefix: "claude-code",
        variable: Some("CLAUDE_CODE_SESSION_ID"),
        recognised: RecognisedBy::Id,
    },
    KnownAgent {
        hook: "copilot",
        client: "copilot",
        prefix: "copilot-cli",
        variable: Some("COPILOT_AGENT_SESSION_ID"),
        recognised: RecognisedBy::Request,
    },
    KnownAgent {
        hook: "gemini",
        client: "gemini-cli",
        prefix: "gemini-cli",
        variable: None,
        recognised: RecognisedBy::Nothing,
    },
    KnownAgent {
        hook: "qwen",
        client: "qwen",
        prefix: "qwen-code",
        variable: Some("QWEN_CODE_SESSION_ID"),
        recognised: RecognisedBy::Request,
    },
    // Its calls name the thread in `_meta`; a hook receives the same id.
    KnownAgent {
        hook: "codex",
        client: "codex",
        prefix: "codex-mcp-client",
        variable: None,
        recognised: RecognisedBy::Nothing,
    },
    KnownAgent {
        hook: "opencode",
        client: "opencode",
        prefix: "opencode",
        variable: None,
        recognised: RecognisedBy::Request,
    },
    KnownAgent {
        hook: "",
        client: "",
        prefix: "",
        variable: Some("AGENT_SESSION_ID"),
        recognised: RecognisedBy::Nothing,
    },
];

/// The variables that may have the id of a conversation.
pub const SESSION_VARIABLES: &[&str] = &[
    "CLAUDE_CODE_SESSION_ID",
    "AGENT_SESSION_ID",
    "COPILOT_AGENT_SESSION_ID",
    "QWEN_CODE_SESSION_ID",
];

/// Returns the name of the session that a hook of an agent is about; none if `lancet hook` does not know the agent.
pub fn session_name_for_hook(agent: &str, id: &str) -> Option<String> {
    let known = agent_with_hook(agent)?;
    (!id.is_empty()).then(|| session_name(known.prefix, id))
}

/// Returns the name that an agent has as a client, for what its hooks report; none if `lancet hook` does not know it.
pub fn hook_client(agent: &str) -> Option<&'static str> {
    agent_with_hook(agent).map(|known| known.prefix)
}

/// Returns the session of a sub-agent that a hook of an agent is about. `id` is the agent's id of the conversation
/// that the sub-agent belongs to, `agent_id` its own.
pub fn sub_agent_session_for_hook(agent: &str, id: &str, agent_id: &str) -> Option<String> {
    let known = agent_with_hook(agent)?;
    Some(sub_agent_session(known.prefix, id, agent_id))
}

/// Returns the key under which a hook of an agent announces a call; none if nothing would distinguish the call from
/// others.
pub fn announced_key(
    agent: &str,
    process: Option<&str>,
    id: Option<&str>,
    tool: &str,
    arguments: &Value,
) -> Option<String> {
    agent_with_hook(agent)?.call_key(process, id, tool, arguments)
}

fn agent_with_hook(agent: &str) -> Option<&'static KnownAgent> {
    AGENTS
        .iter()
        .find(|known| known.hook == agent && !agent.is_empty())
}

/// A call whose conversation is searched.
pub struct CallToIdentify<'c> {
    /// The client's name.
    pub client: Option<&'c str>,
    /// The client's id of the call.
    pub id: Option<&'c str>,
    /// The tool, by lancet's name for it.
    pub tool: &'c str,
    /// The arguments as sent.
    pub arguments: &'c Value,
}

/// The conversation of a call.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CallConversation {
    /// The name of its session; none if nothing names one.
    pub session: Option<String>,
    /// The client, if its sub-agents may use the same session.
    pub shared_by: Option<&'static SubAgentClient>,
}

/// Finds the conversation of a call that names none itself: the one that a hook announced for the call, otherwise the
/// session that hooks reported last, otherwise that of the environment.
pub async fn conversation_of_call(
    process: Option<&str>,
    environment: &[(String, String)],
    lancet: &Lancet,
    pool: &Pool,
    asked: &CallToIdentify<'_>,
) -> CallConversation {
    let client = asked.client;
    let key = agents_of_client(client)
        .find_map(|agent| agent.call_key(process, asked.id, asked.tool, asked.arguments));
    let then = match asked.id {
        Some(_) => AnnouncementHandling::Kept,
        None => AnnouncementHandling::Removed,
    };
    let has_hooks = agents_of_client(client).any(|agent| !agent.hook.is_empty());
    let process = process.filter(|_| has_hooks).map(str::to_owned);
    let found = match key.is_some() || process.is_some() {
        true => {
            let lancet = lancet.clone();
            let ask = move || {
                let history = lancet.history()?;
                let announced = key.and_then(|key| history.call_owner(&key, then).ok()?);
                let reported = || history.reported_session(&process?).ok()?;
                Some((announced.is_none().then(reported).flatten(), announced))
            };
            let asked = pool.run(&JobProgress::default(), ask).await;
            asked.ok().flatten().unwrap_or_default()
        }
        false => (None, None),
    };
    let of_client = SubAgentClient::find_by_name(client);
    match found {
        (_, Some(owner)) if can_client_report(&owner.session, client) => CallConversation {
            session: Some(owner.session),
            shared_by: of_client.filter(|_| owner.is_shared),
        },
        (reported, _) => CallConversation {
            session: reported
                .filter(|session| can_client_report(session, client))
                .or_else(|| session_from_environment(environment, client)),
            shared_by: of_client,
        },
    }
}

/// Returns the session that the environment names for a client. A variable of one agent counts for that agent only,
/// because other agents that it starts inherit the variable.
fn session_from_environment(
    variables: &[(String, String)],
    client: Option<&str>,
) -> Option<String> {
    agents_of_client(client).find_map(|agent| {
        let variable = agent.variable?;
        let (_, id) = variables
            .iter()
            .find(|(name, id)| name == variable && !id.is_empty())?;
        let prefix = match agent.prefix {
            "" => client.unwrap_or("agent"),
            prefix => prefix,
        };
        Some(session_name(prefix, id))
    })
}

/// Returns whether hooks of this client may report the session.
fn can_client_report(session: &str, client: Option<&str>) -> bool {
    agents_of_client(client).any(|agent| {
        let rest = session.strip_prefix(agent.prefix);
        !agent.hook.is_empty() && rest.is_some_and(|rest| rest.starts_with('.'))
    })
}

fn agents_of_client(client: Option<&str>) -> impl Iterator<Item = &'static KnownAgent> {
    let client = client.unwrap_or_default().to_lowercase();
    AGENTS
        .iter()
        .filter(move |agent| client.starts_with(agent.client))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(name, id): &(&str, &str)| ((*name).to_owned(), (*id).to_owned());
        pairs.iter().map(owned).collect()
    }

    #[test]
    fn hook_and_environment_yield_the_same_session() {
        for agent in AGENTS.iter().filter(|agent| !agent.hook.is_empty()) {
            let hook = session_name_for_hook(agent.hook, "a-1").expect("known");
            assert!(can_client_report(&hook, Some(agent.client)), "{hook}");
            if let Some(variable) = agent.variable {
                let set = variables(&[(variable, "a-1")]);
                assert_eq!(
                    session_from_environment(&set, Some(agent.client)),
                    Some(hook)
                );
                assert!(SESSION_VARIABLES.contains(&variable));
            }
        }
        assert_eq!(session_name_for_hook("somebody", "a"), None);
        assert_eq!(session_name_for_hook("", "a"), None);
        assert_eq!(session_name_for_hook("claude", ""), None);
    }

    #[test]
    fn ignores_variables_of_other_agents() {
        let set = variables(&[("CLAUDE_CODE_SESSION_ID", "c"), ("AGENT_SESSION_ID", "g")]);
        let found = |client| session_from_environment(&set, client);
        assert_eq!(found(Some("claude-code")).as_deref(), Some("claude-code.c"));
        assert_eq!(found(Some("goose")).as_deref(), Some("goose.g"));
        assert_eq!(found(None).as_deref(), Some("agent.g"));
        let one = variables(&[("CLAUDE_CODE_SESSION_ID", "c")]);
        assert_eq!(session_from_environment(&one, Some("opencode")), None);
        assert!(!can_client_report("claude-code.c", Some("opencode")));
        assert!(!can_client_report("claude-code", Some("claude-code")));
    }
}
