//! Tests of what an ordinary user may not do. Root may do anything, so under root these tests run in another process as
//! `nobody`.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Output};

/// The user and the group that own nothing.
pub const NOBODY: u32 = 65534;

/// Returns whether this process is root.
#[must_use]
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Sets the permission bits of a file or folder.
pub fn set_mode(path: impl AsRef<Path>, mode: u32) {
    let permissions = fs::Permissions::from_mode(mode);
    fs::set_permissions(path, permissions).expect("the bits are set");
}

/// Under root, gives a file or folder to `nobody`; otherwise it already belongs to this user.
pub fn give_to_nobody(path: impl AsRef<Path>) {
    if is_root() {
        chown(path.as_ref(), Some(NOBODY), Some(NOBODY)).expect("given away");
    }
}

/// Returns a command that runs this test program, as `nobody` if this process is root. The caller adds the arguments
/// that select one test, and the environment that gives it its role. Every user must be able to enter `folder`: the
/// program is copied there, because the target folder may be closed.
#[must_use]
pub fn this_program_as_nobody(folder: &Path) -> Command {
    let program = folder.join("test-program");
    // Another process makes the copy: children that other tests start meanwhile would inherit our handle, and a program
    // that is open for writing cannot be started.
    let this = std::env::current_exe().expect("this program has a path");
    let copied = Command::new("cp").args([&this, &program]).status();
    assert!(copied.expect("cp is installed").success());
    set_mode(&program, 0o755);
    let mut command = Command::new(&program);
    command.current_dir("/");
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// Asserts that the other process ran one test and that it passed.
#[track_caller]
pub fn assert_one_passed(output: &Output) {
    let words = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && words.contains("1 passed"),
        "{words}"
    );
}
