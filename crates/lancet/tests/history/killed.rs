//! A process that is killed (SIGKILL) at every step of the commit and of the record. Afterwards each file is old or
//! new, the history agrees with the disk, what is recorded can be undone, and no temporary file stays.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use lancet::history::LogQuery;
use lancet::testing::FaultyDisk;
use lancet::undo::{Direction, Selection, UndoRequest};
use lancet::{Caller, Lancet, RawCall, Session};
use lancet_testing::judges::is_torture_run;
use lancet_testing::{TestFolder, judges};
use rusqlite::Connection;
use rustix::process::{Signal, getpid, kill_process};
use serde_json::json;

use crate::child::{dress, edit, open, part, read, session};
use crate::project::{Tree, gather, operation, patiently};

/// The acts during which a process is killed, each with its preparation.
const ACTS: [&str; 11] = [
    "edit", "large", "create", "batch", "undo", "uncreate", "redo", "move", "patch", "remove",
    "unmove",
];
/// Larger than what is written into the database.
const LARGE: usize = 40_000;

pub(crate) fn prepare(act: &str, folder: &Path) {
    fs::create_dir(folder.join("root")).expect("made");
    let folder = folder.canonicalize().expect("there");
    let file = |name: &str| folder.join("root").join(name);
    fs::write(file("a.txt"), "one\ntwo\nthree\n").expect("written");
    fs::write(file("b.txt"), "four\nfive\n").expect("written");
    fs::write(
        file("large.txt"),
        format!("one\n{}", "filler\n".repeat(LARGE)),
    )
    .expect("written");
    let lancet = open(&folder, None);
    let session = lancet.new_session();
    read(&session, &file("a.txt"));
    // An earlier operation, so that the database exists and has an operation besides the one under test.
    operation(&edit(&session, &file("a.txt"), "three", "3"));
    match act {
        "undo" | "redo" => {
            operation(&edit(&session, &file("a.txt"), "two", "2"));
        }
        "uncreate" => {
            let write = json!({ "file_path": file("n/e/w.txt"), "content": "new\n" });
            operation(&session.call(RawCall::new("Write", write)));
        }
        "unmove" => {
            operation(&rename(&session, &folder));
        }
        _ => {}
    }
    if act == "redo" {
        operation(&take_back(&lancet, Direction::Undo));
    }
}

fn rename(session: &Session, folder: &Path) -> lancet::Reply {
    let file = |name: &str| folder.join("root").join(name);
    let paths = json!({ "from_path": file("a.txt"), "to_path": file("n/e/moved.txt") });
    session.call(RawCall::new("MoveFile", paths))
}

fn take_back(lancet: &Lancet, direction: Direction) -> lancet::Reply {
    let asked = UndoRequest::new(direction, Selection::Newest);
    let session = lancet.new_session();
    patiently(|| session.undo_or_redo(asked.clone(), Caller::default()))
}

/// Performs the act, after `begin`.
fn act(lancet: &Lancet, folder: &Path, act: &str, begin: impl FnOnce()) -> lancet::Reply {
    let file = |name: &str| folder.join("root").join(name);
    let session = session(lancet, "talk");
    for name in ["a.txt", "b.txt", "large.txt"] {
        if file(name).exists() {
            read(&session, &file(name));
        }
    }
    begin();
    match act {
        "edit" => edit(&session, &file("a.txt"), "two", "2"),
        "large" => edit(&session, &file("large.txt"), "one", "1"),
        "create" => {
            let write = json!({ "file_path": file("n/e/w.txt"), "content": "new\n" });
            session.call(RawCall::new("Write", write))
        }
        "batch" => {
            let edits = json!({ "edits": [
                { "file_path": file("a.txt"), "old_string": "two", "new_string": "2" },
                { "file_path": file("b.txt"), "old_string": "five", "new_string": "5" },
                { "file_path": file("c.txt"), "old_string": "", "new_string": "made\n" },
            ] });
            session.call(RawCall::new("MultiEdit", edits))
        }
        "move" => rename(&session, folder),
        "patch" => {
            let (from, to) = (file("a.txt"), file("n/moved.txt"));
            let patch = format!(
                "*** Begin Patch\n*** Update File: {}\n*** Move to: {}\n@@\n one\n-two\n+2\n*** End Patch\n",
                from.display(),
                to.display()
            );
            session.call(RawCall::new("ApplyPatch", json!({ "patch": patch })))
        }
        "remove" => session.call(RawCall::new(
            "DeleteFile",
            json!({ "file_path": file("b.txt") }),
        )),
        "undo" | "uncreate" | "unmove" => take_back(lancet, Direction::Undo),
        "redo" => take_back(lancet, Direction::Redo),
        other => panic!("no such act: {other}"),
    }
}

