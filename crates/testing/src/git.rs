//! Runs git for tests, without the configuration of the machine and of the user. The settings in [`command`] override
//! those that a test writes into its home folder or repository.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::TestFolder;

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

/// A temporary folder for repositories, which is also git's home folder. Repositories and files in it are named by
/// their paths below the folder.
#[derive(Debug, Default)]
pub struct TestRepositories {
    folder: TestFolder,
}

impl TestRepositories {
    /// Creates an empty folder.
    #[must_use]
    pub fn new() -> TestRepositories {
        TestRepositories::default()
    }

    /// Creates a folder with an empty repository in it, which has this name; the empty name is the folder itself.
    #[must_use]
    pub fn with(name: &str) -> TestRepositories {
        let repositories = TestRepositories::new();
        repositories.folder.make(name);
        repositories.git(name, &["init", "-q"]);
        repositories
    }

    /// Returns a path below the folder.
    #[must_use]
    pub fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        self.folder.join(below)
    }

    /// Writes a file, with the folders that it needs; returns its path.
    pub fn put(&self, below: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        self.folder.put(below, bytes)
    }

    /// Runs git in a folder below this one, as [`git`] does.
    pub fn git(&self, below: &str, arguments: &[&str]) -> Vec<u8> {
        git(self.folder.path(), &self.path(below), arguments)
    }

    /// Returns the command that [`TestRepositories::git`] runs, without its arguments.
    #[must_use]
    pub fn command(&self, below: &str) -> Command {
        command(self.folder.path(), &self.path(below))
    }
}
