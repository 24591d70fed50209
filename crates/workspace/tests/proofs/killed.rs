//! Figure 5: four processes count up one file, each its own number and all the sum, and every 50 ms one of them is killed
//! and begun anew. Each knows what it was told to have written: a number that went back, or ran ahead, is a lost or a
//! phantom update.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lancet_workspace::{CommitError, NewBytes, RealDisk, Workspace, WriteOptions};

use crate::deed::{Deed, IN_PLACE, Seen, Site};
use lancet_testing::TestFolder;

use crate::runner::{Form, Skipped, figure, role};

const WORKERS: usize = 4;
const RUNGS: [&str; 3] = ["exchange+lease", "aside", "in-place-leased"];

pub(crate) fn prove(form: Form) -> Result<(), Skipped> {
    for rung in RUNGS {
        let times = form.pick(
            400,
            if rung == "exchange+lease" {
                25_000
            } else {
                5_000
            },
        );
        count(rung, times);
    }
    Ok(())
}

/// One number for each worker, and their sum. Always of the same length.
fn text(counts: [u64; WORKERS]) -> String {
    let sum: u64 = counts.iter().sum();
    let [a, b, c, d] = counts;
    format!("{a:08} {b:08} {c:08} {d:08} {sum:09}\n")
}

fn parse(bytes: &[u8]) -> Option<[u64; WORKERS]> {
    let mut numbers = std::str::from_utf8(bytes).ok()?.split_whitespace();
    let mut counts = [0; WORKERS];
    for count in &mut counts {
        *count = numbers.next()?.parse().ok()?;
    }
    (text(counts).as_bytes() == bytes).then_some(counts)
}

/// A worker, as its process.
struct Worker {
    child: Child,
    /// The last number that it was told to have written.
    acknowledged: Arc<AtomicU64>,
    reader: std::thread::JoinHandle<()>,
}

impl Worker {
    fn start(rung: &str, folder: &Path, index: usize, times: u64, from: u64) -> Worker {
        let (index, times, begun) = (index.to_string(), times.to_string(), from.to_string());
        let folder = folder.to_str().unwrap();
        let mut child = role(&["count", rung, folder, &index, &times, &begun])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let acknowledged = Arc::new(AtomicU64::new(from));
        let (last, output) = (Arc::clone(&acknowledged), child.stdout.take().unwrap());
        let reader = std::thread::spawn(move || {
            // A line that the kill cut off says nothing.
            let mut lines = BufReader::new(output);
            let mut line = String::new();
            while lines.read_line(&mut line).unwrap() > 0 {
                if let Some(number) = line.strip_suffix('\n') {
                    last.store(number.parse().unwrap(), Ordering::SeqCst);
                }
                line.clear();
            }
        });
        Worker {
            child,
            acknowledged,
            reader,
        }
    }

    /// Ended or killed: the last number it was told.
    fn end(mut self, rung: &str) -> (bool, u64) {
        let status = self.child.wait().unwrap();
        self.reader.join().unwrap();
        let killed = status.code().is_none();
        assert!(killed || status.success(), "{rung}: a worker found a fault");
        (!killed, self.acknowledged.load(Ordering::SeqCst))
    }
}

