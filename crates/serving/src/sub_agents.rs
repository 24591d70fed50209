//! The agents that run sub-agents, the names of their sessions, and the keys under which an agent's hook announces a
//! call, so that the server finds the conversation of the call. Hook and server compute the same keys from the data
//! that each receives.

use serde_json::Value;

use crate::identity::{fnv1a, replace_invalid_characters};

/// A client that is known to run sub-agents whose calls come through the same server.
#[derive(Debug, PartialEq, Eq)]
pub struct SubAgentClient {
    /// The beginning of the client's name, in lower case.
    client: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Its name for `lancet install`, if that adds the hooks that distinguish its sub-agents.
    pub hooks: Option<&'static str>,
}

/// The known clients. Codex and goose are not listed: their calls name the thread or session of each sub-agent.
const CLIENTS: &[SubAgentClient] = &[
    SubAgentClient {
        client: "claude-code",
        title: "Claude Code",
        hooks: Some("claude-code"),
    },
    SubAgentClient {
        client: "copilot",
        title: "Copilot CLI",
        hooks: Some("copilot"),
    },
    SubAgentClient {
        client: "qwen",
        title: "Qwen Code",
        hooks: Some("qwen"),
    },
    SubAgentClient {
        client: "gemini-cli",
        title: "Gemini CLI",
        hooks: None,
    },
    SubAgentClient {
        client: "opencode",
        title: "opencode",
        hooks: Some("opencode"),
    },
    SubAgentClient {
        client: "cursor",
        title: "Cursor",
        hooks: None,
    },
];

impl SubAgentClient {
    /// Returns the client of this name, if it is known to run sub-agents.
    pub fn find_by_name(client: Option<&str>) -> Option<&'static Self> {
        let client = client?.to_lowercase();
        CLIENTS.iter().find(|row| client.starts_with(row.client))
    }

    /// Returns all known clients.
    pub fn all_clients() -> &'static [Self] {
        CLIENTS
    }

    /// Returns the text of a session's first answer if calls of sub-agents cannot be distinguished from others.
    pub fn shared_session_notice(&self) -> String {
        let title = self.title;
        let remedy = self.hooks.map_or_else(String::new, |name| {
            format!(
                " The user can run `lancet install {name}`, which adds hooks that tell them apart."
            )
        });
        format!(
            "[lancet: {title} does not say which of its agents makes a call, so its sub-agents share one record of what was read. A Write over an existing file needs the `revision` that the last line of Read's answer names.{remedy}]"
        )
    }
}

/// Returns the name of a sub-agent's session. `prefix` is that of its agent's sessions, `session` the agent's id of
/// the conversation that it belongs to, and `agent` the sub-agent's own id.
pub fn sub_agent_session(prefix: &str, session: &str, agent: &str) -> String {
    let short: String = replace_invalid_characters(session)
        .chars()
        .take(8)
        .collect();
    let check = fnv1a(&[session.as_bytes(), b"\0", agent.as_bytes()].concat());
    format!("{prefix}.{short}.sub-{check:016x}")
}

/// Returns the key of a call by the agent's id of it.
pub fn key_of_id(prefix: &str, id: &str) -> String {
    format!("{prefix} call {id}")
}

/// Returns the key of a call by its content, for an agent whose calls have no id: the agent's process, the tool and
/// its arguments.
pub fn key_of_request(process: &str, tool: &str, arguments: &Value) -> String {
    // Agents use different prefixes for the name of a tool.
    let tool = tool.rsplit(['_', '-', '.', '/']).next().unwrap_or(tool);
    let parsed = match arguments {
        Value::String(json) => serde_json::from_str(json).unwrap_or(Value::Null),
        other => other.clone(),
    };
    let mut text = format!("{tool} ");
    write_sorted(&parsed, &mut text);
    format!("{process} request {:016x}", fnv1a(text.as_bytes()))
}

/// Writes a value with the members of each object sorted by name. Members that are null are left out, as clients drop
/// them.
fn write_sorted(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            let members = members.iter().filter(|(_, value)| !value.is_null());
            let mut members: Vec<_> = members.collect();
            members.sort_by_key(|(name, _)| *name);
            out.push('{');
            for (name, value) in members {
                out.push_str(&format!("{name:?}:"));
                write_sorted(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_sorted(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Number(number) => match number.as_f64() {
            // JavaScript does not distinguish 3 and 3.0.
            Some(number) => out.push_str(&number.to_string()),
            None => out.push_str(&number.to_string()),
        },
        other => out.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hook_and_server_compute_the_same_key() {
        let server = key_of_request(
            "7:1",
            "Edit",
            &json!({"file_path": "/a", "old_string": "x", "count": 1}),
        );
        for (tool, arguments) in [
            (
                "lancet-Edit",
                json!({"old_string": "x", "count": 1.0, "file_path": "/a"}),
            ),
            (
                "mcp__lancet__Edit",
                json!({"count": 1, "old_string": "x", "file_path": "/a", "mode": null}),
            ),
            (
                "mcp__lancet__lancet_Edit",
                json!("{\"file_path\":\"/a\",\"old_string\":\"x\",\"count\":1}"),
            ),
        ] {
            assert_eq!(
                key_of_request("7:1", tool, &arguments),
                server,
                "{tool} {arguments}"
            );
        }
        for (process, tool, arguments) in [
            (
                "8:1",
                "Edit",
                json!({"file_path": "/a", "old_string": "x", "count": 1}),
            ),
            (
                "7:1",
                "Read",
                json!({"file_path": "/a", "old_string": "x", "count": 1}),
            ),
            (
                "7:1",
                "Edit",
                json!({"file_path": "/a", "old_string": "y", "count": 1}),
            ),
            (
                "7:1",
                "Edit",
                json!({"file_path": "/a", "old_string": "x", "count": true}),
            ),
        ] {
            assert_ne!(key_of_request(process, tool, &arguments), server);
        }
    }

    #[test]
    fn sub_agent_sessions_have_valid_distinct_names() {
        let names = [
            sub_agent_session("claude-code", "96927686-13c4-4c1c-b830-a7d7fe4a2515", "a1"),
            sub_agent_session("claude-code", "96927686-13c4-4c1c-b830-a7d7fe4a2515", "a2"),
            sub_agent_session("claude-code", "96927686-13c4-4c1c-b830-a7d7fe4a2516", "a1"),
            sub_agent_session("claude-code", "ä/ö", &"x".repeat(300)),
        ];
        for (at, name) in names.iter().enumerate() {
            assert!(lancet::SessionName::new(name.as_str()).is_ok(), "{name}");
            assert!(!names[..at].contains(name), "{name} twice");
        }
    }

    #[test]
    fn notice_names_hooks_of_clients_that_have_them() {
        let notice = |client| {
            SubAgentClient::find_by_name(Some(client)).map(SubAgentClient::shared_session_notice)
        };
        assert!(
            notice("claude-code").is_some_and(|words| words.contains("lancet install claude-code"))
        );
        assert!(notice("gemini-cli").is_some_and(|words| !words.contains("install")));
        assert_eq!(notice("codex-mcp-client"), None);
        assert_eq!(notice("acceptance"), None);
    }
}
