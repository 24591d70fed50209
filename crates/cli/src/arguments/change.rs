//! The arguments of the commands that change files.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::{ExecFlags, Mode, SharedOptions, examples};

fn parse_dash(typed: &str) -> Result<String, String> {
    match typed {
        "-" => Ok(typed.to_owned()),
        _ => Err("give the text with --content, or `-` to take it from standard input".to_owned()),
    }
}

/// Replace text in files
///
/// Finds the old text and puts the new text there. The old text must occur exactly once in a file (or give
/// --replace-all). If it does not occur, the nearest places are shown and the file stays as it was. Shows the diff
/// and asks before it writes.
///
/// With --regex every match of a regular expression is replaced. Several files, or a quoted glob, are changed as one:
/// one question, one undo, all of them or none. Files without the text are left alone; where no file has it, the exit code
/// is 1.
#[derive(Debug, Args)]
#[command(
    override_usage = "lancet edit <FILE>... --old <TEXT> --new <TEXT> [OPTIONS]\n       lancet edit <FILE>... --regex <PATTERN> --new <TEXT> [OPTIONS]",
    after_long_help = examples::EDIT
)]
#[command(group = ArgGroup::new("old text").args(["old", "old_file", "regex"]).required(true))]
#[command(group = ArgGroup::new("new text").args(["new", "new_file"]).required(true))]
pub(crate) struct EditArguments {
    /// Files, or globs in quotes ('src/**/*.rs'); a file that exists is never taken for a glob
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The text to replace; empty to create the file
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) old: Option<String>,
    /// Replace every match of this regular expression; $1, ${name} and $$ (a dollar sign) in the new text
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    pub(crate) regex: Option<String>,
    /// With --regex: let matches span lines
    #[arg(long, short = 'U', requires = "regex")]
    pub(crate) multiline: bool,
    /// Ignore case
    #[arg(long, short = 'i')]
    pub(crate) ignore_case: bool,
    /// Replace whole words only
    #[arg(long, short = 'w')]
    pub(crate) word_regexp: bool,
    /// With --regex: take the pattern as text; $1 in the new text is text as well
    #[arg(long, short = 'F', requires = "regex")]
    pub(crate) fixed_strings: bool,
    /// Choose by file and hunk what is written, as with `p` at the question
    #[arg(long, conflicts_with_all = ["diff", "yes", "yes_protected"])]
    pub(crate) interactive: bool,
    /// Take the text to replace from a file, whole; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) old_file: Option<PathBuf>,
    /// The text to put there
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) new: Option<String>,
    /// Take the text to put there from a file, whole; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) new_file: Option<PathBuf>,
    /// Replace every occurrence of the old text
    #[arg(long)]
    pub(crate) replace_all: bool,
    /// Refuse if the old text occurs any other number of times, in all files together
    #[arg(long, value_name = "PLACES", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) expect_count: Option<u64>,
    #[command(flatten)]
    pub(crate) proof: ExecFlags,
    #[command(flatten)]
    pub(crate) writing: WriteFlags,
    #[command(flatten)]
    pub(crate) common: SharedOptions,
}

/// Create a file, or replace or extend one
///
/// A file that is there keeps its encoding and, where it had only one kind, its line endings. Folders on the way are
/// made. Shows the diff and asks before it writes.
///
/// Without a text by --content or --from, it is taken from standard input: `lancet write FILE < OTHER`.
#[derive(Debug, Args)]
#[command(
    override_usage = "lancet write <FILE> <--content <TEXT> | --from <FILE> | -> [OPTIONS]",
    after_long_help = examples::WRITE
)]
#[command(group = ArgGroup::new("text").args(["content", "from", "input"]))]
pub(crate) struct WriteArguments {
    /// The file
    pub(crate) file: PathBuf,
    /// `-`: take the text from standard input, a terminal or empty input too
    #[arg(value_name = "-", value_parser = parse_dash)]
    pub(crate) input: Option<String>,
    /// The text as it is; no newline is added
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) content: Option<String>,
    /// Take the text from a file, whole; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Add the text to the end of the file
    #[arg(long)]
    pub(crate) append: bool,
    /// Never over a file that is there
    #[arg(long, conflicts_with = "append")]
    pub(crate) create: bool,
    #[command(flatten)]
    pub(crate) writing: WriteFlags,
    #[command(flatten)]
    pub(crate) common: SharedOptions,
}

/// What writing commands share.
#[derive(Debug, Args)]
pub(crate) struct WriteFlags {
    /// Show the diff and write nothing
    #[arg(long, aliases = ["dry-run", "check"])]
    pub(crate) diff: bool,
    /// Write without asking; protected names are asked about all the same
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
    /// Write without asking, protected names too if LANCET_TOKEN has the person's token (otherwise they are asked about
    /// at the terminal); secret files are created and replaced, but edited only where a rule of
    /// yours allows reading them: allow = ["Read(.env)"]
    #[arg(long)]
    pub(crate) yes_protected: bool,
    /// Write text that looks like a tool's display (line numbers, "rest unchanged") and would be refused
    #[arg(long)]
    pub(crate) insist: bool,
    /// Refuse unless the file is at this revision
    #[arg(long, value_name = "REVISION")]
    pub(crate) revision: Option<String>,
    /// What happens to writes [default: each one is asked about]
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<Mode>,
}
