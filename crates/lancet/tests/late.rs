//! Another process that had the file open writes into its old version after it was replaced: its bytes become a version
//! in the history, and the session gets a notice at its next call, in this process or a later one.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use lancet::history::{LogQuery, OperationKind};
use lancet::testing::FaultyDisk;
use lancet::undo::Restore;
use lancet::{Caller, Lancet, Mode, RawCall, Reply, Session, SessionName};
use lancet_testing::project::SharedProject;
use serde_json::json;

const ACCESS_DENIED: i32 = 13;

/// One test at a time. Some start processes, and each of those has, until it has become another program, every file
/// open that the others are just writing. Such a process may write late, or a lease may be refused because of it.
static ALONE: Mutex<()> = Mutex::new(());

/// Makes a project with one file, and a disk that works until a test changes it. While the guard exists, no other test
/// runs.
fn project() -> (SharedProject, Arc<FaultyDisk>, MutexGuard<'static, ()>) {
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let project = SharedProject::new(&[("a.txt", "one\n")]);
    (project, Arc::new(FaultyDisk::new()), alone)
}

fn open(folder: &Path, disk: Arc<FaultyDisk>) -> Lancet {
    Lancet::builder()
        .root(folder.join("root"))
        .state_dir(folder.join("state"))
        .disk(disk)
        .mode(Mode::AcceptEdits)
        .open()
        .expect("opens")
}

fn talk(lancet: &Lancet) -> Session {
    lancet.session(&SessionName::new("talk").expect("a name"))
}

fn read(session: &Session, file: &Path) -> Reply {
    session.call(RawCall::new(
        "Read",
        json!({ "file_path": file, "force": true }),
    ))
}

fn edit(session: &Session, file: &Path) -> Reply {
    read(session, file);
    let edit = json!({ "file_path": file, "old_string": "one", "new_string": "two" });
    let reply = session.call(RawCall::new("Edit", edit));
    assert!(!reply.is_error(), "{}", reply.text());
    reply
}

/// Returns the recorded late versions, newest first, with their contents.
fn late_versions(lancet: &Lancet) -> Vec<(String, String)> {
    let history = lancet.history().expect("a state folder");
    let log = history.log(&LogQuery::default()).expect("read");
    let late = log.iter().filter(|one| one.kind == OperationKind::Late);
    late.map(|one| {
        let after = one.files[0].after.as_ref().expect("a state");
        let bytes = history.content(&after.revision).expect("read");
        let text = String::from_utf8(bytes.expect("kept")).expect("text");
        (one.id.clone(), text)
    })
    .collect()
}

#[test]
fn without_leases_every_late_write_is_a_version_and_is_told_once() {
    let (project, disk, _alone) = project();
    disk.fail_method("take_lease", ACCESS_DENIED);
    let lancet = open(project.around.path(), Arc::clone(&disk));
    let session = lancet.new_session();
    let file = project.path("a.txt");
    let mut held = fs::OpenOptions::new()
        .append(true)
        .open(&file)
        .expect("open");
    let reply = edit(&session, &file);
    assert_eq!(reply.data()["guarantee"], "exchange");
    let quiet = read(&session, &file);
    assert!(
        !quiet.text().contains("Their text is not in the file"),
        "{}",
        quiet.text()
    );
    for (write, whole) in [("late\n", "one\nlate\n"), ("again\n", "one\nlate\nagain\n")] {
        held.write_all(write.as_bytes()).expect("written");
        // Another session gets no notice; this one gets it once.
        let other = read(&lancet.new_session(), &file);
        assert!(
            !other.text().contains("Their text is not in the file"),
            "{}",
            other.text()
        );
        let told = read(&session, &file);
        let (id, text) = late_versions(&lancet)[0].clone();
        assert_eq!(text, whole);
        assert!(
            told.text().contains("Their text is not in the file") && told.text().contains(&id),
            "{}",
            told.text()
        );
        assert!(
            !read(&session, &file)
                .text()
                .contains("Their text is not in the file")
        );
    }
    assert_eq!(fs::read_to_string(&file).expect("there"), "two\n");
    // Undo skips a version that was never in the file; restore can bring it there.
    let (id, text) = late_versions(&lancet)[0].clone();
    let asked = Restore::new(file.clone(), id, lancet::undo::OperationSide::After);
    let reply = lancet.new_session().restore(asked, Caller::default());
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(fs::read_to_string(&file).expect("there"), text);
}

