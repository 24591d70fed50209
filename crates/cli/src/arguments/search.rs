//! The arguments of `lancet grep` and `lancet glob`: ripgrep's everyday flags, with ripgrep's meaning. The doc comments
//! of fields and values are the help texts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{WorkArguments, examples};

/// Search files for a regular expression, as ripgrep does
///
/// Ignore files, hidden files, binary files, encodings and types count as with ripgrep. Matches are printed as
/// `path:line:text` while the search runs, on a terminal under the name of their file. Exit codes: 0 found, 1 nothing
/// found, 2 error. Denied and secret files are never searched.
#[derive(Debug, Args)]
#[command(
    args_override_self = true,
    override_usage = "lancet grep [OPTIONS] <PATTERN> [PATH]...\n       lancet grep [OPTIONS] -e <PATTERN>... [PATH]...\n       lancet grep [OPTIONS] --files [PATH]...",
    after_long_help = examples::GREP
)]
pub(crate) struct GrepArguments {
    /// The regular expression; with -e or --files this is a path
    #[arg(required_unless_present_any = ["regexp", "file", "files", "type_list"])]
    pub(crate) pattern: Option<String>,
    /// Files and folders, `-` for standard input; without one standard input if it is a pipe or a file, else the
    /// working folder
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Patterns from a file, one a line; `-` is standard input; may be given several times
    #[arg(long, short = 'f', value_name = "FILE")]
    pub(crate) file: Vec<PathBuf>,
    /// A pattern; may be given several times, and may begin with a hyphen
    #[arg(long, short = 'e', value_name = "PATTERN", allow_hyphen_values = true)]
    pub(crate) regexp: Vec<String>,
    /// Take patterns as text, not as regular expressions
    #[arg(long, short = 'F')]
    pub(crate) fixed_strings: bool,
    /// Ignore case
    #[arg(long, short = 'i', overrides_with_all = ["smart_case", "case_sensitive"])]
    pub(crate) ignore_case: bool,
    /// Ignore case unless the pattern has a letter in upper case
    #[arg(long, short = 'S', overrides_with_all = ["ignore_case", "case_sensitive"])]
    pub(crate) smart_case: bool,
    /// Do not ignore case (the default)
    #[arg(long, short = 's', overrides_with_all = ["ignore_case", "smart_case"])]
    pub(crate) case_sensitive: bool,
    /// Match whole words only
    #[arg(long, short = 'w', overrides_with = "line_regexp")]
    pub(crate) word_regexp: bool,
    /// Match whole lines only
    #[arg(long, short = 'x', overrides_with = "word_regexp")]
    pub(crate) line_regexp: bool,
    /// Select lines that do not match
    #[arg(long, short = 'v')]
    pub(crate) invert_match: bool,
    /// Let matches span lines
    #[arg(long, short = 'U')]
    pub(crate) multiline: bool,
    /// With -U: the dot matches a line end, too
    #[arg(long)]
    pub(crate) multiline_dotall: bool,
    /// Print only the matching parts
    #[arg(long, short = 'o')]
    pub(crate) only_matching: bool,
    /// Print TEXT in place of each match, with `$1` and `${name}` for groups; the files stay as they are
    #[arg(
        long,
        short = 'r',
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with = "json"
    )]
    pub(crate) replace: Option<String>,
    /// Print the lines that do not match, too
    #[arg(long, visible_alias = "passthrough", overrides_with_all = ["after_context", "before_context", "context"])]
    pub(crate) passthru: bool,
    /// Print the names of files with a match
    #[arg(long, short = 'l', overrides_with_all = ["files_without_match", "count", "count_matches"])]
    pub(crate) files_with_matches: bool,
    /// Print the names of files without a match
    #[arg(long, overrides_with_all = ["files_with_matches", "count", "count_matches"])]
    pub(crate) files_without_match: bool,
    /// Count the matching lines of each file
    #[arg(long, short = 'c', overrides_with_all = ["files_with_matches", "files_without_match", "count_matches"])]
    pub(crate) count: bool,
    /// Count the matches of each file
    #[arg(long, overrides_with_all = ["files_with_matches", "files_without_match", "count"])]
    pub(crate) count_matches: bool,
    /// Print nothing; the exit code says whether there is a match
    #[arg(long, short = 'q')]
    pub(crate) quiet: bool,
    /// Print at most this many matching lines of each file
    #[arg(long, short = 'm', value_name = "LINES")]
    pub(crate) max_count: Option<u64>,
    /// Print this many lines after each match
    #[arg(long, short = 'A', value_name = "LINES", overrides_with = "passthru")]
    pub(crate) after_context: Option<u32>,
    /// Print this many lines before each match
    #[arg(long, short = 'B', value_name = "LINES", overrides_with = "passthru")]
    pub(crate) before_context: Option<u32>,
    /// Print this many lines around each match
    #[arg(long, short = 'C', value_name = "LINES", overrides_with = "passthru")]
    pub(crate) context: Option<u32>,
    /// Number the lines (the default; for standard input only with this, --column or --vimgrep)
    #[arg(long, short = 'n', overrides_with = "no_line_number")]
    pub(crate) line_number: bool,
    /// Do not number the lines
    #[arg(long, short = 'N', overrides_with = "line_number")]
    pub(crate) no_line_number: bool,
    /// Print the column of the first match of each line
    #[arg(long)]
    pub(crate) column: bool,
    /// Print each match on a line of its own as `path:line:column:text`, for editors
    #[arg(long)]
    pub(crate) vimgrep: bool,
    /// Count matches, files and bytes, and print the counts at the end
    #[arg(long)]
    pub(crate) stats: bool,
    /// Leave out lines that are longer than this, in bytes; 0 prints all lines whole [default on a terminal: the beginning
    /// of lines over 2000]
    #[arg(long, short = 'M', value_name = "BYTES")]
    pub(crate) max_columns: Option<u64>,
    /// With -M: print the beginning of longer lines
    #[arg(long)]
    pub(crate) max_columns_preview: bool,
    /// As on a terminal: with colours, headings and line numbers
    #[arg(long, short = 'p')]
    pub(crate) pretty: bool,
    /// Search files that are not text as if they were
    #[arg(long, short = 'a')]
    pub(crate) text: bool,
    /// Search files that are not text, and say which match
    #[arg(long)]
    pub(crate) binary: bool,
    /// Search more: -u ignored files, -uu hidden files too, -uuu files that are not text, too
    #[arg(long, short = 'u', action = clap::ArgAction::Count)]
    pub(crate) unrestricted: u8,
    /// Leave out white space at the beginning of lines
    #[arg(long)]
    pub(crate) trim: bool,
    /// Print the name of the file (the default)
    #[arg(long, short = 'H', overrides_with = "no_filename")]
    pub(crate) with_filename: bool,
    /// Do not print the name of the file
    #[arg(long, short = 'I', overrides_with = "with_filename")]
    pub(crate) no_filename: bool,
    /// Print the name of each file on a separate line (the default on a terminal)
    #[arg(long, overrides_with = "no_heading")]
    pub(crate) heading: bool,
    /// Print the name of the file on each line (the default elsewhere)
    #[arg(long, overrides_with = "heading")]
    pub(crate) no_heading: bool,
    /// Print the names of the files that would be searched
    #[arg(long)]
    pub(crate) files: bool,
    /// Print the file types and their globs
    #[arg(long)]
    pub(crate) type_list: bool,
    /// As -g, ignoring case
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true)]
    pub(crate) iglob: Vec<String>,
    /// Search with at most this many threads; 0 is as many as the machine has cores
    #[arg(long, short = 'j', value_name = "NUMBER")]
    pub(crate) threads: Option<usize>,
    /// Accepted and without effect: CRLF ends a line wherever a file has it
    #[arg(long)]
    pub(crate) crlf: bool,
    #[command(flatten)]
    pub(crate) filter: FilterArguments,
    /// Only files of this type (rust, py, js, ...); may be given several times
    #[arg(long = "type", short = 't', value_name = "TYPE")]
    pub(crate) kind: Vec<String>,
    /// No files of this type; may be given several times
    #[arg(long, short = 'T', value_name = "TYPE")]
    pub(crate) type_not: Vec<String>,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// Options shared by searches: which files, in which order, and how they are printed.
