//! The store with several real processes: concurrent writers, a killed one, and one that may not write. A child is
//! this same test program, started again to run only `child` with its role in the environment.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use lancet_history::{
    FileVersion, HistoryError, LedgerEntry, LedgerStore, LoadCursor, SeenRanges, SessionName,
    StampRecord, Store,
};
use lancet_local_state::LocalState as _;
use lancet_testing::TestFolder;
use lancet_testing::user::{assert_one_passed, give_to_nobody, set_mode, this_program_as_nobody};
use rusqlite::Connection;

const PART: &str = "LANCET_HISTORY_TEST_PART";
const FOLDER: &str = "LANCET_HISTORY_TEST_FOLDER";
const WRITER: &str = "LANCET_HISTORY_TEST_WRITER";
const SAVES: u64 = 60;

fn session() -> SessionName {
    SessionName::new("shared").expect("a good name")
}

fn entry(revision: u64, size: u64) -> LedgerEntry {
    let mut hash = [0; 32];
    hash[..8].copy_from_slice(&revision.to_le_bytes());
    LedgerEntry::new(FileVersion {
        revision: hash,
        size,
        stamp: StampRecord::default(),
    })
}

/// Runs the role of a child process. In the parent there is no role, and the test does nothing.
#[test]
fn child() {
    let Ok(part) = env::var(PART) else { return };
    let store = Store::new(env::var_os(FOLDER).expect("folder"));
    match part.as_str() {
        "write" => write(
            &store,
            env::var(WRITER).expect("writer").parse().expect("a number"),
        ),
        "write for ever" => write_for_ever(&store),
        "refused" => refused(&store),
        "meet damage" => meet_damage(&store),
        "leave an intent open" => leave_open(&store),
        other => panic!("no such part: {other}"),
    }
}

/// Writes separate files, and two that all writers share: one of the same version, one that each creates again.
fn write(store: &Store, writer: u64) {
    for number in 0..SAVES {
        let own = PathBuf::from(format!("/own/{writer}/{number}"));
        let mut shown = entry(7, 100_000);
        let at = (writer * SAVES + number) * 10;
        shown.seen.add(at..at + 5);
        let mine = LedgerEntry {
            seen: SeenRanges::all_seen(10),
            ..entry(writer * SAVES + number, 10)
        };
        let rows = [
            (own.as_path(), &mine),
            (Path::new("/same"), &shown),
            (Path::new("/anew"), &mine),
        ];
        let saved = store.save_entries(&session(), &rows).expect("saved");
        assert_eq!(saved.set_aside, None);
    }
}

#[expect(clippy::print_stdout, reason = "the parent waits for these lines")]
fn write_for_ever(store: &Store) {
    for number in 0.. {
        let rows: Vec<_> = (0..20)
            .map(|more| {
                (
                    PathBuf::from(format!("/{number}/{more}")),
                    entry(number, 10),
                )
            })
            .collect();
        let rows: Vec<_> = rows
            .iter()
            .map(|(path, entry)| (path.as_path(), entry))
            .collect();
        let _ = store.save_entries(&session(), &rows).expect("saved");
        println!("saved {number}");
    }
}

fn refused(store: &Store) {
    let error = store
        .save_entries(&session(), &[(Path::new("/a"), &entry(1, 1))])
        .expect_err("not writable");
    assert!(
        matches!(&error, HistoryError::Unavailable { .. }),
        "{error:?}"
    );
    assert!(
        error
            .affected_path()
            .is_some_and(|file| file.starts_with(store.folder())),
        "{error}"
    );
    let error = store
        .load_rows(&session(), LoadCursor::default())
        .expect_err("not writable");
    assert!(
        matches!(&error, HistoryError::Unavailable { .. }),
        "{error:?}"
    );
}

/// Opens an intent and waits for the end of its input.
#[expect(clippy::print_stdout, reason = "the parent waits for this line")]
fn leave_open(store: &Store) {
    store.open_intent(b"from the container").expect("open");
    println!("opened");
    let _ = std::io::stdin().lines().count();
}

fn meet_damage(store: &Store) {
    let writer = env::var(WRITER).expect("writer");
    let saved = store
        .save_entries(
            &session(),
            &[(Path::new(&format!("/{writer}")), &entry(1, 1))],
        )
        .expect("saved");
    drop(saved);
}

fn start(part: &str, folder: &Path, writer: u64) -> Child {
    let mut command = Command::new(env::current_exe().expect("this program"));
    give_part(&mut command, part, folder, writer);
    command.spawn().expect("started")
}

/// Makes the test program run a single role.
fn give_part(command: &mut Command, part: &str, folder: &Path, writer: u64) {
    command.args(["--exact", "child", "--nocapture", "--test-threads=1"]);
    command
        .env(PART, part)
        .env(FOLDER, folder)
        .env(WRITER, writer.to_string());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
}

fn assert_sound(folder: &Path) {
    let connection = Connection::open(folder.join("lancet.db")).expect("opens");
    let verdict: String = connection
        .pragma_query_value(None, "integrity_check", |row| row.get(0))
        .expect("checked");
    assert_eq!(verdict, "ok");
    let stray: i64 = connection
        .query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| {
            row.get(0)
        })
        .expect("checked");
    assert_eq!(stray, 0);
}

