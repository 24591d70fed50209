//! The events of the hooks of all agents, read from the JSON that the agents send. `docs/agents.md` has the sources.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::tool::{Tool, shown_text, text_of};

/// One event, in the session and the folder that it happened in.
#[derive(Debug, PartialEq)]
pub(super) struct HookEvent {
    /// The agent's own id of the conversation.
    pub(super) session: Option<String>,
    /// The folder that the agent works in.
    pub(super) folder: Option<PathBuf>,
    pub(super) event: Event,
}

/// What happened.
#[derive(Debug, PartialEq)]
pub(super) enum Event {
    /// A conversation began or goes on.
    SessionStart,
    /// A person sent a prompt.
    Prompt(String),
    /// The agent's own tool showed text of a file to the model.
    Read { path: String, text: String },
    /// A tool of lancet answered.
    Changed {
        /// The agent's id of the call.
        call: Option<String>,
        /// All texts of the answer.
        answer: String,
    },
    /// A tool of lancet that writes is about to be called, and the agent's mode decides about it.
    BeforeChange { answer: Value },
}

impl HookEvent {
    /// Reads an event; none where lancet has nothing to do with it.
    pub(super) fn read(agent: &str, sent: &Value) -> Option<Self> {
        let folder = word(sent, "cwd").map(PathBuf::from);
        Some(Self {
            session: word(sent, "session_id").or_else(|| word(sent, "sessionId")),
            folder: folder.filter(|folder| folder.is_absolute()),
            event: match sent.get("hook_event_name") {
                Some(name) => named(agent, name.as_str()?, sent)?,
                None if agent == "copilot" => unnamed(sent)?,
                None => return None,
            },
        })
    }
}

/// The event of a name.
fn named(agent: &str, name: &str, sent: &Value) -> Option<Event> {
    match name {
        "SessionStart" => Some(Event::SessionStart),
        // Qwen Code reports every text that goes to the model, also those that no person typed. The person's own text is in
        // `submitted_prompt`: if that is there and empty or null, no person typed anything. Older versions do not send it.
        "UserPromptSubmit" | "BeforeAgent" => match sent.get("submitted_prompt") {
            Some(_) => prompt(word(sent, "submitted_prompt")),
            None => prompt(word(sent, "prompt")),
        },
        "PostToolUse" | "AfterTool" => {
            let tool = Tool::of(agent, &word(sent, "tool_name")?, &sent["tool_input"]);
            after(tool, sent, &sent["tool_input"], &sent["tool_response"])
        }
        "PreToolUse" if agent == "claude" => before(sent),
        _ => None,
    }
}

/// The event of Copilot CLI, which does not name it: each has fields of its own.
fn unnamed(sent: &Value) -> Option<Event> {
    if let Some(name) = word(sent, "toolName") {
        let result = sent.get("toolResult")?;
        let input = &sent["toolArgs"];
        return after(Tool::of("copilot", &name, input), sent, input, result);
    }
    match (word(sent, "prompt"), sent.get("source")) {
        (Some(text), _) => prompt(Some(text)),
        (None, Some(_)) => Some(Event::SessionStart),
        (None, None) => None,
    }
}

fn prompt(text: Option<String>) -> Option<Event> {
    text.filter(|text| !text.trim().is_empty())
        .map(Event::Prompt)
}

fn after(tool: Tool, sent: &Value, input: &Value, answer: &Value) -> Option<Event> {
    match tool {
        Tool::OwnRead => Some(Event::Read {
            path: ["file_path", "absolute_path", "path"]
                .iter()
                .find_map(|key| word(input, key))?,
            text: shown_text(answer)?,
        }),
        Tool::LancetWrite => Some(Event::Changed {
            call: word(sent, "tool_use_id"),
            answer: text_of(answer).unwrap_or_default(),
        }),
        Tool::LancetRead | Tool::Other => None,
    }
}

