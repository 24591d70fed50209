//! The events of the hooks of all agents, read from the JSON that the agents send. `docs/agents.md` has the sources.

use std::path::PathBuf;

use lancet::history::ConversationReport;
use serde_json::{Value, json};

use super::own_call::{CallMoment, OwnCall, ReportedCall};
use super::tool::{Tool, answer_text, file_text_in_answer};

/// One event, with its session and its folder.
#[derive(Debug, PartialEq)]
pub(super) struct HookEvent {
    /// The agent's own id of the conversation.
    pub(super) session: Option<String>,
    /// The sub-agent that it happened in; none where it happened in the conversation itself.
    pub(super) sub_agent: Option<SubAgentId>,
    /// The folder that the agent works in.
    pub(super) folder: Option<PathBuf>,
    /// When it happened, in milliseconds since 1970; none where the agent does not report it.
    pub(super) time: Option<i64>,
    pub(super) event: Event,
}

/// A sub-agent as an agent names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SubAgentId {
    pub(super) id: String,
    /// The agent's name for this kind of sub-agent.
    pub(super) kind: Option<String>,
    /// The agent's id of the conversation that started it, where sub-agents have separate sessions.
    pub(super) parent: Option<String>,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ToolCall {
    /// The agent's id of the call.
    pub(super) id: Option<String>,
    /// The tool, by the agent's name for it.
    pub(super) tool: String,
    pub(super) arguments: Value,
}

/// The kind of an event.
#[derive(Debug, PartialEq)]
pub(super) enum Event {
    /// A conversation began or continues.
    SessionStart(ConversationReport),
    /// A prompt was sent.
    Prompt(String),
    /// The agent has answered a prompt, or its conversation has ended.
    TurnEnd,
    /// The same, from an agent whose turns are not distinguished from those of its sub-agents.
    Pause,
    /// A sub-agent begins.
    SubAgentStart,
    /// A sub-agent has ended.
    SubAgentStop,
    /// The call that started a sub-agent has returned, so its parent continues.
    SubAgentReturned,
    /// The agent's own tool showed text of a file to the model.
    Read {
        path: String,
        text: String,
        call: ToolCall,
    },
    /// A tool of lancet answered.
    Changed {
        /// The agent's id of the call.
        call: Option<String>,
        /// All texts of the answer.
        answer: String,
    },
    /// A tool is about to be called: one of lancet, or the agent's own that shows a file.
    BeforeCall {
        call: ToolCall,
        /// The decision that follows from the agent's mode, if there is one.
        decision: Option<Value>,
    },
    /// The agent's own tool that may change files is about to be called, or has returned.
    OwnCall(OwnCall),
}

impl Event {
    /// Returns the event's name in the list of reported hooks.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Event::SessionStart(_) => "start",
            Event::Prompt(_) => "prompt",
            Event::TurnEnd => "turn-end",
            Event::SubAgentStart => "sub-agent-start",
            Event::SubAgentStop => "sub-agent-stop",
            Event::SubAgentReturned => "sub-agent-returned",
            Event::Read { .. } => "own-read",
            Event::Changed { .. } => "change",
            Event::BeforeCall { .. } => "call",
            Event::Pause => "pause",
            Event::OwnCall(_) => "own-call",
        }
    }

    /// Reports whether the files are looked at.
    pub(super) fn is_looked_at(&self) -> bool {
        matches!(
            self,
            Event::Prompt(_) | Event::TurnEnd | Event::Pause | Event::OwnCall(_)
        )
    }
}

impl HookEvent {
    /// Reads an event; none where it does not concern lancet.
    pub(super) fn parse(agent: &str, sent: &Value) -> Option<Self> {
        let folder = non_empty_string(sent, "cwd").map(PathBuf::from);
        Some(Self {
            session: non_empty_string(sent, "session_id")
                .or_else(|| non_empty_string(sent, "sessionId")),
            sub_agent: parse_sub_agent(sent),
            time: parse_time(sent),
            folder: folder.filter(|folder| folder.is_absolute()),
            event: match sent.get("hook_event_name") {
                Some(name) => parse_named_event(agent, name.as_str()?, sent)?,
                None if agent == "copilot" => parse_unnamed_event(sent)?,
                None => return None,
            },
        })
    }
}

