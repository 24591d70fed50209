//! Figure 5: four processes increment numbers in one file, each its number and the sum, and every 50 ms one of them is
//! killed and started again. Each process knows the last number that a commit acknowledged: a smaller one in the file
//! is a lost update, a larger one is an update that no process made.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lancet_workspace::{CommitError, NewBytes, RealDisk, Workspace, WriteOptions};

use crate::commit_kind::{CommitKind, IN_PLACE, Seen, Site};
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

/// Returns the text of the file: one number for each worker and their sum, always of the same length.
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

/// The process of a worker.
struct Worker {
    child: Child,
    /// The last number that was acknowledged.
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
            // A line that was cut off by the kill is ignored.
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

    /// Waits for the end of the process; returns whether it finished, and the last number that was acknowledged.
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
    let site = Site::in_folder(folder.path());
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
        // All workers finished before the first kill, so nothing was proved.
        return count(rung, times * 2);
    }
    let left = site.tree().keys().filter(|name| *name != "count").count();
    let healed = site.open(Arc::new(RealDisk)).recover_commits().unwrap();
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

/// Runs the program of a worker.
pub(crate) fn play(rung: &str, folder: &Path, index: usize, times: u64, begun: u64) -> ExitCode {
    let site = Site::in_folder(folder);
    let commit = CommitKind::named(rung);
    let workspace = site.open(commit.disk());
    // Every lancet runs recovery when it starts. A killed move aside may have left the name free.
    workspace.recover_commits().unwrap();
    let options = match rung {
        "in-place-leased" => IN_PLACE,
        _ => WriteOptions::default(),
    };
    // The worker before this one may have been killed between its write and the acknowledgement.
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
            // The worker before this one wrote it without an acknowledgement. It is acknowledged now; otherwise the
            // next worker would find two more if this one is killed at the same point.
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
                // The displaced files are removed, so that they do not accumulate.
                for displaced in written.iter().filter_map(|one| one.displaced.as_ref()) {
                    let _ = fs::remove_file(&displaced.path);
                }
            }
            Err(CommitError::Changed { .. } | CommitError::Busy { .. }) => {}
            // A worker was killed in the middle of its write. The next one to write recovers it first.
            Err(CommitError::Unsettled { .. }) => drop(workspace.recover_commits().unwrap()),
            Err(error) => panic!("{rung}: {error}"),
        }
    }
}

fn acknowledge(number: u64) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{number}").unwrap();
    out.flush().unwrap();
}

/// Reads the file; `None` if another worker is writing it, so that its name is free or it is leased.
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
