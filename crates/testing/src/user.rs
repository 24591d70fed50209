//! Tests of what an ordinary user may not do. Root may do anything, so that under root they run in another process as
//! `nobody`.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Output};

/// The user and the group that own nothing.
pub const NOBODY: u32 = 65534;

/// Whether this process is root.
#[must_use]
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Sets the permission bits of a file or folder.
pub fn set_mode(path: impl AsRef<Path>, mode: u32) {
    let permissions = fs::Permissions::from_mode(mode);
    fs::set_permissions(path, permissions).expect("the bits are set");
}

/// Under root makes a file or folder nobody's; elsewhere it is ours already.
pub fn give_to_nobody(path: impl AsRef<Path>) {
    if is_root() {
        chown(path.as_ref(), Some(NOBODY), Some(NOBODY)).expect("given away");
    }
}

/// This test program as a command, run by `nobody` where this process is root. The caller adds the arguments that pick one
/// test, and the environment that tells it its part. `folder` must be one that everybody may enter: the program is copied
/// there, since the target folder may not be.
#[must_use]
pub fn this_program_as_nobody(folder: &Path) -> Command {
    let program = folder.join("test-program");
    // Copied by another process: children that other tests start meanwhile would hold ours open, and a program that is
    // open for writing cannot be started.
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

/// The other process ran its one test, and that passed.
#[track_caller]
pub fn assert_one_passed(output: &Output) {
    let words = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && words.contains("1 passed"),
        "{words}"
    );
}
