//! The entries that make an agent run `lancet hook`.

use serde_json::{Value, json};

use super::{Installation, Launch, Request};
use crate::entry::Entry;
use crate::shell::shell_word;

/// How an agent counts the time that a hook may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timeout {
    /// Five seconds, as `timeout`.
    Seconds,
    /// Five seconds in milliseconds, as `timeout`.
    Milliseconds,
    /// The agent's own.
    Default,
}

/// One event that lancet is told of.
pub(super) struct HookedEvent {
    /// The agent's name for it.
    pub(super) name: &'static str,
    /// The pattern that the name of a tool must match.
    pub(super) matcher: Option<&'static str>,
}

/// The event of any tool, or of none.
pub(super) const fn event(name: &'static str) -> HookedEvent {
    HookedEvent {
        name,
        matcher: None,
    }
}

/// The event of the tools of a pattern.
pub(super) const fn of_tools(name: &'static str, matcher: &'static str) -> HookedEvent {
    HookedEvent {
        name,
        matcher: Some(matcher),
    }
}

/// The items of the lists below `hooks`, one for each event; none where lancet is started by npx or uvx: they may take
/// longer than an agent should wait at each call, and agents take the exit codes of their own failures for a veto.
pub(super) fn entries(
    plan: &mut Installation,
    request: &Request,
    agent: &str,
    timeout: Timeout,
    events: &[HookedEvent],
) -> Vec<Entry> {
    let Some(command) = command(&request.launch, agent) else {
        plan.note(&format!("Its hooks are not installed: {} can take too long, or fail, at each call. Install lancet as a program of its own for them.", request.launch.command));
        return Vec::new();
    };
    let item = |event: &HookedEvent| {
        let mut hook = json!({ "type": "command", "command": command });
        match timeout {
            Timeout::Seconds => hook["timeout"] = json!(5),
            Timeout::Milliseconds => hook["timeout"] = json!(5_000),
            Timeout::Default => {}
        }
        let group = match event.matcher {
            Some(matcher) => json!({ "matcher": matcher, "hooks": [hook] }),
            None => json!({ "hooks": [hook] }),
        };
        Entry::Item {
            path: vec!["hooks".to_owned(), event.name.to_owned()],
            value: group,
        }
    };
    events.iter().map(item).collect()
}

/// The line for a shell that runs `lancet hook`; none where lancet is started by npx or uvx.
pub(super) fn command(launch: &Launch, agent: &str) -> Option<String> {
    if ["npx", "uvx"].contains(&launch.command.as_str()) {
        return None;
    }
    let before = launch.arguments.iter().take_while(|word| *word != "mcp");
    let words = std::iter::once(&launch.command).chain(before);
    let mut line: Vec<String> = words.map(|word| shell_word(word)).collect();
    line.extend(["hook".to_owned(), agent.to_owned()]);
    Some(line.join(" "))
}

/// The text of a file of hooks that is lancet's own, as Copilot CLI has them.
pub(super) fn copilot_file(command: &str) -> String {
    let hook = json!([{ "type": "command", "bash": command, "timeoutSec": 5 }]);
    // The pattern has to match the whole name of a tool.
    let of_lancet =
        json!([{ "type": "command", "matcher": "lancet-.*", "bash": command, "timeoutSec": 5 }]);
    let file: Value = json!({
        "version": 1,
        "hooks": {
            "sessionStart": hook, "userPromptSubmitted": hook, "preToolUse": of_lancet,
            "agentStop": hook, "sessionEnd": hook,
        },
    });
    format!("{file:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_what_a_shell_takes() {
        let line = |command: &str, arguments: &[&str]| {
            let launch = Launch {
                command: command.to_owned(),
                arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
            };
            super::command(&launch, "claude")
        };
        assert_eq!(
            line("/opt/lancet", &["mcp", "--tools", "default"]).as_deref(),
            Some("/opt/lancet hook claude")
        );
        assert_eq!(
            line("/my tools/it's", &["mcp"]).as_deref(),
            Some(r"'/my tools/it'\''s' hook claude")
        );
        assert_eq!(line("npx", &["-y", "lancet-mcp@1.0.0", "mcp"]), None);
        assert_eq!(line("uvx", &["lancet-mcp@1.0.0", "mcp"]), None);
    }
}
