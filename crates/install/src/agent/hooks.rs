//! The entries that make an agent run `lancet hook`.

use serde_json::{Value, json};

use super::{InstallRequest, LaunchCommand};
use crate::entry::Entry;
use crate::shell::quote_shell_word;

/// The form in which an agent's settings state the time limit of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timeout {
    /// Five seconds, as `timeout`.
    Seconds,
    /// Five seconds in milliseconds, as `timeout`.
    Milliseconds,
    /// The agent's default.
    Default,
}

/// An event that is reported to lancet.
pub(super) struct HookedEvent {
    /// The agent's name for it.
    pub(super) name: &'static str,
    /// The pattern that the name of a tool must match.
    pub(super) matcher: Option<&'static str>,
}

/// Returns an event for any tool, or for none.
pub(super) const fn hooked_event(name: &'static str) -> HookedEvent {
    HookedEvent {
        name,
        matcher: None,
    }
}

/// Returns an event for the tools that match a pattern.
pub(super) const fn for_tools(name: &'static str, matcher: &'static str) -> HookedEvent {
    HookedEvent {
        name,
        matcher: Some(matcher),
    }
}

/// Returns the items of the lists below `hooks`, one for each event.
pub(super) fn hook_entries(
    request: &InstallRequest,
    agent: &str,
    timeout: Timeout,
    events: &[HookedEvent],
) -> Vec<Entry> {
    let command = hook_command(&request.launch, agent);
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

/// Returns the shell command that runs `lancet hook`. npx and uvx take longer than an agent should wait at each call,
/// so the program in their cache is tried first, and they are used only if it is gone. Agents treat some exit codes
/// as a veto, and the exit codes of npx and uvx are not lancet's.
pub(super) fn hook_command(launch: &LaunchCommand, agent: &str) -> String {
    let before = launch.arguments.iter().take_while(|word| *word != "mcp");
    let words = std::iter::once(&launch.command).chain(before);
    let line: Vec<String> = words.map(|word| quote_shell_word(word)).collect();
    let line = format!("{} hook {agent}", line.join(" "));
    match &launch.cached {
        Some(program) => format!(
            "{} hook {agent} || {line} || true",
            quote_shell_word(program)
        ),
        None => line,
    }
}

/// Returns the text of a hooks file that only lancet writes, in the form of Copilot CLI.
pub(super) fn copilot_hooks_file(command: &str) -> String {
    let hook = json!([{ "type": "command", "bash": command, "timeoutSec": 5 }]);
    // The pattern has to match the whole name of a tool.
    let of_tools = |matcher: &str| json!([{ "type": "command", "matcher": matcher, "bash": command, "timeoutSec": 5 }]);
    let own = "bash|powershell|edit|create|str_replace_editor|apply_patch";
    let file: Value = json!({
        "version": 1,
        "hooks": {
            "sessionStart": hook, "userPromptSubmitted": hook,
            "preToolUse": of_tools(&format!("lancet-.*|{own}")),
            "postToolUse": of_tools(own), "postToolUseFailure": of_tools(own),
            "agentStop": hook, "sessionEnd": hook,
        },
    });
    format!("{file:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hook_command_is_quoted_for_the_shell() {
        let line = |command: &str, arguments: &[&str], cached: Option<&str>| {
            let launch = LaunchCommand {
                command: command.to_owned(),
                arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
                cached: cached.map(str::to_owned),
            };
            super::hook_command(&launch, "claude")
        };
        assert_eq!(
            line("/opt/lancet", &["mcp", "--tools", "default"], None),
            "/opt/lancet hook claude"
        );
        assert_eq!(
            line("/my tools/it's", &["mcp"], None),
            r"'/my tools/it'\''s' hook claude"
        );
        let npx = ["-y", "--package", "/my dist/a.tgz", "lancet-mcp", "mcp"];
        assert_eq!(
            line("npx", &npx, Some("/c/_npx/1/lancet")),
            "/c/_npx/1/lancet hook claude || npx -y --package '/my dist/a.tgz' lancet-mcp hook claude || true"
        );
    }
}
