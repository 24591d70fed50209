//! The options that prove a change by a command.

use clap::Args;

/// A command that must succeed for a change to stay.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ExecFlags {
    /// Run this command (by `sh -c`, in the project) after the change, and undo the change if it fails
    ///
    /// What the command itself changes is recorded as a change of its own, and undone, too. The exit code is then 1, or 3 if
    /// a file was changed meanwhile and stays.
    #[arg(long, value_name = "COMMAND", conflicts_with = "json")]
    pub(crate) exec: Option<String>,
    /// With --exec: keep the change if the command fails; the exit code is 1 all the same
    #[arg(long, requires = "exec")]
    pub(crate) keep_on_failure: bool,
}