/// Plays a child that kills itself before the `number`-th call to the disk.
pub(crate) fn die(name: &str, folder: &Path, number: u64) {
    let disk = Arc::new(FaultyDisk::new());
    let lancet = open(folder, Some(Arc::clone(&disk)));
    let reply = act(&lancet, folder, name, || {
        disk.clear_faults();
        disk.set_hook(move |call| {
            if call.number == number {
                kill_process(getpid(), Signal::KILL).expect("killed");
            }
        });
    });
    operation(&reply);
}

/// Plays a child process that performs the act once; another process may kill it.
pub(crate) fn act_once(name: &str, folder: &Path) {
    operation(&act(&open(folder, None), folder, name, || {}));
}

fn trees(name: &str) -> (Tree, Tree) {
    let folder = TestFolder::below(env!("CARGO_TARGET_TMPDIR"));
    prepare(name, folder.path());
    let before = tree(folder.path());
    act_once(name, &folder.path().canonicalize().expect("there"));
    (before, tree(folder.path()))
}

/// Returns the tree by the names below its root. Empty folders do not count, because a dead process cannot remove them.
pub(crate) fn tree(folder: &Path) -> Tree {
    let root = folder.canonicalize().expect("there").join("root");
    let mut tree = Tree::new();
    gather(&root, &mut tree);
    tree.into_iter()
        .filter(|(path, _)| path.is_file())
        .map(|(path, found)| (path.strip_prefix(&root).expect("below").to_owned(), found))
        .collect()
}

/// Opens what a killed process left, as a new process would, and checks everything.
fn check(name: &str, folder: &Path, (before, after): &(Tree, Tree), what: &str) -> bool {
    let folder = folder.canonicalize().expect("there");
    let lancet = open(&folder, None);
    let history = lancet.history().expect("kept");
    let log = history.log(&LogQuery::default()).expect("read");
    let now = tree(&folder);
    assert!(
        now == *before || now == *after,
        "{name}, {what}: neither old nor new: {:?}",
        now.keys()
    );
    agrees(&lancet, &folder, what);
    let done = now == *after;
    let newest = log.first().expect("one from before");
    let expected = match name {
        "undo" | "uncreate" | "unmove" => "undo",
        "redo" => "redo",
        _ => "change",
    };
    let recorded = match expected {
        "change" => newest.session == "talk",
        kind => {
            newest.kind.as_str() == kind && newest.files.iter().all(|file| file.undone_by.is_none())
        }
    };
    // For a redo: an earlier undo is the newest operation as long as nothing was done.
    assert_eq!(recorded, done, "{name}, {what}: {newest:?}");
    if done && expected == "change" {
        operation(&take_back(&lancet, Direction::Undo));
        assert_eq!(tree(&folder), *before, "{name}, {what}: taken back");
    }
    done
}

