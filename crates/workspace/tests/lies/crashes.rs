//! The process dies at any call of a commit on a mount whose renames are doubtful: recovery leaves old or new.

use std::sync::Arc;

use lancet_testing::lying_disk::{Lie, LyingDisk};
use lancet_workspace::{FaultDuration, FaultyDisk, Workspace, WriteOptions};

use crate::site::{Site, create, relocate, replace};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Replace,
    Create,
    Move,
}

fn act(site: &Site, workspace: &Workspace, kind: Kind) -> bool {
    let at = |name: &str| site.root.join(name);
    let result = match kind {
        Kind::Replace => replace(workspace, &at("a"), "new\n", WriteOptions::default()),
        Kind::Create => create(workspace, &at("b"), "new\n"),
        Kind::Move => relocate(workspace, &at("a"), &at("b")),
    };
    result.is_ok()
}

#[test]
fn a_death_at_any_call_leaves_old_or_new() {
    for lies in [&[Lie::IgnoresFlags][..], &[], &[Lie::NumbersNames]] {
        for kind in [Kind::Replace, Kind::Create, Kind::Move] {
            let mut call = 1;
            loop {
                let lying = LyingDisk::new(lies).on_this_machine();
                let Some(site) = Site::with_disk(lying) else {
                    return;
                };
                site.put("a", "old\n");
                let disk = Arc::new(FaultyDisk::new());
                let workspace = site.open(Arc::clone(&disk));
                let io = rustix::io::Errno::IO.raw_os_error();
                // Locating and reading come before the commit; a test of the commit begins after them.
                disk.fail_call(u64::MAX, io, FaultDuration::FromThereOn);
                let seen = crate::site::Seen::at(&workspace, &site.root.join("a")).unwrap();
                drop(seen);
                let before = disk.call_count();
                disk.fail_call(before + call, io, FaultDuration::FromThereOn);
                let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    act(&site, &workspace, kind)
                }));
                let reached = disk.call_count() >= before + call;
                drop(workspace);
                let workspace = site.open(Arc::new(FaultyDisk::new()));
                let recovered = workspace.recover_commits().unwrap();
                let (a, b) = (site.text("a"), site.text("b"));
                let told = format!("{lies:?}, {kind:?}, call {call}: {a:?}, {b:?}, {recovered:?}");
                let (a, b) = (a.as_deref(), b.as_deref());
                let (old, new) = (Some("old\n"), Some("new\n"));
                let is_whole = match kind {
                    Kind::Replace => b.is_none() && (a == old || a == new),
                    Kind::Create => a == old && (b.is_none() || b == new),
                    Kind::Move => (a, b) == (old, None) || (a, b) == (None, old),
                };
                assert!(is_whole, "{told}: {:?}", site.lying.names());
                // A file that had a name before the journal recorded it is swept a day later; a folder is never left.
                let is_ours = |name: &String| name.starts_with(".lancet-");
                let left = site.lying.names();
                let folders = left
                    .iter()
                    .filter(|name| is_ours(name) && site.text(name).is_none());
                assert_eq!(folders.count(), 0, "{told}: {left:?}");
                if left.iter().any(is_ours) {
                    let later = Arc::new(FaultyDisk::new());
                    later.set_clock_ahead(2 * 24 * 3600);
                    let workspace = site.open(later);
                    create(&workspace, &site.root.join("z"), "z").unwrap();
                    let left = site.lying.names();
                    assert!(!left.iter().any(is_ours), "{told}: {left:?}");
                }
                if !reached {
                    assert!(done.unwrap(), "{told}");
                    break;
                }
                call += 1;
            }
        }
    }
}
