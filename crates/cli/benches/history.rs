//! The cost of the history: recording an Edit of 10 KB, and reading, undoing and keeping 100,000 operations. It prints
//! its figures.
//!
//! `cargo bench -p lancet-cli --bench history [-- SELECT_OPERATIONS]`

#![allow(clippy::print_stdout, reason = "the figures are what this is for")]
#![allow(
    clippy::unwrap_used,
    reason = "a bench that cannot go on has nothing to say"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use lancet::history::LogQuery;
use lancet::undo::{Selection, UndoRequest};
use lancet::{Caller, Lancet, Mode, RawCall};
use lancet_history::{
    ChangeKind, ContentDraft, ContentStore, DraftState, FileDraft, OperationAuthor, OperationDraft,
    OperationKind, RecordStore, Store,
};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

/// The number of files that the operations are spread over.
const FILES: usize = 1_000;
const LINES: usize = 250;

fn main() {
    let operations = std::env::args()
        .nth(1)
        .and_then(|number| number.parse().ok())
        .unwrap_or(100_000);
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let folder = folder.path().canonicalize().unwrap();
    recording(&folder.join("recording"));
    many(&folder.join("many"), operations);
}

/// Returns the CPU time of this process so far.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn middle(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Returns about 10 KB of text that looks like a program.
fn text(file: usize) -> Vec<u8> {
    (0..LINES)
        .map(|line| {
            let number = (file * 31 + line * 17) % 997;
            format!("    let value_{line} = compute({number}, other_{file});\n")
        })
        .collect::<String>()
        .into_bytes()
}

fn open(folder: &Path, state: Option<&Path>) -> Lancet {
    fs::create_dir_all(folder).unwrap();
    let builder = Lancet::builder().root(folder).mode(Mode::AcceptEdits);
    match state {
        Some(state) => builder.state_dir(state),
        None => builder,
    }
    .open()
    .unwrap()
}

/// Changes one line back and forth, alternately with and without a state folder.
fn recording(folder: &Path) {
    const ROUNDS: usize = 600;
    let engines = [
        open(&folder.join("without"), None),
        open(&folder.join("with"), Some(&folder.join("state"))),
    ];
    let mut times = [Vec::new(), Vec::new()];
    let sessions = engines.each_ref().map(Lancet::new_session);
    for (engine, session) in engines.iter().zip(&sessions) {
        let path = engine.roots()[0].join("a.rs");
        fs::write(&path, text(0)).unwrap();
        let read = RawCall::new("Read", json!({ "file_path": path }));
        assert!(!session.call(read).is_error());
    }
    for round in 0..ROUNDS {
        for (at, (engine, session)) in engines.iter().zip(&sessions).enumerate() {
            let path = engine.roots()[0].join("a.rs");
            let (old, new) = if round % 2 == 0 {
                ("value_125 =", "changed_125 =")
            } else {
                ("changed_125 =", "value_125 =")
            };
            let edit = json!({ "file_path": path, "old_string": old, "new_string": new });
            let began = cpu();
            let reply = session.call(RawCall::new("Edit", edit));
            times[at].push(cpu() - began);
            assert!(!reply.is_error(), "{}", reply.text());
        }
    }
    let [without, with] = times.each_mut().map(|times| middle(times));
    let record = middle(&mut record_alone(&folder.join("alone"), ROUNDS));
    println!(
        "recording: CPU of an Edit of {} KB without a state folder {:.3} ms, with one (journal, old file put away, history) {:.3} ms; the record alone {:.3} ms: {:+.0} %",
        text(0).len() / 1000,
        milliseconds(without),
        milliseconds(with),
        milliseconds(record),
        record.as_secs_f64() / without.as_secs_f64() * 100.0
    );
}

