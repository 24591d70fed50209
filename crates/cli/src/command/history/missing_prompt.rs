//! Explains why no prompt is recorded, for the agent that made the newest change.

use lancet::history::{History, LogQuery};

use super::who;
use crate::failure::Failure;
use crate::terminal::escape_for_terminal;

/// How many of the newest changes are searched for the agent that the user probably means.
const MAX_SEARCHED_CHANGES: usize = 50;

/// An agent by its client's name.
struct AgentClient {
    /// The prefix of the client's name, in lower case.
    client: &'static str,
    title: &'static str,
    /// Its names for `lancet hook` and for `lancet install`, if it has hooks.
    hooks: Option<(&'static str, &'static str)>,
}

const fn new_agent(
    client: &'static str,
    title: &'static str,
    hooks: Option<(&'static str, &'static str)>,
) -> AgentClient {
    AgentClient {
        client,
        title,
        hooks,
    }
}

const AGENTS: [AgentClient; 9] = [
    new_agent(
        "claude-code",
        "Claude Code",
        Some(("claude", "claude-code")),
    ),
    new_agent("codex", "Codex", Some(("codex", "codex"))),
    new_agent("gemini-cli", "Gemini CLI", Some(("gemini", "gemini"))),
    new_agent("qwen", "Qwen Code", Some(("qwen", "qwen"))),
    new_agent("copilot", "Copilot CLI", Some(("copilot", "copilot"))),
    new_agent("goose", "goose", None),
    new_agent("opencode", "opencode", Some(("opencode", "opencode"))),
    new_agent("@cline", "Cline", None),
    new_agent("cursor", "Cursor", None),
];

/// Returns the refusal for a project or a session without a recorded prompt.
pub(super) fn missing_prompt_failure(history: &History, of: &str) -> Failure {
    let newest = LogQuery {
        limit: Some(MAX_SEARCHED_CHANGES),
        ..LogQuery::default()
    };
    let newest = history.log(&newest).unwrap_or_default();
    let of_agent = newest.iter().find_map(|operation| {
        let client = operation.client.as_deref()?.to_lowercase();
        let agent = AGENTS.iter().find(|agent| client.starts_with(agent.client));
        Some((agent?, operation))
    });
    let Some((agent, operation)) = of_agent else {
        return Failure::refused(format!(
            "no prompt of {of} is on record; the agent's hooks report them, and `lancet install AGENT` adds these"
        ));
    };
    let otherwise = match who::is_unnamed(&operation.session) {
        true => "`lancet undo --since TIME`".to_owned(),
        false => format!(
            "`lancet undo --session {}`",
            escape_for_terminal(&operation.session)
        ),
    };
    Failure::refused(format!(
        "no prompt of {of} is on record: {}. Without one, {otherwise} undoes what it changed",
        explain_missing_prompts(history, agent)
    ))
}

fn explain_missing_prompts(history: &History, agent: &AgentClient) -> String {
    let title = agent.title;
    let Some((hook, name)) = agent.hooks else {
        return format!("{title} has no hooks that could report them");
    };
    let heard = history.last_hook_runs(hook).unwrap_or_default();
    if heard.iter().any(|(event, _)| event == "prompt") {
        return format!("{title} has reported none since its hooks were installed");
    }
    match hook {
        "codex" => format!(
            "Codex's hooks report them, but Codex runs hooks only after you have trusted them. After `lancet install {name}`, start `codex` at a terminal and choose \"Trust all and continue\", or type `/hooks`"
        ),
        _ => format!(
            "{title}'s hooks report them, and none has run yet. `lancet install {name}` adds them, and {title} reads them at its next start"
        ),
    }
}
