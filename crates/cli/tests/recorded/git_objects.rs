//! What happens to contents that only git has when git drops them, or a command removes `.git`.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use lancet_testing::small_disk::SmallDisk;
use serde_json::json;

use crate::failures::noise;
use crate::stage::Stage;
use crate::{git, log, tree};

/// Makes a repository with a clean work tree, half of it in a pack and half in loose objects.
fn repository(stage: &Stage) {
    for name in ["packed/a.txt", "packed/b.txt", "loose/c.txt", "loose/d.txt"] {
        stage.file(name, &format!("{name}\n"));
    }
    // Files that are as recent as the index are not clean by their stat.
    sleep(Duration::from_millis(2_200));
    git(stage, &["init", "-q", "-b", "main"]);
    git(stage, &["add", "packed"]);
    git(stage, &["commit", "-qm", "first"]);
    git(stage, &["gc", "-q"]);
    git(stage, &["add", "loose"]);
    git(stage, &["commit", "-qm", "second"]);
}

/// Makes git forget everything that the branch does not have.
fn forget(stage: &Stage) {
    git(stage, &["reflog", "expire", "--expire=now", "--all"]);
    git(stage, &["gc", "-q", "--prune=now"]);
}

/// Returns the files below a folder, at any depth.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).expect("listed").flatten() {
            match entry.path().is_dir() {
                true => waiting.push(entry.path()),
                false => found.push(entry.path()),
            }
        }
    }
    found
}

fn state(stage: &Stage) -> PathBuf {
    stage.home().join(".local/state/lancet")
}

#[test]
fn everything_comes_back_after_a_command_removed_it_with_git() {
    let stage = Stage::new();
    repository(&stage);
    let before = tree(&stage.project());
    assert_eq!(stage.run(&["checkpoint"]).code, 0);
    let links = files_below(&state(&stage).join("git-objects"));
    let is_shared = |path: &PathBuf| path.metadata().expect("a stat").nlink() == 2;
    assert_eq!(links.len(), 4, "a pack, its index, two blobs: {links:?}");
    assert!(links.iter().all(is_shared), "no space is used: {links:?}");

    let run = stage.run(&["run", "find", ".", "-mindepth", "1", "-delete"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!stage.project().join(".git").exists());
    assert!(tree(&stage.project()).is_empty());
    let recorded = log(&stage);
    assert_eq!(recorded[0]["notKept"], json!([]), "{recorded:#?}");
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(tree(&stage.project()), before);
    let redo = stage.run(&["redo", "--yes"]);
    assert_eq!(redo.code, 0, "{redo:?}");
    assert!(tree(&stage.project()).is_empty());
}

#[test]
fn what_git_forgot_comes_back_from_a_checkpoint_until_it_is_removed() {
    let stage = Stage::new();
    repository(&stage);
    assert_eq!(stage.run(&["checkpoint", "at-first"]).code, 0);
    for name in ["packed/a.txt", "packed/b.txt", "loose/c.txt", "loose/d.txt"] {
        stage.file(name, "another text\n");
    }
    git(&stage, &["checkout", "-q", "--orphan", "new"]);
    git(&stage, &["commit", "-qam", "new"]);
    git(&stage, &["branch", "-qD", "main"]);
    forget(&stage);
    let restore = |name: &str| {
        let run = stage.run(&["restore", &format!("{name}@at-first"), "--yes"]);
        (run.code, stage.text(name))
    };
    for name in ["packed/a.txt", "loose/c.txt"] {
        assert_eq!(restore(name), (0, format!("{name}\n")));
    }

    let listed = stage.run(&["gc"]);
    let line = "3 objects (";
    assert!(listed.out.contains(line), "{listed:?}");
    let tip = "that git no longer has in";
    assert!(listed.out.contains(tip), "{listed:?}");
    assert!(listed.out.contains("`lancet gc --git` removes them"));
    let (code, data) = stage.json(&["gc", "--git", "--json"]);
    assert_eq!((code, &data["droppedGitObjects"]), (0, &json!([])));
    assert!(data["removedBytes"].as_u64() > Some(0), "{data}");
    let (code, text) = restore("packed/b.txt");
    assert_ne!(code, 0);
    assert_eq!(text, "another text\n");
}

#[test]
fn what_git_dropped_goes_when_the_checkpoints_take_too_much() {
    let stage = Stage::new();
    stage.file("packed/a.txt", "");
    fs::write(stage.project().join("packed/large.bin"), noise(2 << 20)).expect("written");
    repository(&stage);
    assert_eq!(stage.run(&["checkpoint", "at-first"]).code, 0);
    fs::remove_dir_all(stage.project().join(".git")).expect("removed");
    let bytes = |path: &PathBuf| path.metadata().expect("a stat").len();
    let kept = || {
        let files = files_below(&state(&stage).join("git-objects"));
        files.iter().map(bytes).sum::<u64>()
    };
    assert_eq!(stage.run(&["gc"]).code, 0);
    assert!(kept() > 2 << 20, "within the limit");
    stage.user_settings("[checkpoint]\nmax_size = \"1MiB\"\n");
    assert_eq!(stage.run(&["gc"]).code, 0);
    assert!(kept() <= 1 << 20);
}

/// Puts the state folder on another file system; none where nothing can be mounted.
fn state_elsewhere(stage: &Stage) -> Option<SmallDisk> {
    SmallDisk::mount_at(&state(stage), 40_000)
}

#[test]
fn on_another_file_system_a_content_is_copied_when_its_file_changes() {
    let stage = Stage::new();
    let Some(_disk) = state_elsewhere(&stage) else {
        return;
    };
    repository(&stage);
    assert_eq!(stage.run(&["checkpoint", "at-first"]).code, 0);
    stage.file("loose/c.txt", "another text\n");
    assert_eq!(stage.run(&["checkpoint"]).code, 0);
    git(&stage, &["commit", "-qa", "--amend", "-m", "third"]);
    forget(&stage);
    let restored = stage.run(&["restore", "loose/c.txt@at-first", "--yes"]);
    assert_eq!(restored.code, 0, "{restored:?}");
    assert_eq!(stage.text("loose/c.txt"), "loose/c.txt\n");
}

#[test]
fn on_another_file_system_a_command_that_removes_git_leaves_what_it_left() {
    let stage = Stage::new();
    let Some(_disk) = state_elsewhere(&stage) else {
        return;
    };
    repository(&stage);
    let script = "rm -rf .git; echo changed > packed/a.txt; echo new > new.txt";
    assert_eq!(stage.run(&["run", "sh", "-c", script]).code, 0);
    let recorded = log(&stage);
    let not_kept = recorded[0]["notKept"].as_array().expect("a list");
    let named: Vec<&str> = not_kept.iter().filter_map(|path| path.as_str()).collect();
    assert_eq!(named.len(), 1, "{recorded:#?}");
    assert!(named[0].ends_with("packed/a.txt"), "{named:?}");
    // The other files were read, since nothing else has their contents by now.
    let run = stage.run(&["run", "sh", "-c", "echo changed > packed/b.txt"]);
    assert_eq!(run.code, 0, "{run:?}");
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(stage.text("packed/b.txt"), "packed/b.txt\n");
}
