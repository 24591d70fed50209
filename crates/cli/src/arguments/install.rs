//! The arguments of the commands that add lancet to agents and remove it again.

use clap::{Args, ValueEnum};

use super::{ToolChoice, WorkArguments, examples};

/// Add lancet to agents, in their own settings
///
/// Writes the entry that starts lancet, the permission for Read, Glob and Grep, the hooks by which the agent shows what was
/// changed and by which changes of its own tools are recorded, and a line for the model that names the tools. Everything else in those files stays as it is, comments and order included. Shows the diff and asks before it
/// writes. Without a name it lists the agents that are found here and whether lancet is installed there.
#[derive(Debug, Args)]
#[command(after_long_help = examples::INSTALL)]
pub(crate) struct InstallArguments {
    /// Agents: claude-code, codex, opencode, gemini, qwen, goose, copilot, cline, cursor, vscode, zed, windsurf,
    /// claude-desktop, continue
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<String>,
    /// Whether lancet may write without approval [default: ask; asked for at a terminal]
    #[arg(long, value_name = "WHAT")]
    pub(crate) writes: Option<WritesOption>,
    /// Switch the agent's own file tools off, where it has a setting for that
    #[arg(long)]
    pub(crate) only: bool,
    /// Write the hooks alone, without the server: the agent keeps its own tools, and what they change is recorded, so that
    /// `lancet undo` can revert it
    #[arg(long, conflicts_with_all = ["writes", "only"])]
    pub(crate) observe: bool,
    /// Leave the agent's memory file (CLAUDE.md, AGENTS.md) alone
    #[arg(long)]
    pub(crate) no_memory: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) choice: ToolChoice,
    #[command(flatten)]
    pub(crate) whose: ScopeArguments,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// Remove lancet from agents' settings
///
/// If nothing else has changed a file since, it is byte for byte what it was before `lancet install`. Otherwise lancet's own
/// entries are removed and everything else stays.
#[derive(Debug, Args)]
#[command(after_long_help = examples::UNINSTALL)]
pub(crate) struct UninstallArguments {
    /// Agents, as in `lancet install`
    #[arg(value_name = "AGENT", required = true)]
    pub(crate) agents: Vec<String>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) whose: ScopeArguments,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// What both commands take.
#[derive(Debug, Args)]
pub(crate) struct ScopeArguments {
    /// The user's settings, for all projects [default]
    #[arg(long)]
    pub(crate) user: bool,
    /// The settings of this project
    #[arg(long, conflicts_with = "user")]
    pub(crate) project: bool,
    /// Without asking
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
    /// One JSON object for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whether lancet may write without a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WritesOption {
    /// Writes go through
    Allow,
    /// The agent's user is asked
    Ask,
}
