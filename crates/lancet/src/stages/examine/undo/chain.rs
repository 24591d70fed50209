//! The changes of one file as one chain, newest first. Hard links are names of one file, so the changes under all of
//! them form one chain, except for names that another program changed: it may have made them links of another file.

use std::collections::HashSet;
use std::path::PathBuf;

use lancet_workspace::FileType;

use super::select::FileRow;
use crate::stages::locate::Target;

/// The changes of one file.
pub(super) struct Chain<'r> {
    /// The changes, newest first.
    pub(super) rows: Vec<&'r FileRow>,
    /// The name under which the file is written: that of the newest change.
    pub(super) target: Target,
    /// That name as the history spells it.
    pub(super) path: PathBuf,
    /// All names that the changes have for the file.
    pub(super) names: Vec<PathBuf>,
}

impl Chain<'_> {
    /// Returns how many of the changes, counted from the newest, are already undone in a file with this content: those
    /// after the latest state of the chain that equals it. None where no state of the chain equals it.
    pub(super) fn already_undone_count(&self, revision: Option<&[u8; 32]>) -> Option<usize> {
        for (at, row) in self.rows.iter().enumerate() {
            let after = row.change.after.as_ref().map(|kept| &kept.revision);
            let before = row.change.before.as_ref().map(|kept| &kept.revision);
            if after == revision {
                return Some(at);
            }
            if before == revision {
                return Some(at + 1);
            }
        }
        None
    }

    /// Returns whether each change starts from the state that the one before it left.
    fn is_unbroken(rows: &[&FileRow]) -> bool {
        rows.windows(2).all(|pair| {
            let [later, earlier] = pair else { return true };
            let left = earlier.change.after.as_ref().map(|kept| kept.revision);
            later.change.before.as_ref().map(|kept| kept.revision) == left
        })
    }
}

/// Names as the history spells them, each with its located file.
type Names = Vec<(PathBuf, Target)>;

/// Groups the rows by file, in the order of the names. The names in `apart` are a file each.
pub(super) fn chains<'r>(
    rows: &[&'r FileRow],
    located: Names,
    apart: &HashSet<PathBuf>,
) -> Vec<Chain<'r>> {
    let mut groups: Vec<(Option<(u64, u64)>, Names)> = Vec::new();
    for (path, target) in located {
        let is_file = target.located.kind() == FileType::File;
        let inode = target
            .located
            .stat()
            .filter(|stamp| is_file && stamp.links > 1 && !apart.contains(&path))
            .map(|stamp| (stamp.device, stamp.inode));
        let known = groups
            .iter_mut()
            .find(|(other, _)| inode.is_some() && *other == inode);
        match known {
            Some((_, names)) => names.push((path, target)),
            None => groups.push((inode, vec![(path, target)])),
        }
    }
    let mut chains = Vec::new();
    for (_, names) in groups {
        let together = rows_of(rows, &names);
        if names.len() == 1 || Chain::is_unbroken(&together) {
            chains.extend(chain_of_names(together, names));
        } else {
            // The names became one file only after the changes, so each has its own chain.
            for name in names {
                let alone = vec![name];
                chains.extend(chain_of_names(rows_of(rows, &alone), alone));
            }
        }
    }
    chains
}

fn rows_of<'r>(rows: &[&'r FileRow], names: &[(PathBuf, Target)]) -> Vec<&'r FileRow> {
    let is_named = |row: &&FileRow| names.iter().any(|(path, _)| *path == row.change.path);
    rows.iter().copied().filter(is_named).collect()
}

fn chain_of_names<'r>(rows: Vec<&'r FileRow>, names: Names) -> Option<Chain<'r>> {
    let newest = rows.first()?.change.path.clone();
    let paths: Vec<PathBuf> = names.iter().map(|(path, _)| path.clone()).collect();
    let (path, target) = names.into_iter().find(|(path, _)| *path == newest)?;
    Some(Chain {
        rows,
        target,
        path,
        names: paths,
    })
}
