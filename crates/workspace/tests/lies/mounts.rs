//! Several mounts of one file system: changes through another mount are noticed, and what was proved of a mount is not
//! applied to the next one at the same place.

use std::fs;
use std::sync::{Arc, Once};

use lancet_testing::lying_disk::{Lie, LyingDisk};
use lancet_testing::{TestFolder, judges};
use lancet_workspace::{CommitError, FaultyDisk, WriteOptions};

use crate::site::{Site, create, open, relocate, replace};

/// The calls that give a file its name.
const NAMING: [&str; 4] = ["link_at", "rename_at_if_free", "link_unnamed", "move_at"];

#[test]
fn a_file_that_another_mount_made_at_the_last_moment_is_not_replaced() {
    for lies in [
        &[Lie::IgnoresFlags][..],
        &[Lie::IgnoresNoReplace],
        &[Lie::IgnoresFlags, Lie::CachedForAnHour],
        &[Lie::IgnoresFlags, Lie::NumbersNames],
    ] {
        for moves in [false, true] {
            let Some(mut site) = Site::new(lies) else {
                return;
            };
            let Some(other) = site.mount("other") else {
                return;
            };
            site.put("a", "one\n");
            let disk = Arc::new(FaultyDisk::new());
            let workspace = site.open(Arc::clone(&disk));
            let once = Once::new();
            disk.set_hook(move |call| {
                if NAMING.contains(&call.method) && call.name.is_some_and(|name| name == "b") {
                    once.call_once(|| fs::write(other.join("b"), "theirs\n").unwrap());
                }
            });
            let (from, to) = (site.root.join("a"), site.root.join("b"));
            let error = match moves {
                true => relocate(&workspace, &from, &to).unwrap_err(),
                false => create(&workspace, &to, "ours\n").unwrap_err(),
            };
            assert!(
                matches!(error, CommitError::Exists { .. }),
                "{lies:?}: {error:?}"
            );
            assert_eq!(site.text("b").as_deref(), Some("theirs\n"), "{lies:?}");
            assert_eq!(site.text("a").as_deref(), Some("one\n"), "{lies:?}");
            assert_eq!(site.lying.names(), ["a", "b"], "{lies:?}");
        }
    }
}

#[test]
fn a_file_that_another_mount_wrote_at_the_last_moment_is_not_overlooked() {
    for lies in [
        &[][..],
        &[Lie::IgnoresFlags],
        &[Lie::CachedForAnHour],
        &[Lie::IgnoresFlags, Lie::CachedForAnHour],
        &[Lie::NumbersNames, Lie::CachedForAnHour],
    ] {
        let ways = [(false, false), (false, true), (true, false), (true, true)];
        for (replaces, here) in ways {
            let lying = match here {
                true => LyingDisk::new(lies).on_this_machine(),
                false => LyingDisk::new(lies),
            };
            let Some(mut site) = Site::with_disk(lying) else {
                return;
            };
            let Some(other) = site.mount("other") else {
                return;
            };
            site.put("a", "one\n");
            let disk = Arc::new(FaultyDisk::new());
            let workspace = site.open(Arc::clone(&disk));
            let once = Once::new();
            disk.set_hook(move |call| {
                // The last call before the file leaves its name.
                let is_swap = matches!(call.method, "exchange_at" | "rename_at");
                let is_it = call.name.is_some_and(|name| {
                    name.to_string_lossy().ends_with("tmp")
                        || name.to_string_lossy().ends_with("old")
                });
                if is_swap && is_it {
                    once.call_once(|| match replaces {
                        true => {
                            fs::write(other.join("new"), "two\n").unwrap();
                            fs::rename(other.join("new"), other.join("a")).unwrap();
                        }
                        // As long as before, and within the time that the kernel trusts its cache.
                        false => fs::write(other.join("a"), "two\n").unwrap(),
                    });
                }
            });
            let options = WriteOptions::default();
            let error = replace(&workspace, &site.root.join("a"), "ours\n", options).unwrap_err();
            disk.clear_hook();
            assert!(
                matches!(
                    error,
                    CommitError::Changed { .. } | CommitError::Busy { .. }
                ),
                "{lies:?}: {error:?}"
            );
            assert_eq!(
                site.text("a").as_deref(),
                Some("two\n"),
                "{lies:?}, {replaces}"
            );
            assert_eq!(site.lying.names(), ["a"], "{lies:?}");
        }
    }
}

#[test]
fn what_was_proved_is_proved_again_after_a_remount() {
    let folder = TestFolder::in_memory();
    let root = folder.make("root");
    let lying = LyingDisk::new(&[]).on_this_machine();
    let at = root.join("inside");
    let mounted = match lying.mount(&at) {
        Ok(mounted) => mounted,
        Err(why) => return judges::skipped(&why),
    };
    fs::write(at.join("a"), "one\n").unwrap();
    let workspace = open(&root, &folder.join("state"), Arc::new(FaultyDisk::new()));
    let options = WriteOptions::default();
    let written = replace(&workspace, &at.join("a"), "two\n", options).unwrap();
    assert_eq!(written.guarantee.name(), "exchange");
    drop(mounted);
    lying.set(Lie::IgnoresFlags, true);
    let mounted = lying.mount(&at).unwrap();
    let written = replace(&workspace, &at.join("a"), "three\n", options).unwrap();
    assert_eq!(written.guarantee.name(), "aside");
    assert_eq!(lying.content("a").unwrap(), b"three\n");
    drop(workspace);
    drop(mounted);
}

#[test]
fn a_folder_that_another_machine_has_locked_is_left_alone_until_it_is_free() {
    let Some(mut site) = Site::new(&[]) else {
        return;
    };
    let Some(other) = site.mount("other") else {
        return;
    };
    site.put("a", "one\n");
    let lock = other.join(".lancet-lock.tmp");
    let holder = lock.join("0123456789abcdef-1-1-0123456789abcdef");
    fs::create_dir_all(&holder).unwrap();
    let workspace = site.open(Arc::new(FaultyDisk::new()));
    let path = site.root.join("a");
    let options = WriteOptions::default();
    let error = replace(&workspace, &path, "two\n", options).unwrap_err();
    assert!(matches!(error, CommitError::Busy { .. }), "{error:?}");
    assert_eq!(site.text("a").as_deref(), Some("one\n"));
    fs::remove_dir(&holder).unwrap();
    fs::remove_dir(&lock).unwrap();
    // The kernel caches for a second that the lock was there.
    std::thread::sleep(std::time::Duration::from_millis(1200));
    let written = replace(&workspace, &path, "two\n", options).unwrap();
    assert_eq!(written.guarantee.name(), "aside");
    assert_eq!(site.text("a").as_deref(), Some("two\n"));
    assert_eq!(site.lying.names(), ["a"]);
}
