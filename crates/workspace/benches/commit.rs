//! The cost of a commit compared with the cheapest replacement with fsync (a new file, fsync, rename, fsync of the
//! folder), alternately on the same disk; and how long the lease is held. It prints its figures.
//!
//! `cargo bench -p lancet-workspace --bench commit [-- FOLDER [--calls]]`

#![allow(clippy::print_stdout, reason = "the figures are what this is for")]

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lancet_text::{RawChange, apply_raw};
use lancet_workspace::{
    Disk, ExpectedState, FaultyDisk, FileWrite, NewBytes, OldFile, RealDisk, Revision, Snapshot,
    Workspace, WriteOptions,
};

/// Old contents up to this size are already in the history's database before the write.
const ON_RECORD: usize = 64 * 1024;

/// Makes the cheapest replacement that every careful tool makes.
fn plainly(folder: &File, path: &Path, bytes: &[u8]) {
    let new = path.with_extension("new");
    let mut file = File::create(&new).unwrap();
    file.write_all(bytes).unwrap();
    file.sync_all().unwrap();
    fs::rename(&new, path).unwrap();
    folder.sync_all().unwrap();
}

/// A change of one letter of a file.
struct Change<'p> {
    path: &'p Path,
    seen: Snapshot,
    changes: [RawChange; 1],
    revision: Revision,
}

impl<'p> Change<'p> {
    /// Makes the change, to another letter in each round.
    fn next(workspace: &Workspace, path: &'p Path, round: usize) -> Self {
        let changes = [RawChange {
            range: 10..11,
            bytes: vec![b'a' + (round % 26) as u8],
        }];
        let seen = workspace
            .locate(path)
            .unwrap()
            .read_snapshot(u64::MAX)
            .unwrap();
        let revision = Revision::from_content(&apply_raw(&seen.bytes, &changes));
        Self {
            path,
            seen,
            changes,
            revision,
        }
    }

    /// Commits as lancet does: the revision of the new content is known, since the history needs it before the write,
    /// and a small old content is already recorded. Returns the path of the stored old file, if it was stored.
    fn commit(&self, workspace: &Workspace) -> Option<PathBuf> {
        let seen = &self.seen;
        let old = if seen.bytes.len() <= ON_RECORD {
            OldFile::KeptByCaller
        } else {
            OldFile::Keep
        };
        let located = workspace.locate(self.path).unwrap();
        let write = FileWrite {
            located: &located,
            expected: ExpectedState::Content {
                revision: seen.revision,
                stamp: seen.stamp,
                bytes: Some(Arc::clone(&seen.bytes)),
            },
            new: NewBytes::Spliced {
                base: &seen.bytes,
                changes: &self.changes,
            },
            revision: Some(self.revision),
            options: WriteOptions {
                old,
                ..WriteOptions::default()
            },
        };
        let written = workspace.commit(vec![write]).unwrap().remove(0);
        assert_eq!(
            (written.guarantee.name(), written.durable),
            ("exchange+lease", true)
        );
        written.displaced.map(|displaced| displaced.path)
    }
}

/// Removes a stored old file, which would only fill the disk here.
fn clear(kept: Option<PathBuf>) {
    if let Some(path) = kept {
        fs::remove_file(path).unwrap();
    }
}

fn middle(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn open(folder: &Path, disk: Arc<dyn Disk>) -> Workspace {
    let roots = [folder.join("root")];
    Workspace::open(&roots, disk, Some(folder.join("state"))).unwrap()
}

fn compare(folder: &Path, size: usize, rounds: usize) {
    let root = folder.join("root");
    let (theirs, ours) = (root.join("theirs.txt"), root.join("ours.txt"));
    let workspace = open(folder, Arc::new(RealDisk));
    let handle = File::open(&root).unwrap();
    let bytes = vec![b'x'; size];
    for path in [&theirs, &ours] {
        fs::write(path, &bytes).unwrap();
    }
    let (mut plain, mut swap) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let change = Change::next(&workspace, &ours, round);
        let old = fs::read(&theirs).unwrap();
        let mut new = old.clone();
        new[10] = b'a';
        let mut measure = |ours_now: bool| {
            let begun = Instant::now();
            if ours_now {
                let kept = change.commit(&workspace);
                swap.push(begun.elapsed());
                clear(kept);
            } else {
                plainly(&handle, &theirs, &new);
                plain.push(begun.elapsed());
            }
        };
        measure(round % 2 == 0);
        measure(round % 2 != 0);
    }
    let (plain, swap) = (middle(&mut plain), middle(&mut swap));
    println!(
        "figure 19: {:>9} bytes: fsynced rename {plain:>10.1?}, commit {swap:>10.1?}, ratio {:.2}",
        size,
        swap.as_secs_f64() / plain.as_secs_f64()
    );
}

