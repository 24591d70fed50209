//! A folder in memory for the temporary files of tests that are not about the disk: most of their time would otherwise
//! be spent on flushing.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::run::command;

const MEMORY: &str = "/dev/shm";
const NAME: &str = "lancet-tests-";

/// The required free space, in KiB; a container may have as little as 64 MiB.
const NEEDED: u64 = 2 << 20;

/// The folder. It is removed with everything in it when this is dropped.
pub(crate) struct MemoryFolder(PathBuf);

impl MemoryFolder {
    /// Creates the folder, if the system has one in memory with enough free space. Folders that an earlier run left,
    /// because it was killed, are removed.
    pub(crate) fn new() -> Option<MemoryFolder> {
        remove_left(Path::new(MEMORY), |process| {
            Path::new("/proc").join(process).exists()
        });
        let free = command("df", &["--output=avail", "-k", MEMORY])
            .output()
            .ok()?;
        let text = String::from_utf8(free.stdout).ok()?;
        let free: u64 = text.lines().last()?.trim().parse().ok()?;
        if free < NEEDED {
            return None;
        }
        let path = Path::new(MEMORY).join(format!("{NAME}{}", std::process::id()));
        std::fs::create_dir(&path).ok()?;
        let folder = MemoryFolder(path);
        folder.is_like_tmp().ok()?.then_some(folder)
    }

    /// Makes the folder accessible to every user, as `/tmp` is. Returns whether programs can be started in it: tests
    /// copy programs into their folders, and a container may forbid it.
    fn is_like_tmp(&self) -> std::io::Result<bool> {
        std::fs::set_permissions(&self.0, Permissions::from_mode(0o1777))?;
        let program = self.0.join("program");
        std::fs::copy("/bin/true", &program)?;
        let ran = command(&program, &[]).status();
        std::fs::remove_file(&program)?;
        Ok(ran.is_ok_and(|status| status.success()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for MemoryFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn remove_left(memory: &Path, is_alive: impl Fn(&str) -> bool) {
    let entries = std::fs::read_dir(memory).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(NAME));
        if process.is_some_and(|process| !is_alive(process)) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_removed_with_what_is_in_it() {
        // A machine without free space in memory has no such folder.
        let Some(folder) = MemoryFolder::new() else {
            return;
        };
        let path = folder.path().to_owned();
        let mode = std::fs::metadata(&path)
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o7777, 0o1777);
        std::fs::write(path.join("left"), "by a test").expect("written");
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn only_folders_of_dead_runs_are_removed() {
        let memory = std::env::temp_dir().join(format!("lancet-xtask-{}", std::process::id()));
        for name in ["lancet-tests-1", "lancet-tests-2", "other"] {
            std::fs::create_dir_all(memory.join(name)).expect("made");
        }
        remove_left(&memory, |process| process == "2");
        let is_there = |name: &str| memory.join(name).exists();
        assert!(!is_there("lancet-tests-1") && is_there("lancet-tests-2") && is_there("other"));
        std::fs::remove_dir_all(&memory).expect("removed");
    }
}
