//! Drives real agents with lancet, by a scripted model (`agents/`).

use std::path::Path;
use std::process::Command;

use anyhow::ensure;

use crate::run::{cargo, command, succeeds};
use crate::test::{PROFILE, binary, setup};

/// The agents that start within a few seconds: the test command drives them.
pub(crate) const QUICK: [&str; 3] = ["claude-code", "codex", "goose"];

/// All agents: `cargo xtask torture` drives these.
pub(crate) const ALL: [&str; 6] = [
    "claude-code",
    "codex",
    "opencode",
    "gemini",
    "qwen",
    "goose",
];

/// The agents whose sub-agents `cargo xtask torture` drives; the test command drives those of the first.
pub(crate) const WITH_SUB_AGENTS: [&str; 3] = ["claude-code", "qwen", "copilot"];

/// The agents that are driven with their own tools, which their hooks report.
pub(crate) const OBSERVED: [&str; 6] = [
    "claude-code",
    "codex",
    "opencode",
    "gemini",
    "qwen",
    "copilot",
];

/// The agents that the test command installs.
pub(crate) const TESTED: [&str; 7] = [
    "claude-code",
    "codex",
    "goose",
    "opencode",
    "gemini",
    "qwen",
    "copilot",
];

/// How a difference from `agents/recorded.json` is treated.
#[derive(Clone, Copy)]
pub(crate) enum Known {
    /// As a failure: the agent has the recorded version.
    Required,
    /// As a line in the output: the agent is newer.
    Reported,
}

/// Returns the command that drives agents through lancet's tools.
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

/// Returns the command that drives agents through their own tools, whose changes hooks report.
pub(crate) fn observe(lancet: &Path, packages: &Path, known: Known) -> Command {
    let mut observe = command("python3", &["agents/observed.py"]);
    observe.arg(lancet).arg(packages).args(OBSERVED).args([
        "--recorded",
        "agents/recorded.json",
        "--jobs",
        "2",
    ]);
    if matches!(known, Known::Reported) {
        observe.arg("--report");
    }
    observe
}

/// Returns the command that drives agents and their sub-agents.
pub(crate) fn sub_agents(lancet: &Path, packages: &Path, agents: &[&str]) -> Command {
    let mut drive = command("python3", &["agents/subagents.py"]);
    drive
        .arg(lancet)
        .arg(packages)
        .args(agents)
        .args(["--jobs", "2"]);
    drive
}

/// Returns the command that shows approval prompts in agents' dialogs at a terminal, and answers them.
pub(crate) fn dialogs(lancet: &Path, packages: &Path) -> Command {
    let mut dialogs = command("python3", &["agents/dialogs.py"]);
    dialogs.arg(lancet).arg(packages);
    dialogs
}

/// Returns the command that installs lancet as a plugin of agents, from packages, and drives them.
pub(crate) fn plugins(dist: &Path, packages: &Path) -> Command {
    let mut plugins = command("python3", &["agents/plugins.py"]);
    plugins.arg(dist).arg(packages);
    plugins
}

/// Sends the generated edits through each agent's own edit tool and through lancet in the same agent; the table is
/// written to `target/compare`.
pub(crate) fn compare(options: &[&str]) -> anyhow::Result<bool> {
    let mut build = cargo(&["build", "--package", "lancet-cli", "--profile", PROFILE]);
    ensure!(succeeds(&mut build)?, "lancet does not build");
    let packages = setup::agents(&ALL)?;
    succeeds(&mut comparison(&binary(), &packages, options))
}

/// Returns the command of the comparison, for a built program and installed agents.
pub(crate) fn comparison(lancet: &Path, packages: &Path, options: &[&str]) -> Command {
    let mut compare = command("python3", &["agents/compare.py"]);
    compare
        .arg(lancet)
        .arg(packages)
        .args(["--into", "target/compare", "--jobs", "2"])
        .args(options);
    compare
}
