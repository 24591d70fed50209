//! A look by means of a root's listing records what a scan of the root records.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use lancet_git::GlobalFiles;
use lancet_history::{CheckpointEntry, CheckpointKind, CheckpointStore as _, Store, WorkspaceRef};
use lancet_recording::{LookDepth, Recorder, ScanCoverage, Unattributed};
use lancet_search::AllowAll;
use lancet_testing::{TestFolder, git, judges};
use lancet_workspace::RealDisk;

/// Longer than a change of a file or folder may leave its stat as it was.
const UNTIL_STATS_PROVE: Duration = Duration::from_millis(3_200);

const WORKSPACE: [u8; 32] = [7; 32];

/// What a look covers.
#[derive(Clone, Copy)]
struct Coverage {
    fingerprint: u8,
    left_out: &'static str,
}

const EVERYTHING: Coverage = Coverage {
    fingerprint: 1,
    left_out: "",
};

/// Sets a checkpoint in the history of a state folder and returns its entries. Without `listing` the root is scanned.
fn look(
    state: &Path,
    root: &Path,
    listing: Option<&Path>,
    coverage: Coverage,
) -> Vec<CheckpointEntry> {
    let store = Store::new(state);
    let count = Cell::new(0);
    let new_id = || {
        count.set(count.get() + 1);
        let time = std::time::UNIX_EPOCH.elapsed().expect("a time");
        format!("{:x}-{}", time.as_nanos(), count.get())
    };
    let recorder = Recorder {
        workspace: WorkspaceRef {
            id: WORKSPACE,
            root,
        },
        disk: Arc::new(RealDisk),
        store: &store,
        coverage: ScanCoverage {
            excludes: None,
            gate: &AllowAll,
            leaves_out: &|path| path.to_str() == Some(coverage.left_out),
            takes_in: &|path| path.ends_with("taken.log"),
            may_take_in_below: &|_| false,
            largest_file: u64::MAX,
            most_bytes: u64::MAX,
            fingerprint: &|| [coverage.fingerprint; 32],
        },
        outside: GlobalFiles::default(),
        linked_objects: Some(&state.join("objects")),
        listing,
        new_id: &new_id,
        read_until: None,
        changes: None,
        held_root: None,
    };
    let (kind, unattributed) = (CheckpointKind::ByHand, Unattributed::AfterLeftCall);
    let look = recorder.set_checkpoint(kind, None, "s", unattributed, LookDepth::Full);
    let look = look.expect("a look");
    let entries = store.checkpoint_entries(&WORKSPACE, look.number);
    let entries = entries.expect("entries");
    assert_eq!(look.files, entries.len() as u64, "the number of entries");
    entries
}

/// Returns the listing of the root in a folder.
fn listing_of(folder: &TestFolder) -> PathBuf {
    folder.join("listed/listing")
}

/// Looks at the root in a folder with and without a listing, and compares what is recorded apart from the times of the
/// stats.
fn compare(folder: &TestFolder, after: &str, coverage: Coverage) {
    let (root, listing) = (folder.join("root"), listing_of(folder));
    let listed = look(&folder.join("listed"), &root, Some(&listing), coverage);
    let scanned = look(&folder.join("scanned"), &root, None, coverage);
    let describe = |entries: Vec<CheckpointEntry>| -> Vec<(String, CheckpointEntry)> {
        let described = entries.into_iter().map(|mut entry| {
            entry.stamp.0[8..].fill(0);
            if entry.size == 0 {
                entry.stamp.0.fill(0);
            }
            let name = String::from_utf8_lossy(&entry.name).into_owned();
            (name, entry)
        });
        described.collect()
    };
    assert_eq!(describe(listed), describe(scanned), "after {after}");
}

/// Identifies the listing: one that is written again has another inode.
fn listing_inode(folder: &TestFolder) -> u64 {
    let found = fs::metadata(listing_of(folder));
    found.expect("a listing was written").ino()
}

/// A sequence of numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, text).expect("written");
}

/// Makes one change of a tree and says which.
fn change(root: &Path, numbers: &mut Numbers, step: usize) -> String {
    const FOLDERS: [&str; 6] = ["a", "a/in", "a/in/deep", "b", "b/empty", "new/one"];
    const FILES: [&str; 6] = ["x.txt", "y.txt", "z.rs", "big.log", "taken.log", "link"];
    let folder = FOLDERS[numbers.below(FOLDERS.len())];
    let file = Path::new(folder).join(FILES[numbers.below(FILES.len())]);
    let other = FOLDERS[numbers.below(FOLDERS.len())];
    let (place, at) = (root.join(folder), root.join(&file));
    let text = format!("step {step}\n");
    // A change that is not possible is none.
    let done = match numbers.below(10) {
        0..3 => fs::write(&at, &text).map(|()| "write"),
        3 => fs::create_dir_all(&place).map(|()| "make folder"),
        4 => fs::remove_file(&at).map(|()| "remove"),
        5 => fs::remove_dir_all(&place).map(|()| "remove folder"),
        6 => fs::rename(&place, root.join(other).join("moved")).map(|()| "move folder"),
        7 => symlink(format!("target{step}"), at.with_extension(step.to_string())).map(|()| "link"),
        8 => fs::set_permissions(&at, fs::Permissions::from_mode(0o600)).map(|()| "mode"),
        _ => fs::write(&at, text.repeat(20_000)).map(|()| "write a large file"),
    };
    format!(
        "step {step}, {} {}",
        done.unwrap_or("nothing"),
        file.display()
    )
}

