//! Two mounts, like two machines, increment a number in one file: no increment is lost, and the file is never missing
//! for good.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lancet_testing::judges;
use lancet_testing::lying_disk::Lie;
use lancet_workspace::{CommitError, FaultyDisk, NewBytes, Workspace, WriteOptions};

use crate::site::{Seen, Site, open};

/// Increments the number until this many of its edits have succeeded; returns how often it was refused.
fn count(workspace: &Workspace, path: &Path, times: u64) -> u64 {
    let mut refused = 0;
    let mut done = 0;
    let begun = Instant::now();
    while done < times {
        assert!(begun.elapsed() < Duration::from_secs(120), "no progress");
        let Some(seen) = Seen::at(workspace, path) else {
            // The other one has renamed the file away for a moment.
            std::thread::sleep(Duration::from_micros(200));
            continue;
        };
        let text = String::from_utf8(seen.snapshot.bytes.to_vec()).unwrap();
        let number: u64 = text.trim().parse().unwrap();
        let new = format!("{}\n", number + 1);
        let write = seen.becomes(NewBytes::Whole(new.as_bytes()), WriteOptions::default());
        match workspace.commit(vec![write]) {
            Ok(_) => done += 1,
            Err(CommitError::Changed { .. } | CommitError::Busy { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    refused
}

/// Increments from these roots at once; each has a separate state folder, as on two machines.
fn count_from(site: &Site, roots: &[PathBuf; 2], lies: &[Lie]) {
    let times = if judges::is_torture_run() { 1000 } else { 40 };
    site.put("count", "0\n");
    let refused: u64 = std::thread::scope(|scope| {
        let counters = [0, 1].map(|at| {
            let (root, state) = (&roots[at], site.state.join(at.to_string()));
            scope.spawn(move || {
                let workspace = open(root, &state, Arc::new(FaultyDisk::new()));
                count(&workspace, &root.join("count"), times)
            })
        });
        counters.map(|counter| counter.join().unwrap()).iter().sum()
    });
    let total = format!("{}\n", 2 * times);
    assert_eq!(site.text("count"), Some(total), "{lies:?}");
    assert_eq!(site.lying.names(), ["count"], "{lies:?}");
    judges::tried(&format!(
        "{lies:?}: {} edits by two, {refused} refused",
        2 * times
    ));
}

#[test]
fn two_mounts_lose_no_edit() {
    for lies in [
        &[][..],
        &[Lie::IgnoresFlags],
        &[Lie::IgnoresNoReplace],
        &[Lie::RefusesFlags, Lie::CachedForAnHour],
        &[Lie::CachedForAnHour],
        &[Lie::NumbersNames],
        &[Lie::WholeSeconds],
        &[Lie::LocksNobodyOut, Lie::IgnoresFlags],
    ] {
        let Some(mut site) = Site::new(lies) else {
            return;
        };
        let Some(other) = site.mount("other") else {
            return;
        };
        let roots = [site.root.clone(), other];
        count_from(&site, &roots, lies);
    }
}

/// If a rename itself is not one step, two machines cannot exclude each other. On one machine the lock does.
#[test]
fn renames_in_steps_lose_no_edit_on_one_machine() {
    for lies in [
        &[Lie::RenamesInSteps][..],
        &[Lie::RenamesInSteps, Lie::IgnoresFlags],
    ] {
        let Some(site) = Site::new(lies) else {
            return;
        };
        let roots = [site.root.clone(), site.root.clone()];
        count_from(&site, &roots, lies);
    }
}
