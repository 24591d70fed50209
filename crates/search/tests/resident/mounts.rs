//! Checks that a mount over a folder or a file of a resident tree is noticed by the next search, which then walks.

use std::fs;
use std::path::Path;
use std::process::Command;

use lancet_search::{
    CaseMatching, FileFilter, KeepContents, MatchSpan, PageNeed, Pattern, ResultOrder, WalkedFile,
    count_resident,
};
use lancet_testing::judges;
use lancet_testing::small_disk::SmallDisk;

use crate::folder::{ResidentFolder, scope};

/// Unmounts a file when it is dropped.
struct BoundFile<'p>(&'p Path);

impl Drop for BoundFile<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0).status();
    }
}

/// Returns whether a search for a word is answered from memory.
fn is_answered(folder: &ResidentFolder) -> bool {
    let pattern =
        Pattern::new("words", CaseMatching::Sensitive, MatchSpan::SingleLine).expect("one");
    let (order, page) = (ResultOrder::Path, PageNeed::ALL);
    let linked = |_: &WalkedFile<'_>, _: u64| true;
    folder.with_walk(&FileFilter::default(), 2, |walk| {
        let trees = &folder.trees;
        count_resident(trees, &scope(), walk, &pattern, order, &linked, page).is_ok()
    })
}

#[test]
fn a_mount_over_a_folder_or_a_file_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("there");
    let inner = root.join("inner folder");
    fs::create_dir(&inner).expect("made");
    for file in ["a.txt", "b.txt", "inner folder/c.txt"] {
        fs::write(root.join(file), "some words\n").expect("written");
    }
    let elsewhere = tempfile::tempdir().expect("a folder");
    let tree = ResidentFolder::build(&root, KeepContents::No);
    assert!(is_answered(&tree));
    // A mount that does not concern the tree changes nothing.
    let Some(other) = SmallDisk::mount_at(elsewhere.path(), 64) else {
        return;
    };
    assert!(is_answered(&tree));
    let over = SmallDisk::mount_at(&inner, 64).expect("as before");
    assert!(!is_answered(&tree), "mounted");
    let tree = ResidentFolder::build(&root, KeepContents::No);
    assert!(is_answered(&tree));
    drop(over);
    assert!(!is_answered(&tree), "unmounted");
    let tree = ResidentFolder::build(&root, KeepContents::No);
    let (one, two) = (root.join("a.txt"), root.join("b.txt"));
    let bound = Command::new("mount")
        .arg("--bind")
        .args([&one, &two])
        .status();
    if !bound.is_ok_and(|status| status.success()) {
        judges::skipped("a file cannot be bound over another here");
        return;
    }
    let _bound = BoundFile(&two);
    assert!(!is_answered(&tree), "bound");
    drop(other);
}
