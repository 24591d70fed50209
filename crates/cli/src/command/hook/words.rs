//! A person's words from the review that wait for a session, as context of the prompt that the person has just sent.

use lancet::Lancet;
use serde_json::{Value, json};

/// The most characters that are added to a prompt; what has no room comes with the next answer or prompt. Claude Code takes
/// ten thousand.
const MOST: usize = 8_000;

/// The answer to the event of a prompt; none where nothing waits, or the agent does not take context from this hook. It is made
/// last: what it holds counts as delivered.
pub(super) fn with_prompt(lancet: &Lancet, agent: &str, session: &str) -> Option<Value> {
    let event = match agent {
        "claude" | "codex" | "qwen" => "UserPromptSubmit",
        "gemini" => "BeforeAgent",
        _ => return None,
    };
    let waiting = lancet.review()?.deliver_with_prompt(session, MOST).ok()?;
    if waiting.is_empty() {
        return None;
    }
    Some(json!({ "hookSpecificOutput": {
        "hookEventName": event,
        "additionalContext": waiting.join("\n"),
    } }))
}
