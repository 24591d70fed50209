//! A commit that is killed at any of its calls, and a recovery that is killed at any of its calls: in the end all files
//! are written or none. A kill is simulated by a disk on which every call fails from some call on and by dropping the
//! workspace, so that nothing happens after that call.

use std::fs;
use std::sync::{Arc, Mutex};

use lancet_testing::judges::is_torture_run;
use lancet_workspace::{
    CommitError, DiskCall, FaultDuration, FaultyDisk, NewBytes, RecoveredFile, RecoveryOutcome,
    Workspace,
};
use rustix::io::Errno;

use crate::faults::{CommitKind, KINDS, Tree, undisturbed};
use crate::ground::Ground;
use crate::reading_calls::READING_CALLS;

/// Returns the ground after a commit that died before its `number`-th call; `None` if the commit has fewer calls.
pub(crate) fn dead_at(kind: &CommitKind, number: u64) -> Option<Ground> {
    dead_hearing(kind, number, None)
}

type Hook = Box<dyn Fn(&DiskCall<'_>) + Send + Sync>;

/// Does the same, with a hook that runs before every call.
fn dead_hearing(kind: &CommitKind, number: u64, hook: Option<Hook>) -> Option<Ground> {
    let mut ground = Ground::in_memory();
    (kind.prepare)(&ground);
    if let Some(hook) = hook {
        ground.disk.set_hook(hook);
    }
    let _ = (kind.act)(&ground, &|batch| {
        let errno = Errno::IO.raw_os_error();
        ground
            .disk
            .fail_call(number, errno, FaultDuration::FromThereOn);
        ground.refuse_what_is_lacking();
        ground.workspace.commit(batch)
    });
    let died = ground.disk.call_count() >= number;
    // The kernel closes the handles of a killed process and releases its locks.
    ground.workspace =
        Workspace::open(&[ground.around.clone()], Arc::new(FaultyDisk::new()), None).unwrap();
    died.then_some(ground)
}

/// Runs something that makes calls, and returns the numbers of those before which a death leaves the disk in a distinct
/// state: a death right after a call that only reads leaves the same as a death right before that call. The number
/// after the last call is included. With `LANCET_TORTURE` every number is returned.
fn deaths(disk: &FaultyDisk, run: impl FnOnce()) -> Vec<u64> {
    let methods = Arc::new(Mutex::new(Vec::new()));
    let made = Arc::clone(&methods);
    disk.clear_faults();
    disk.set_hook(move |call| made.lock().unwrap().push(call.method));
    run();
    disk.clear_hook();
    let methods = methods.lock().unwrap();
    let mut numbers = vec![1];
    for (before, method) in (2..).zip(methods.iter()) {
        if is_torture_run() || !(READING_CALLS.contains(method) || *method == "sync") {
            numbers.push(before);
        }
    }
    numbers
}

/// Returns the numbers of the calls of a commit before which it has to die so that every state that it can leave is
/// left once.
pub(crate) fn deaths_of_commit(kind: &CommitKind) -> Vec<u64> {
    let ground = Ground::in_memory();
    (kind.prepare)(&ground);
    let numbers = std::cell::RefCell::new(Vec::new());
    let _ = (kind.act)(&ground, &|batch| {
        let mut outcome = None;
        *numbers.borrow_mut() = deaths(&ground.disk, || {
            ground.refuse_what_is_lacking();
            outcome = Some(ground.workspace.commit(batch));
        });
        outcome.unwrap()
    });
    numbers.into_inner()
}

/// Returns the same numbers for the recovery of what a commit left.
pub(crate) fn deaths_of_recovery(ground: &Ground) -> Vec<u64> {
    let disk = Arc::new(FaultyDisk::new());
    let workspace = reopen(ground, &disk);
    deaths(&disk, || {
        workspace.recover_commits().unwrap();
    })
}

/// Kills a recovery before its `number`-th call and lets another one finish; returns what that one recovered.
pub(crate) fn recover_twice(ground: &Ground, number: u64) -> Vec<RecoveredFile> {
    let disk = Arc::new(FaultyDisk::new());
    let workspace = reopen(ground, &disk);
    disk.fail_call(number, Errno::IO.raw_os_error(), FaultDuration::FromThereOn);
    let _ = workspace.recover_commits();
    drop(workspace);
    reopen(ground, &Arc::new(FaultyDisk::new()))
        .recover_commits()
        .unwrap()
}

/// Opens the root as the next process would.
pub(crate) fn reopen(ground: &Ground, disk: &Arc<FaultyDisk>) -> Workspace {
    let roots = [ground.root.clone()];
    Workspace::open(&roots, disk.clone(), Some(ground.state.clone())).unwrap()
}

#[track_caller]
pub(crate) fn is_whole(
    kind: &CommitKind,
    ground: &Ground,
    before: &Tree,
    after: &Tree,
    what: &str,
) {
    let mut tree = ground.tree();
    // Empty folders that were created for a file are not compared: a killed process cannot remove them.
    tree.retain(|name, content| {
        content.is_some() || before.contains_key(name) || after.contains_key(name)
    });
    let folders = ["n", "n/e"];
    let mut without = tree.clone();
    without.retain(|name, _| !folders.contains(&&**name));
    let is = |other: &Tree| {
        let mut other = other.clone();
        other.retain(|name, _| !folders.contains(&&**name));
        without == other
    };
    assert!(is(before) || is(after), "{}: {what}: {tree:?}", kind.name);
}

#[test]
fn a_commit_that_dies_at_any_call_is_healed_to_all_or_none() {
    for kind in &KINDS {
        let (before, after) = undisturbed(kind);
        let mut deaths = 0;
        while let Some(ground) = dead_at(kind, deaths + 1) {
            deaths += 1;
            let what = format!("died before call {deaths}");
            let disk = Arc::new(FaultyDisk::new());
            let workspace = reopen(&ground, &disk);
            let healed = workspace.recover_commits().unwrap();
            let what = format!("{what}, healed {healed:?}");
            is_whole(kind, &ground, &before, &after, &what);
            assert!(
                !healed
                    .iter()
                    .any(|one| matches!(one.outcome, RecoveryOutcome::Kept(_))),
                "{}: {what}",
                kind.name
            );
            assert!(workspace.recover_commits().unwrap().is_empty(), "{what}");
            let logs = fs::read_dir(ground.state.join("journal"));
            assert_eq!(logs.map_or(0, Iterator::count), 0, "{}: {what}", kind.name);
        }
        assert!(deaths > 10, "{}", kind.name);
    }
}

#[test]
fn a_recovery_that_dies_at_any_call_is_finished_by_the_next() {
    let mut recoveries = 0;
    for kind in &KINDS {
        let (before, after) = undisturbed(kind);
        for number in deaths_of_commit(kind) {
            let Some(ground) = dead_at(kind, number) else {
                break;
            };
            for second in deaths_of_recovery(&ground) {
                let ground =
                    dead_at(kind, number).expect("a commit makes the same calls each time");
                let healed = recover_twice(&ground, second);
                let what =
                    format!("died before call {number}, recovery before {second}: {healed:?}");
                is_whole(kind, &ground, &before, &after, &what);
                recoveries += 1;
            }
        }
    }
    assert!(recoveries > 1000, "{recoveries}");
}

/// Recovery removes the folders that were created for a file that was not created, at whatever call the process died.
#[test]
fn a_folder_that_was_made_for_a_file_that_did_not_come_goes_again() {
    let mut removed = 0;
    for kind in KINDS
        .iter()
        .filter(|kind| ["create", "move", "several"].contains(&kind.name))
    {
        for number in 1.. {
            let calls = Arc::new(Mutex::new(Vec::new()));
            let heard = Arc::clone(&calls);
            let hook = move |call: &DiskCall<'_>| {
                if call.number < number {
                    heard.lock().unwrap().push(call.method);
                }
            };
            let Some(ground) = dead_hearing(kind, number, Some(Box::new(hook))) else {
                break;
            };
            let folders = |tree: Tree| -> Vec<String> {
                let empty = |name: &&String| {
                    let inside = format!("{name}/");
                    !tree.keys().any(|other| other.starts_with(&inside))
                };
                let made = tree.iter().filter(|(_, content)| content.is_none());
                made.map(|(name, _)| name).filter(empty).cloned().collect()
            };
            let before = folders(ground.tree());
            reopen(&ground, &Arc::new(FaultyDisk::new()))
                .recover_commits()
                .unwrap();
            let left = folders(ground.tree());
            removed += before.len().saturating_sub(left.len());
            let calls = calls.lock().unwrap();
            assert!(
                left.is_empty(),
                "{}: died before call {number}, after {:?}: {left:?}",
                kind.name,
                calls.last()
            );
        }
    }
    assert!(removed > 10, "{removed}");
}