/// What Claude Code's mode says about a write: accepted with its own edits, forbidden while it plans, and otherwise left to
/// its permissions.
fn before(sent: &Value) -> Option<Event> {
    let tool = Tool::of("claude", &word(sent, "tool_name")?, &sent["tool_input"]);
    if tool != Tool::LancetWrite {
        return None;
    }
    let (decision, reason) = match word(sent, "permission_mode")?.as_str() {
        "acceptEdits" => ("allow", "Claude Code accepts edits"),
        "plan" if sent["tool_input"]["dry_run"] != true => (
            "deny",
            "Claude Code is in plan mode: nothing is written until the plan is accepted. Read, Glob and Grep go on, and dry_run shows what an edit would do.",
        ),
        _ => return None,
    };
    Some(Event::BeforeChange {
        answer: json!({ "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": decision,
            "permissionDecisionReason": reason,
        } }),
    })
}

fn word(sent: &Value, key: &str) -> Option<String> {
    let text = sent.get(key)?.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(agent: &str, sent: Value) -> Option<Event> {
        HookEvent::read(agent, &sent).map(|found| found.event)
    }

    #[test]
    fn prompts_and_sessions_are_read_in_every_dialect() {
        let prompt = Some(Event::Prompt("go".to_owned()));
        for (agent, sent) in [
            (
                "claude",
                json!({"hook_event_name": "UserPromptSubmit", "prompt": "go"}),
            ),
            (
                "codex",
                json!({"hook_event_name": "UserPromptSubmit", "prompt": "go"}),
            ),
            (
                "gemini",
                json!({"hook_event_name": "BeforeAgent", "prompt": "go"}),
            ),
            (
                "qwen",
                json!({"hook_event_name": "UserPromptSubmit", "prompt": "all", "submitted_prompt": "go"}),
            ),
            ("copilot", json!({"timestamp": 1, "prompt": "go"})),
        ] {
            assert_eq!(event(agent, sent), prompt, "{agent}");
        }
        let start = json!({"session_id": "a", "cwd": "/p", "hook_event_name": "SessionStart", "source": "clear"});
        let found = HookEvent::read("claude", &start).expect("known");
        assert_eq!(found.event, Event::SessionStart);
        assert_eq!(found.session.as_deref(), Some("a"));
        assert_eq!(
            event("copilot", json!({"source": "new"})),
            Some(Event::SessionStart)
        );
    }

    #[test]
    fn what_is_not_known_is_passed_over() {
        for sent in [
            json!({}),
            json!([]),
            json!("x"),
            json!({"hook_event_name": 7}),
            json!({"hook_event_name": "Stop"}),
            json!({"hook_event_name": "UserPromptSubmit"}),
            json!({"hook_event_name": "UserPromptSubmit", "prompt": " \n"}),
            json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on", "submitted_prompt": null}),
            json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on", "submitted_prompt": ""}),
            json!({"hook_event_name": "PostToolUse"}),
            json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {}, "tool_response": {}}),
            json!({"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {}, "tool_response": {}}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__lancet__Read", "permission_mode": "plan"}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__lancet__Edit", "permission_mode": "default"}),
        ] {
            assert_eq!(event("claude", sent.clone()), None, "{sent}");
        }
    }

    #[test]
    fn claude_codes_mode_decides_about_writes() {
        let decision = |mode: &str| {
            let sent = json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__lancet__Edit", "permission_mode": mode, "tool_input": {}});
            match event("claude", sent) {
                Some(Event::BeforeChange { answer }) => {
                    answer["hookSpecificOutput"]["permissionDecision"]
                        .as_str()
                        .map(str::to_owned)
                }
                _ => None,
            }
        };
        assert_eq!(decision("acceptEdits").as_deref(), Some("allow"));
        assert_eq!(decision("plan").as_deref(), Some("deny"));
        for mode in ["default", "dontAsk", "bypassPermissions", "new"] {
            assert_eq!(decision(mode), None, "{mode}");
        }
    }
}
