//! Empty folders that take the place of files and links, and the reverse; their permission bits; their restore.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::stage::Stage;
use crate::{log, tree};

fn folder(stage: &Stage, name: &str, mode: u32) {
    let path = stage.project().join(name);
    fs::create_dir_all(&path).expect("made");
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
}

#[test]
fn empty_folders_files_and_links_replace_each_other_back_and_forth() {
    let stage = Stage::new();
    stage.file("keep.txt", "kept\n");
    stage.file("file-folder", "a file\n");
    folder(&stage, "folder-file", 0o750);
    folder(&stage, "folder-link", 0o755);
    folder(&stage, "folder-mode", 0o755);
    symlink("keep.txt", stage.project().join("link-folder")).expect("made");
    let before = tree(&stage.project());
    let script = "rm file-folder link-folder; rmdir folder-file folder-link; mkdir -m 711 file-folder; mkdir link-folder; \
                  printf 'x\\000' > folder-file; ln -s /nowhere folder-link; chmod 700 folder-mode; echo more >> keep.txt";
    let run = stage.run(&["run", "sh", "-c", script]);
    assert_eq!(run.code, 0, "{run:?}");
    let after = tree(&stage.project());
    let recorded = log(&stage);
    assert_eq!(recorded[0]["notKept"], serde_json::json!([]));
    let files = recorded[0]["files"].as_array().expect("files");
    assert_eq!(files.len(), 6, "{files:#?}");
    let shown = stage.run(&["show"]);
    for line in [
        "deleted empty folder",
        "new empty folder",
        "empty folder, mode 755 to 700",
    ] {
        assert!(shown.out.contains(line), "{shown:?}");
    }
    for _ in 0..2 {
        let undo = stage.run(&["undo", "--yes"]);
        assert_eq!(undo.code, 0, "{undo:?}");
        assert_eq!(tree(&stage.project()), before);
        let redo = stage.run(&["redo", "--yes"]);
        assert_eq!(redo.code, 0, "{redo:?}");
        assert_eq!(tree(&stage.project()), after);
    }
    let verified = stage.run(&["verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");
}

#[test]
fn what_took_the_place_of_a_folder_and_was_changed_since_is_not_replaced() {
    let stage = Stage::new();
    folder(&stage, "filled", 0o755);
    stage.file("emptied", "a file\n");
    let script = "rmdir filled; echo file > filled; rm emptied; mkdir emptied";
    assert_eq!(stage.run(&["run", "sh", "-c", script]).code, 0);
    stage.file("filled", "theirs\n");
    stage.file("emptied/theirs.txt", "theirs\n");
    let before = tree(&stage.project());
    let undo = stage.run(&["undo", "--yes"]);
    assert_ne!(undo.code, 0, "{undo:?}");
    assert_eq!(tree(&stage.project()), before);
    let undo = stage.run(&["undo", "--yes", "--keep-going"]);
    assert_ne!(undo.code, 0, "{undo:?}");
    assert_eq!(tree(&stage.project()), before);
}

#[test]
fn an_empty_folder_is_restored_from_a_checkpoint() {
    let stage = Stage::new();
    folder(&stage, "gone", 0o750);
    folder(&stage, "replaced", 0o755);
    stage.file("file", "a file\n");
    assert_eq!(stage.run(&["checkpoint", "at-first"]).code, 0);
    let before = tree(&stage.project());
    for name in ["gone", "replaced"] {
        fs::remove_dir(stage.project().join(name)).expect("removed");
    }
    fs::remove_file(stage.project().join("file")).expect("removed");
    stage.file("replaced", "a file by now\n");
    folder(&stage, "file", 0o755);
    for name in ["gone", "replaced", "file"] {
        let state = format!("{name}@at-first");
        let restored = stage.run(&["restore", &state, "--yes"]);
        assert_eq!(restored.code, 0, "{restored:?}");
    }
    assert_eq!(tree(&stage.project()), before);
    let undone = stage.run(&["undo", "--file", "replaced", "--yes"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(stage.text("replaced"), "a file by now\n");
}
