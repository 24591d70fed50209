//! What is in the way of files that a plan restores.

use std::collections::HashSet;
use std::path::PathBuf;

use lancet_workspace::ExpectedState;

use super::{FilePlan, NewContent};

/// What a plan removes first, because it is in the way of files that the plan restores.
#[derive(Default)]
pub(crate) struct PlannedObstacles {
    /// Files and links that are where a folder is needed, and folders that have the name of a file.
    pub(in crate::stages) names: HashSet<PathBuf>,
    /// The folders among them with those below, which are empty once their files are removed.
    pub(in crate::stages) folders: Vec<PathBuf>,
}

impl PlannedObstacles {
    /// Returns whether the change of a file removes what is in the way, or a part of it.
    pub(in crate::stages) fn are_removed_by(&self, file: &FilePlan) -> bool {
        let is_removal = match (&file.new, &file.expected) {
            (NewContent::EmptyFolder { .. }, ExpectedState::Missing) => false,
            (NewContent::Removed { .. } | NewContent::Moved(_), _) => true,
            (NewContent::EmptyFolder { .. }, _) => true,
            _ => false,
        };
        let mut names = file.source().path().ancestors();
        is_removal && names.any(|name| self.names.contains(name))
    }
}
