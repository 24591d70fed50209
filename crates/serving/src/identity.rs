//! The session, turn and call id that a request belongs to, read from its `_meta`, under lancet's own keys or those
//! of known agents (`docs/sessions.md` lists the same table). The host sets these values, never the model, and only
//! the choice of the ledger depends on them.

use serde_json::{Map, Value};

/// The key of a session's name, chosen by the host.
pub const SESSION_KEY: &str = "lancet/session";
/// The key of the turn's id.
pub const TURN_KEY: &str = "lancet/turn";
/// The key of the call's id.
pub const CALL_KEY: &str = "lancet/call";
/// The key of text that the host itself showed the model.
pub const SEEN_KEY: &str = "lancet/seen";
/// The key that reports a shortened conversation.
pub const SHORTENED_KEY: &str = "lancet/shortened";

/// The longest name that a session may have.
const MAX_NAME_LENGTH: usize = 64;

/// The keys of one known agent.
struct Agent {
    /// The prefix of the client's name in lower case; empty if the keys themselves have the agent's prefix.
    client: &'static str,
    session: &'static [&'static str],
    turn: &'static [&'static str],
    call: &'static [&'static str],
}

/// The known agents. A bare key such as `threadId` counts only from the client that is known to send it.
const AGENTS: &[Agent] = &[
    Agent {
        client: "codex",
        session: &["threadId"],
        turn: &["x-codex-turn-metadata/turn_id"],
        call: &["callId"],
    },
    Agent {
        client: "opencode",
        session: &["ai.opencode/sessionID", "sessionID"],
        turn: &[],
        call: &[],
    },
    Agent {
        client: "",
        session: &["ai.opencode/sessionID"],
        turn: &[],
        call: &[],
    },
    Agent {
        client: "",
        session: &["vscode.conversationId"],
        turn: &["vscode.requestId"],
        call: &[],
    },
    Agent {
        client: "",
        session: &["agent-session-id"],
        turn: &[],
        call: &["agent-tool-call-request-id"],
    },
    Agent {
        client: "",
        session: &["antigravity.google/conversation_id"],
        turn: &[],
        call: &[],
    },
    Agent {
        client: "",
        session: &[],
        turn: &[],
        call: &["claudecode/toolUseId"],
    },
];

/// The identity of its caller that a request states.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CallerIdentity {
    /// The session's name; none if the request names none.
    pub session: Option<String>,
    /// The id of the turn; none if the request names none.
    pub turn: Option<String>,
    /// The id of the call; none if the request names none.
    pub call: Option<String>,
}

impl CallerIdentity {
    /// Reads a request's `_meta`; `client` is the client's name for itself.
    pub fn from_meta(meta: &Map<String, Value>, client: Option<&str>) -> Self {
        let mut identity = Self {
            session: meta_string(meta, SESSION_KEY),
            turn: meta_string(meta, TURN_KEY),
            call: meta_string(meta, CALL_KEY),
        };
        let folded = client.unwrap_or_default().to_lowercase();
        for agent in AGENTS
            .iter()
            .filter(|agent| folded.starts_with(agent.client))
        {
            let first = |keys: &[&str]| keys.iter().find_map(|key| meta_string(meta, key));
            if identity.session.is_none() {
                identity.session =
                    first(agent.session).map(|id| session_name(client.unwrap_or("client"), &id));
            }
            identity.turn = identity.turn.or_else(|| first(agent.turn));
            identity.call = identity.call.or_else(|| first(agent.call));
        }
        identity
    }
}

/// Returns a non-empty string of `_meta`. A key that does not exist may be a path into an object, or into JSON sent
/// as text.
pub fn meta_string(meta: &Map<String, Value>, key: &str) -> Option<String> {
    let found = match meta.get(key) {
        Some(value) => value.as_str().map(str::to_owned),
        None => {
            let (outer, inner) = key.split_once('/')?;
            match meta.get(outer)? {
                Value::Object(object) => object.get(inner)?.as_str().map(str::to_owned),
                Value::String(json) => {
                    let object: Map<String, Value> = serde_json::from_str(json).ok()?;
                    object.get(inner)?.as_str().map(str::to_owned)
                }
                _ => None,
            }
        }
    };
    found.filter(|text| !text.is_empty())
}

