//! The options for printing matches.

/// The part of each file that is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrintMode {
    /// The matching lines.
    Lines,
    /// The matching parts of lines.
    Matches,
    /// The names of files with a match.
    Names,
    /// The names of files without a match.
    NamesWithoutMatch,
    /// The number of matching lines of files with a match.
    LineCounts,
    /// The number of matches of files with a match.
    MatchCounts,
    /// Nothing: the search ends with the first match.
    Nothing,
}

/// Which lines a search selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectedLines {
    /// The lines that match.
    Matching,
    /// The lines that do not match, as with ripgrep's `-v`.
    NotMatching,
}

/// Where the name of a file is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamePlacement {
    /// Before each line.
    EachLine,
    /// On a separate line before the lines of the file.
    Heading,
    /// Nowhere.
    None,
}

/// The options for printing matches.
#[derive(Clone, Debug)]
pub struct PrintOptions {
    /// The part of each file that is printed.
    pub printed: PrintMode,
    /// Which lines are selected.
    pub selected: SelectedLines,
    /// Where the name of a file is printed.
    pub naming: NamePlacement,
    /// Whether lines are numbered.
    pub line_numbers: bool,
    /// Whether the column of the first match is printed.
    pub columns: bool,
    /// Whether a line is printed once for each of its matches, as with ripgrep's `--vimgrep`.
    pub each_match: bool,
    /// The text that is printed in place of each match, with references to groups such as `$1`.
    pub replacement: Option<String>,
    /// Whether the lines that are not selected are printed, too, as with ripgrep's `--passthru`.
    pub all_lines: bool,
    /// Whether statistics are counted; with them a search that prints nothing does not end with the first match.
    pub stats: bool,
    /// The number of context lines before each match.
    pub before: usize,
    /// The number of context lines after each match.
    pub after: usize,
    /// The most matching lines of a file.
    pub most: Option<u64>,
    /// Whether a NUL follows each name.
    pub null: bool,
    /// Whether white space at the beginning of a line is left out.
    pub trim: bool,
    /// The longest line that is printed whole.
    pub longest: Option<LineLimit>,
    /// How files that are not text are searched.
    pub binary: BinaryFiles,
}

/// The longest line that is printed whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineLimit {
    /// Its length in bytes.
    pub bytes: u64,
    /// Whether the beginning of a longer line is printed, instead of a sentence alone.
    pub preview: bool,
}

/// How files that are not text are searched. A file that is a start of the walk is always searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BinaryFiles {
    /// They are left out.
    #[default]
    Skip,
    /// They are searched, and a sentence says that one matches, as with ripgrep's `--binary`.
    Search,
    /// They are searched and printed as if they were text, as with ripgrep's `-a`.
    AsText,
}
