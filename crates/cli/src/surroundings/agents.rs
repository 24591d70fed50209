//! The variables by which a command detects that an agent runs it. Each is one that the agent itself sets for the
//! commands that it runs. Variables that people set to configure an agent (`CODEX_HOME`, `GOOSE_PROVIDER`) are not
//! included.

use std::ffi::OsString;

/// The variable of an agent, and the agent's name.
const VARIABLES: &[(&str, &str)] = &[
    ("CLAUDECODE", "Claude Code"),
    ("CLAUDE_CODE_SESSION_ID", "Claude Code"),
    ("CODEX_THREAD_ID", "Codex"),
    ("CODEX_SANDBOX", "Codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "Codex"),
    ("CODEX_CI", "Codex"),
    ("GEMINI_CLI", "Gemini CLI"),
    ("QWEN_CODE", "Qwen Code"),
    ("OPENCODE", "opencode"),
    ("OPENCODE_CLIENT", "opencode"),
    ("GOOSE_TERMINAL", "goose"),
    ("AGENT_SESSION_ID", "an agent"),
    ("COPILOT_CLI", "Copilot CLI"),
    ("COPILOT_AGENT_SESSION_ID", "Copilot CLI"),
    ("CURSOR_AGENT", "Cursor"),
    ("CLINE_ACTIVE", "Cline"),
    ("CRUSH", "Crush"),
    ("AMP_CURRENT_THREAD_ID", "Amp"),
    ("AUGMENT_AGENT", "Augment"),
    ("ANTIGRAVITY_AGENT", "Antigravity"),
    ("PI_CODING_AGENT", "Pi"),
    ("TRAE_AI_SHELL_ID", "Trae"),
    ("AI_AGENT", "an agent"),
];

/// The agent that runs this command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunningAgent {
    /// The variable by which it was detected.
    pub(crate) variable: &'static str,
    /// Its name for people.
    pub(crate) name: &'static str,
}

impl RunningAgent {
    /// Returns the agent that the environment of this process names.
    pub(crate) fn detect() -> Option<Self> {
        detect_in(&|name| std::env::var_os(name).filter(|value| !value.is_empty()))
    }
}

/// Returns the agent that the environment names; none where no agent runs this command.
pub(super) fn detect_in(set: &dyn Fn(&str) -> Option<OsString>) -> Option<RunningAgent> {
    let (variable, name) = VARIABLES
        .iter()
        .find(|(variable, _)| set(variable).is_some())?;
    Some(RunningAgent { variable, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_agent_by_its_own_variables_only() {
        let with = |name: &'static str| move |asked: &str| (asked == name).then(|| "1".into());
        for variable in ["CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI", "QWEN_CODE"] {
            let found = detect_in(&with(variable)).map(|agent| agent.variable);
            assert_eq!(found, Some(variable));
        }
        for variable in ["CODEX_HOME", "GOOSE_PROVIDER", "GEMINI_API_KEY", "TERM"] {
            assert_eq!(detect_in(&with(variable)), None, "{variable}");
        }
    }
}
