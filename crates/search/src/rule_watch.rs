//! Tells whether the ignore files that no watch of the tree's folders reports are as they were: those above the tree,
//! git's own, and links.

use std::ffi::OsStr;
use std::path::Path;

use crate::index::rule_files::RuleFileStates;
use crate::rules::{Excludes, RuleFiles};

/// The ignore files outside the watched folders, for callers that watch a tree themselves.
#[derive(Default)]
pub struct OutsideRuleFiles(RuleFileStates);

impl OutsideRuleFiles {
    /// Reads the state of the files above a tree, and of git's global excludes file.
    #[must_use]
    pub fn load_above(tree: &Path, excludes: Option<&Excludes>) -> Self {
        Self(RuleFileStates::load_above(tree, excludes))
    }

    /// Adds those of a folder inside the tree, as far as they are among the names of its entries.
    pub fn add_listed<'n>(&mut self, folder: &Path, names: impl Iterator<Item = &'n OsStr>) {
        let mut present = RuleFiles::default();
        for name in names {
            present.record_name(name);
        }
        self.0.add_folder(folder, present);
    }

    /// Returns whether all of them are unchanged.
    pub fn are_unchanged(&mut self) -> bool {
        self.0.are_unchanged()
    }
}