/// A removed file takes its empty folders along: after a kill at any call and a recovery, either the file and its
/// folders exist or none of them does.
#[test]
fn folders_that_go_with_their_file_do_not_stay_behind() {
    let (mut gone, mut there) = (0, 0);
    for number in 1.. {
        let mut ground = Ground::in_memory();
        ground.put("n/e/w", "old");
        let folders = ["n", "n/e"].map(|name| ground.root.join(name));
        {
            let seen = ground.seen("n/e/w");
            let errno = Errno::IO.raw_os_error();
            ground
                .disk
                .fail_call(number, errno, FaultDuration::FromThereOn);
            let leaving = ground.workspace.plan_folder_removal(&folders);
            if ground
                .workspace
                .commit(vec![seen.becomes(NewBytes::Nothing)])
                .is_ok()
            {
                let _ = leaving.remove();
            }
        }
        let died = ground.disk.call_count() >= number;
        ground.workspace =
            Workspace::open(&[ground.around.clone()], Arc::new(FaultyDisk::new()), None).unwrap();
        reopen(&ground, &Arc::new(FaultyDisk::new()))
            .recover_commits()
            .unwrap();
        let tree = ground.tree();
        if ground.root.join("n/e/w").exists() {
            there += 1;
            assert_eq!(ground.text("n/e/w"), "old");
        } else {
            gone += 1;
            assert!(tree.is_empty(), "died before call {number}: {tree:?}");
        }
        if !died {
            break;
        }
    }
    assert!(gone > 5 && there > 5, "{gone} {there}");
}