/// Returns the event with this name.
fn parse_named_event(agent: &str, name: &str, sent: &Value) -> Option<Event> {
    match name {
        "SessionStart" => Some(session_start_event(sent)),
        "Stop" | "SessionEnd" if matches!(agent, "codex" | "gemini") => Some(Event::Pause),
        "AfterAgent" => Some(Event::Pause),
        "Stop" | "SessionEnd" => Some(Event::TurnEnd),
        "SubagentStart" => Some(Event::SubAgentStart),
        "SubagentStop" => Some(Event::SubAgentStop),
        // Qwen Code reports every text that is sent to the model, including those that no user typed. The user's own
        // text is in `submitted_prompt`: if that is present and empty or null, the user typed nothing. Older versions
        // do not send it.
        "UserPromptSubmit" | "BeforeAgent" => match sent.get("submitted_prompt") {
            Some(_) => prompt_event(non_empty_string(sent, "submitted_prompt")),
            None => prompt_event(non_empty_string(sent, "prompt")),
        },
        "PostToolUse" | "AfterTool" => {
            let name = non_empty_string(sent, "tool_name")?;
            let reported = ReportedCall {
                agent,
                tool: Tool::classify(agent, &name, &sent["tool_input"]),
                name: &name,
                moment: CallMoment::After,
                sent,
                input: &sent["tool_input"],
                answer: &sent["tool_response"],
            };
            after_call_event(&reported)
        }
        "PostToolUseFailure" => {
            let name = non_empty_string(sent, "tool_name")?;
            let input = &sent["tool_input"];
            own_call(&ReportedCall {
                agent,
                tool: Tool::classify(agent, &name, input),
                name: &name,
                moment: CallMoment::After,
                sent,
                input,
                answer: &Value::Null,
            })
        }
        "PreToolUse" | "BeforeTool" => before_call_event(agent, sent),
        _ => None,
    }
}

/// Recognizes an event of Copilot CLI, which sends no name: each event has different fields.
fn parse_unnamed_event(sent: &Value) -> Option<Event> {
    if let Some(name) = non_empty_string(sent, "toolName") {
        let input = &sent["toolArgs"];
        // The event of a call that failed has the error in place of the result.
        let result = sent.get("toolResult").or_else(|| sent.get("error"));
        let reported = ReportedCall {
            agent: "copilot",
            tool: Tool::classify("copilot", &name, input),
            name: &name,
            moment: match result {
                Some(_) => CallMoment::After,
                None => CallMoment::Before,
            },
            sent,
            input,
            answer: result.unwrap_or(&Value::Null),
        };
        if let Some(event) = own_call(&reported) {
            return Some(event);
        }
        return match sent.get("toolResult") {
            Some(_) => after_call_event(&reported),
            None => announced_call_event(&reported, None),
        };
    }
    if let Some(text) = non_empty_string(sent, "prompt") {
        return prompt_event(Some(text));
    }
    if sent.get("source").is_some() {
        return Some(session_start_event(sent));
    }
    // The end of a turn (`agentStop`, which a sub-agent sends as well) or of the session (`sessionEnd`).
    let ends = sent.get("stopReason").is_some() || sent.get("reason").is_some();
    (ends && parse_sub_agent(sent).is_none()).then_some(Event::TurnEnd)
}

fn prompt_event(text: Option<String>) -> Option<Event> {
    text.filter(|text| !text.trim().is_empty())
        .map(Event::Prompt)
}

fn after_call_event(reported: &ReportedCall<'_>) -> Option<Event> {
    let (sent, input) = (reported.sent, reported.input);
    match reported.tool {
        Tool::OwnRead => Some(Event::Read {
            path: ["file_path", "absolute_path", "path"]
                .iter()
                .find_map(|key| non_empty_string(input, key))?,
            text: file_text_in_answer(reported.answer)?,
            call: parse_tool_call(sent, reported.name, input),
        }),
        Tool::LancetWrite => Some(Event::Changed {
            call: non_empty_string(sent, "tool_use_id"),
            answer: answer_text(reported.answer).unwrap_or_default(),
        }),
        Tool::StartsSubAgent => Some(Event::SubAgentReturned),
        Tool::OwnShell | Tool::OwnWriter => own_call(reported),
        Tool::LancetRead | Tool::Other => None,
    }
}

