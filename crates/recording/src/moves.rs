//! Detects moves: a removed file and a new file that are the same file.

use std::collections::HashMap;

use lancet_history::{CheckpointEntryKind, Revision};

use crate::kept_state::StoredState;

/// Returns pairs of the indexes of a removed file and a new file that are one file: either the inode and the bytes
/// are the same, or the bytes are the same and only one removed and one new file have them.
pub(crate) fn pair_moved_files(gone: &[StoredState], new: &[StoredState]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut is_used = (vec![false; gone.len()], vec![false; new.len()]);
    let by_inode: HashMap<(i64, i64, Revision), usize> = gone
        .iter()
        .enumerate()
        .filter_map(|(at, side)| Some((inode_key(side)?, at)))
        .collect();
    for (to, side) in new.iter().enumerate() {
        let from = inode_key(side).and_then(|key| by_inode.get(&key).copied());
        if let Some(from) = from.filter(|from| !is_used.0[*from]) {
            (is_used.0[from], is_used.1[to]) = (true, true);
            pairs.push((from, to));
        }
    }
    let by_bytes = |sides: &[StoredState], used: &[bool]| {
        let mut found: HashMap<Revision, Vec<usize>> = HashMap::new();
        for (at, side) in sides.iter().enumerate().filter(|(at, _)| !used[*at]) {
            if side.entry.size > 0 && side.entry.kind == CheckpointEntryKind::File {
                found.entry(side.revision).or_default().push(at);
            }
        }
        found
    };
    let (gone, new) = (by_bytes(gone, &is_used.0), by_bytes(new, &is_used.1));
    for (revision, from) in gone {
        if let ([from], Some([to])) = (from.as_slice(), new.get(&revision).map(Vec::as_slice)) {
            pairs.push((*from, *to));
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Returns the device, inode and revision of a file.
fn inode_key(side: &StoredState) -> Option<(i64, i64, Revision)> {
    let stamp = &side.entry.stamp.0;
    (side.entry.kind == CheckpointEntryKind::File && stamp[1] != 0)
        .then(|| (stamp[0], stamp[1], side.revision))
}
