//! A file whose bytes changed while every field of its stat stayed: a version of the ledger that was taken on trust is
//! found out by the write, and nothing is told of bytes that were not looked at.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};

use lancet::{Lancet, Mode, RawCall, Reply, Session, SessionName};
use serde_json::{Value, json};

const BEFORE: &str = "first line\nthe second\nthe third\n";
/// As long as the one before.
const AFTER: &str = "first line\nTHE SECOND\nthe third\n";

struct Ground {
    folder: tempfile::TempDir,
    session: Session,
}

impl Ground {
    /// A file that was read, and then changed without a trace.
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("root")).expect("made");
        let lancet = Lancet::builder()
            .root(folder.path().join("root"))
            .state_dir(folder.path().join("state"))
            .mode(Mode::AcceptEdits)
            .open()
            .expect("opens");
        let session = lancet.session(&SessionName::new("talk").expect("a name"));
        let ground = Ground { folder, session };
        fs::write(ground.file(), BEFORE).expect("written");
        change_after(&ground.file(), || {
            let read = ground.call("Read", json!({}));
            assert!(!read.is_error(), "{}", read.text());
        });
        assert_eq!(ground.content(), AFTER);
        ground
    }

    fn file(&self) -> PathBuf {
        let folder = self.folder.path().canonicalize().expect("there");
        folder.join("root/a.txt")
    }

    fn content(&self) -> String {
        fs::read_to_string(self.file()).expect("read")
    }

    fn call(&self, tool: &str, arguments: Value) -> Reply {
        let mut arguments = arguments;
        arguments["file_path"] = json!(self.file());
        self.session.call(RawCall::new(tool, arguments))
    }
}

/// Runs `look` and then stores [`AFTER`] through a mapping that was dirty before: no field of the stat changes.
#[allow(
    unsafe_code,
    reason = "there is no other way to write through a mapping"
)]
fn change_after(path: &Path, look: impl FnOnce()) {
    use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
    let file = fs::File::options()
        .read(true)
        .write(true)
        .open(path)
        .expect("opens");
    let stat = || {
        let stat = rustix::fs::fstat(&file).expect("a stat");
        (stat.st_mtime_nsec, stat.st_ctime_nsec, stat.st_size)
    };
    let (flags, protection) = (MapFlags::SHARED, ProtFlags::READ | ProtFlags::WRITE);
    // SAFETY: a fresh mapping of a file of less than a page, used inside its length, gone at the end.
    unsafe {
        let map = mmap(std::ptr::null_mut(), 4096, protection, flags, &file, 0).expect("maps");
        let bytes = map.cast::<u8>();
        bytes.write_volatile(BEFORE.as_bytes()[0]);
        let before = stat();
        look();
        for (at, byte) in AFTER.bytes().enumerate() {
            bytes.add(at).write_volatile(byte);
        }
        munmap(map, 4096).expect("unmaps");
        assert_eq!(stat(), before, "the change left a trace");
    }
}

#[test]
fn an_edit_of_what_was_there_is_refused_and_the_file_stands() {
    let ground = Ground::new();
    let arguments = json!({ "old_string": "the third", "new_string": "the 3rd" });
    let answer = ground.call("Edit", arguments.clone());
    assert!(answer.is_error(), "{}", answer.text());
    assert!(answer.text().contains("THE SECOND"), "{}", answer.text());
    assert_eq!(ground.content(), AFTER);
    // The refusal has shown what is there now.
    let answer = ground.call("Edit", arguments);
    assert!(!answer.is_error(), "{}", answer.text());
    assert_eq!(ground.content(), "first line\nTHE SECOND\nthe 3rd\n");
}

#[test]
fn a_refusal_is_told_of_what_is_there_now() {
    let ground = Ground::new();
    let arguments = json!({ "old_string": "the sec\nond", "new_string": "the 2nd" });
    let answer = ground.call("Edit", arguments);
    assert!(answer.is_error(), "{}", answer.text());
    assert!(answer.text().contains("THE SECOND"), "{}", answer.text());
}

#[test]
fn a_dry_run_is_told_of_what_is_there_now() {
    let ground = Ground::new();
    let arguments = json!({ "old_string": "the second", "new_string": "the 2nd", "dry_run": true });
    let answer = ground.call("Edit", arguments);
    assert!(answer.is_error(), "{}", answer.text());
    assert!(answer.text().contains("THE SECOND"), "{}", answer.text());
}

#[test]
fn a_write_over_what_was_there_is_refused_and_the_file_stands() {
    let ground = Ground::new();
    let answer = ground.call("Write", json!({ "content": "new\n" }));
    assert!(answer.is_error(), "{}", answer.text());
    assert_eq!(ground.content(), AFTER);
}
