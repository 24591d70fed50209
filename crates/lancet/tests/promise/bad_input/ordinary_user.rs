//! Restrictions of an ordinary user. Root may do anything, so under root this program is started again as `nobody`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use lancet::{Lancet, Mode, RawCall, Reply, Session, SessionName};
use lancet_testing::TestFolder;
use lancet_testing::folder::names;
use lancet_testing::user::{
    assert_one_passed, give_to_nobody, is_root, set_mode, this_program_as_nobody,
};
use serde_json::json;

use super::is_error;
use crate::ground::done;

const FOLDER: &str = "LANCET_TEST_AS_NOBODY";

/// Makes the folder that the tests below work in, as a user who may make it.
fn prepare(around: &Path) {
    let root = around.join("root");
    for folder in [&root, &root.join("shut"), &around.join("state")] {
        fs::create_dir(folder).unwrap();
        give_to_nobody(folder);
    }
    for name in ["free.txt", "bits.txt", "shut/in.txt", "unreadable.txt"] {
        fs::write(root.join(name), "one\n").unwrap();
        give_to_nobody(root.join(name));
    }
    set_mode(root.join("bits.txt"), 0o444);
    set_mode(root.join("unreadable.txt"), 0o000);
    set_mode(root.join("shut"), 0o555);
    fs::create_dir(around.join("state/lancet")).unwrap();
    set_mode(around.join("state/lancet"), 0o555);
    set_mode(around.join("state"), 0o555);
}

#[test]
fn an_ordinary_user_is_refused_with_io() {
    let around = TestFolder::new();
    set_mode(around.path(), 0o755);
    prepare(around.path());
    if is_root() {
        let mut command = this_program_as_nobody(around.path());
        command.args([
            "--exact",
            "bad_input::ordinary_user::as_an_ordinary_user",
            "--nocapture",
        ]);
        command.env(FOLDER, around.path());
        assert_one_passed(&command.output().unwrap());
    } else {
        refused_with_io(around.path());
    }
    set_mode(around.path().join("root/shut"), 0o755);
    set_mode(around.path().join("state"), 0o755);
}

/// The child's part. Without its folder there is nothing to do.
#[test]
fn as_an_ordinary_user() {
    if let Some(around) = std::env::var_os(FOLDER) {
        refused_with_io(&PathBuf::from(around));
    }
}

fn call(session: &Session, tool: &str, path: &Path) -> Reply {
    let arguments = match tool {
        "Read" => json!({ "file_path": path }),
        "Edit" => json!({ "file_path": path, "old_string": "one", "new_string": "two" }),
        _ => json!({ "file_path": path, "content": "two\n" }),
    };
    session.call(RawCall::new(tool, arguments))
}

fn refused_with_io(around: &Path) {
    let root = around.join("root");
    let lancet = Lancet::builder()
        .root(&root)
        .mode(Mode::AcceptEdits)
        .open()
        .unwrap();
    let session = lancet.new_session();
    let before = names(&root);

    // A file without write bits is never made writable.
    let bits = root.join("bits.txt");
    done(&call(&session, "Read", &bits));
    for tool in ["Edit", "Write"] {
        is_error(&call(&session, tool, &bits), "io", 29, 29);
    }
    assert_eq!(
        fs::metadata(&bits).unwrap().permissions().mode() & 0o777,
        0o444
    );
    assert_eq!(fs::read_to_string(&bits).unwrap(), "one\n");

    // In a folder without write permission no file is made; the file in it may be rewritten in place.
    let shut = root.join("shut/in.txt");
    done(&call(&session, "Read", &shut));
    let reply = call(&session, "Edit", &shut);
    if reply.is_error() {
        is_error(&reply, "io", 29, 29);
        assert_eq!(fs::read_to_string(&shut).unwrap(), "one\n");
    } else {
        assert!(
            reply.data()["guarantee"]
                .as_str()
                .unwrap()
                .starts_with("in-place")
        );
        assert_eq!(fs::read_to_string(&shut).unwrap(), "two\n");
    }
    is_error(
        &call(&session, "Write", &root.join("shut/new.txt")),
        "io",
        29,
        29,
    );
    is_error(
        &call(&session, "Write", &root.join("shut/d/new.txt")),
        "io",
        29,
        29,
    );
    assert_eq!(names(&root.join("shut")), ["in.txt"]);

    let unreadable = root.join("unreadable.txt");
    for tool in ["Read", "Edit", "Write"] {
        is_error(&call(&session, tool, &unreadable), "io", 29, 29);
    }
    assert_eq!(names(&root), before, "nothing is left beside the files");

    // A state folder that cannot be written: reading works, and writing reports it.
    let state = around.join("state/lancet");
    let kept = Lancet::builder()
        .root(&root)
        .mode(Mode::AcceptEdits)
        .state_dir(&state)
        .open()
        .unwrap();
    let talk = kept.session(&SessionName::new("talk").unwrap());
    let free = root.join("free.txt");
    done(&call(&talk, "Read", &free));
    for tool in ["Edit", "Write"] {
        let reply = call(&talk, tool, &free);
        is_error(&reply, "io", 29, 29);
        assert_eq!(fs::read_to_string(&free).unwrap(), "one\n");
    }
    assert_eq!(names(&root), before);

    // And the next call works.
    done(&call(&session, "Read", &free));
    done(&call(&session, "Edit", &free));
    assert_eq!(fs::read_to_string(&free).unwrap(), "two\n");
}