/// Opens the old file, which waits for the release of the lease, and writes into it.
fn late_writer(root: PathBuf) -> JoinHandle<()> {
    let old = fs::read_dir(root).expect("there").flatten().find(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().starts_with(".lancet-")
    });
    let old = old.expect("the old file under its temporary name").path();
    let (tell, told) = mpsc::channel();
    let writer = std::thread::spawn(move || {
        tell.send(fs::read_link("/proc/thread-self").expect("linux"))
            .expect("heard");
        let mut held = fs::OpenOptions::new().append(true).open(old).expect("open");
        held.write_all(b"late\n").expect("written");
    });
    // Waits until it sleeps: in its open, which waits for the lease. A busy machine may take its time.
    let state = Path::new("/proc")
        .join(told.recv().expect("begun"))
        .join("stat");
    for _ in 0..1_000 {
        std::thread::sleep(Duration::from_millis(10));
        let line = fs::read_to_string(&state).unwrap_or_default();
        if line
            .rsplit(") ")
            .next()
            .is_some_and(|rest| rest.starts_with(['S', 'D']))
        {
            break;
        }
    }
    writer
}

#[test]
fn with_a_lease_the_late_writer_is_told_at_once_and_its_bytes_at_the_next_call() {
    let (project, disk, _alone) = project();
    let lancet = open(project.around.path(), Arc::clone(&disk));
    let session = lancet.new_session();
    let file = project.path("a.txt");
    let root = file.parent().expect("a parent").to_path_buf();
    let writer = Arc::new(Mutex::new(None));
    let (exchanged, slot) = (AtomicBool::new(false), Arc::clone(&writer));
    disk.set_hook(move |call| {
        if call.method == "exchange_at" {
            exchanged.store(true, Ordering::SeqCst);
        } else if call.method == "sync" && exchanged.swap(false, Ordering::SeqCst) {
            *slot.lock().expect("free") = Some(late_writer(root.clone()));
        }
    });
    let reply = edit(&session, &file);
    disk.clear_hook();
    assert!(reply.text().contains("LATE_WRITER"), "{}", reply.text());
    let writer = writer.lock().expect("free").take().expect("started");
    writer.join().expect("wrote");
    // A write that comes at once is reported in the edit's own answer.
    let mut told = reply;
    for _ in 0..200 {
        if told.text().contains("Their text is not in the file") {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
        told = read(&session, &file);
    }
    assert!(
        told.text().contains("Their text is not in the file"),
        "{}",
        told.text()
    );
    let versions = late_versions(&lancet);
    assert_eq!(versions.len(), 1);
    assert_eq!(versions[0].1, "one\nlate\n");
    assert_eq!(fs::read_to_string(&file).expect("there"), "two\n");
    // The old text is there as well. Once no other program can write, nothing waits any more.
    let displaced = project.around.join("state/displaced");
    for _ in 0..100 {
        read(&session, &file);
        if fs::read_dir(&displaced).expect("there").count() == 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(fs::read_dir(&displaced).expect("there").count(), 0);
    assert_eq!(late_versions(&lancet).len(), 1);
    let undone = lancet.new_session().undo_or_redo(
        lancet::undo::UndoRequest::undo(lancet::undo::Selection::Newest),
        Caller::default(),
    );
    assert!(!undone.is_error(), "{}", undone.text());
    assert_eq!(fs::read_to_string(&file).expect("there"), "one\n");
}

const CHILD: &str = "LANCET_TEST_LATE_CHILD";

#[test]
fn what_comes_after_the_process_has_ended_is_told_when_the_session_goes_on() {
    let (project, disk, _alone) = project();
    let file = project.path("a.txt");
    let mut held = fs::OpenOptions::new()
        .append(true)
        .open(&file)
        .expect("open");
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "in_a_process_of_its_own", "--nocapture"])
        .env(CHILD, project.around.path())
        .output()
        .expect("started");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    held.write_all(b"late\n").expect("written");
    drop(held);
    let lancet = open(project.around.path(), Arc::clone(&disk));
    // The first call finds the late bytes, and the session that they belong to gets the notice.
    let told = read(&talk(&lancet), &file);
    assert!(
        told.text().contains("Their text is not in the file"),
        "{}",
        told.text()
    );
    assert_eq!(late_versions(&lancet)[0].1, "one\nlate\n");
    assert!(
        !read(&talk(&lancet), &file)
            .text()
            .contains("Their text is not in the file")
    );
}

#[test]
fn in_a_process_of_its_own() {
    let Some(folder) = std::env::var_os(CHILD).map(PathBuf::from) else {
        return;
    };
    let disk = Arc::new(FaultyDisk::new());
    disk.fail_method("take_lease", ACCESS_DENIED);
    let lancet = open(&folder, disk);
    let file = folder.canonicalize().expect("there").join("root/a.txt");
    edit(&talk(&lancet), &file);
}

const KILLED: &str = "LANCET_TEST_KILLED_CHILD";

