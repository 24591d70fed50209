//! A second hard link is a second name of the same file: what is decided about one of its names holds for all. Looked for
//! only where a file has several names, among a bounded number of entries from the roots down.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use lancet_policy::{Cause, FileNames, Policy, Shows};
use lancet_workspace::{EntryKind, Kind, Located};

use super::Twins;
use crate::engine::Inner;

/// How many entries are looked at. Beyond them it is not known whether a protected name is among them, so it asks.
const MOST_ENTRIES: usize = 2_000;

/// Gathers the other names of a file that policy does not simply let through.
pub(super) fn look(
    engine: &Inner,
    policy: &Policy,
    located: &Located,
    found: &mut Vec<PathBuf>,
) -> Twins {
    let Some(stamp) = located.stat().filter(|stamp| stamp.links > 1) else {
        return Twins::Known;
    };
    if stamp.kind() != Kind::File {
        return Twins::Known;
    }
    // From all roots, whatever a client narrows them to, the file's own first: a name that it does not see counts all the
    // same. A root inside another one is looked at with it.
    let all = engine.ceiling();
    let outermost = |root: &&PathBuf| {
        let mut others = all.roots().iter();
        !others.any(|other| other != *root && root.starts_with(other))
    };
    let mut folders: VecDeque<PathBuf> = all.roots().iter().filter(outermost).cloned().collect();
    if let Some(own) = folders
        .iter()
        .position(|root| located.path().starts_with(root))
    {
        folders.swap(0, own);
    }
    let mut looked = 0;
    while let Some(folder) = folders.pop_front() {
        let Ok(here) = all.locate_as_spelled(&folder) else {
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
                EntryKind::File => {
                    if matters(policy, &path) && is_same(engine, &path, &stamp) {
                        found.push(path);
                    }
                }
                EntryKind::Link | EntryKind::Special => {}
            }
        }
        if looked >= MOST_ENTRIES {
            return Twins::Unknown;
        }
    }
    Twins::Known
}

/// Whether a name is one about which more is said than by the mode.
fn matters(policy: &Policy, path: &Path) -> bool {
    let decision = policy.writing(FileNames::one(path), Shows::Lines);
    !matches!(decision.cause, Cause::Mode(_)) || policy.reading(FileNames::one(path)).is_denied()
}

fn is_same(engine: &Inner, path: &Path, stamp: &lancet_workspace::Stamp) -> bool {
    let there = engine.ceiling().locate_as_spelled(path);
    there.is_ok_and(|there| there.stat().is_some_and(|there| there.same_file(stamp)))
}
