//! What a look covers may change while a command runs: files that become ignored, or no longer are, did not change.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use crate::stage::Stage;
use crate::{log, tree};

/// Longer than the tick of the clock that file systems use.
const TICK: Duration = Duration::from_millis(60);

/// Returns the kinds and names of the files of the newest operation.
fn files(stage: &Stage) -> Vec<(String, String)> {
    let log = log(stage);
    let files = log[0]["files"].as_array().expect("files").iter();
    let named = files.map(|file| {
        let path = file["file_path"].as_str().expect("a path");
        let root = format!("{}/", stage.project().display());
        let name = path.strip_prefix(&root).unwrap_or(path).to_owned();
        (file["type"].as_str().expect("a kind").to_owned(), name)
    });
    named.collect()
}

fn kinds(found: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = found
        .iter()
        .map(|(kind, name)| ((*kind).to_owned(), (*name).to_owned()));
    owned.collect()
}

#[test]
fn a_file_that_becomes_ignored_is_not_removed_and_one_that_no_longer_is_not_made() {
    let stage = Stage::new();
    stage.file(".gitignore", "hidden/\n");
    stage.file("hidden/old.txt", "old\n");
    stage.file("data/large.txt", &"line\n".repeat(30_000));
    stage.file("data/changed.txt", "one\n");
    let before = tree(&stage.project());
    sleep(TICK);
    let script =
        "printf 'data/\n' > .gitignore && echo two > data/changed.txt && echo new > new.txt";
    let run = stage.run(&["run", "sh", "-c", script]);
    assert_eq!(run.code, 0, "{run:?}");
    let wanted = kinds(&[
        ("update", ".gitignore"),
        ("update", "data/changed.txt"),
        ("create", "new.txt"),
    ]);
    assert_eq!(files(&stage), wanted);
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(tree(&stage.project()), before);
}

#[test]
fn a_folder_that_only_became_empty_is_not_named_as_lost() {
    let stage = Stage::new();
    stage.file("folder/only.txt", "one\n");
    fs::create_dir(stage.project().join("empty")).expect("made");
    let before = tree(&stage.project());
    let script = "rm folder/only.txt && echo one > empty/first.txt";
    let run = stage.run(&["run", "sh", "-c", script]);
    assert_eq!(run.code, 0, "{run:?}");
    let log = log(&stage);
    assert_eq!(
        log[0]["notKept"].as_array().map(Vec::len),
        Some(0),
        "{log:#?}"
    );
    let undo = stage.run(&["undo", "--yes"]);
    assert_eq!(undo.code, 0, "{undo:?}");
    assert_eq!(tree(&stage.project()), before);
}