/// Measures the store's part of such an Edit: announce, adopt the old file, finish.
fn record_alone(state: &Path, rounds: usize) -> Vec<Duration> {
    let store = Store::new(state);
    let one = text(0);
    let start = line_start(&one, 125) as u64 + 8;
    let other = [
        &one[..start as usize],
        b"changed_125",
        &one[start as usize + 9..],
    ]
    .concat();
    let path = Path::new("/somewhere/a.rs");
    fs::create_dir_all(state.join("displaced")).unwrap();
    let mut times = Vec::new();
    for round in 0..rounds {
        let (before, after, end, new): (_, _, _, &[u8]) = if round % 2 == 0 {
            (&one, &other, start + 9, b"changed_125")
        } else {
            (&other, &one, start + 11, b"value_125")
        };
        let file = state.join("displaced/1-1-a.rs");
        fs::write(&file, before).unwrap();
        // The caller of the store already has these hashes.
        let revisions = [before, after].map(|bytes| *blake3::hash(bytes).as_bytes());
        let (id, time) = id(0);
        let began = cpu();
        let change = draft(
            &id,
            time,
            path,
            (before, after),
            revisions,
            vec![(start..end, new)],
        );
        let _ = store.begin(&change).unwrap();
        store.adopt_file(&revisions[0], &file).unwrap();
        let _ = store.finish(&change).unwrap();
        times.push(cpu() - began);
    }
    times
}

/// Returns the draft of an edit for the store.
fn draft<'a>(
    id: &'a str,
    time: i64,
    path: &'a Path,
    (before, after): (&'a [u8], &'a [u8]),
    revisions: [[u8; 32]; 2],
    changes: Vec<(std::ops::Range<u64>, &'a [u8])>,
) -> OperationDraft<'a> {
    let state = |revision, bytes: &[u8], content| {
        Some(DraftState {
            revision,
            size: bytes.len() as u64,
            mode: 0o100_644,
            link: None,
            inode: None,
            content,
        })
    };
    let base = revisions[0];
    OperationDraft {
        id,
        time,
        kind: OperationKind::Change,
        author: OperationAuthor {
            session: if time % 2 == 0 { "even" } else { "odd" },
            client: Some("bench"),
            version: Some("1"),
            ..OperationAuthor::default()
        },
        tool: "Edit",
        rungs: vec!["exact"],
        approved: Some("mode accept-edits"),
        files: vec![FileDraft {
            path,
            kind: ChangeKind::Update,
            moved_from: None,
            before: state(base, before, ContentDraft::Whole(before)),
            after: state(revisions[1], after, ContentDraft::Spans { base, changes }),
            added: 1,
            removed: 1,
            folders: Vec::new(),
            workspace: None,
        }],
        question: None,
        parent: None,
        takes_back: Vec::new(),
        takes_part_of: Vec::new(),
    }
}

/// Returns an id as lancet makes it, for a time this many seconds ago.
fn id(seconds_ago: u64) -> (String, i64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let micros = now.as_micros() as u64 - seconds_ago * 1_000_000;
    let mut number = micros << 10;
    let mut id = [b'0'; 12];
    for place in id.iter_mut().rev() {
        *place = b"0123456789abcdefghijklmnopqrstuvwxyz"[(number % 36) as usize];
        number /= 36;
    }
    (
        String::from_utf8_lossy(&id).into_owned(),
        (micros / 1000) as i64,
    )
}

/// Fills a store with edits of one line each; returns the sum of the contents, each compressed alone.
fn fill(state: &Path, root: &Path, operations: usize) -> u64 {
    let store = Store::new(state);
    let mut files: Vec<Vec<u8>> = (0..FILES).map(text).collect();
    let mut compressed: u64 = files.iter().map(|bytes| packed(bytes)).sum();
    let began = cpu();
    let mut packing = Duration::ZERO;
    for number in 0..operations {
        let file = number * 7 % FILES;
        let line = number / FILES * 13 % LINES;
        let before = files[file].clone();
        let start = line_start(&before, line);
        let end = line_start(&before, line + 1);
        let new = format!("    let edited_{line} = rewritten(\"{number}\", {file});\n");
        let mut after = before.clone();
        after.splice(start..end, new.bytes());
        let (id, time) = id((operations - number) as u64);
        let path = root.join(format!("folder_{}/file_{file}.rs", file % 20));
        let revisions = [&before, &after].map(|bytes| *blake3::hash(bytes).as_bytes());
        let changes = vec![(start as u64..end as u64, new.as_bytes())];
        let draft = draft(&id, time, &path, (&before, &after), revisions, changes);
        let _ = store.begin(&draft).unwrap();
        let _ = store.finish(&draft).unwrap();
        let before_packing = cpu();
        compressed += packed(&after);
        packing += cpu() - before_packing;
        files[file] = after;
    }
    let spent = cpu() - began - packing;
    println!(
        "store: {:.0} µs CPU for the record of one operation of {operations}, announced and finished",
        spent.as_secs_f64() * 1e6 / operations as f64
    );
    compressed
}