/// Returns the event for a call of the agent's own tool that may change files.
fn own_call(reported: &ReportedCall<'_>) -> Option<Event> {
    matches!(reported.tool, Tool::OwnShell | Tool::OwnWriter)
        .then(|| Event::OwnCall(OwnCall::read(reported)))
}

/// Returns the event for a tool that is about to be called.
fn before_call_event(agent: &str, sent: &Value) -> Option<Event> {
    let name = non_empty_string(sent, "tool_name")?;
    let input = &sent["tool_input"];
    let tool = Tool::classify(agent, &name, input);
    let reported = ReportedCall {
        agent,
        tool,
        name: &name,
        moment: CallMoment::Before,
        sent,
        input,
        answer: &Value::Null,
    };
    if let Some(event) = own_call(&reported) {
        return Some(event);
    }
    let decision = (agent == "claude" && tool == Tool::LancetWrite)
        .then(|| claude_decision(sent))
        .flatten();
    announced_call_event(&reported, decision)
}

fn announced_call_event(reported: &ReportedCall<'_>, decision: Option<Value>) -> Option<Event> {
    let call = parse_tool_call(reported.sent, reported.name, reported.input);
    (!matches!(reported.tool, Tool::Other | Tool::StartsSubAgent))
        .then_some(Event::BeforeCall { call, decision })
}

fn parse_tool_call(sent: &Value, tool: &str, input: &Value) -> ToolCall {
    ToolCall {
        id: non_empty_string(sent, "tool_use_id"),
        tool: tool.to_owned(),
        arguments: input.clone(),
    }
}

/// Returns the decision of Claude Code's mode about a write: accepted together with its own edits, forbidden while it
/// plans, and otherwise left to its permissions.
fn claude_decision(sent: &Value) -> Option<Value> {
    let (decision, reason) = match non_empty_string(sent, "permission_mode")?.as_str() {
        "acceptEdits" => ("allow", "Claude Code accepts edits"),
        "plan" if sent["tool_input"]["dry_run"] != true => (
            "deny",
            "Claude Code is in plan mode: nothing is written until the plan is accepted. Read, Glob and Grep go on, and dry_run shows what an edit would do.",
        ),
        _ => return None,
    };
    Some(json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
    } }))
}

/// Returns the event for a conversation that began, either by a user's command in place of another one or otherwise.
fn session_start_event(sent: &Value) -> Event {
    Event::SessionStart(match non_empty_string(sent, "source").as_deref() {
        Some("clear" | "resume" | "compact") => ConversationReport::Switch,
        _ => ConversationReport::Start,
    })
}

/// Returns the sub-agent of an event. Claude Code and Qwen Code name it next to the session; Copilot CLI gives it a
/// separate session.
fn parse_sub_agent(sent: &Value) -> Option<SubAgentId> {
    Some(SubAgentId {
        id: non_empty_string(sent, "agent_id").or_else(|| non_empty_string(sent, "agentId"))?,
        kind: non_empty_string(sent, "agent_type").or_else(|| non_empty_string(sent, "agentType")),
        parent: non_empty_string(sent, "parentAgentId"),
    })
}

/// Parses the time of an event: milliseconds since 1970, or a date and time as JavaScript writes it.
fn parse_time(sent: &Value) -> Option<i64> {
    match sent.get("timestamp")? {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => {
            let moment = chrono::DateTime::parse_from_rfc3339(text).ok()?;
            Some(moment.timestamp_millis())
        }
        _ => None,
    }
}

