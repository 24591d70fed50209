//! Changes that language servers plan: the renaming of a symbol, and places in a version of a file.

use std::ops::Range;

use lancet_workspace::Revision;

use super::options::DryRun;

/// The renaming of a symbol wherever it means the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolRename {
    /// The file that contains the symbol.
    pub path: String,
    /// The line that contains the symbol, counted from 1.
    pub line: u64,
    /// The symbol.
    pub symbol: String,
    /// Its new name.
    pub new_name: String,
    /// The revision that the file must be at.
    pub revision: Option<String>,
    /// Whether the change is only shown.
    pub dry_run: DryRun,
}

/// Places of one version of a file, each with its new text. They are in order and do not touch each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedPlaces {
    /// The version that contains the places.
    #[doc(hidden)]
    pub revision: Revision,
    /// The places in the decoded text.
    #[doc(hidden)]
    pub places: Vec<(Range<usize>, String)>,
    #[doc(hidden)]
    pub role: PlannedRole,
}

/// The relation of a file to the call that changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlannedRole {
    /// The caller named it: it has read the line that the change begins at, and is shown the changed lines.
    Named,
    /// The caller moves it, need not have read it for that, and is shown the changed lines.
    Moved,
    /// The caller may not know of it. Its lines are not shown, so none of them counts as seen afterwards.
    Other,
}
