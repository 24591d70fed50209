//! The projects that have changes in the history, which all projects of a user share.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lancet_history::{FilesBelow, HistoryError, LogQuery, StatisticsQuery};
use lancet_workspace::WorkspaceId;

use super::History;
use crate::engine::is_removal_recorded;

/// A folder in which changes were made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedProject {
    /// The folder, under the path by which it was last opened.
    pub root: PathBuf,
    /// Whether the folder is there now.
    pub exists: bool,
    /// The number of changes of files in it.
    pub operations: u64,
    /// The time of the newest change, in milliseconds since 1970.
    pub newest: i64,
}

impl History {
    /// Lists the projects that have changes, the most recently changed first. Changes of a folder that was at the same
    /// path before the present one do not count.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn projects(&self) -> Result<Vec<RecordedProject>, HistoryError> {
        let everywhere = [PathBuf::from("/")];
        let known = self.query_store(|store| store.recorded_workspaces(&everywhere))?;
        let mut roots: BTreeMap<PathBuf, Vec<[u8; 32]>> = BTreeMap::new();
        for known in known {
            roots.entry(known.root).or_default().push(known.id);
        }
        let mut projects = Vec::new();
        for (root, ids) in roots {
            let current = self.current_id(&root);
            let mut without = Vec::new();
            for id in ids {
                let is_other = current.is_some_and(|current| current != id);
                if is_other && !self.query_store(|store| is_removal_recorded(store, &id))? {
                    without.push(id);
                }
            }
            let newest = LogQuery {
                below: vec![root.clone()],
                files_below: FilesBelow::Any,
                without: without.clone(),
                limit: Some(1),
                ..LogQuery::default()
            };
            let newest = self.query_store(|store| store.query_log(&newest))?;
            let Some(newest) = newest.first().map(|operation| operation.time) else {
                continue;
            };
            let all = StatisticsQuery {
                below: vec![root.clone()],
                without,
                ..StatisticsQuery::default()
            };
            projects.push(RecordedProject {
                exists: current.is_some(),
                operations: self
                    .query_store(|store| store.statistics(&all))?
                    .total
                    .operations,
                newest,
                root,
            });
        }
        projects.sort_by_key(|project| std::cmp::Reverse(project.newest));
        Ok(projects)
    }

    /// Returns the id of the folder that is at a path now.
    fn current_id(&self, root: &Path) -> Option<[u8; 32]> {
        let found = WorkspaceId::id_at_path(&*self.engine.base().disk, root);
        found.ok().flatten().map(|id| *id.as_bytes())
    }
}
