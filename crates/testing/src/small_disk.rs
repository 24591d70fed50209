//! A small file system, for tests of a full disk.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{TestFolder, judges};

/// A file system in memory with space for a few files, mounted until it is dropped.
#[derive(Debug)]
pub struct SmallDisk {
    /// The mount point.
    pub at: PathBuf,
    _folder: Option<TestFolder>,
}

impl SmallDisk {
    /// Mounts a file system of this many kibibytes at a new folder. Returns none, with the reason printed, if this
    /// process may not mount.
    #[must_use]
    pub fn mount(kibibytes: u32) -> Option<SmallDisk> {
        let folder = TestFolder::new();
        let mut disk = SmallDisk::mount_at(folder.path(), kibibytes)?;
        disk._folder = Some(folder);
        Some(disk)
    }

    /// Mounts it at a folder that exists or whose parent does.
    #[must_use]
    pub fn mount_at(at: &Path, kibibytes: u32) -> Option<SmallDisk> {
        std::fs::create_dir_all(at).expect("a folder");
        let size = format!("size={kibibytes}k");
        match mount(&["-t", "tmpfs", "-o", &size, "tmpfs"], at) {
            Ok(()) => Some(SmallDisk {
                at: at.to_owned(),
                _folder: None,
            }),
            Err(why) => {
                judges::skipped(&format!(
                    "a small file system cannot be mounted here: {why}"
                ));
                None
            }
        }
    }

    /// Remounts it with other options, such as `ro`.
    pub fn remount(&self, options: &str) {
        mount(&["-o", &format!("remount,{options}")], &self.at).expect("mounted again");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.at).status();
    }
}

fn mount(arguments: &[&str], at: &Path) -> Result<(), String> {
    let output = Command::new("mount").args(arguments).arg(at).output();
    let output = output.map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