/// Measures the time from taking the lease to releasing the lock, before the folder is flushed.
fn lease(folder: &Path, size: usize, rounds: usize) {
    let disk = Arc::new(FaultyDisk::new());
    let workspace = open(folder, disk.clone());
    let path = folder.join("root/ours.txt");
    fs::write(&path, vec![b'x'; size]).unwrap();
    let taken: Arc<Mutex<(Option<Instant>, Vec<Duration>)>> = Arc::default();
    let times = Arc::clone(&taken);
    disk.set_hook(move |call| {
        let mut times = times.lock().unwrap();
        match call.method {
            "take_lease" => times.0 = Some(Instant::now()),
            "unlock" => {
                if let Some(begun) = times.0.take() {
                    times.1.push(begun.elapsed());
                }
            }
            _ => {}
        }
    });
    for round in 0..rounds {
        let change = Change::next(&workspace, &path, round);
        clear(change.commit(&workspace));
    }
    let mut times = taken.lock().unwrap();
    times.1.sort_unstable();
    let at = |part: f64| times.1[((times.1.len() - 1) as f64 * part) as usize];
    println!(
        "figure 20: {size:>9} bytes: lease held, median {:?}, p99 {:?}, most {:?}",
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

/// Shows where the time of a commit goes: from each call of the disk to the next, in the order of the calls.
fn calls(folder: &Path, size: usize, rounds: usize) {
    let disk = Arc::new(FaultyDisk::new());
    let workspace = open(folder, disk.clone());
    let path = folder.join("root/ours.txt");
    fs::write(&path, vec![b'x'; size]).unwrap();
    let log: Arc<Mutex<Vec<(&'static str, Instant)>>> = Arc::default();
    let heard = Arc::clone(&log);
    disk.set_hook(move |call| heard.lock().unwrap().push((call.method, Instant::now())));
    let mut all: Vec<Vec<(&'static str, Duration)>> = Vec::new();
    for round in 0..rounds {
        let change = Change::next(&workspace, &path, round);
        log.lock().unwrap().clear();
        let kept = change.commit(&workspace);
        let end = Instant::now();
        let log = log.lock().unwrap().clone();
        clear(kept);
        let ends = log.iter().skip(1).map(|(_, begun)| *begun).chain([end]);
        all.push(
            log.iter()
                .zip(ends)
                .map(|((method, begun), end)| (*method, end - *begun))
                .collect(),
        );
    }
    // The first commits open folders that later ones find open.
    let usual = all.last().map_or(0, Vec::len);
    all.retain(|calls| calls.len() == usual);
    for at in 0..usual {
        let mut times: Vec<Duration> = all.iter().map(|calls| calls[at].1).collect();
        println!("  {:>9.1?}  {}", middle(&mut times), all[0][at].0);
    }
}

fn main() {
    let folder = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'))
        .map_or_else(|| PathBuf::from("."), PathBuf::from);
    let folder = tempfile::tempdir_in(folder).unwrap();
    let folder = folder.path().canonicalize().unwrap();
    fs::create_dir(folder.join("root")).unwrap();
    if std::env::args().any(|argument| argument == "--calls") {
        for size in [10_000, 1_000_000] {
            println!("a commit of {size} bytes, call by call:");
            calls(&folder, size, 100);
        }
        return;
    }
    compare(&folder, 10_000, 200);
    compare(&folder, 1_000_000, 100);
    compare(&folder, 100_000_000, 9);
    lease(&folder, 10_000, 300);
    lease(&folder, 1_000_000, 300);
}