#[test]
fn what_an_interrupted_process_left_is_mended_before_the_first_call_and_told() {
    let (project, disk, _alone) = project();
    let second = project.path("a.txt").with_file_name("b.txt");
    fs::write(&second, "one\n").expect("written");
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "killed_between_two_files", "--nocapture"])
        .env(KILLED, project.around.path())
        .output()
        .expect("started");
    assert_eq!(output.status.code(), Some(77), "ended in the middle");
    let files = fs::read_dir(project.around.join("state/journal"));
    assert_eq!(files.map_or(0, Iterator::count), 0, "the database has it");
    assert_eq!(
        fs::read_to_string(project.path("a.txt")).expect("there"),
        "two\n"
    );
    assert_eq!(fs::read_to_string(&second).expect("there"), "one\n");
    // Even a Read comes after the recovery, and nothing of the state folder is needed for it.
    let session = open(project.around.path(), Arc::clone(&disk)).new_session();
    let told = read(&session, &project.path("a.txt"));
    // The second file still has its base, so the change is completed.
    assert!(told.text().contains("1→two"), "{}", told.text());
    assert!(told.text().contains("interrupted"), "{}", told.text());
    let second = read(&session, &second);
    assert!(second.text().contains("1→two"), "{}", second.text());
    assert!(!second.text().contains("interrupted"));
    let names = fs::read_dir(project.around.join("root")).expect("there");
    assert_eq!(names.count(), 2, "no temporary file is left");
}

#[test]
fn killed_between_two_files() {
    let Some(folder) = std::env::var_os(KILLED).map(PathBuf::from) else {
        return;
    };
    let disk = Arc::new(FaultyDisk::new());
    let lancet = open(&folder, Arc::clone(&disk));
    let root = folder.canonicalize().expect("there").join("root");
    let session = lancet.new_session();
    let edits = ["a.txt", "b.txt"].map(|name| {
        let file = root.join(name);
        read(&session, &file);
        json!({ "file_path": file, "old_string": "one", "new_string": "two" })
    });
    let exchanges = std::sync::atomic::AtomicUsize::new(0);
    disk.set_hook(move |call| {
        if call.method == "exchange_at" && exchanges.fetch_add(1, Ordering::SeqCst) == 1 {
            std::process::exit(77);
        }
    });
    session.call(RawCall::new("MultiEdit", json!({ "edits": edits })));
}

#[test]
fn a_read_alone_makes_no_state_folder() {
    let (project, disk, _alone) = project();
    read(
        &open(project.around.path(), Arc::clone(&disk)).new_session(),
        &project.path("a.txt"),
    );
    assert!(!project.around.join("state").exists());
}

/// The action of the program on the file that the conflict sets aside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writer {
    /// It has closed the file, and the check comes at once.
    Closed,
    /// It has closed the file, and the check comes ten seconds later: the file is sealed, which renames it.
    ClosedLongAgo,
    /// It has the file open, so it cannot be sealed yet.
    HasItOpen,
}

#[test]
fn a_version_that_a_conflict_leaves_aside_is_in_the_history() {
    for writer in [Writer::Closed, Writer::ClosedLongAgo, Writer::HasItOpen] {
        leaves_aside(writer);
    }
}

/// Two other programs put files at the name: one just before the exchange, one just before it is undone.
fn leaves_aside(writer: Writer) {
    let (project, disk, _alone) = project();
    let lancet = open(project.around.path(), Arc::clone(&disk));
    let session = lancet.new_session();
    let file = project.path("a.txt");
    read(&session, &file);
    let (name, beside) = (file.clone(), file.with_file_name("theirs"));
    let exchanges = Mutex::new(0);
    let open = Arc::new(Mutex::new(None));
    let hook_open = Arc::clone(&open);
    let (is_aside, clock) = (AtomicBool::new(false), Arc::clone(&disk));
    disk.set_hook(move |call| {
        if call.method == "exchange_at" {
            let mut exchanges = exchanges.lock().expect("sound");
            *exchanges += 1;
            if *exchanges <= 2 {
                let mut file = fs::File::create(&beside).expect("made");
                writeln!(file, "theirs {exchanges}").expect("written");
                fs::rename(&beside, &name).expect("moved");
                if *exchanges == 1 && writer == Writer::HasItOpen {
                    *hook_open.lock().expect("sound") = Some(file);
                }
            }
        }
        if call.method == "move_at" && *exchanges.lock().expect("sound") >= 2 {
            is_aside.store(true, Ordering::SeqCst);
        } else if is_aside.load(Ordering::SeqCst) {
            let late = writer == Writer::ClosedLongAgo;
            clock.set_clock_ahead(if late { 10 } else { 0 });
        }
    });
    let edit = json!({ "file_path": file, "old_string": "one", "new_string": "two" });
    let reply = session.call(RawCall::new("Edit", edit));
    disk.clear_faults();
    assert_eq!(
        reply.data()["error"]["name"],
        "conflict",
        "{}",
        reply.text()
    );
    assert_eq!(fs::read_to_string(&file).expect("there"), "theirs 2\n");
    let (id, text) = late_versions(&lancet)[0].clone();
    assert_eq!(text, "theirs 1\n");
    let named = format!("{}@{id}", file.display());
    assert!(reply.text().contains(&named), "{}", reply.text());
    let asked = Restore::new(file.clone(), id, lancet::undo::OperationSide::After);
    let reply = lancet.new_session().restore(asked, Caller::default());
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(fs::read_to_string(&file).expect("there"), "theirs 1\n");
    drop(open);
}
