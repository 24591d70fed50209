//! Parts for other processes: this same test program, started again to run `child` alone. Environment variables specify
//! what to do and where.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use lancet::testing::FaultyDisk;
use lancet::{Lancet, Mode, RawCall, Reply, Session, SessionName};
use serde_json::json;

const PART: &str = "LANCET_HISTORY_TEST_PART";
const FOLDER: &str = "LANCET_HISTORY_TEST_FOLDER";
const NUMBER: &str = "LANCET_HISTORY_TEST_NUMBER";

/// Returns a command that plays a part below a folder.
pub(crate) fn part(name: &str, folder: &Path, number: u64) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    dress(&mut command, name, folder, number);
    command
}

/// Sets arguments and environment of a part, for a program that is started by another one.
pub(crate) fn dress(command: &mut Command, name: &str, folder: &Path, number: u64) {
    command
        .args(["--exact", "child::child", "--nocapture", "--test-threads=1"])
        .env(PART, name)
        .env(FOLDER, folder)
        .env(NUMBER, number.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
}

/// Plays the part of a child. In the parent there is no part to play, so the test passes without a check.
#[test]
fn child() {
    let Ok(name) = std::env::var(PART) else {
        return;
    };
    let folder = PathBuf::from(std::env::var_os(FOLDER).expect("a folder"));
    let number: u64 = std::env::var(NUMBER)
        .expect("a number")
        .parse()
        .expect("a number");
    match name.split_once(' ') {
        Some(("die", act)) => crate::killed::die(act, &folder, number),
        Some(("act", act)) => crate::killed::act_once(act, &folder),
        _ if name == "carry out" => crate::decided::carry_out(&folder, number),
        _ if name == "go on" => crate::killed::go_on(&folder, number),
        _ if name == "beside" => crate::processes::beside(&folder, number),
        _ if name == "write-on" => crate::events::write_on(&folder, number),
        _ if name == "follow" => crate::events::follow(&folder),
        _ if name == "session" => crate::events::hold_session(&folder),
        _ if name == "hold" => crate::lost::hold(&folder),
        _ if name == "as nobody" => crate::trouble::as_nobody(&folder),
        _ => panic!("no such part: {name}"),
    }
}

/// Opens an engine on `root` and `state` below a folder.
pub(crate) fn open(folder: &Path, disk: Option<Arc<FaultyDisk>>) -> Lancet {
    let mut builder = Lancet::builder()
        .root(folder.join("root"))
        .state_dir(folder.join("state"))
        .mode(Mode::AcceptEdits)
        .tools(["default", "MoveFile", "DeleteFile", "ApplyPatch"]);
    if let Some(disk) = disk {
        builder = builder.disk(disk);
    }
    builder.open().expect("opens")
}

pub(crate) fn session(lancet: &Lancet, name: &str) -> Session {
    lancet.session(&SessionName::new(name).expect("a name"))
}

pub(crate) fn read(session: &Session, path: &Path) {
    let read = json!({ "file_path": path, "force": true });
    let reply = session.call(RawCall::new("Read", read));
    assert!(!reply.is_error(), "{}", reply.text());
}

pub(crate) fn edit(session: &Session, path: &Path, old: &str, new: &str) -> Reply {
    let edit = json!({ "file_path": path, "old_string": old, "new_string": new, "insist": true });
    crate::project::patiently(|| session.call(RawCall::new("Edit", edit.clone())))
}