#[derive(Clone, Debug, Args)]
pub(crate) struct FilterArguments {
    /// Only files that this glob matches; `!` before it leaves them out; may be given several times
    #[arg(long, short = 'g', value_name = "GLOB", allow_hyphen_values = true)]
    pub(crate) glob: Vec<String>,
    /// Hidden files and folders, too
    #[arg(long, short = '.')]
    pub(crate) hidden: bool,
    /// Ignored files, too
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Follow symbolic links to what is below the roots and may be read
    #[arg(long, short = 'L')]
    pub(crate) follow: bool,
    /// Only files at most this many folders deep; at 1 only those directly in the folder
    #[arg(long, short = 'd', value_name = "DEPTH", visible_alias = "maxdepth")]
    pub(crate) max_depth: Option<usize>,
    /// Sort files by this; otherwise they come as they are found
    #[arg(long, value_name = "BY", overrides_with = "sortr")]
    pub(crate) sort: Option<SortBy>,
    /// Sort files by this, the last one first
    #[arg(long, value_name = "BY", overrides_with = "sort")]
    pub(crate) sortr: Option<SortBy>,
    /// End each name with a NUL, for `xargs -0`
    #[arg(long, short = '0')]
    pub(crate) null: bool,
    /// One JSON object a line for programs, the last one with the totals
    #[arg(long)]
    pub(crate) json: bool,
}

/// When colours are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What files are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SortBy {
    /// Not at all
    None,
    /// The path
    Path,
    /// The time of the last change
    Modified,
}

/// List files by a pattern of names
///
/// A pattern without a slash matches at any depth. Ignored and hidden files are left out, unless the pattern names them
/// literally. Names are printed as they are found. Exit codes: 0 found, 1 nothing found, 2 error.
#[derive(Debug, Args)]
#[command(args_override_self = true, after_long_help = examples::GLOB)]
pub(crate) struct GlobArguments {
    /// The glob; without it all files
    pub(crate) pattern: Option<String>,
    /// Folders to look in; without one the working folder
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only names with this extension; may be given several times
    #[arg(long, short = 'e', value_name = "EXT")]
    pub(crate) extension: Vec<String>,
    /// Files or folders; may be given several times
    #[arg(long = "type", short = 't', value_name = "KIND", default_value = "f")]
    pub(crate) kind: Vec<ListedKind>,
    #[command(flatten)]
    pub(crate) filter: FilterArguments,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListedKind {
    /// Files
    #[value(name = "f", alias = "file")]
    File,
    /// Folders
    #[value(name = "d", aliases = ["dir", "directory"])]
    Folder,
}
