//! The settings for writing files take effect on the disk: in place by pattern, flushed as configured, refused where
//! others cannot be excluded.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use lancet::{Lancet, Mode, Reply};
use lancet_testing::{TestFolder, folder, project, settings};
use serde_json::json;

fn edit(root: &Path, name: &str, text: &str) -> Reply {
    let builder = Lancet::builder()
        .root(root)
        .state_dir(root.with_extension("state"))
        .mode(Mode::AcceptEdits)
        .settings(settings(text));
    let session = builder.open().expect("opened").new_session();
    let file = root.join(name);
    project::read(&session, &file);
    project::edit(&session, &file, "one", "two")
}

/// Makes a folder with one file and returns its inode.
fn place(name: &str) -> (TestFolder, PathBuf, u64) {
    let around = TestFolder::new();
    let root = around.path().join("root");
    let file = folder::put(&root.join(name), "one\n");
    let inode = fs::metadata(&file).expect("there").ino();
    (around, root, inode)
}

#[test]
fn a_pattern_has_its_files_rewritten_in_place_and_no_others() {
    let settings = "[write.strategy]\n\"*.conf\" = \"in_place\"\n";
    for (name, kept, guarantee) in [
        ("etc/a.conf", true, "in-place-leased"),
        ("a.txt", false, "exchange+lease"),
    ] {
        let (_around, root, inode) = place(name);
        let reply = edit(&root, name, settings);
        assert!(!reply.is_error(), "{}", reply.text());
        let file = root.join(name);
        assert_eq!(fs::read_to_string(&file).expect("there"), "two\n");
        assert_eq!(fs::metadata(&file).expect("there").ino() == inode, kept);
        assert_eq!(reply.data()["guarantee"], guarantee);
        assert_eq!(reply.data()["durable"], true);
    }
}

#[test]
fn ordered_durability_says_that_the_folder_was_not_flushed() {
    let (_around, root, _) = place("a.txt");
    let reply = edit(&root, "a.txt", "write.durability = \"ordered\"\n");
    assert_eq!(reply.data()["durable"], false);
    assert_eq!(reply.data()["warnings"], json!([]));
}
