//! The difference between a changed file and the repository's HEAD (setting `write.git_diff`), as data.

use crate::non_exhaustive::NonExhaustive;
use std::path::PathBuf;

use serde::Serialize;

/// How a changed file differs from the repository's HEAD.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GitDiff {
    /// The file in its repository; none if the two were not compared.
    #[serde(flatten)]
    pub file: Option<GitFile>,
    /// The result of the comparison.
    pub status: GitStatus,
    /// Why the file or the repository could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The git attribute that converts the file, for [`GitStatus::Converted`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// The changed lines, where the file was compared by lines.
    #[serde(flatten)]
    pub lines: Option<GitLines>,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}

/// A file in its repository.
#[derive(Clone, Debug, Serialize)]
pub struct GitFile {
    /// The path relative to the repository.
    #[serde(serialize_with = "super::as_path")]
    pub filename: PathBuf,
    /// The commit that HEAD names; none before the first commit.
    pub head: Option<String>,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}

/// How a comparison with HEAD ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GitStatus {
    /// The file is as HEAD has it.
    Unchanged,
    /// HEAD does not have the file.
    Added,
    /// HEAD has the file, and it is gone.
    Deleted,
    /// The file differs.
    Modified,
    /// The file differs and is not text.
    Binary,
    /// HEAD has something other than a file under this name.
    TypeChanged,
    /// A git attribute converts the content, so that the two cannot be compared.
    Converted,
    /// The file is in no repository.
    NoRepository,
    /// The file is too large to be compared.
    TooLarge,
    /// The file's text is not shown.
    Withheld,
    /// The file or the repository could not be read.
    Unreadable,
}

/// The changed lines between HEAD and a file.
#[derive(Clone, Debug, Serialize)]
pub struct GitLines {
    /// The number of added lines.
    pub additions: usize,
    /// The number of removed lines.
    pub deletions: usize,
    /// The sum of both.
    pub changes: usize,
    /// Whether the difference was too large to compute line by line; then there is no patch.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub coarse: bool,
    /// The difference as a unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}
