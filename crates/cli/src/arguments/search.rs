//! What may be typed after `lancet grep` and `lancet glob`: ripgrep's short flags where they mean the same.

use std::path::PathBuf;

use clap::Args;

use super::{Shared, examples};

/// Search files for a regular expression, as ripgrep does
///
/// Ignore files, hidden files, binary files, encodings and types count as with ripgrep; what was not searched is told at
/// the end. Finding nothing is no failure.
#[derive(Debug, Args)]
#[command(after_long_help = examples::GREP)]
pub(crate) struct GrepArguments {
    /// The regular expression
    #[arg(allow_hyphen_values = true)]
    pub(crate) pattern: String,
    /// A file or folder; without it the roots
    pub(crate) path: Option<PathBuf>,
    /// Only files that this glob matches; `!` before it leaves them out
    #[arg(long, short = 'g', value_name = "GLOB", allow_hyphen_values = true)]
    pub(crate) glob: Option<String>,
    /// Only files of this type (rust, py, js, ...)
    #[arg(long = "type", short = 't', value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    /// Ignore case
    #[arg(long, short = 'i')]
    pub(crate) ignore_case: bool,
    /// Let matches span lines, and the dot match a line end
    #[arg(long, short = 'U')]
    pub(crate) multiline: bool,
    /// Name the files only, newest first
    #[arg(long, short = 'l', conflicts_with = "count")]
    pub(crate) files_with_matches: bool,
    /// Count the matching lines of each file
    #[arg(long, short = 'c')]
    pub(crate) count: bool,
    /// Show this many lines after each match
    #[arg(long, short = 'A', value_name = "LINES")]
    pub(crate) after_context: Option<u64>,
    /// Show this many lines before each match
    #[arg(long, short = 'B', value_name = "LINES")]
    pub(crate) before_context: Option<u64>,
    /// Show this many lines around each match
    #[arg(long, short = 'C', value_name = "LINES")]
    pub(crate) context: Option<u64>,
    /// Show no line numbers
    #[arg(long, short = 'N')]
    pub(crate) no_line_number: bool,
    /// Search ignored files, too
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Show at most this many files or matching lines
    #[arg(long, value_name = "ENTRIES", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: Option<u64>,
    /// Pass over this many
    #[arg(long, value_name = "ENTRIES")]
    pub(crate) offset: Option<u64>,
    #[command(flatten)]
    pub(crate) common: Shared,
}

/// List files by a pattern of names, newest first
///
/// A pattern without a slash matches at any depth. Ignored and hidden files are left out, unless the pattern names them
/// literally, and are counted at the end.
#[derive(Debug, Args)]
#[command(after_long_help = examples::GLOB)]
pub(crate) struct GlobArguments {
    /// The glob
    pub(crate) pattern: String,
    /// The folder to look in; without it the roots
    pub(crate) path: Option<PathBuf>,
    /// List ignored files, too
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// List at most this many [default: all]
    #[arg(long, value_name = "FILES", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: Option<u64>,
    /// Pass over this many
    #[arg(long, value_name = "FILES")]
    pub(crate) offset: Option<u64>,
    #[command(flatten)]
    pub(crate) common: Shared,
}
