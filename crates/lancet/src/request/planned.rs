//! What language servers plan: another name of a symbol, and places of a version of a file.

use std::ops::Range;

use lancet_workspace::Revision;

use super::options::DryRun;

/// A symbol that gets another name wherever it means the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SymbolRename {
    pub(crate) path: String,
    /// The line on which the symbol stands, counted from 1.
    pub(crate) line: u64,
    pub(crate) symbol: String,
    pub(crate) new_name: String,
    /// The revision that the file must be at.
    pub(crate) revision: Option<String>,
    pub(crate) dry_run: DryRun,
}

/// Places of one version of a file, each with its new text. They are in order and do not touch each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedPlaces {
    /// The version that the places are of.
    pub(crate) revision: Revision,
    /// The places in the decoded text.
    pub(crate) places: Vec<(Range<usize>, String)>,
    pub(crate) role: PlannedRole,
}

/// What a file is to the call that changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlannedRole {
    /// The caller named it: it has read the line that the change begins at, and is shown the changed lines.
    Named,
    /// The caller moves it, for which it need not have read it, and is shown the changed lines.
    Moved,
    /// The caller may not know of it. Its lines are not shown, so none of them counts as seen afterwards.
    Other,
}
