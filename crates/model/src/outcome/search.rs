//! The outcome of Glob and Grep: the page of entries that was shown, and the totals of the whole search.

use crate::non_exhaustive::NonExhaustive;
use std::path::PathBuf;

use serde::{Serialize, Serializer};

use crate::row::{PageRows, Row};

/// What a search found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchOutcome {
    /// The files or folders in which the search began; the JSON has the first one.
    #[serde(rename = "file_path", serialize_with = "first_path")]
    pub starts: Vec<PathBuf>,
    /// The files of this page, as the answer names them.
    pub files: Vec<String>,
    /// The number of files that the whole search found.
    pub num_files: u64,
    /// The number of matches that the whole search found; none for Glob.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_matches: Option<u64>,
    /// Whether the two numbers are final.
    pub totals: Totals,
    /// Whether further entries follow this page.
    pub truncated: bool,
    /// The number of files that passed every rule and were searched.
    pub files_searched: u64,
    /// The files that were left out, by reason.
    pub skipped: SkippedFiles,
    /// Whether the search ended at its time limit.
    pub timed_out: bool,
    #[serde(skip)]
    #[doc(hidden)]
    pub rows: PageRows,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}

impl SearchOutcome {
    /// Returns the entries of this page. They are not part of the JSON object: each is a separate object.
    pub fn rows(&self) -> &[Row] {
        self.rows.get()
    }
}

/// Whether the totals of a search are final.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Totals {
    /// The search covered everything.
    Exact,
    /// The search was stopped; there may be more.
    AtLeast,
}

/// How many files and folders a search left out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SkippedFiles {
    /// Excluded by an ignore file.
    pub ignored: u64,
    /// Hidden: the name begins with a dot.
    pub hidden: u64,
    /// Denied by a rule.
    pub denied: u64,
    /// Not text.
    pub binary: u64,
    /// Too large to be searched.
    pub too_large: u64,
    /// Not readable for this process.
    pub unreadable: u64,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}

fn first_path<S: Serializer>(starts: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
    match starts.first() {
        Some(path) => super::as_path(path, serializer),
        None => serializer.serialize_none(),
    }
}
