//! Undo and redo of changes of files of several projects. In any of these projects the whole change is undone, so the
//! other files bring their own projects, as they do when they are named on the command line.

use std::collections::HashSet;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};

use lancet::history::{
    CallerFilter, FileChange, History, IdMatch, LogQuery, Operation, ParentFilter,
    ReversalDirection,
};
use lancet::undo::Selection;

use super::access::unreadable_failure;
use crate::arguments::WorkArguments;
use crate::failure::Failure;
use crate::surroundings::{RootHint, Surroundings, resolve_roots};

/// The roots of an undo or redo.
#[derive(Clone, Debug)]
pub(super) struct UndoRoots {
    /// The project in which changes are selected; empty where the roots were given.
    pub(super) project: Vec<PathBuf>,
    /// The roots of the project, and those of the other files of the selected changes.
    pub(super) all: Vec<PathBuf>,
}

impl UndoRoots {
    /// Finds the roots for changes. Roots that were given on the command line are the only ones.
    pub(super) fn for_changes(
        changes: &[Operation],
        place: &WorkArguments,
        reach: RootHint<'_>,
        around: &Surroundings,
    ) -> Result<Self, Failure> {
        let mut all = resolve_roots(&place.root, reach, around)?;
        if !place.root.is_empty() {
            return Ok(Self {
                project: Vec::new(),
                all,
            });
        }
        let project = all.clone();
        for name in changes
            .iter()
            .flat_map(|change| &change.files)
            .flat_map(names)
        {
            if all.iter().any(|root| name.starts_with(root)) {
                continue;
            }
            for root in resolve_roots(&[], RootHint::At(name), around)? {
                if !all.contains(&root) {
                    all.push(root);
                }
            }
        }
        Ok(Self { project, all })
    }
}

/// Does work that opens engines on a thread of its own. An opened engine confines its thread to the engine's roots
/// (Landlock), and an undo may need more roots than the search for its changes.
pub(super) fn on_own_thread<T: Send>(
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let done = std::thread::scope(|scope| scope.spawn(work).join());
    done.unwrap_or_else(|panic| resume_unwind(panic))
}

/// Returns the changes that an undo selects by their number, their ids, or a file. The list may have a few more,
/// because changes that a redo restored are undone with the redo.
pub(super) fn changes_of_selection(
    selection: &Selection,
    callers: CallerFilter,
    history: &History,
) -> Result<Vec<Operation>, Failure> {
    let newest = LogQuery {
        reversible: Some(ReversalDirection::UndoableOrRedone),
        parentage: Some(ParentFilter::None),
        callers,
        ..LogQuery::default()
    };
    let query = match selection {
        Selection::Newest => LogQuery {
            limit: Some(1),
            ..newest
        },
        Selection::Last(number) => LogQuery {
            limit: Some(number.saturating_mul(2)),
            ..newest
        },
        Selection::File(path) => {
            let query = LogQuery {
                path: Some(path.clone()),
                reversible: Some(ReversalDirection::Undoable),
                limit: Some(1),
                ..LogQuery::default()
            };
            let changes = history.log(&query).map_err(unreadable_failure)?;
            return Ok(changes_of_file(path, changes));
        }
        Selection::Operation(id) => return change_and_its_undo(id, history),
        Selection::These(ids) => {
            let ids: HashSet<&String> = ids.iter().collect();
            let query = LogQuery {
                reversible: Some(ReversalDirection::UndoableOrRedone),
                ..LogQuery::default()
            };
            let mut changes = history.log(&query).map_err(unreadable_failure)?;
            changes.retain(|change| ids.contains(&change.id));
            return Ok(changes);
        }
        _ => return Ok(Vec::new()),
    };
    history.log(&query).map_err(unreadable_failure)
}

/// Leaves only the file of each change that is under a path: an undo of a file leaves the others as they are.
fn changes_of_file(path: &Path, mut changes: Vec<Operation>) -> Vec<Operation> {
    for change in &mut changes {
        change
            .files
            .retain(|file| names(file).any(|name| name == path));
    }
    changes
}

/// Returns the change with an id and, for a redo, what undid it.
pub(super) fn change_and_its_undo(id: &str, history: &History) -> Result<Vec<Operation>, Failure> {
    let find = |id: &str| match history.find(id).map_err(unreadable_failure)? {
        IdMatch::One(change) => Ok(Some(*change)),
        IdMatch::None | IdMatch::Several(_) => Ok(None),
    };
    let Some(change) = find(id)? else {
        return Ok(Vec::new());
    };
    let undone_by: HashSet<&String> = change
        .files
        .iter()
        .filter_map(|file| file.undone_by.as_ref())
        .collect();
    let undos = undone_by.into_iter().map(|id| find(id));
    let undos: Vec<Option<Operation>> = undos.collect::<Result<_, Failure>>()?;
    let mut all: Vec<Operation> = undos.into_iter().flatten().collect();
    all.push(change);
    Ok(all)
}

/// Returns the folders of other projects that a change of the project also touched, each once: for a mark in lists.
pub(super) fn other_projects(history: &History, operation: &Operation) -> Vec<PathBuf> {
    let names = || operation.files.iter().flat_map(names);
    if !names().any(|name| history.is_below_roots(name)) {
        return Vec::new();
    }
    let known = |name: &Path| {
        let roots = operation.files.iter().filter_map(|file| {
            let workspace = file.workspace.as_ref()?;
            Some(workspace.root.as_path())
        });
        roots
            .filter(|root| name.starts_with(root))
            .max()
            .map(Path::to_path_buf)
    };
    let mut folders = Vec::new();
    for name in names().filter(|name| !history.is_below_roots(name)) {
        let folder = known(name).or_else(|| name.parent().map(Path::to_path_buf));
        if let Some(folder) = folder.filter(|folder| !folders.contains(folder)) {
            folders.push(folder);
        }
    }
    folders
}

/// Returns the names of a file, before and after the change.
fn names(file: &FileChange) -> impl Iterator<Item = &Path> {
    std::iter::once(file.path.as_path()).chain(file.moved_from.as_deref())
}
