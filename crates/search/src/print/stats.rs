//! The statistics of a search, counted as by ripgrep's `--stats`.

use std::ops::AddAssign;
use std::time::Duration;

use grep_printer::Stats;

/// What a search did, over all files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchStats {
    /// The number of matches.
    pub matches: u64,
    /// The number of lines with a match.
    pub matched_lines: u64,
    /// The number of files with a match.
    pub files_with_match: u64,
    /// The number of files that were searched.
    pub files_searched: u64,
    /// The number of bytes that were printed.
    pub bytes_printed: u64,
    /// The number of bytes that were searched.
    pub bytes_searched: u64,
    /// The time of all searches together.
    pub searching: Duration,
}

impl SearchStats {
    /// Adds what a printer counted for one file.
    pub(super) fn add_file(&mut self, stats: Option<&Stats>) {
        if let Some(stats) = stats {
            *self += SearchStats {
                matches: stats.matches(),
                matched_lines: stats.matched_lines(),
                files_with_match: stats.searches_with_match(),
                files_searched: stats.searches(),
                bytes_printed: stats.bytes_printed(),
                bytes_searched: stats.bytes_searched(),
                searching: stats.elapsed(),
            };
        }
    }
}

impl AddAssign for SearchStats {
    fn add_assign(&mut self, more: Self) {
        self.matches += more.matches;
        self.matched_lines += more.matched_lines;
        self.files_with_match += more.files_with_match;
        self.files_searched += more.files_searched;
        self.bytes_printed += more.bytes_printed;
        self.bytes_searched += more.bytes_searched;
        self.searching += more.searching;
    }
}
