//! The commands for models without tools: the instructions to paste into a chat, and the reply that comes back.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lancet::dialects::Dialect;

use super::{ExecFlags, Mode, SharedOptions, WorkArguments, examples};

/// Apply the edits in a model's reply
///
/// Takes the reply as the model wrote it, prose included: SEARCH/REPLACE blocks, `apply_patch`, unified diffs, whole files
/// in fences, also several of them. All edits are made, or none. Shows the diff and asks once before it writes. Paths in
/// the reply are relative to the root. If the reply is refused, standard output has the text to paste back to the model.
#[derive(Debug, Args)]
#[command(after_long_help = examples::APPLY)]
pub(crate) struct ApplyArguments {
    /// The file with the reply; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub(crate) reply: PathBuf,
    /// Say whether it would be applied, and write nothing
    #[arg(long, aliases = ["diff", "dry-run"])]
    pub(crate) check: bool,
    /// Accept only edits in this format [default: detected]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<DialectOption>,
    /// Write without asking; protected names are asked about all the same
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
    /// Write without asking, protected names too if LANCET_TOKEN has the person's token
    #[arg(long)]
    pub(crate) yes_protected: bool,
    /// Write text that looks like a tool's display (line numbers, "rest unchanged") and would be refused
    #[arg(long)]
    pub(crate) insist: bool,
    /// What happens to writes [default: the settings' mode, else each one is asked about]
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<Mode>,
    #[command(flatten)]
    pub(crate) proof: ExecFlags,
    #[command(flatten)]
    pub(crate) common: SharedOptions,
}

/// Print the instructions that teach a model to write edits
///
/// For models without tool calling, in any chat: paste the instructions and the files, ask for the change, and give the
/// reply to `lancet apply`.
#[derive(Debug, Args)]
#[command(after_long_help = examples::PROMPT)]
pub(crate) struct PromptArguments {
    /// The format that the model is to write
    #[arg(long, value_name = "FORMAT", default_value = "search-replace")]
    pub(crate) format: DialectOption,
    /// Add the content of these files
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) with: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// A format in which models write edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectOption {
    /// SEARCH/REPLACE blocks under the file's path, as in Aider, Cline and Roo
    SearchReplace,
    /// `*** Begin Patch` … `*** End Patch`, as in Codex
    V4a,
    /// Unified diffs, plain or as git writes them
    Unified,
    /// Whole files in fences under their paths
    Whole,
}

impl From<DialectOption> for Dialect {
    fn from(option: DialectOption) -> Self {
        match option {
            DialectOption::SearchReplace => Dialect::SearchReplace,
            DialectOption::V4a => Dialect::V4a,
            DialectOption::Unified => Dialect::Unified,
            DialectOption::Whole => Dialect::Whole,
        }
    }
}
