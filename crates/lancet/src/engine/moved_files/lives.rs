//! The lives of files, derived from the records alone: which changes belong to one file, under whatever names other
//! programs gave it between them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use lancet_history::RecordRename;

use super::recorded::{RecordedChange, RecordedOperation};

/// The changes of one file, oldest first.
#[derive(Debug, Default)]
pub(super) struct Life {
    /// The changes, in stretches that end where lancet itself moved the file.
    stretches: Vec<ChangeRun>,
    /// The revision that the last change left.
    pub(super) revision: [u8; 32],
    /// The size that the last change left.
    pub(super) size: u64,
    /// The inode number that the last change left, where it is known.
    pub(super) inode: Option<u64>,
    /// Whether the last change left a file.
    pub(super) exists: bool,
    /// Whether the last change left a symbolic link.
    pub(super) is_link: bool,
    /// Whether no other record has taken its last name since.
    pub(super) holds_name: bool,
    /// Whether the file was found under another name.
    pub(super) is_moved: bool,
    /// The life that began under the name with another inode number and other bytes. It is either a new version of this
    /// file, which another program wrote, or another file. Only a search can distinguish the two.
    pub(super) successor: Option<usize>,
}

/// A sequence of changes between which lancet did not move the file.
#[derive(Debug)]
struct ChangeRun {
    /// The last name of the file in the stretch.
    name: PathBuf,
    /// Operation, index and recorded path of each change.
    rows: Vec<(String, usize, PathBuf)>,
}

impl Life {
    /// Returns the last name of the file.
    pub(super) fn name(&self) -> &Path {
        let last = self.stretches.last();
        last.map_or(Path::new(""), |stretch| &stretch.name)
    }

    pub(super) fn is_at(&self, path: &Path) -> bool {
        self.name() == path
    }

    /// Returns the last name of the file before lancet first moved it.
    pub(super) fn first_name(&self) -> &Path {
        let first = self.stretches.first();
        first.map_or(Path::new(""), |stretch| &stretch.name)
    }

    /// Records the present name of the file.
    pub(super) fn move_to(&mut self, path: PathBuf) {
        self.is_moved = true;
        if let Some(stretch) = self.stretches.last_mut() {
            stretch.name = path;
        }
    }

    /// Returns the records that have another name than the file had at the end of their stretch.
    pub(super) fn renames(&self) -> impl Iterator<Item = RecordRename> {
        self.stretches.iter().flat_map(|stretch| {
            let others = stretch
                .rows
                .iter()
                .filter(|(_, _, path)| *path != stretch.name);
            others.map(|(operation, at, path)| RecordRename {
                operation: operation.clone(),
                at: *at,
                from: path.clone(),
                to: stretch.name.clone(),
            })
        })
    }

    fn add_change(&mut self, operation: &str, change: &RecordedChange, old_name: &Path) {
        match self.stretches.last_mut() {
            Some(stretch) => old_name.clone_into(&mut stretch.name),
            None => self.stretches.push(ChangeRun {
                name: old_name.to_path_buf(),
                rows: Vec::new(),
            }),
        }
        if change.moved_from.is_some() {
            self.stretches.push(ChangeRun {
                name: change.path.clone(),
                rows: Vec::new(),
            });
        }
        if let Some(stretch) = self.stretches.last_mut() {
            let row = (operation.to_owned(), change.at, change.path.clone());
            stretch.rows.push(row);
        }
        // The file was found again, so the file that began under its old name was another one.
        self.successor = None;
        self.exists = change.after.is_some();
        self.inode = change.inode;
        if let Some(after) = &change.after {
            self.revision = after.revision;
            self.size = after.size;
            self.is_link = after.is_link;
        }
    }

    /// Returns whether a change began with a file that has another inode number and other bytes than the last change
    /// left.
    fn may_be_replaced(&self, change: &RecordedChange) -> bool {
        let Some(before) = change.before else {
            return false;
        };
        let other_inode = match (self.inode, change.before_inode) {
            (Some(own), Some(its)) => own != its,
            _ => false,
        };
        self.exists && other_inode && before != self.revision
    }

    /// Returns whether a change began with the very state that the last change of this life left.
    fn is_continued_by(&self, change: &RecordedChange) -> bool {
        let same_bytes = change.before == Some(self.revision);
        let same_inode = match (self.inode, change.before_inode) {
            (Some(own), Some(its)) => own == its,
            _ => true,
        };
        self.exists && same_bytes && same_inode
    }
}

/// Derives the lives of all files of operations, which are given newest first.
pub(super) fn lives_of_files(operations: &[RecordedOperation]) -> Vec<Life> {
    let mut all: Vec<Life> = Vec::new();
    let mut holders: HashMap<PathBuf, usize> = HashMap::new();
    // The lives by the inode number that their last change left.
    let mut by_inode: HashMap<u64, usize> = HashMap::new();
    for operation in operations.iter().rev() {
        // A file that this operation leaves at a name was not there yet for the operation's other files.
        let chosen: Vec<Option<usize>> = operation
            .files
            .iter()
            .map(|change| find_life_of_change(&all, &holders, &by_inode, change))
            .collect();
        for (change, chosen) in operation.files.iter().zip(chosen) {
            let at = match chosen {
                Some(at) if all[at].may_be_replaced(change) => {
                    all[at].successor = Some(all.len());
                    None
                }
                chosen => chosen,
            };
            let at = at.unwrap_or_else(|| {
                all.push(Life::default());
                all.len() - 1
            });
            let life = &mut all[at];
            let before = life.name().to_path_buf();
            if let Some(inode) = life.inode {
                by_inode.remove(&inode);
            }
            life.add_change(&operation.id, change, old_name(change));
            if let Some(inode) = life.inode {
                by_inode.insert(inode, at);
            }
            if holders.get(&before) == Some(&at) {
                holders.remove(&before);
            }
            holders.insert(change.path.clone(), at);
        }
    }
    for (at, life) in all.iter_mut().enumerate() {
        life.holds_name = holders.get(life.name()) == Some(&at);
    }
    all
}

fn old_name(change: &RecordedChange) -> &Path {
    change.moved_from.as_deref().unwrap_or(&change.path)
}

/// Returns the life that a change belongs to; none where it begins one.
fn find_life_of_change(
    all: &[Life],
    holders: &HashMap<PathBuf, usize>,
    by_inode: &HashMap<u64, usize>,
    change: &RecordedChange,
) -> Option<usize> {
    let holder = holders.get(old_name(change)).copied();
    if change.before.is_none() {
        // After a removal by lancet the life under this name continues. Otherwise the file that had the name went away
        // unseen.
        return holder.filter(|at| !all[*at].exists);
    }
    if let Some(at) = holder.filter(|at| all[*at].is_continued_by(change)) {
        return Some(at);
    }
    let moved = change.before_inode.and_then(|inode| by_inode.get(&inode));
    let moved = moved.copied().filter(|at| all[*at].is_continued_by(change));
    // Otherwise another program wrote the file under its name.
    moved.or(holder.filter(|at| all[*at].exists))
}