/// Asserts that the database is sound, nothing is announced, there is no temporary file, and each file is as its newest
/// operation left it.
fn agrees(lancet: &Lancet, folder: &Path, what: &str) {
    let history = lancet.history().expect("kept");
    let database = Connection::open(folder.join("state/lancet.db")).expect("opens");
    let verdict: String = database
        .pragma_query_value(None, "integrity_check", |row| row.get(0))
        .expect("checked");
    assert_eq!(verdict, "ok", "{what}");
    let begun: i64 = database
        .query_row("SELECT count(*) FROM begun", [], |row| row.get(0))
        .expect("counted");
    assert_eq!(begun, 0, "{what}: announced");
    let mut seen = BTreeSet::new();
    for change in history
        .log(&LogQuery {
            limit: Some(200),
            ..LogQuery::default()
        })
        .expect("read")
        .into_iter()
        .flat_map(|operation| operation.files)
    {
        if !seen.insert(change.path.clone()) {
            continue;
        }
        if let Some(left) = &change.moved_from
            && seen.insert(left.clone())
        {
            assert!(!left.exists(), "{what}: {}", left.display());
        }
        let found = fs::read(&change.path).ok();
        let found = found.map(|bytes| *blake3::hash(&bytes).as_bytes());
        let wanted = change.after.as_ref().map(|after| after.revision);
        assert_eq!(found, wanted, "{what}: {}", change.path.display());
        for kept in [&change.before, &change.after].into_iter().flatten() {
            let content = history.content(&kept.revision).expect("read");
            assert!(content.is_some(), "{what}: a content is missing");
        }
    }
    let mut strays: Vec<PathBuf> = Vec::new();
    for (folder, is_stray) in [
        (
            "root",
            (|name: &str| name.contains(".lancet-")) as fn(&str) -> bool,
        ),
        ("state/contents/tmp", |_| true),
        ("state/journal", |_| true),
    ]
    .map(|(name, is_stray)| (folder.join(name), is_stray))
    {
        strays.extend(
            files_below(&folder)
                .into_iter()
                .filter(|path| is_stray(&path.file_name().unwrap_or_default().to_string_lossy())),
        );
    }
    assert_eq!(strays, Vec::<PathBuf>::new(), "{what}");
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    if !folder.exists() {
        return Vec::new();
    }
    let mut tree = Tree::new();
    gather(folder, &mut tree);
    tree.into_keys().filter(|path| path.is_file()).collect()
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures")]
fn killed_before_every_call_of_the_commit() {
    let (mut kills, mut forward) = (0, 0);
    for name in ACTS {
        let wanted = trees(name);
        // The short form takes every call of a single edit, and of the others some.
        let step = if is_torture_run() || name == "edit" {
            1
        } else {
            5
        };
        for number in (1..).step_by(step) {
            let folder = TestFolder::below(env!("CARGO_TARGET_TMPDIR"));
            prepare(name, folder.path());
            let at = folder.path().canonicalize().expect("there");
            let output = part(&format!("die {name}"), &at, number)
                .output()
                .expect("ended");
            if output.status.success() {
                assert!(number > 10, "{name}: there are more calls than {number}");
                break;
            }
            assert_eq!(
                std::os::unix::process::ExitStatusExt::signal(&output.status),
                Some(9),
                "{}",
                String::from_utf8_lossy(&output.stdout)
            );
            kills += 1;
            let what = format!("killed before call {number}");
            forward += usize::from(check(name, folder.path(), &wanted, &what));
        }
    }
    println!(
        "killed before every call: {kills} kills, {} times the old state, {forward} times the new one, 0 others",
        kills - forward
    );
}

/// Kills at every system call of one name, the first, the second and so on, until there are no more of them.
fn killed_at(call: &str, name: &str, wanted: &(Tree, Tree)) -> usize {
    let mut kills = 0;
    for number in 1.. {
        let folder = TestFolder::below(env!("CARGO_TARGET_TMPDIR"));
        prepare(name, folder.path());
        let at = folder.path().canonicalize().expect("there");
        let mut strace = Command::new("strace");
        strace
            .args(["-f", "-qq", "-o", "/dev/null", "-e"])
            .arg(format!("trace={call}"))
            .arg("-e")
            .arg(format!("inject={call}:signal=KILL:when={number}"))
            .arg(std::env::current_exe().expect("this program"));
        dress(&mut strace, &format!("act {name}"), &at, 0);
        let output = strace.output().expect("ended");
        if output.status.success() {
            break;
        }
        kills += 1;
        check(
            name,
            folder.path(),
            wanted,
            &format!("killed at {call} {number}"),
        );
    }
    kills
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures")]
fn killed_at_the_system_calls_of_the_record() {
    if Command::new("strace").arg("-V").output().is_err() {
        return judges::missing("strace, which kills a process at a system call,");
    }
    // The system calls by which SQLite and the commit change the disk. The short version uses only those of the record.
    let (calls, acts): (&[&str], &[&str]) = if is_torture_run() {
        (
            &[
                "pwrite64",
                "write",
                "fdatasync",
                "fsync",
                "ftruncate",
                "renameat2",
                "renameat",
                "rename",
                "linkat",
                "unlink",
                "unlinkat",
                "mkdirat",
                "fallocate",
                "fchmod",
                "utimensat",
                "flock",
                "mmap",
                "openat",
            ],
            &ACTS,
        )
    } else {
        (&["pwrite64"], &["edit", "undo"])
    };
    for name in acts {
        let wanted = trees(name);
        for call in calls {
            let kills = killed_at(call, name, &wanted);
            println!("killed at {call} of {name}: {kills} kills");
        }
    }
}

/// Plays a child that goes on changing files until it is killed, and prints of each change when it was answered.
#[expect(clippy::print_stdout, reason = "the parent waits for these lines")]
pub(crate) fn go_on(folder: &Path, number: u64) {
    let lancet = open(folder, None);
    let session = session(&lancet, &format!("life-{number}"));
    for turn in 0_u64.. {
        let name = ["a.txt", "b.txt", "large.txt", "made.txt"][(turn % 4) as usize];
        let path = folder.join("root").join(name);
        let id = if turn % 7 == 6 {
            operation(&take_back(&lancet, Direction::Undo))
        } else if name == "made.txt" {
            let write = json!({ "file_path": path, "content": format!("{number} {turn}\n"), "insist": true });
            if path.exists() {
                read(&session, &path);
            }
            operation(&session.call(RawCall::new("Write", write)))
        } else {
            read(&session, &path);
            let text = fs::read_to_string(&path).expect("a text");
            let old = text.lines().next().expect("a line").to_owned();
            operation(&edit(
                &session,
                &path,
                &format!("{old}\n"),
                &format!("{number} {turn}\n"),
            ))
        };
        println!("done {id}");
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures")]
fn killed_at_any_time_nothing_that_was_answered_is_lost() {
    let lives: u64 = if is_torture_run() { 3_000 } else { 60 };
    let folder = TestFolder::below(env!("CARGO_TARGET_TMPDIR"));
    prepare("edit", folder.path());
    let folder = folder.path().canonicalize().expect("there");
    let mut answered: Vec<String> = Vec::new();
    // Spread over some milliseconds, the same for every run.
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for life in 0..lives {
        let mut child = part("go on", &folder, life).spawn().expect("started");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let mut of_life = lines
            .by_ref()
            .map_while(Result::ok)
            .filter_map(|line| Some(line.strip_prefix("done ")?.to_owned()));
        answered.extend(of_life.next());
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        std::thread::sleep(Duration::from_micros(random % 20_000));
        child.kill().expect("killed");
        child.wait().expect("ended");
        answered.extend(of_life);
        let lancet = open(&folder, None);
        agrees(&lancet, &folder, &format!("life {life}"));
    }
    let database = Connection::open(folder.join("state/lancet.db")).expect("opens");
    let kept: BTreeSet<String> = database
        .prepare("SELECT id FROM operations")
        .and_then(|mut statement| {
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        })
        .expect("read");
    let lost = answered.iter().filter(|id| !kept.contains(*id)).count();
    println!(
        "figure 18: killed {lives} times, {} operations answered, {lost} of them lost, {} on record",
        answered.len(),
        kept.len()
    );
    assert!(answered.len() as u64 >= lives);
    assert_eq!(lost, 0);
}
