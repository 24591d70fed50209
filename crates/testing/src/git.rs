//! Runs git for tests, without the configuration of the machine and of the user. The settings in [`command`] override
//! those that a test writes into its home folder or repository.

use std::path::Path;
use std::process::Command;

/// Runs git in a folder and returns its standard output. It reads no settings of the machine or of a user (`home` is
/// its home folder), starts no maintenance in the background, and has a name to commit under. The test fails if git
/// does.
pub fn git(home: &Path, folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = command(home, folder)
        .args(arguments)
        .output()
        .expect("git is installed");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {error}");
    output.stdout
}

/// Returns the command that [`git`] runs, without its arguments.
#[must_use]
pub fn command(home: &Path, folder: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("GIT_CONFIG_NOSYSTEM", "1");
    for setting in [
        "user.name=a",
        "user.email=a@b",
        "init.defaultBranch=main",
        "protocol.file.allow=always",
        "gc.auto=0",
        "maintenance.auto=false",
    ] {
        command.args(["-c", setting]);
    }
    command
}