fn non_empty_string(sent: &Value, key: &str) -> Option<String> {
    let text = sent.get(key)?.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_event(agent: &str, sent: Value) -> Option<Event> {
        HookEvent::parse(agent, &sent).map(|found| found.event)
    }

    #[test]
    fn reads_prompts_and_sessions_of_every_agent() {
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
            assert_eq!(parse_event(agent, sent), prompt, "{agent}");
        }
        let start = json!({"session_id": "a", "cwd": "/p", "hook_event_name": "SessionStart", "source": "clear"});
        let found = HookEvent::parse("claude", &start).expect("known");
        assert_eq!(found.event, Event::SessionStart(ConversationReport::Switch));
        assert_eq!(found.session.as_deref(), Some("a"));
        assert_eq!(
            parse_event("copilot", json!({"source": "new"})),
            Some(Event::SessionStart(ConversationReport::Start))
        );
    }

    #[test]
    fn ignores_unknown_events() {
        for sent in [
            json!({}),
            json!([]),
            json!("x"),
            json!({"hook_event_name": 7}),
            json!({"hook_event_name": "Notification"}),
            json!({"hook_event_name": "UserPromptSubmit"}),
            json!({"hook_event_name": "UserPromptSubmit", "prompt": " \n"}),
            json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on", "submitted_prompt": null}),
            json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on", "submitted_prompt": ""}),
            json!({"hook_event_name": "PostToolUse"}),
            json!({"hook_event_name": "PostToolUse", "tool_name": "WebFetch", "tool_input": {}, "tool_response": {}}),
            json!({"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {}, "tool_response": {}}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "WebFetch", "permission_mode": "plan"}),
        ] {
            assert_eq!(parse_event("claude", sent.clone()), None, "{sent}");
        }
    }

    #[test]
    fn permission_mode_of_claude_code_decides_about_writes() {
        let decision = |mode: &str| {
            let sent = json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__lancet__Edit", "permission_mode": mode, "tool_input": {}});
            match parse_event("claude", sent) {
                Some(Event::BeforeCall { decision, .. }) => {
                    decision?["hookSpecificOutput"]["permissionDecision"]
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

    #[test]
    fn recognizes_sub_agents_of_each_agent() {
        let named = |id: &str, kind: &str, parent: Option<&str>| {
            Some(SubAgentId {
                id: id.to_owned(),
                kind: Some(kind.to_owned()),
                parent: parent.map(str::to_owned),
            })
        };
        let claude = json!({"session_id": "s", "hook_event_name": "PreToolUse", "agent_id": "a1", "agent_type": "Explore",
            "tool_name": "mcp__lancet__Read", "tool_input": {"file_path": "/a"}, "tool_use_id": "toolu_1"});
        let found = HookEvent::parse("claude", &claude).expect("known");
        assert_eq!(found.sub_agent, named("a1", "Explore", None));
        let Event::BeforeCall { call, decision } = found.event else {
            panic!("a call")
        };
        assert_eq!((call.id.as_deref(), decision), (Some("toolu_1"), None));
        let copilot = json!({"sessionId": "sub", "timestamp": 1_795_008_185_990_i64, "toolName": "lancet-Read",
            "toolArgs": {"file_path": "/a"}, "agentId": "sub", "agentType": "general-purpose", "parentAgentId": "top"});
        let found = HookEvent::parse("copilot", &copilot).expect("known");
        assert_eq!(
            found.sub_agent,
            named("sub", "general-purpose", Some("top"))
        );
        assert_eq!(found.time, Some(1_795_008_185_990));
        let qwen = json!({"session_id": "s", "hook_event_name": "SubagentStart", "timestamp": "2026-11-18T13:22:59.378Z",
            "agent_id": "general-purpose-call_7", "agent_type": "general-purpose"});
        let found = HookEvent::parse("qwen", &qwen).expect("known");
        assert_eq!(found.event, Event::SubAgentStart);
        assert_eq!(found.time, Some(1_795_008_179_378));
        assert_eq!(
            parse_event(
                "copilot",
                json!({"sessionId": "top", "stopReason": "end_turn"})
            ),
            Some(Event::TurnEnd)
        );
        let stopped = json!({"sessionId": "sub", "stopReason": "end_turn", "agentId": "sub"});
        assert_eq!(parse_event("copilot", stopped), None);
    }
}