fn count(rung: &'static str, times: u64) {
    let folder = TestFolder::in_memory();
    let site = Site::of(folder.path());
    fs::create_dir(&site.root).unwrap();
    fs::write(site.root.join("count"), text([0; WORKERS])).unwrap();
    let start = |index, from| Worker::start(rung, folder.path(), index, times, from);
    let mut workers: Vec<Option<Worker>> =
        (0..WORKERS).map(|index| Some(start(index, 0))).collect();
    let (mut kills, mut turn) = (0, 0);
    while workers.iter().any(Option::is_some) {
        std::thread::sleep(Duration::from_millis(50));
        for (index, slot) in workers.iter_mut().enumerate() {
            let Some(mut worker) = slot.take() else {
                continue;
            };
            let is_next = index == turn % WORKERS;
            if is_next {
                worker.child.kill().unwrap();
            } else if worker.child.try_wait().unwrap().is_none() {
                *slot = Some(worker);
                continue;
            }
            let (done, last) = worker.end(rung);
            if !done {
                kills += 1;
                *slot = Some(start(index, last));
            }
        }
        turn += 1;
    }
    if kills == 0 {
        // All were done before the first kill: no proof of anything.
        return count(rung, times * 2);
    }
    let left = site.tree().keys().filter(|name| *name != "count").count();
    let healed = site.open(Arc::new(RealDisk)).recover().unwrap();
    let tree = site.tree();
    assert_eq!(tree.len(), 1, "{rung}: {healed:?}: {:?}", tree.keys());
    let counts = parse(&tree["count"]).unwrap();
    assert_eq!(counts, [times; WORKERS], "{rung}");
    assert_eq!(site.journals(), 0, "{rung}");
    figure(
        5,
        &format!(
            "{rung}: {WORKERS} processes x {times} edits, {kills} kills: sum exact, 0 torn reads, {left} temps before the last recovery, 0 after"
        ),
    );
}

/// A worker's own part.
pub(crate) fn play(rung: &str, folder: &Path, index: usize, times: u64, begun: u64) -> ExitCode {
    let site = Site::of(folder);
    let deed = Deed::named(rung);
    let workspace = site.open(deed.disk());
    // As every lancet does when it starts: on a rung that leaves the name free for a moment, the dead one may have left it so.
    workspace.recover().unwrap();
    let options = match rung {
        "in-place-leased" => IN_PLACE,
        _ => WriteOptions::default(),
    };
    // Killed after the write and before it could say so.
    let mut may_be_one_more = true;
    let mut last = begun;
    loop {
        let Some((seen, counts)) = read(&workspace, &site) else {
            continue;
        };
        let mine = counts[index];
        assert!(
            mine == last || (may_be_one_more && mine == last + 1),
            "{rung}: {mine} where {last} was written"
        );
        if mine > last {
            // The one before wrote it and was killed before it could say so. Said now, or the next one, should this one be
            // killed in the same place, would find two more.
            acknowledge(mine);
        }
        (last, may_be_one_more) = (mine, false);
        if mine == times {
            return ExitCode::SUCCESS;
        }
        let mut new = counts;
        new[index] += 1;
        let new = text(new);
        match workspace.commit(vec![seen.becomes(NewBytes::Whole(new.as_bytes()), options)]) {
            Ok(written) => {
                last += 1;
                acknowledge(last);
                // Old files are history's to keep; here they would only be many.
                for displaced in written.iter().filter_map(|one| one.displaced.as_ref()) {
                    let _ = fs::remove_file(&displaced.path);
                }
            }
            Err(CommitError::Changed { .. } | CommitError::Busy { .. }) => {}
            Err(error) => panic!("{rung}: {error}"),
        }
    }
}

fn acknowledge(number: u64) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{number}").unwrap();
    out.flush().unwrap();
}

/// None where another worker is just at it: between two names, or with the lease.
fn read(workspace: &Workspace, site: &Site) -> Option<(Seen, [u64; WORKERS])> {
    let seen = match Seen::at(workspace, &site.root.join("count")) {
        Ok(seen) => seen,
        Err(CommitError::Io { source, .. }) => {
            let words = source.to_string();
            assert!(
                words.contains("Missing")
                    || words.contains("NotFound")
                    || words.contains("Busy")
                    || words.contains("WouldBlock"),
                "{words}"
            );
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    let counts = parse(&seen.snapshot.bytes);
    let counts = counts
        .unwrap_or_else(|| panic!("torn: {:?}", String::from_utf8_lossy(&seen.snapshot.bytes)));
    Some((seen, counts))
}