fn line_start(bytes: &[u8], line: usize) -> usize {
    bytes
        .split_inclusive(|byte| *byte == b'\n')
        .take(line)
        .map(<[u8]>::len)
        .sum()
}

fn packed(bytes: &[u8]) -> u64 {
    zstd::bulk::compress(bytes, 3).unwrap().len() as u64
}

fn many(folder: &Path, operations: usize) {
    let (root, state) = (folder.join("root"), folder.join("state"));
    fs::create_dir_all(&root).unwrap();
    let compressed = fill(&state, &root, operations);
    let before_gc = size(&state);
    let took = run(folder, &["gc"]);
    let after_gc = size(&state);
    println!(
        "store: {:.1} MB, after gc ({:.1} s) {:.1} MB; contents each compressed alone {:.1} MB: {:.2} times",
        before_gc as f64 / 1e6,
        took.as_secs_f64(),
        after_gc as f64 / 1e6,
        compressed as f64 / 1e6,
        after_gc as f64 / compressed as f64
    );
    for arguments in [&["log", "-n", "20"][..], &["--version"]] {
        let mut times: Vec<_> = (0..31).map(|_| run(folder, arguments)).collect();
        println!(
            "lancet {}: {:.1} ms, the whole process (least {:.1} ms)",
            arguments.join(" "),
            milliseconds(middle(&mut times)),
            milliseconds(times[0])
        );
    }
    for (name, arguments) in [
        ("log of one file", &["log", "folder_7/file_7.rs"][..]),
        (
            "log of a session, 20",
            &["log", "--session", "odd", "-n", "20"],
        ),
        ("stats", &["stats"]),
        ("log, all", &["log"]),
        ("gc with nothing to do", &["gc"]),
    ] {
        println!(
            "lancet {name}: {:.1} ms",
            milliseconds(run(folder, arguments))
        );
    }
    going_back(folder, &root, &state);
}

/// Undoes the newest operation: inside a running process, and as a command.
fn going_back(folder: &Path, root: &Path, state: &Path) {
    let path = root.join("real.rs");
    fs::write(&path, text(0)).unwrap();
    let lancet = open(root, Some(state));
    let session = lancet.new_session();
    let edit = || {
        let read = RawCall::new("Read", json!({ "file_path": path, "force": true }));
        assert!(!session.call(read).is_error());
        let edit = json!({ "file_path": path, "old_string": "value_9 =", "new_string": "v9 =" });
        let reply = session.call(RawCall::new("Edit", edit));
        assert!(!reply.is_error(), "{}", reply.text());
    };
    let (mut inside, mut commands, mut processor) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..15 {
        edit();
        commands.push(run(folder, &["undo", "--yes"]));
        edit();
        let asked = UndoRequest::undo(Selection::Newest);
        let (began, from) = (Instant::now(), cpu());
        let reply = lancet.new_session().undo_or_redo(asked, Caller::default());
        inside.push(began.elapsed());
        processor.push(cpu() - from);
        assert!(!reply.is_error(), "{}", reply.text());
    }
    println!(
        "undo of the newest: {:.1} ms inside a process (least {:.1} ms, CPU {:.2} ms), {:.1} ms as a command (least {:.1} ms)",
        milliseconds(middle(&mut inside)),
        milliseconds(inside[0]),
        milliseconds(middle(&mut processor)),
        milliseconds(middle(&mut commands)),
        milliseconds(commands[0])
    );
    let history = lancet.history().unwrap();
    let query = LogQuery {
        limit: Some(20),
        ..LogQuery::default()
    };
    let began = Instant::now();
    assert_eq!(history.log(&query).unwrap().len(), 20);
    println!(
        "log of 20 inside a process: {:.2} ms",
        milliseconds(began.elapsed())
    );
}

/// Runs the program in the folder and returns how long it took.
fn run(folder: &Path, arguments: &[&str]) -> Duration {
    let began = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_lancet"))
        .args(arguments)
        .current_dir(folder.join("root"))
        .env("LANCET_STATE_DIR", folder.join("state"))
        .env("HOME", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{arguments:?}");
    began.elapsed()
}

/// Returns the sum of the bytes of all files below a folder.
fn size(folder: &Path) -> u64 {
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    let mut sum = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            if metadata.is_dir() {
                folders.push(entry.path());
            } else {
                sum += metadata.len();
            }
        }
    }
    sum
}
