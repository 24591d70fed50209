//! Each lie alone: every kind of change does what its answer says, and the answer names the actual protection.

use std::sync::Arc;

use lancet_testing::lying_disk::{Lie, LyingDisk};
use lancet_workspace::{
    CommitError, FaultyDisk, NewBytes, WeakProtectionPolicy, WriteOptions, WriteOutcome,
    WriteStrategy, WriteWarning,
};

use crate::site::{Seen, Site, create, creation, relocate, remove, replace};

/// The lies, and the guarantee that remains for a file that is replaced on this machine.
const LIES: [(&[Lie], &str); 15] = [
    (&[], "exchange"),
    (&[Lie::IgnoresFlags], "aside"),
    (&[Lie::IgnoresNoReplace], "exchange"),
    (&[Lie::ExchangesNothing], "aside"),
    (&[Lie::RefusesFlags], "aside"),
    (&[Lie::RenamesInSteps], "exchange"),
    (&[Lie::RenamesInSteps, Lie::IgnoresFlags], "aside"),
    (&[Lie::ListsLate], "aside"),
    (&[Lie::NumbersNames], "aside"),
    (&[Lie::WholeSeconds], "exchange"),
    (&[Lie::FoldsCase], "exchange"),
    (&[Lie::LacksLinks], "exchange"),
    (&[Lie::LacksLinks, Lie::IgnoresFlags], "weak"),
    (&[Lie::LacksLinks, Lie::RefusesFlags], "weak"),
    (&[Lie::CachedForAnHour, Lie::IgnoresFlags], "aside"),
];

fn checked(result: Result<WriteOutcome, CommitError>, lies: &[Lie]) -> WriteOutcome {
    let written = result.unwrap_or_else(|error| panic!("{lies:?}: {error}"));
    assert!(
        !written.warnings.contains(&WriteWarning::Overwritten),
        "{lies:?}: {:?}",
        written.warnings
    );
    written
}

#[test]
fn whatever_is_answered_every_change_is_made_as_told() {
    let on_this_machine = LIES.map(|(lies, guarantee)| {
        let lying = LyingDisk::new(lies).on_this_machine();
        (lies, lying, guarantee)
    });
    // Where other machines may write, nothing is exchanged.
    let elsewhere = LIES.map(|(lies, _)| {
        let weak = lies.contains(&Lie::LacksLinks);
        let guarantee = if weak { "weak" } else { "aside" };
        (lies, LyingDisk::new(lies), guarantee)
    });
    for (lies, lying, guarantee) in on_this_machine.into_iter().chain(elsewhere) {
        let Some(site) = Site::with_disk(lying) else {
            return;
        };
        site.put("a", "one\n");
        let workspace = site.open(Arc::new(FaultyDisk::new()));
        let at = |name: &str| site.root.join(name);
        for text in ["two\n", "three, which is longer\n", "4\n"] {
            let before = site.text("a").unwrap();
            let mtime = Seen::at(&workspace, &at("a")).unwrap().snapshot.stamp.mtime;
            let options = WriteOptions::default();
            let written = checked(replace(&workspace, &at("a"), text, options), lies);
            assert_eq!(written.guarantee.name(), guarantee, "{lies:?}");
            assert_eq!(
                written.warnings.contains(&WriteWarning::Unprotected),
                guarantee == "weak",
                "{lies:?}"
            );
            assert!(written.stamp.mtime > mtime, "{lies:?}");
            assert_eq!(site.text("a").as_deref(), Some(text), "{lies:?}");
            assert_eq!(site.lying.names(), ["a"], "{lies:?}");
            assert!(site.displaced().contains(&before), "{lies:?}");
        }
        let written = checked(create(&workspace, &at("b"), "new\n"), lies);
        let is_safe = !lies.contains(&Lie::LacksLinks);
        let named = if is_safe { "create" } else { "weak" };
        assert_eq!(written.guarantee.name(), named, "{lies:?}");
        assert_eq!(site.text("b").as_deref(), Some("new\n"), "{lies:?}");
        match relocate(&workspace, &at("b"), &at("c")) {
            Ok(_) => assert!(is_safe, "{lies:?}"),
            // The caller copies the file instead.
            Err(CommitError::NoRename { .. }) => {
                assert!(!is_safe, "{lies:?}");
                assert_eq!(site.lying.names(), ["a", "b"], "{lies:?}");
                checked(create(&workspace, &at("c"), "new\n"), lies);
                checked(remove(&workspace, &at("b")), lies);
            }
            Err(error) => panic!("{lies:?}: {error}"),
        }
        assert_eq!(site.lying.names(), ["a", "c"], "{lies:?}");
        assert_eq!(site.text("c").as_deref(), Some("new\n"), "{lies:?}");
        checked(remove(&workspace, &at("c")), lies);
        assert_eq!(site.lying.names(), ["a"], "{lies:?}");
        let made = create(&workspace, &at("d/e/f"), "deep\n");
        assert_eq!(checked(made, lies).created_folders.len(), 2, "{lies:?}");
    }
}

