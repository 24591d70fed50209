//! The options that all commands take.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Options of all commands. Only `--root` is on each page; `lancet help options` has them all.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Global options (all of them: lancet help options)")]
pub(crate) struct WorkArguments {
    /// A folder to work in; may be given several times [default: the project]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) root: Vec<PathBuf>,
    /// A folder outside the roots that may be read and is never written; may be given several times
    #[arg(
        long,
        value_name = "FOLDER",
        hide_short_help = true,
        hide_long_help = true
    )]
    pub(crate) read_root: Vec<PathBuf>,
    /// One more settings file, over the user's and the project's
    #[arg(
        long,
        value_name = "FILE",
        hide_short_help = true,
        hide_long_help = true
    )]
    pub(crate) config: Option<PathBuf>,
    /// Claude Code's settings.json: its permissions about files count here, too
    #[arg(
        long,
        value_name = "FILE",
        hide_short_help = true,
        hide_long_help = true
    )]
    pub(crate) settings: Option<PathBuf>,
    /// Where lancet keeps its own records
    #[arg(
        long,
        value_name = "FOLDER",
        hide_short_help = true,
        hide_long_help = true
    )]
    pub(crate) state_dir: Option<PathBuf>,
    /// What to log on standard error: error, warn, info or debug
    #[arg(
        long,
        value_name = "LEVEL",
        hide_possible_values = true,
        hide_short_help = true,
        hide_long_help = true
    )]
    pub(crate) log: Option<LogLevel>,
}

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    /// Only what went wrong inside lancet
    Error,
    /// Also what was asked for and not done
    Warn,
    /// Also start and end
    Info,
    /// Also every call, by tool, path and time
    Debug,
}
