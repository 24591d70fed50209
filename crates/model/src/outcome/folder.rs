//! The outcome of a view of a folder.

use crate::non_exhaustive::NonExhaustive;
use std::path::PathBuf;

use serde::{Serialize, Serializer};

/// The entries of a folder that was viewed.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename = "folder", rename_all = "camelCase")]
pub struct FolderOutcome {
    /// The folder's absolute path.
    #[serde(rename = "file_path", serialize_with = "super::as_path")]
    pub path: PathBuf,
    /// The absolute paths of the shown entries, each folder before its entries.
    #[serde(serialize_with = "as_paths")]
    pub entries: Vec<PathBuf>,
    /// Whether entries are missing because the answer would be too long.
    pub truncated: bool,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}

fn as_paths<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter().map(|path| path.display().to_string()))
}
