//! Figure 16: a commit of five files. Each call fails in turn, the process is killed at each call, and another program
//! edits the third file before each call. All files are written or none, and the foreign edit is not lost. A recovery
//! that is killed at any call is finished by the next one.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use lancet_workspace::{CommitError, FaultDuration, FaultyDisk};
use rustix::io::Errno;

use crate::crash::{
    dead_at, deaths_of_commit, deaths_of_recovery, is_whole, recover_twice, reopen,
};
use crate::faults::{CommitKind, disturbed, undisturbed};
use crate::ground::{Ground, creation};
use lancet_testing::judges::figure;

const OLD: &str = "0123456789";
const NEW: &str = "all new: OURS";
const THEIRS: &str = "theirs";
const OTHERS: [&str; 4] = ["a", "d/b", "d/d", "n/e"];

/// A commit of five files in two folders, of which one is new. One file has a second hard link and is rewritten in
/// place, and one is created.
const FIVE: CommitKind = CommitKind {
    name: "five",
    prepare: |ground| {
        for name in ["a", "d/b", "c", "d/d"] {
            ground.put(name, OLD);
        }
        fs::hard_link(ground.root.join("d/d"), ground.root.join("d/d2")).unwrap();
    },
    act: |ground, commit| {
        let [a, b, c, d] = ["a", "d/b", "c", "d/d"].map(|name| ground.seen(name));
        let e = ground.locate("n/e");
        let new = NEW.as_bytes();
        commit(vec![
            a.whole(new),
            b.whole(new),
            c.whole(new),
            d.whole(new),
            creation(&e, new),
        ])
    },
};

#[test]
fn every_call_fails_or_is_the_last_and_recovery_dies_too() {
    let (before, after) = undisturbed(&FIVE);
    let mut failures = 0;
    for error in [Errno::IO, Errno::NOSPC, Errno::INTR, Errno::ACCESS] {
        for number in 1.. {
            let Some((ground, outcome)) = disturbed(&FIVE, number, error, FaultDuration::Once)
            else {
                break;
            };
            failures += 1;
            let wanted = if outcome.is_ok() { &after } else { &before };
            assert_eq!(
                &ground.tree(),
                wanted,
                "call {number}, {error:?}: {outcome:?}"
            );
        }
    }
    let (mut deaths, mut second_deaths) = (0, 0);
    for number in deaths_of_commit(&FIVE) {
        let Some(ground) = dead_at(&FIVE, number) else {
            break;
        };
        deaths += 1;
        for second in deaths_of_recovery(&ground) {
            let ground = dead_at(&FIVE, number).expect("a commit makes the same calls each time");
            let healed = recover_twice(&ground, second);
            let what = format!("{number}, recovery before {second}: {healed:?}");
            is_whole(&FIVE, &ground, &before, &after, &what);
            second_deaths += 1;
        }
    }
    assert!(failures > 200 && deaths > 50 && second_deaths > 100);
    figure(
        16,
        &format!(
            "5 files: {failures} errors, {deaths} kills and {second_deaths} kills of the recovery: all or none in each"
        ),
    );
}

/// An edit by another program.
type ForeignEdit = fn(&Path);

/// The methods by which another program edits the third file.
const FOREIGN_EDITS: [(&str, ForeignEdit); 3] = [
    ("write in place", |path| {
        fs::write(path, THEIRS).unwrap();
    }),
    ("append", |path| {
        let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(THEIRS.as_bytes()).unwrap();
    }),
    ("rename over", |path| {
        let beside = path.with_file_name("beside");
        fs::write(&beside, THEIRS).unwrap();
        fs::rename(&beside, path).unwrap();
    }),
];

/// Makes the foreign edit right before a call; if the lease makes it wait, before the first later call without a lease.
fn edit_before_call(ground: &Ground, number: u64, edit: ForeignEdit) {
    let (path, done) = (ground.root.join("c"), std::sync::Mutex::new(false));
    ground.disk.set_hook(move |call| {
        let mut done = done.lock().unwrap();
        if call.number < number || *done {
            return;
        }
        // A blocking open would wait forever, because this thread holds the lease.
        let nonblocking = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::WRONLY;
        let mode = rustix::fs::Mode::empty();
        if rustix::fs::open(&path, nonblocking, mode).is_ok() {
            edit(&path);
            *done = true;
        }
    });
}