#[test]
fn a_batch_that_fails_is_rolled_back() {
    let disks = LIES.map(|(lies, _)| (lies, LyingDisk::new(lies).on_this_machine()));
    let elsewhere = LIES.map(|(lies, _)| (lies, LyingDisk::new(lies)));
    for (lies, lying) in disks.into_iter().chain(elsewhere) {
        let Some(site) = Site::with_disk(lying) else {
            return;
        };
        for name in ["a", "b", "gone", "moves"] {
            site.put(name, "old\n");
        }
        let disk = Arc::new(FaultyDisk::new());
        let workspace = site.open(Arc::clone(&disk));
        let seen = |name: &str| Seen::at(&workspace, &site.root.join(name)).unwrap();
        let (a, b, gone, moves) = (seen("a"), seen("b"), seen("gone"), seen("moves"));
        let located = |name: &str| workspace.locate_as_spelled(&site.root.join(name)).unwrap();
        let (new, moved) = (located("new"), located("moved"));
        let options = WriteOptions::default();
        // Another program takes a name at the last moment, so that the batch cannot be finished.
        let (root, was) = (site.root.clone(), std::sync::Once::new());
        disk.set_hook(move |call| {
            let is_last = call.name.is_some_and(|name| name == "new");
            if is_last
                && matches!(
                    call.method,
                    "link_at" | "rename_at_if_free" | "link_unnamed"
                )
            {
                was.call_once(|| std::fs::write(root.join("new"), "theirs\n").unwrap());
            }
        });
        let mut batch = vec![
            a.becomes(NewBytes::Whole(b"ours\n"), options),
            b.becomes(NewBytes::Whole(b"ours\n"), options),
            gone.becomes(NewBytes::Nothing, options),
        ];
        if !lies.contains(&Lie::LacksLinks) {
            batch.push(moves.becomes(NewBytes::MovedTo(&moved), options));
        }
        batch.push(creation(&new, "ours\n"));
        let error = workspace.commit(batch).unwrap_err();
        disk.clear_hook();
        assert!(
            matches!(
                error,
                CommitError::Exists { .. } | CommitError::Changed { .. }
            ),
            "{lies:?}: {error:?}"
        );
        for name in ["a", "b", "gone", "moves"] {
            assert_eq!(
                site.text(name).as_deref(),
                Some("old\n"),
                "{lies:?}: {name}"
            );
        }
        assert_eq!(site.text("new").as_deref(), Some("theirs\n"), "{lies:?}");
        assert_eq!(
            site.lying.names().len(),
            5,
            "{lies:?}: {:?}",
            site.lying.names()
        );
    }
}

#[test]
fn a_flush_that_fails_leaves_the_file_and_the_next_write_goes_through() {
    let Some(site) = Site::new(&[]) else { return };
    site.put("a", "one\n");
    let workspace = site.open(Arc::new(FaultyDisk::new()));
    let path = site.root.join("a");
    // The state folder is on another file system, so the flush that fails is that of the new file.
    site.lying.set(Lie::LosesOneFlush, true);
    let error = replace(&workspace, &path, "two\n", WriteOptions::default()).unwrap_err();
    assert!(
        matches!(error, CommitError::Io { step: "flush", .. }),
        "{error:?}"
    );
    assert_eq!(site.text("a").as_deref(), Some("one\n"));
    assert_eq!(site.lying.names(), ["a"]);
    replace(&workspace, &path, "two\n", WriteOptions::default()).unwrap();
    assert_eq!(site.text("a").as_deref(), Some("two\n"));
}

#[test]
fn an_error_that_is_told_only_on_close_leaves_the_file() {
    for here in [false, true] {
        let lying = match here {
            true => LyingDisk::new(&[]).on_this_machine(),
            false => LyingDisk::new(&[]),
        };
        let Some(site) = Site::with_disk(lying) else {
            return;
        };
        site.put("a", "one\n");
        let workspace = site.open(Arc::new(FaultyDisk::new()));
        let (path, new) = (site.root.join("a"), site.root.join("b"));
        // An exchange is tested once, with separate files, whose close is not meant here.
        replace(&workspace, &path, "zero\n", WriteOptions::default()).unwrap();
        replace(&workspace, &path, "one\n", WriteOptions::default()).unwrap();
        let in_place = WriteOptions {
            strategy: WriteStrategy::InPlace,
            weak: WeakProtectionPolicy::Allow,
            ..WriteOptions::default()
        };
        for options in [WriteOptions::default(), in_place] {
            site.lying.set(Lie::FailsOneClose, true);
            let error = replace(&workspace, &path, "two\n", options).unwrap_err();
            assert!(
                matches!(error, CommitError::Io { step: "close", .. }),
                "{error:?}"
            );
            assert_eq!(site.text("a").as_deref(), Some("one\n"), "{options:?}");
            assert_eq!(site.lying.names(), ["a"], "{options:?}");
        }
        site.lying.set(Lie::FailsOneClose, true);
        let error = create(&workspace, &new, "new\n").unwrap_err();
        assert!(
            matches!(error, CommitError::Io { step: "close", .. }),
            "{error:?}"
        );
        assert_eq!(site.lying.names(), ["a"]);
        replace(&workspace, &path, "two\n", WriteOptions::default()).unwrap();
        create(&workspace, &new, "new\n").unwrap();
        assert_eq!(site.text("a").as_deref(), Some("two\n"));
        assert_eq!(site.text("b").as_deref(), Some("new\n"));
    }
}
