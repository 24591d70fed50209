//! The arguments of the commands on permissions: explain, rules, trust.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Mode, WorkArguments, examples};

/// Say who decides about a file: which rule of which layer, and why
///
/// Tells whether a tool may touch the file, would ask about it or is denied, what decides that, and all rules that cover it.
/// The mode is that of `lancet mcp` unless --mode says otherwise. Nothing is opened or changed.
#[derive(Debug, Args)]
#[command(after_long_help = examples::EXPLAIN)]
pub(crate) struct ExplainArguments {
    /// Files, there or not; a folder means a new file in it
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The tool [default: Read, Edit and Write]
    #[arg(long, value_name = "TOOL")]
    pub(crate) tool: Option<String>,
    /// What happens to writes [default: the settings' mode, else accept-edits]
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<Mode>,
    /// One JSON object for programs
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// List the permission rules in force, each with its layer and place
///
/// Also what is built in, and what was not taken over: keys of a project that is not trusted, and rules of a --settings
/// file that say nothing here.
#[derive(Debug, Args)]
#[command(after_long_help = examples::RULES)]
pub(crate) struct RulesArguments {
    /// What happens to writes [default: the settings' mode, else accept-edits]
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<Mode>,
    /// One JSON object for programs
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// Trust what the project's lancet.toml says now, or a folder without one
///
/// Until then a project's file may only tighten. Trust is for this text: when the file changes, it is asked for again.
/// The programs and scripts that the settings start are listed, and their hashes kept: one that changed is not started
/// until this command has shown the difference. What they load in turn is not covered.
///
/// In a folder without a lancet.toml the folder is trusted to run language servers of the built-in table that are on the
/// PATH, and nothing else; what they find after a change is reported to the agent. Trusted settings allow it, too.
#[derive(Debug, Args)]
#[command(after_long_help = examples::TRUST)]
pub(crate) struct TrustArguments {
    /// Take the trust back
    #[arg(long)]
    pub(crate) revoke: bool,
    /// Without showing the file and asking; only with the person's token in LANCET_TOKEN
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// Who is asked about writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AskOption {
    /// The agent's user, in the agent's own dialog (MCP elicitation), where the agent offers that
    Elicit,
    /// Whoever looks at `lancet pending`: the question is kept, and the call waits for it
    Page,
    /// The person at the terminal that lancet was started from
    Terminal,
}
