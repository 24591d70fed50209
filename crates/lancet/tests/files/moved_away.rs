//! Moves that a plain rename does not make: to another file system, to a name that another program takes meanwhile, and
//! without the permission.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lancet::approval::{Answer, Question};
use lancet::testing::FaultyDisk;
use lancet::undo::{Selection, UndoRequest};
use lancet::{Caller, Lancet, Mode, RawCall, Reply, Session};
use lancet_testing::TestFolder;
use lancet_testing::user::{
    assert_one_passed, give_to_nobody, is_root, set_mode, this_program_as_nobody,
};
use serde_json::json;

use crate::project::{ok, project_with, refused, rename_file};

fn move_file(session: &Session, from: &Path, to: &Path) -> Reply {
    let arguments = json!({ "from_path": from, "to_path": to });
    session.call(RawCall::new("MoveFile", arguments))
}

/// Two roots on two file systems; none where this system has only one.
struct TwoFileSystems {
    memory: TestFolder,
    disk: TestFolder,
    _state: TestFolder,
    session: Session,
}

impl TwoFileSystems {
    fn new() -> Option<TwoFileSystems> {
        let (memory, disk) = (TestFolder::in_memory(), TestFolder::new());
        let device = |folder: &TestFolder| fs::metadata(folder.path()).expect("there").dev();
        if device(&memory) == device(&disk) {
            return None;
        }
        let state = TestFolder::in_memory();
        let lancet = Lancet::builder()
            .root(memory.path())
            .root(disk.path())
            .state_dir(state.path())
            .mode(Mode::AcceptEdits)
            .tools(["MoveFile", "Undo"])
            .open()
            .expect("opened");
        Some(TwoFileSystems {
            session: lancet.new_session(),
            memory,
            disk,
            _state: state,
        })
    }
}

/// Returns the bytes, the permission bits and the time of a file.
fn file(path: &Path) -> (Vec<u8>, u32, i64, i64) {
    let meta = fs::metadata(path).expect("there");
    let bytes = fs::read(path).expect("read");
    (bytes, meta.mode(), meta.mtime(), meta.mtime_nsec())
}

fn listed(folder: &TestFolder) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.path()).expect("listed");
    entries
        .map(|entry| entry.expect("an entry").path())
        .collect()
}

#[test]
fn a_file_comes_whole_to_another_file_system_and_back() {
    let Some(two) = TwoFileSystems::new() else {
        return;
    };
    let (from, to) = (two.memory.join("a.sh"), two.disk.join("b.sh"));
    fs::write(&from, b"one\r\n\xFF\0two").expect("written");
    set_mode(&from, 0o750);
    let before = file(&from);
    ok(&move_file(&two.session, &from, &to));
    let (bytes, mode, ..) = file(&to);
    assert_eq!((&bytes, mode), (&before.0, before.1));
    assert_eq!(listed(&two.memory), [] as [PathBuf; 0]);
    assert_eq!(listed(&two.disk), std::slice::from_ref(&to));
    ok(&two.session.undo());
    let (bytes, mode, ..) = file(&from);
    assert_eq!((&bytes, mode), (&before.0, before.1));
    assert_eq!(listed(&two.disk), [] as [PathBuf; 0]);
    let redo = UndoRequest::redo(Selection::Newest);
    ok(&two.session.undo_or_redo(redo, Caller::default()));
    assert_eq!(file(&to).0, before.0);
    assert_eq!(listed(&two.memory), [] as [PathBuf; 0]);
}

#[test]
fn on_another_file_system_a_name_that_is_there_stays() {
    let Some(two) = TwoFileSystems::new() else {
        return;
    };
    let (from, to) = (two.memory.join("a"), two.disk.join("b"));
    fs::write(&from, "mine\n").expect("written");
    fs::write(&to, "theirs\n").expect("written");
    refused(&move_file(&two.session, &from, &to), "exists");
    assert_eq!(fs::read(&from).expect("there"), b"mine\n");
    assert_eq!(fs::read(&to).expect("there"), b"theirs\n");
}

#[test]
fn a_link_stays_on_its_file_system() {
    let Some(two) = TwoFileSystems::new() else {
        return;
    };
    let (from, to) = (two.memory.join("link"), two.disk.join("link"));
    fs::write(two.memory.join("a"), "text\n").expect("written");
    symlink("a", &from).expect("made");
    let told = refused(&move_file(&two.session, &from, &to), "io");
    assert!(told.contains("another file system"), "{told}");
    assert_eq!(fs::read_link(&from).expect("a link"), Path::new("a"));
    assert_eq!(listed(&two.disk), [] as [PathBuf; 0]);
}

