//! A folder whose tree is resident, for tests. It is built with no rules except the folder's own, and searched with a
//! walk of all of it.

use std::path::Path;
use std::sync::Arc;

use lancet_search::{
    AllowAll, FileFilter, HiddenFiles, IgnoreFiles, IndexScope, KeepContents, LiteralNames,
    MemoryBudget, ResidentTree, SearchProgress, TreeIndex, Walk, WalkStart, WatchAllowance,
};
use lancet_workspace::{RealDisk, Workspace};

/// A folder with its resident tree.
pub(crate) struct ResidentFolder {
    starts: [WalkStart; 1],
    pub(crate) trees: [Arc<ResidentTree>; 1],
}

/// Returns the conditions under which the tree is built and searched.
pub(crate) fn scope() -> IndexScope<'static> {
    IndexScope {
        excludes: None,
        gate: &AllowAll,
        encodings: &|_| None,
        stop: &|| false,
    }
}

impl ResidentFolder {
    /// Builds the tree of a folder, whose path has no links in it.
    pub(crate) fn build(root: &Path, contents: KeepContents) -> Self {
        let workspace =
            Workspace::open(&[root.to_path_buf()], Arc::new(RealDisk), None).expect("opens");
        let starts = [WalkStart::new(workspace.locate(root).expect("there"))];
        let index = TreeIndex::build_index(
            &scope(),
            &starts[0],
            contents,
            &MemoryBudget::for_process(256 << 20),
            &WatchAllowance::for_process(8_192),
        );
        ResidentFolder {
            starts,
            trees: [Arc::new(ResidentTree::new(index.expect("built")))],
        }
    }

    /// Calls a function with a walk of the whole folder.
    pub(crate) fn with_walk<T>(
        &self,
        filter: &FileFilter,
        threads: usize,
        ask: impl FnOnce(&Walk<'_>) -> T,
    ) -> T {
        ask(&Walk {
            starts: &self.starts,
            ignoring: IgnoreFiles::Respect,
            hidden: HiddenFiles::Skip,
            excludes: None,
            filter,
            named: &LiteralNames::default(),
            gate: &AllowAll,
            stop: &|| false,
            progress: &SearchProgress::default(),
            threads,
        })
    }
}