#[test]
fn random_changes_are_recorded_by_the_listing_as_by_a_scan() {
    let folder = TestFolder::new();
    let root = folder.make("root");
    put(&root.join(".gitignore"), "*.log\nleft/\n");
    for name in [
        "a/x.txt",
        "a/in/y.txt",
        "a/in/deep/z.rs",
        "b/x.txt",
        "top.txt",
    ] {
        put(&root.join(name), "one\n");
    }
    put(&root.join("a/big.log"), &"line\n".repeat(30_000));
    put(&root.join("a/small.log"), "small\n");
    put(&root.join("left/out.txt"), "ignored\n");
    fs::create_dir_all(root.join("b/empty")).expect("made");
    fs::create_dir_all(root.join("b/gone")).expect("made");
    sleep(UNTIL_STATS_PROVE);
    compare(&folder, "the beginning", EVERYTHING);
    let listing = listing_inode(&folder);
    compare(&folder, "nothing", EVERYTHING);

    // A folder that moves away and back leaves the stats of its files as they were.
    fs::rename(root.join("b"), root.join("away")).expect("moved");
    compare(&folder, "a folder moved away", EVERYTHING);
    fs::rename(root.join("away"), root.join("b")).expect("moved");
    compare(&folder, "it moved back", EVERYTHING);
    fs::write(root.join("a/big.log"), "small\n").expect("written");
    compare(&folder, "an ignored file became small", EVERYTHING);
    fs::write(root.join("left/more.txt"), "ignored\n").expect("written");
    compare(&folder, "a file in an ignored folder", EVERYTHING);
    fs::remove_dir(root.join("b/gone")).expect("removed");
    compare(&folder, "an empty folder is gone", EVERYTHING);
    let mut numbers = Numbers(36);
    for step in 0..120 {
        let what = change(&root, &mut numbers, step);
        compare(&folder, &what, EVERYTHING);
    }
    assert_eq!(
        listing_inode(&folder),
        listing,
        "the listing was used all the time"
    );

    put(&root.join(".gitignore"), "*.rs\n");
    compare(&folder, "other rules", EVERYTHING);
    assert!(
        !listing_of(&folder).exists(),
        "rules that were written just now prove nothing"
    );
}

#[test]
fn a_listing_is_of_no_use_if_it_is_damaged_or_what_is_covered_changed() {
    let folder = TestFolder::new();
    let root = folder.make("root");
    for name in ["a/x.txt", "a/y.txt", "b/x.txt"] {
        put(&root.join(name), "one\n");
    }
    sleep(UNTIL_STATS_PROVE);
    compare(&folder, "the beginning", EVERYTHING);
    let narrower = Coverage {
        fingerprint: 2,
        left_out: "b",
    };
    compare(&folder, "a folder is left out", narrower);
    compare(&folder, "it is covered again", EVERYTHING);
    let listing = listing_of(&folder);
    let bytes = fs::read(&listing).expect("a listing");
    for at in [0, 20, 40, bytes.len() / 2, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        fs::write(&listing, damaged).expect("written");
        compare(&folder, &format!("byte {at} is damaged"), EVERYTHING);
        fs::write(&listing, &bytes[..at]).expect("written");
        compare(&folder, &format!("only {at} bytes are left"), EVERYTHING);
    }
    // A listing that is older than other looks says so.
    fs::write(root.join("a/x.txt"), "two\n").expect("written");
    compare(&folder, "a change", EVERYTHING);
    fs::write(&listing, &bytes).expect("written");
    fs::write(root.join("a/y.txt"), "two\n").expect("written");
    compare(&folder, "the listing lacks a look", EVERYTHING);
    compare(&folder, "it has it now", EVERYTHING);
}

#[test]
fn files_that_git_tracks_in_ignored_folders_are_looked_at() {
    if !Path::new("/usr/bin/git").exists() {
        return judges::missing("git");
    }
    let folder = TestFolder::new();
    let (home, root) = (folder.make("home"), folder.make("root"));
    let git = |arguments: &[&str]| git::git(&home, &root, arguments);
    put(&root.join(".gitignore"), "out/\n*.log\n");
    for name in ["a.txt", "out/tracked.txt", "out/other.txt", "in.log"] {
        put(&root.join(name), "one\n");
    }
    put(&root.join("big.log"), &"line\n".repeat(30_000));
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["add", "-f", "out/tracked.txt"]);
    git(&["commit", "-qm", "first"]);
    git(&["gc", "-q"]);
    sleep(UNTIL_STATS_PROVE);
    git(&["update-index", "--refresh"]);
    sleep(UNTIL_STATS_PROVE);
    compare(&folder, "the beginning", EVERYTHING);
    let listing = listing_inode(&folder);
    put(&root.join("out/tracked.txt"), "two\n");
    compare(&folder, "a tracked file changed", EVERYTHING);
    put(&root.join("out/other.txt"), "two\n");
    compare(&folder, "an ignored file changed", EVERYTHING);
    fs::remove_file(root.join("out/tracked.txt")).expect("removed");
    compare(&folder, "a tracked file is gone", EVERYTHING);
    put(&root.join("out/tracked.txt"), "three\n");
    put(&root.join("a.txt"), "three\n");
    git(&["add", "a.txt"]);
    compare(&folder, "the index has the same names", EVERYTHING);
    assert_eq!(
        listing_inode(&folder),
        listing,
        "the listing was used all the time"
    );
    git(&["add", "-f", "big.log"]);
    compare(&folder, "a large ignored file is tracked", EVERYTHING);
    git(&["add", "-f", "out/other.txt"]);
    compare(&folder, "another file is tracked", EVERYTHING);
}
