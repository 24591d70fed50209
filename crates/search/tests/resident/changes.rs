//! Changes that a resident tree must take in together: a folder that moves with folders in it, and several files whose
//! times change between two searches.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use lancet_search::{
    CannotAnswer, FileFilter, KeepContents, NotResident, ResultOrder, SearchSummary, Walk,
    WalkedFile, list_files, list_resident,
};
use lancet_testing::TestFolder;

use crate::folder::{ResidentFolder, scope};

/// Makes a folder with files, and its resident tree.
fn filled(files: &[&str]) -> (TestFolder, ResidentFolder) {
    let folder = TestFolder::new();
    for file in files {
        folder.put(file, file);
    }
    let tree = ResidentFolder::build(folder.path(), KeepContents::Yes);
    (folder, tree)
}

/// Runs a walk that lists all files, newest first.
fn with_walk<T>(folder: &TestFolder, tree: &ResidentFolder, ask: impl FnOnce(&Walk<'_>) -> T) -> T {
    let filter = FileFilter::default()
        .with_globs(&[folder.path()], &["**/*.txt"])
        .expect("a glob");
    tree.with_walk(&filter, 1, ask)
}

fn listed(folder: &TestFolder, tree: &ResidentFolder) -> Result<SearchSummary, CannotAnswer> {
    let linked = |_: &WalkedFile<'_>, _: u64| true;
    with_walk(folder, tree, |walk| {
        list_resident(&tree.trees, &scope(), walk, ResultOrder::Newest, &linked)
    })
}

/// Returns the files in memory, newest first, which are those that a walk finds.
fn newest(folder: &TestFolder, tree: &ResidentFolder) -> Vec<PathBuf> {
    let names = |mut summary: SearchSummary| -> Vec<PathBuf> {
        let files = summary.files.all_entries().iter();
        files.map(|file| file.relative.to_path_buf()).collect()
    };
    let ours = names(listed(folder, tree).expect("answered from memory"));
    let theirs = with_walk(folder, tree, |walk| {
        list_files(walk, ResultOrder::Newest, &|_, _| true)
    });
    assert_eq!(ours, names(theirs));
    ours
}

/// Sets the time of a file, in seconds.
fn age(folder: &TestFolder, file: &str, seconds: u64) {
    let opened = fs::File::options().write(true).open(folder.join(file));
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    opened.expect("there").set_modified(time).expect("set");
}

#[test]
fn a_folder_inside_a_folder_that_moved_is_still_watched() {
    for (from, to) in [("z", "a"), ("a", "z")] {
        let old = format!("{from}/moved/deep/deeper/old.txt");
        let (folder, tree) = filled(&[&old, "a/x.txt", "z/x.txt"]);
        assert_eq!(newest(&folder, &tree).len(), 3);
        let moved = folder.join(to).join("moved");
        fs::rename(folder.join(from).join("moved"), &moved).expect("moved");
        assert_eq!(newest(&folder, &tree).len(), 3);
        for (number, inner) in ["", "deep", "deep/deeper"].iter().enumerate() {
            fs::write(moved.join(inner).join("new.txt"), "new").expect("written");
            assert_eq!(
                newest(&folder, &tree).len(),
                4 + number,
                "{from} to {to}: {inner}"
            );
        }
    }
}

#[test]
fn files_whose_times_change_together_stand_in_the_order_of_their_times() {
    let names: Vec<String> = (0..9).map(|number| format!("f{number}.txt")).collect();
    let (folder, tree) = filled(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for (name, seconds) in names.iter().zip((10..).step_by(10)) {
        age(&folder, name, seconds);
    }
    assert_eq!(newest(&folder, &tree)[0], Path::new("f8.txt"));
    // In turn the newest becomes the oldest and one in the middle moves up, many times over.
    for round in 0..30 {
        for (number, name) in names.iter().enumerate() {
            if (number + round) % 3 != 0 {
                age(&folder, name, (number * 37 + round * 53) as u64 % 101);
            }
        }
        newest(&folder, &tree);
    }
}

#[test]
fn a_list_keeps_its_places_while_files_of_it_change_and_go() {
    let names: Vec<String> = (0..400).map(|number| format!("f{number:03}.txt")).collect();
    let (folder, tree) = filled(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for (name, seconds) in names.iter().zip(1_000..) {
        age(&folder, name, seconds);
    }
    let mut first = listed(&folder, &tree).expect("answered from memory");
    let mut again = listed(&folder, &tree).expect("answered from memory");
    let before = first.files.copy_range(0..400).expect("all");
    assert_eq!(before.len(), 400);
    fs::remove_file(folder.join(&before[300].relative)).expect("removed");
    let changed = before[350].relative.to_string_lossy().into_owned();
    age(&folder, &changed, 7);
    listed(&folder, &tree).expect("the changes are taken in");
    let after = again.files.copy_range(0..400).expect("all");
    for (at, (before, after)) in before.iter().zip(&after).enumerate() {
        assert_eq!(before.relative, after.relative, "{at}");
        let is_other = at == 300 || at == 350;
        assert_eq!(before.modified != after.modified, is_other, "{at}");
    }
    assert_ne!(
        after[350].modified,
        (7, 0),
        "a file that changed since must not pass for what was listed"
    );
}

#[test]
fn a_search_does_not_wait_until_a_large_folder_that_has_come_is_read() {
    let (folder, tree) = filled(&["a.txt"]);
    // The file is hidden, so that it is not in the tree yet.
    let large = folder.join(".large");
    fs::create_dir(&large).expect("made");
    for number in 0..2_500 {
        fs::write(large.join(format!("{number}.txt")), "text").expect("written");
    }
    assert_eq!(newest(&folder, &tree).len(), 1);
    fs::rename(&large, folder.join("large")).expect("renamed");
    let lost = listed(&folder, &tree).expect_err("it is built anew");
    assert_eq!(lost, CannotAnswer::Lost(0, NotResident::Changing));
}

#[test]
fn a_large_file_that_grows_does_not_end_the_tree() {
    let (folder, tree) = filled(&["a.txt"]);
    let file = folder.join("log.txt");
    fs::write(&file, "line\n".repeat(7 << 20)).expect("written");
    for round in 0..4 {
        assert_eq!(newest(&folder, &tree).len(), 2, "round {round}");
        let opened = fs::File::options().append(true).open(&file);
        std::io::Write::write_all(&mut opened.expect("there"), b"more\n").expect("appended");
    }
}