#[test]
fn a_name_that_is_taken_while_a_person_is_asked_stays_theirs() {
    let project = project_with(|builder| {
        builder.mode(Mode::Ask).approver(|question: &Question| {
            let new = question.files.iter().map(|file| &file.path);
            for path in new.filter(|path| path.ends_with("b")) {
                fs::write(path, "theirs\n").expect("written");
            }
            Answer::Yes
        })
    });
    project.put("a", "mine\n");
    refused(&rename_file(&project, "a", "b"), "exists");
    assert_eq!(fs::read(project.path("a")).expect("there"), b"mine\n");
    assert_eq!(fs::read(project.path("b")).expect("there"), b"theirs\n");
}

#[test]
fn a_name_that_is_taken_at_any_moment_of_a_move_stays_theirs() {
    let disk = Arc::new(FaultyDisk::without_flushes());
    let engine = Arc::clone(&disk);
    let project = project_with(|builder| builder.disk(engine));
    let mut moved = 0;
    for at in 1.. {
        project.put("a", "mine\n");
        let count = Arc::new(AtomicU64::new(0));
        let (counted, to) = (Arc::clone(&count), project.path("b"));
        disk.set_hook(move |_| {
            if counted.fetch_add(1, Ordering::SeqCst) + 1 == at {
                // Created as a program creates a new file: never over another one.
                let made = fs::File::options().write(true).create_new(true).open(&to);
                if let Ok(mut made) = made {
                    std::io::Write::write_all(&mut made, b"theirs\n").expect("written");
                }
            }
        });
        let reply = rename_file(&project, "a", "b");
        disk.clear_hook();
        let met = count.load(Ordering::SeqCst) >= at;
        let (from, to) = (
            fs::read(project.path("a")).ok(),
            fs::read(project.path("b")).ok(),
        );
        if reply.is_error() {
            assert_eq!(
                from.as_deref(),
                Some(&b"mine\n"[..]),
                "{at}: {}",
                reply.text()
            );
            assert_eq!(
                to.as_deref(),
                Some(&b"theirs\n"[..]),
                "{at}: {}",
                reply.text()
            );
            refused(&reply, "exists");
        } else {
            // The move was done by then, so the other program cannot create a new file under the name.
            assert_eq!((from, to.as_deref()), (None, Some(&b"mine\n"[..])), "{at}");
            moved += 1;
        }
        fs::remove_file(project.path("b")).expect("there");
        if !met {
            break;
        }
    }
    assert!(moved > 1, "no call of the system came after the rename");
}

const FOLDER: &str = "LANCET_TEST_MOVES_AS_NOBODY";

#[test]
fn what_an_ordinary_user_may_not_move_stays() {
    let around = TestFolder::new();
    set_mode(around.path(), 0o755);
    let root = around.join("root");
    for folder in [&root, &root.join("shut"), &root.join("open")] {
        fs::create_dir(folder).expect("made");
        give_to_nobody(folder);
    }
    for name in ["free.txt", "bits.txt", "shut/in.txt"] {
        fs::write(root.join(name), "one\n").expect("written");
        give_to_nobody(root.join(name));
    }
    set_mode(root.join("bits.txt"), 0o444);
    set_mode(root.join("shut"), 0o555);
    if is_root() {
        let mut command = this_program_as_nobody(around.path());
        command.args([
            "--exact",
            "moved_away::moves_of_an_ordinary_user",
            "--nocapture",
        ]);
        command.env(FOLDER, &root);
        assert_one_passed(&command.output().expect("run"));
    } else {
        moves_without_permission(&root);
    }
    set_mode(root.join("shut"), 0o755);
}

/// The child's part. Without its folder there is nothing to do.
#[test]
fn moves_of_an_ordinary_user() {
    if let Some(root) = std::env::var_os(FOLDER) {
        moves_without_permission(Path::new(&root));
    }
}

fn moves_without_permission(root: &Path) {
    let lancet = Lancet::builder()
        .root(root)
        .mode(Mode::AcceptEdits)
        .tools(["MoveFile"])
        .open()
        .expect("opened");
    let session = lancet.new_session();
    let stays = |from: &str, to: &str, why: &str| {
        let told = refused(&move_file(&session, &root.join(from), &root.join(to)), "io");
        assert!(told.contains(why), "{told}");
        assert_eq!(fs::read(root.join(from)).expect("there"), b"one\n");
        assert!(!root.join(to).exists(), "{told}");
    };
    let folder = "its folder has no write permission";
    stays("shut/in.txt", "open/in.txt", folder);
    stays("free.txt", "shut/free.txt", folder);
    // A user who removed the write bits wants the file left alone. lancet needs them for a move, too.
    stays("bits.txt", "open/bits.txt", "it has no write permission");
    let bits = fs::metadata(root.join("bits.txt")).expect("there");
    assert_eq!(bits.mode() & 0o777, 0o444);
    ok(&move_file(
        &session,
        &root.join("free.txt"),
        &root.join("open/free.txt"),
    ));
}