/// Recovery leaves a folder of that name alone if another program made it or put something into it.
#[test]
fn a_folder_that_is_not_ours_or_not_empty_stays_after_a_crash() {
    let mut deaths = 0;
    for number in 1.. {
        let Some(ground) = dead_at(&KINDS[1], number) else {
            break;
        };
        let at = |name: &str| ground.root.join(name);
        if !at("n/e").is_dir() || at("n/e/w").exists() {
            continue;
        }
        deaths += 1;
        fs::write(at("n/theirs"), "x").unwrap();
        fs::rename(at("n/e"), at("moved")).unwrap();
        fs::create_dir(at("n/e")).unwrap();
        let workspace = reopen(&ground, &Arc::new(FaultyDisk::new()));
        workspace.recover_commits().unwrap();
        assert_eq!(ground.text("n/theirs"), "x");
        assert!(at("n/e").is_dir() && at("moved").is_dir());
        assert!(workspace.recover_commits().unwrap().is_empty());
    }
    assert!(deaths > 5, "{deaths}");
}

/// Another program edits the second of three files after the crash: its text stays, and the other two are rolled back.
#[test]
fn what_others_wrote_after_the_crash_stays() {
    let kind = CommitKind {
        name: "three",
        prepare: |ground| {
            for name in ["a", "b", "c"] {
                ground.put(name, "old");
            }
        },
        act: |ground, commit| {
            let seen = ["a", "b", "c"].map(|name| ground.seen(name));
            commit(seen.iter().map(|seen| seen.whole(b"new")).collect())
        },
    };
    let mut mixed = 0;
    for number in 1.. {
        let Some(ground) = dead_at(&kind, number) else {
            break;
        };
        let stood = ["a", "b", "c"].map(|name| ground.text(name));
        fs::write(ground.root.join("b"), "theirs").unwrap();
        let workspace = reopen(&ground, &Arc::new(FaultyDisk::new()));
        workspace.recover_commits().unwrap();
        assert_eq!(ground.text("b"), "theirs");
        let (a, c) = (ground.text("a"), ground.text("c"));
        assert_eq!(a, c, "died before call {number}: stood {stood:?}");
        mixed += usize::from(stood[0] != stood[2]);
        assert_eq!(ground.tree().len(), 3, "{:?}", ground.tree());
    }
    assert!(mixed > 3, "{mixed}");
}

/// A rewrite in place is killed, and another program writes the same file before recovery runs: recovery does not take
/// the file for torn and leaves it as it is.
#[test]
fn a_file_rewritten_by_others_after_the_crash_is_not_taken_for_torn() {
    let kind = &KINDS[2];
    let (mut deaths, mut kept) = (0, 0);
    for number in 1.. {
        let Some(ground) = dead_at(kind, number) else {
            break;
        };
        deaths += 1;
        let stood = ground.text("a");
        fs::write(ground.root.join("a"), format!("{stood} and theirs")).unwrap();
        let workspace = reopen(&ground, &Arc::new(FaultyDisk::new()));
        let healed = workspace.recover_commits().unwrap();
        assert_eq!(
            ground.text("a"),
            format!("{stood} and theirs"),
            "died before call {number}: {healed:?}"
        );
        kept += usize::from(
            healed
                .iter()
                .any(|one| matches!(one.outcome, RecoveryOutcome::Kept(_))),
        );
    }
    assert!(deaths > 10 && kept > 3, "{deaths} {kept}");
}

