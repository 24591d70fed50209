//! Full disks, removed folders, killed processes: the command's exit code and output stay its own, the history verifies,
//! and the next checkpoint has the files as they are.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use lancet_testing::small_disk::SmallDisk;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::json;

use crate::stage::{Stage, finish};
use crate::{LANCET, log, tree};

fn state(stage: &Stage) -> PathBuf {
    stage.home().join(".local/state/lancet")
}

/// Returns bytes that cannot be compressed.
pub(crate) fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let bytes = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    bytes.flatten().take(length).collect()
}

/// Fails unless what is in the history can be read, and a checkpoint has the files as they are: all are removed and come
/// back.
fn assert_history_is_whole(stage: &Stage) {
    let verified = stage.run(&["verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    let now = tree(&stage.project());
    let run = stage.run(&["run", "find", ".", "-mindepth", "1", "-delete"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(tree(&stage.project()).is_empty());
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(tree(&stage.project()), now);
}

#[test]
fn a_command_is_not_started_if_the_state_folder_has_no_space_for_the_files() {
    let stage = Stage::new();
    let Some(disk) = SmallDisk::mount_at(&state(&stage), 2_000) else {
        return;
    };
    fs::write(stage.project().join("large.bin"), noise(4 << 20)).expect("written");
    let run = stage.run(&["run", "touch", "made"]);
    assert_ne!(run.code, 0);
    assert!(run.err.contains("The command was not started."), "{run:?}");
    assert!(!stage.project().join("made").exists());
    disk.remount("size=40000k");
    let run = stage.run(&["run", "touch", "made"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert_history_is_whole(&stage);
}

#[test]
fn a_disk_that_is_full_after_a_command_changes_neither_its_exit_code_nor_its_output() {
    let stage = Stage::new();
    let Some(disk) = SmallDisk::mount_at(&state(&stage), 4_000) else {
        return;
    };
    stage.file("a.txt", "one\n");
    fs::write(stage.home().join("noise"), noise(3 << 20)).expect("written");
    let script = "cp $HOME/noise large.bin; echo two > a.txt; \
                  dd if=/dev/zero of=$HOME/.local/state/lancet/filler bs=64k 2>/dev/null; echo done; exit 7";
    let run = stage.run(&["run", "sh", "-c", script]);
    assert_eq!((run.code, run.out.as_str()), (7, "done\n"));
    assert!(run.err.contains("cannot be recorded"), "{run:?}");
    assert_eq!(run.err.lines().count(), 1, "{run:?}");
    fs::remove_file(state(&stage).join("filler")).expect("removed");
    disk.remount("size=40000k");

    // What the command changed belongs to a call whose end is not known.
    let next = stage.run(&["run", "true"]);
    assert_eq!((next.code, next.err.as_str()), (0, ""));
    let log = log(&stage);
    assert_eq!(log.len(), 1, "{log:#?}");
    assert_eq!(log[0]["tool"], "unattributed");
    let id = log[0]["operation"].as_str().expect("an id");
    let undo = stage.run(&["undo", id, "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(stage.text("a.txt"), "one\n");
    assert!(!stage.project().join("large.bin").exists());
    assert_history_is_whole(&stage);
}

#[test]
fn a_command_that_removes_the_project_keeps_its_exit_code_and_is_explained() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let project = stage.project();
    let script = format!("cd /; rm -r '{}'; echo removed; exit 3", project.display());
    let run = stage.run(&["run", "sh", "-c", &script]);
    assert_eq!((run.code, run.out.as_str()), (3, "removed\n"));
    assert!(run.err.contains("was removed with 1 file"), "{run:?}");
    fs::create_dir(&project).expect("made");
    stage.file("b.txt", "new\n");
    let run = stage.run(&["run", "rm", "b.txt"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(stage.text("b.txt"), "new\n");
}

#[test]
fn a_child_that_a_command_leaves_behind_is_not_waited_for() {
    let stage = Stage::new();
    let script = "(while [ ! -e $HOME/go ]; do sleep 0.05; done; echo late > late.txt; echo > $HOME/over) \
                  >/dev/null 2>&1 & echo now > now.txt";
    let run = stage.run(&["run", "sh", "-c", script]);
    assert_eq!(run.code, 0, "{run:?}");
    let recorded = log(&stage);
    let files = recorded[0]["files"].as_array().expect("files");
    assert_eq!(files.len(), 1, "{files:#?}");
    fs::write(stage.home().join("go"), "").expect("written");
    while !stage.home().join("over").exists() {
        sleep(Duration::from_millis(20));
    }
    assert_history_is_whole(&stage);
    assert_eq!(stage.text("late.txt"), "late\n");
}

/// A program with its command, which are killed if a test fails.
struct EndedCommand(Child);

impl Drop for EndedCommand {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}

#[test]
fn a_command_that_never_ends_is_in_the_way_of_nothing_and_recorded_when_it_is_stopped() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("b.txt", "one\n");
    assert_eq!(stage.run(&["run", "sh", "-c", "echo two > b.txt"]).code, 0);
    let mut command = stage.command(LANCET);
    let script = "echo two > a.txt; touch changed; exec tail -f /dev/null";
    command.args(["run", "--quiet", "sh", "-c", script]);
    let mut stopped = EndedCommand(command.spawn().expect("started"));
    while !stage.project().join("changed").exists() {
        sleep(Duration::from_millis(10));
    }
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(stage.text("b.txt"), "one\n");
    let set = stage.run(&["checkpoint", "mean-while"]);
    assert_eq!(set.code, 0, "{set:?}");
    kill_process(Pid::from_child(&stopped.0), Signal::TERM).expect("sent");
    let ended = stopped.0.wait().expect("it ends");
    assert_eq!(ended.code(), Some(143));
    let log = log(&stage);
    assert_eq!(
        (&log[0]["tool"], &log[0]["exitCode"]),
        (&json!("run"), &json!(143))
    );
    assert_eq!(
        log[0]["files"].as_array().map(Vec::len),
        Some(2),
        "{log:#?}"
    );
    assert_eq!(stage.text("a.txt"), "two\n");
    assert_history_is_whole(&stage);
}

#[test]
fn files_in_a_folder_that_can_no_longer_be_entered_are_not_recorded_as_removed() {
    let stage = Stage::new();
    stage.file("closed/a.txt", "one\n");
    stage.file("open.txt", "one\n");
    let lancet = |arguments: &[&str]| {
        let mut command = stage.unprivileged();
        command.args(arguments);
        finish(command, b"")
    };
    let script = "chmod 000 closed; echo two > open.txt";
    let run = lancet(&["run", "sh", "-c", script]);
    let own = fs::Permissions::from_mode(0o755);
    fs::set_permissions(stage.project().join("closed"), own).expect("set");
    assert_eq!(run.code, 0, "{run:?}");
    let recorded = log(&stage);
    let files = recorded[0]["files"].as_array().expect("files");
    assert_eq!(files.len(), 1, "{files:#?}");
    let run = lancet(&["run", "rm", "closed/a.txt"]);
    assert_eq!(run.code, 0, "{run:?}");
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(stage.text("closed/a.txt"), "one\n");
}

#[test]
fn killed_at_any_moment_it_leaves_a_history_that_verifies_and_a_true_checkpoint() {
    let stage = Stage::new();
    let script = "for n in 1 2 3 4 5 6 7 8; do echo $RANDOM$n$$ >> f$n.txt; mkdir -p d$n; ln -sfn f$n.txt d$n/link; done; \
                  rm -f f3.txt; mv f4.txt d1/; echo $$ > f9.txt";
    let whole = Instant::now();
    assert_eq!(stage.run(&["run", "sh", "-c", script]).code, 0);
    let whole = whole.elapsed();
    let steps: u32 = 12;
    for step in 0..steps {
        let mut command = stage.command(LANCET);
        command.args(["run", "sh", "-c", script]);
        let mut child = command.spawn().expect("started");
        sleep(whole * step / steps);
        let id = Pid::from_child(&child);
        // The command is in the group of the session that was made for the program.
        let _ = kill_process_group(id, Signal::KILL);
        child.wait().expect("gone");
        let next = stage.run(&["run", "true"]);
        assert_eq!((next.code, next.err.as_str()), (0, ""), "step {step}");
        assert_history_is_whole(&stage);
    }
}