/// Makes a session's name from a client's name and its id, joined by a dot. It has only characters that a name may
/// have, at most 64. If characters were left out, or the client's name contains a dot, a checksum is added, so that
/// no two conversations share a ledger.
pub fn session_name(client: &str, id: &str) -> String {
    let name = format!(
        "{}.{}",
        replace_invalid_characters(client),
        replace_invalid_characters(id)
    );
    let is_plain = name.strip_prefix(client) == Some(&format!(".{id}"));
    if name.len() <= MAX_NAME_LENGTH && is_plain && !client.contains('.') {
        return name;
    }
    let check = format!(
        "{:016x}",
        fnv1a(&[client.as_bytes(), b"\0", id.as_bytes()].concat())
    );
    format!(
        "{}-{check}",
        &name[..name.len().min(MAX_NAME_LENGTH - check.len() - 1)]
    )
}

/// Returns a text with a dash for each character that the name of a session cannot have.
pub(crate) fn replace_invalid_characters(text: &str) -> String {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    text.chars()
        .map(|c| Some(c).filter(allowed).unwrap_or('-'))
        .collect()
}

/// Returns the FNV-1a hash: names must be the same in every version and process, and no attacker chooses them.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn from_meta(meta: Value, client: &str) -> CallerIdentity {
        let Value::Object(meta) = meta else {
            panic!("an object")
        };
        CallerIdentity::from_meta(&meta, Some(client))
    }

    #[test]
    fn own_keys_take_precedence() {
        let meta = json!({"lancet/session": "mine", "lancet/turn": "t", "lancet/call": "c", "threadId": "th", "callId": "x"});
        let identity = from_meta(meta, "codex-mcp-client");
        let own = |text: &str| Some(text.to_owned());
        assert_eq!(
            identity,
            CallerIdentity {
                session: own("mine"),
                turn: own("t"),
                call: own("c")
            }
        );
    }

    #[test]
    fn recognizes_sessions_of_known_agents() {
        let cases = [
            (
                json!({"threadId": "0199"}),
                "codex-mcp-client",
                Some("codex-mcp-client.0199"),
            ),
            (json!({"threadId": "0199"}), "somebody", None),
            (
                json!({"sessionID": "ses_1"}),
                "opencode",
                Some("opencode.ses_1"),
            ),
            (json!({"sessionID": "ses_1"}), "somebody", None),
            (
                json!({"ai.opencode/sessionID": "ses_1"}),
                "opencode",
                Some("opencode.ses_1"),
            ),
            (
                json!({"vscode.conversationId": "a-b"}),
                "Visual Studio Code",
                Some("Visual-Studio-Code.a-b-d6415a5bd3e4afb6"),
            ),
            (
                json!({"agent-session-id": "20260101_1"}),
                "goose",
                Some("goose.20260101_1"),
            ),
            (
                json!({"antigravity.google/conversation_id": "q"}),
                "antigravity",
                Some("antigravity.q"),
            ),
            (
                json!({"claudecode/toolUseId": "toolu_1"}),
                "claude-code",
                None,
            ),
            (json!({"agent-session-id": ""}), "goose", None),
            (json!({"agent-session-id": 7}), "goose", None),
        ];
        for (meta, client, session) in cases {
            assert_eq!(
                from_meta(meta.clone(), client).session.as_deref(),
                session,
                "{meta} from {client}"
            );
        }
    }

    #[test]
    fn reads_turn_and_call_ids() {
        let object =
            json!({"threadId": "a", "x-codex-turn-metadata": {"turn_id": "7"}, "callId": "c1"});
        let identity = from_meta(object, "codex-mcp-client");
        assert_eq!(
            (identity.turn.as_deref(), identity.call.as_deref()),
            (Some("7"), Some("c1"))
        );
        let as_text = json!({"x-codex-turn-metadata": "{\"turn_id\":\"8\"}"});
        assert_eq!(
            from_meta(as_text, "codex-mcp-client").turn.as_deref(),
            Some("8")
        );
        let claude = json!({"claudecode/toolUseId": "toolu_1"});
        assert_eq!(
            from_meta(claude, "claude-code").call.as_deref(),
            Some("toolu_1")
        );
    }

    #[test]
    fn session_names_are_valid_and_distinct() {
        let long = "x".repeat(200);
        let longer = "x".repeat(201);
        let names = [
            session_name("goose", "a b"),
            session_name("goose", "a-b"),
            session_name("goose", "a\u{e9}b"),
            session_name("goose", &long),
            session_name("goose", &longer),
            session_name(&long, "a"),
            session_name("a", "b-c"),
            session_name("a-b", "c"),
            session_name("a", "b.c"),
            session_name("a.b", "c"),
            session_name("Visual Studio Code", "a"),
            session_name("Visual-Studio-Code", "a"),
        ];
        for (at, name) in names.iter().enumerate() {
            assert!(name.len() <= MAX_NAME_LENGTH && !name.is_empty(), "{name}");
            assert!(
                name.chars()
                    .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)),
                "{name}"
            );
            assert!(!names[..at].contains(name), "{name} twice");
        }
    }
}