fn writers_at_once(writers: u64) {
    let folder = TestFolder::new();
    let children: Vec<_> = (0..writers)
        .map(|writer| start("write", folder.path(), writer))
        .collect();
    for child in children {
        assert_one_passed(&child.wait_with_output().expect("ended"));
    }
    assert_sound(folder.path());
    let loaded = Store::new(folder.path())
        .load_rows(&session(), LoadCursor::default())
        .expect("loaded");
    assert_eq!(
        loaded.rows.len() as u64,
        writers * SAVES + 2,
        "each file once, none lost"
    );
    let of = |path: &str| {
        &loaded
            .rows
            .iter()
            .find(|(found, _)| found == Path::new(path))
            .expect("there")
            .1
    };
    let same = &of("/same").seen;
    for writer in 0..writers {
        let last = ((writer + 1) * SAVES - 1) * 10;
        assert!(
            same.covers(last..last + 5),
            "what writer {writer} saw last of the shared file"
        );
    }
    let lasts: Vec<_> = (1..=writers)
        .map(|writer| entry(writer * SAVES - 1, 10).revision)
        .collect();
    assert!(
        lasts.contains(&of("/anew").revision),
        "the last save of one of them"
    );
}

#[test]
fn two_writers_at_once() {
    writers_at_once(2);
}

#[test]
fn eight_writers_at_once() {
    writers_at_once(8);
}

#[test]
fn a_killed_writer_leaves_whole_saves() {
    let folder = TestFolder::new();
    for round in 1..=5 {
        let mut child = start("write for ever", folder.path(), 0);
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let saved = lines
            .map_while(Result::ok)
            .filter(|line| line.starts_with("saved"))
            .nth(round * 7);
        assert!(saved.is_some(), "the writer ended by itself");
        child.kill().expect("killed");
        child.wait().expect("ended");
        let store = Store::new(folder.path());
        let loaded = store
            .load_rows(&session(), LoadCursor::default())
            .expect("loaded");
        assert_eq!(loaded.set_aside, None);
        assert!(
            loaded.rows.len() >= round * 7 * 20,
            "what was saved is there"
        );
        assert_eq!(loaded.rows.len() % 20, 0, "each save whole or not at all");
        assert_sound(folder.path());
    }
}

#[test]
fn processes_that_meet_one_damaged_file_set_it_aside_once() {
    let folder = TestFolder::new();
    fs::write(
        folder.path().join("lancet.db"),
        "no database at all, certainly not".repeat(200),
    )
    .expect("written");
    let children: Vec<_> = (0..4)
        .map(|writer| start("meet damage", folder.path(), writer))
        .collect();
    for child in children {
        assert_one_passed(&child.wait_with_output().expect("ended"));
    }
    let names = fs::read_dir(folder.path())
        .expect("listed")
        .map(|entry| entry.expect("entry").file_name());
    assert_eq!(
        names
            .filter(|name| name.to_string_lossy().contains("damaged"))
            .count(),
        1
    );
    let loaded = Store::new(folder.path())
        .load_rows(&session(), LoadCursor::default())
        .expect("loaded");
    assert_eq!(loaded.rows.len(), 4);
    assert_sound(folder.path());
}

#[test]
fn a_folder_that_may_not_be_written_is_an_error_of_its_own() {
    let outer = TestFolder::new();
    set_mode(outer.path(), 0o755);
    let read_only = outer.make("read-only");
    let existing = outer.join("existing");
    drop(
        Store::new(&existing)
            .save_entries(&session(), &[(Path::new("/a"), &entry(1, 1))])
            .expect("saved"),
    );
    for folder in [&read_only, &existing] {
        for inside in fs::read_dir(folder).expect("listed") {
            let file = inside.expect("entry").path();
            give_to_nobody(&file);
            set_mode(&file, 0o400);
        }
        give_to_nobody(folder);
        set_mode(folder, 0o500);
    }
    for folder in [
        read_only.clone(),
        read_only.join("deeper"),
        existing.clone(),
    ] {
        let mut command = this_program_as_nobody(outer.path());
        give_part(&mut command, "refused", &folder, 0);
        assert_one_passed(&command.output().expect("ended"));
    }
    for folder in [&read_only, &existing] {
        set_mode(folder, 0o700);
    }
}

/// Returns a process in a separate namespace, as in a container: its process id refers to another process, or none,
/// outside.
fn in_a_container() -> Option<Command> {
    let mut unshare = Command::new("unshare");
    unshare.args(["--pid", "--fork", "--kill-child", "--mount-proc"]);
    let works = Command::new("unshare")
        .args(["--pid", "--fork", "--mount-proc", "true"])
        .stderr(Stdio::null())
        .status();
    works
        .is_ok_and(|status| status.success())
        .then_some(unshare)
}

#[test]
fn a_process_in_another_container_is_not_taken_for_ended() {
    // Without the right to create namespaces there is nothing to test here.
    let Some(mut container) = in_a_container() else {
        return;
    };
    let folder = TestFolder::new();
    container.arg(env::current_exe().expect("this program"));
    give_part(&mut container, "leave an intent open", folder.path(), 0);
    let mut child = container.stdin(Stdio::piped()).spawn().expect("started");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let opened = lines.find(|line| line.as_ref().is_ok_and(|line| line.ends_with("opened")));
    assert!(opened.is_some(), "the child ended by itself");
    let store = Store::new(folder.path());
    assert!(
        store.take_over_intents().expect("read").is_empty(),
        "its process is at work"
    );
    child.kill().expect("killed");
    child.wait().expect("ended");
    // The kernel ends the process in the namespace after the one that started it.
    let mut left = store.take_over_intents().expect("read");
    while left.is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(5));
        left = store.take_over_intents().expect("read");
    }
    assert_eq!(left[0].intent, b"from the container");
}
