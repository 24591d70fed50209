//! A second hard link is a second name of the same file: one of a protected or secret file counts as that file. Looked for
//! only where a file has several names, among a bounded number of entries from its root down.

use std::collections::VecDeque;
use std::path::PathBuf;

use lancet_workspace::{EntryKind, Kind, Located};

use crate::engine::Inner;
use crate::protected::Verdict;

/// How many entries are looked at. Beyond them it is not known whether a protected name is among them, so it asks.
const MOST_ENTRIES: usize = 2_000;

/// The verdict on another name of the same file.
pub(super) fn judge(engine: &Inner, located: &Located) -> Option<Verdict> {
    let stamp = located.stat().filter(|stamp| stamp.links > 1)?;
    if stamp.kind() != Kind::File {
        return None;
    }
    let mut folders = VecDeque::from([located.root().to_path_buf()]);
    let mut looked = 0;
    let mut found = None;
    while let Some(folder) = folders.pop_front() {
        let Ok(here) = engine.workspace.locate_as_spelled(&folder) else {
            continue;
        };
        let Ok(listing) = here.entries(MOST_ENTRIES - looked, &|_, _| true) else {
            continue;
        };
        looked += listing.entries.len();
        for entry in &listing.entries {
            let path = folder.join(&entry.name);
            match entry.kind {
                EntryKind::Folder => folders.push_back(path),
                EntryKind::File => found = super::stricter(found, same_file(engine, path, &stamp)),
                EntryKind::Link | EntryKind::Special => {}
            }
        }
        if matches!(found, Some(Verdict::Secret { .. })) {
            return found;
        }
        if looked >= MOST_ENTRIES {
            let name =
                "one of several hard links, and there are too many entries to look for the others";
            return found.or(Some(Verdict::Protected { name }));
        }
    }
    found
}

/// The verdict on a name, where it is a name of that very file.
fn same_file(engine: &Inner, path: PathBuf, stamp: &lancet_workspace::Stamp) -> Option<Verdict> {
    let verdict = super::judge(engine, &path)?;
    let there = engine.workspace.locate_as_spelled(&path).ok()?.stat()?;
    there.same_file(stamp).then_some(verdict)
}
