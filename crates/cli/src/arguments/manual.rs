//! The arguments of the commands for completions, manual pages and help, and of `complete`, which completion scripts call.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::Shell;

use super::examples;

/// Print a script that completes lancet's commands in a shell
#[derive(Debug, Args)]
#[command(after_long_help = examples::COMPLETIONS)]
pub(crate) struct CompletionsArguments {
    /// The shell
    pub(crate) shell: Shell,
}

/// Print the manual page
///
/// The page is in troff, as `man` reads it.
#[derive(Debug, Args)]
#[command(after_long_help = examples::MAN)]
pub(crate) struct ManArguments {
    /// The page of this command instead of the program's
    pub(crate) command: Option<String>,
    /// Write the pages of the program and of every command into this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    pub(crate) dir: Option<PathBuf>,
}

/// Explain a command or a topic
///
/// Topics: permissions, history, ledgers, errors, settings, agents, and options (what all commands take).
#[derive(Debug, Args)]
pub(crate) struct HelpArguments {
    /// A command or a topic
    pub(crate) topic: Option<String>,
}

/// Print what a shell offers for an argument, one a line: the completion scripts call it
#[derive(Debug, Args)]
pub(crate) struct CompleteArguments {
    /// What is completed
    pub(crate) what: CompletionKind,
    #[command(flatten)]
    pub(crate) place: super::WorkArguments,
}

/// What is completed from the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompletionKind {
    /// Ids of changes, each followed by a tab, the tool and the first file
    Changes,
    /// Names of sessions
    Sessions,
}
