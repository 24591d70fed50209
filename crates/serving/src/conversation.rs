//! The conversation of agents that name none in `_meta`: its id is in the environment of the server, or the agent's hooks
//! report it. Both name the same session, so that what a hook records belongs to the server's calls.

use lancet::Lancet;

use crate::identity::session_name;
use crate::pool::{Pool, Progress};

/// An agent whose conversations are known otherwise than by `_meta`.
struct KnownAgent {
    /// Its name for `lancet hook`; empty where it has no hooks.
    hook: &'static str,
    /// The beginning of its client's name, in lower case; empty where any client may have the variable.
    client: &'static str,
    /// The first part of its sessions' names; empty where that is the client's name.
    prefix: &'static str,
    /// The variable with the id.
    variable: Option<&'static str>,
}

const AGENTS: &[KnownAgent] = &[
    KnownAgent {
        hook: "claude",
        client: "claude-code",
        prefix: "claude-code",
        variable: Some("CLAUDE_CODE_SESSION_ID"),
    },
    KnownAgent {
        hook: "copilot",
        client: "copilot",
        prefix: "copilot-cli",
        variable: Some("COPILOT_AGENT_SESSION_ID"),
    },
    KnownAgent {
        hook: "gemini",
        client: "gemini-cli",
        prefix: "gemini-cli",
        variable: None,
    },
    KnownAgent {
        hook: "qwen",
        client: "qwen",
        prefix: "qwen-code",
        variable: Some("QWEN_CODE_SESSION_ID"),
    },
    // Its calls name the thread in `_meta`; a hook has the same id.
    KnownAgent {
        hook: "codex",
        client: "codex",
        prefix: "codex-mcp-client",
        variable: None,
    },
    KnownAgent {
        hook: "",
        client: "",
        prefix: "",
        variable: Some("AGENT_SESSION_ID"),
    },
];

/// The variables that may have the id of a conversation.
pub const SESSION_VARIABLES: &[&str] = &[
    "CLAUDE_CODE_SESSION_ID",
    "AGENT_SESSION_ID",
    "COPILOT_AGENT_SESSION_ID",
    "QWEN_CODE_SESSION_ID",
];

/// The name of the session that a hook of an agent is about; none where `lancet hook` does not know the agent.
pub fn hook_session(agent: &str, id: &str) -> Option<String> {
    let known = AGENTS
        .iter()
        .find(|known| known.hook == agent && !agent.is_empty())?;
    (!id.is_empty()).then(|| session_name(known.prefix, id))
}

/// Finds the session of a client whose calls name none: the one that its hooks reported last, else that of the
/// environment.
pub async fn session(
    process: Option<&str>,
    environment: &[(String, String)],
    lancet: &Lancet,
    pool: &Pool,
    client: Option<&str>,
) -> Option<String> {
    let has_hooks = known_to(client).any(|agent| !agent.hook.is_empty());
    let reported = match process.filter(|_| has_hooks) {
        Some(process) => {
            let (lancet, process) = (lancet.clone(), process.to_owned());
            let ask = move || lancet.history()?.reported_session(&process).ok()?;
            pool.run(&Progress::default(), ask).await.ok().flatten()
        }
        None => None,
    };
    reported
        .filter(|session| is_of_client(session, client))
        .or_else(|| from_environment(environment, client))
}

/// The session that the environment names for a client. A variable of one agent counts for that agent only: others that
/// it starts inherit the variable.
fn from_environment(variables: &[(String, String)], client: Option<&str>) -> Option<String> {
    known_to(client).find_map(|agent| {
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

/// Whether hooks of this client may report the session.
fn is_of_client(session: &str, client: Option<&str>) -> bool {
    known_to(client).any(|agent| {
        let rest = session.strip_prefix(agent.prefix);
        !agent.hook.is_empty() && rest.is_some_and(|rest| rest.starts_with('.'))
    })
}

fn known_to(client: Option<&str>) -> impl Iterator<Item = &'static KnownAgent> {
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
    fn a_hook_and_the_environment_name_the_same_session() {
        for agent in AGENTS.iter().filter(|agent| !agent.hook.is_empty()) {
            let hook = hook_session(agent.hook, "a-1").expect("known");
            assert!(is_of_client(&hook, Some(agent.client)), "{hook}");
            if let Some(variable) = agent.variable {
                let set = variables(&[(variable, "a-1")]);
                assert_eq!(from_environment(&set, Some(agent.client)), Some(hook));
                assert!(SESSION_VARIABLES.contains(&variable));
            }
        }
        assert_eq!(hook_session("somebody", "a"), None);
        assert_eq!(hook_session("", "a"), None);
        assert_eq!(hook_session("claude", ""), None);
    }

    #[test]
    fn a_variable_of_one_agent_does_not_count_for_another() {
        let set = variables(&[("CLAUDE_CODE_SESSION_ID", "c"), ("AGENT_SESSION_ID", "g")]);
        let found = |client| from_environment(&set, client);
        assert_eq!(found(Some("claude-code")).as_deref(), Some("claude-code.c"));
        assert_eq!(found(Some("goose")).as_deref(), Some("goose.g"));
        assert_eq!(found(None).as_deref(), Some("agent.g"));
        let one = variables(&[("CLAUDE_CODE_SESSION_ID", "c")]);
        assert_eq!(from_environment(&one, Some("opencode")), None);
        assert!(!is_of_client("claude-code.c", Some("opencode")));
        assert!(!is_of_client("claude-code", Some("claude-code")));
    }
}