fn is_theirs(ground: &Ground, what: &str) {
    let stands = ground.text("c");
    let kept = ground.displaced_texts();
    let present = |text: &String| text.contains(THEIRS);
    assert!(
        present(&stands) || kept.iter().any(present),
        "{what}: stands {stands:?}, kept {kept:?}"
    );
}

/// Asserts that the other four files are all new or all old; returns whether they are new.
fn others(ground: &Ground, what: &str) -> bool {
    let new =
        OTHERS.map(|name| fs::read_to_string(ground.root.join(name)).is_ok_and(|text| text == NEW));
    assert!(
        new == [true; 4] || new == [false; 4],
        "{what}: {:?}",
        ground.tree()
    );
    new[0]
}

#[test]
fn somebody_else_edits_the_third_file_at_any_call() {
    let (mut runs, mut written, mut taken_back, mut partly) = (0, 0, 0, 0);
    for (name, edit) in FOREIGN_EDITS {
        for number in 1.. {
            let ground = Ground::in_memory().without_patience();
            (FIVE.prepare)(&ground);
            let outcome = (FIVE.act)(&ground, &|batch| {
                ground.disk.clear_faults();
                edit_before_call(&ground, number, edit);
                ground.workspace.commit(batch)
            });
            ground.disk.clear_hook();
            if ground.disk.call_count() < number {
                break;
            }
            let what = format!("{name} before call {number}: {outcome:?}");
            runs += 1;
            if !ground.text("c").contains(THEIRS)
                && ground
                    .displaced_texts()
                    .iter()
                    .all(|text| !text.contains(THEIRS))
            {
                // The edit had to wait until the commit was over.
                assert!(outcome.is_ok(), "{what}");
                edit(&ground.root.join("c"));
            }
            is_theirs(&ground, &what);
            let litter = ground
                .tree()
                .into_keys()
                .any(|name| name.contains(".lancet-"));
            assert!(!litter, "{what}: {:?}", ground.tree());
            match outcome {
                Ok(_) => {
                    assert!(others(&ground, &what), "{what}");
                    written += 1;
                }
                // The error names the files that stay written and where the other versions are.
                Err(CommitError::Partly { standing, kept, .. }) => {
                    assert!(standing.contains(&2) || !kept.is_empty(), "{what}");
                    partly += 1;
                }
                Err(_) => {
                    assert!(!others(&ground, &what), "{what}");
                    taken_back += 1;
                }
            }
        }
    }
    assert!(written > 0 && taken_back > 0);
    figure(
        16,
        &format!(
            "5 files, a third party edits the third at each of {runs} moments: theirs is there in all; {written} written, {taken_back} taken back, {partly} partly and said so"
        ),
    );
}

#[test]
fn somebody_else_edits_the_third_file_and_the_process_dies() {
    let mut runs = 0;
    for (name, edit) in FOREIGN_EDITS {
        for number in 1.. {
            let mut ground = Ground::in_memory().without_patience();
            (FIVE.prepare)(&ground);
            let _ = (FIVE.act)(&ground, &|batch| {
                let errno = Errno::IO.raw_os_error();
                ground
                    .disk
                    .fail_call(number, errno, FaultDuration::FromThereOn);
                ground.workspace.commit(batch)
            });
            if ground.disk.call_count() < number {
                break;
            }
            runs += 1;
            ground.workspace = reopen(&ground, &Arc::new(FaultyDisk::new()));
            // An exchange never leaves the name free, so the file is there to be edited.
            edit(&ground.root.join("c"));
            let healed = ground.workspace.recover_commits().unwrap();
            let what = format!("{name}, died before call {number}: {healed:?}");
            is_theirs(&ground, &what);
            assert!(ground.text("c").contains(THEIRS), "theirs stands: {what}");
            others(&ground, &what);
        }
    }
    figure(
        16,
        &format!(
            "5 files, killed at each of {runs} moments and the third edited by somebody else before recovery: theirs stands, the others all or none"
        ),
    );
}
