//! The real agents that lancet is driven in, by a scripted model (`agents/`).

use std::path::Path;
use std::process::Command;

use crate::run::command;

/// Those that start within a few seconds: the test command drives them.
pub(crate) const QUICK: [&str; 3] = ["claude-code", "codex", "goose"];

/// All of them: `cargo xtask torture` drives these.
pub(crate) const ALL: [&str; 6] = [
    "claude-code",
    "codex",
    "opencode",
    "gemini",
    "qwen",
    "goose",
];

/// What a difference from `agents/recorded.json` is.
#[derive(Clone, Copy)]
pub(crate) enum Known {
    /// A failure: the agent has the version that was recorded.
    Required,
    /// A line in the output: the agent is newer.
    Reported,
}

/// The command that drives agents through lancet's tools.
pub(crate) fn drive(lancet: &Path, packages: &Path, agents: &[&str], known: Known) -> Command {
    let mut drive = command("python3", &["agents/drive.py"]);
    drive.arg(lancet).arg(packages).args(agents).args([
        "--recorded",
        "agents/recorded.json",
        "--jobs",
        "2",
    ]);
    if matches!(known, Known::Reported) {
        drive.arg("--report");
    }
    drive
}