/// A program that reads a torn file at that moment delays its recovery; recovery waits for it.
#[test]
#[cfg(target_os = "linux")]
fn a_reader_does_not_keep_a_torn_file_torn() {
    // The new text is shorter: between its last byte and the new length the file is torn.
    let kind = CommitKind {
        act: |ground, commit| commit(vec![ground.seen("a").whole(b"new")]),
        ..KINDS[2]
    };
    let torn = |ground: &Ground| ground.text("a") == "new3456789";
    let number = (1..).find(|&number| torn(&dead_at(&kind, number).unwrap()));
    let ground = dead_at(&kind, number.unwrap()).unwrap();
    let reader = Mutex::new(fs::File::open(ground.root.join("a")).ok());
    let disk = Arc::new(FaultyDisk::new());
    disk.set_hook(move |call| {
        if call.method == "pause" {
            drop(reader.lock().unwrap().take());
        }
    });
    let healed = reopen(&ground, &disk).recover_commits().unwrap();
    assert_eq!(healed.len(), 1, "{healed:?}");
    assert_eq!(ground.text("a"), "0123456789");
}

/// The first commit of a workspace runs recovery before it writes.
#[test]
fn the_first_write_recovers() {
    let kind = &KINDS[0];
    let exchanged = (1..).find(|&number| {
        dead_at(kind, number).is_some_and(|ground| ground.text("a") != "0123456789")
    });
    let ground = dead_at(kind, exchanged.unwrap()).unwrap();
    assert_eq!(ground.tree().len(), 2, "the old file under its other name");
    let workspace = reopen(&ground, &Arc::new(FaultyDisk::new()));
    let located = workspace.locate(&ground.root.join("new")).unwrap();
    workspace
        .commit(vec![crate::ground::creation(&located, b"x")])
        .unwrap();
    assert_eq!(ground.tree().len(), 2);
    assert_eq!(ground.displaced_texts(), ["0123456789"]);
    let again: Result<_, CommitError> = workspace.commit(vec![]);
    assert!(again.unwrap().is_empty());
}

/// A commit of one file died after its swap, and another program's file has the temporary name: both are kept and
/// reported.
#[test]
fn what_is_unclear_after_a_crash_is_kept_on_both_sides() {
    let kind = &KINDS[0];
    let exchanged = (1..).find(|&number| {
        dead_at(kind, number).is_some_and(|ground| ground.text("a") != "0123456789")
    });
    for (at_name, beside) in [(None, Some("theirs")), (Some("theirs"), None)] {
        let ground = dead_at(kind, exchanged.unwrap()).unwrap();
        let ours = ground.text("a");
        let aside = ground.root.join(
            ground
                .tree()
                .keys()
                .find(|name| name.starts_with(".lancet-"))
                .unwrap(),
        );
        if let Some(text) = at_name {
            fs::write(ground.root.join("a"), text).unwrap();
        }
        if let Some(text) = beside {
            fs::write(&aside, text).unwrap();
        }
        let workspace = reopen(&ground, &Arc::new(FaultyDisk::new()));
        let healed = workspace.recover_commits().unwrap();
        assert!(
            matches!(&healed[..], [one] if matches!(one.outcome, RecoveryOutcome::Kept(_))),
            "{healed:?}"
        );
        assert_eq!(ground.text("a"), at_name.unwrap_or(&ours));
        assert_eq!(ground.displaced_texts(), [beside.unwrap_or("0123456789")]);
        assert_eq!(ground.tree().len(), 1);
    }
}

/// A journal entry from before a restart of the system is judged by the content of the files, because inode numbers may
/// have changed.
#[test]
fn a_record_of_another_start_is_judged_by_content() {
    let kind = &KINDS[0];
    let exchanged = (1..).find(|&number| {
        dead_at(kind, number).is_some_and(|ground| ground.text("a") != "0123456789")
    });
    let ground = dead_at(kind, exchanged.unwrap()).unwrap();
    let ours = ground.text("a");
    // Another inode with the same bytes: some file systems renumber their files at each mount.
    fs::write(ground.root.join("copy"), &ours).unwrap();
    fs::rename(ground.root.join("copy"), ground.root.join("a")).unwrap();
    let log = fs::read_dir(ground.state.join("journal")).unwrap().next();
    let log = log.unwrap().unwrap().path();
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let text = fs::read_to_string(&log).unwrap();
    assert!(text.contains(boot.trim()), "the start is on record");
    let workspace = reopen(&ground, &Arc::new(FaultyDisk::new()));
    let healed = workspace.recover_commits().unwrap();
    assert!(
        matches!(healed[0].outcome, RecoveryOutcome::Kept(_)),
        "of this start: not ours: {healed:?}"
    );
    let ground = dead_at(kind, exchanged.unwrap()).unwrap();
    fs::write(ground.root.join("copy"), &ours).unwrap();
    fs::rename(ground.root.join("copy"), ground.root.join("a")).unwrap();
    let disk = Arc::new(FaultyDisk::new());
    disk.set_boot_id("another");
    let healed = reopen(&ground, &disk).recover_commits().unwrap();
    assert_eq!(healed[0].outcome, RecoveryOutcome::Finished);
    assert_eq!(ground.text("a"), ours);
    assert_eq!(ground.displaced_texts(), ["0123456789"]);
}
