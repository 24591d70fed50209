//! Real file systems, mounted from images in memory. This needs root and the programs that create file systems; if
//! something is missing the reason is returned.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{TestFolder, judges};

/// A kind of file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// In memory.
    Tmpfs,
    /// ext4 as it is mounted by default.
    Ext4,
    /// ext4 without its heuristics for programs that do not flush.
    Ext4Strict,
    /// XFS.
    Xfs,
    /// Btrfs.
    Btrfs,
    /// Layers (overlayfs), in memory.
    Overlay,
    /// A pass-through in user space (bindfs), which cannot exchange names.
    Fuse,
    /// A disk of Windows, served by a program (ntfs-3g).
    Ntfs,
    /// The same, served by lowntfs-3g, which takes upper and lower case as the same.
    NtfsFolding,
    /// A memory card, served by a program (exfat-fuse): no links, no modes, and case does not count.
    Exfat,
}

impl System {
    /// Returns the name used in figures.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            System::Tmpfs => "tmpfs",
            System::Ext4 => "ext4",
            System::Ext4Strict => "ext4 noauto_da_alloc",
            System::Xfs => "xfs",
            System::Btrfs => "btrfs",
            System::Overlay => "overlayfs",
            System::Fuse => "fuse",
            System::Ntfs => "ntfs-3g",
            System::NtfsFolding => "lowntfs-3g ignore_case",
            System::Exfat => "exfat-fuse",
        }
    }
}

/// A mounted file system, unmounted on drop.
#[derive(Debug)]
pub struct MountedPlace {
    /// The mount point.
    pub at: PathBuf,
    mounts: Vec<PathBuf>,
    _folder: TestFolder,
}

impl MountedPlace {
    /// Mounts a new file system of a kind.
    ///
    /// # Errors
    /// This machine cannot do it: a program or the right is missing.
    pub fn mount(kind: System) -> Result<MountedPlace, String> {
        let folder = TestFolder::in_memory();
        let around = folder.path().to_owned();
        let at = around.join("at");
        fs::create_dir(&at).unwrap();
        let mut place = MountedPlace {
            at,
            mounts: Vec::new(),
            _folder: folder,
        };
        match kind {
            System::Tmpfs => place.add(&["-t", "tmpfs", "tmpfs"])?,
            System::Ext4 | System::Ext4Strict | System::Xfs | System::Btrfs => {
                let image = around.join("image");
                make_image(kind, &image)?;
                place.add(&["-o", options(kind), text(&image)])?;
            }
            System::Overlay => {
                let parts = around.join("parts");
                fs::create_dir(&parts).unwrap();
                let under = |name: &str| {
                    let path = parts.join(name);
                    fs::create_dir(&path).unwrap();
                    text(&path).to_owned()
                };
                let options = format!(
                    "lowerdir={},upperdir={},workdir={}",
                    under("lower"),
                    under("upper"),
                    under("work")
                );
                place.add(&["-t", "overlay", "overlay", "-o", &options])?;
            }
            System::Fuse => {
                let real = around.join("real");
                fs::create_dir(&real).unwrap();
                system("bindfs", &[text(&real), text(&place.at)])?;
                place.mounts.push(place.at.clone());
            }
            System::Ntfs => place.add_served(kind, &around.join("image"), "ntfs-3g", &[])?,
            System::NtfsFolding => {
                let options = ["-o", "ignore_case"];
                place.add_served(kind, &around.join("image"), "lowntfs-3g", &options)?;
            }
            System::Exfat => {
                place.add_served(kind, &around.join("image"), "mount.exfat-fuse", &[])?;
            }
        }
        Ok(place)
    }

    /// Mounts an image by a program. It gets a block device, because the mount table then lists it as a disk of this
    /// machine (`fuseblk`).
    fn add_served(
        &mut self,
        kind: System,
        image: &Path,
        program: &str,
        options: &[&str],
    ) -> Result<(), String> {
        make_image(kind, image)?;
        let device = system("losetup", &["--find", "--show", text(image)])?;
        let device = device.trim();
        let mounted = system(program, &[options, &[device, text(&self.at)]].concat());
        // The device is detached together with the mount.
        system("losetup", &["--detach", device])?;
        mounted?;
        self.mounts.push(self.at.clone());
        Ok(())
    }

    /// Mounts a file system at the place.
    fn add(&mut self, words: &[&str]) -> Result<(), String> {
        let at = self.at.clone();
        system("mount", &[words, &[text(&at)]].concat())?;
        self.mounts.push(at);
        Ok(())
    }
}

/// Returns a path as an argument of a program.
#[must_use]
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Creates an empty file system in a file.
///
/// # Errors
/// The program that creates it is missing, or fails.
pub fn make_image(kind: System, image: &Path) -> Result<(), String> {
    let (megabytes, maker, words): (u64, _, &[&str]) = match kind {
        System::Xfs => (300, "mkfs.xfs", &["-q", "-f"]),
        System::Btrfs => (128, "mkfs.btrfs", &["-q", "-f"]),
        System::Ntfs | System::NtfsFolding => (16, "mkntfs", &["-q", "-F", "-f"]),
        System::Exfat => (16, "mkfs.exfat", &[]),
        _ => (32, "mkfs.ext4", &["-q", "-F"]),
    };
    fs::File::create(image)
        .and_then(|file| file.set_len(megabytes << 20))
        .unwrap();
    system(maker, &[words, &[text(image)]].concat()).map(|_| ())
}

/// Returns the mount options for an image of this kind.
#[must_use]
pub fn options(kind: System) -> &'static str {
    match kind {
        System::Ext4Strict => "loop,noauto_da_alloc",
        // Copies of an image have the UUID of the original.
        System::Xfs => "loop,nouuid",
        _ => "loop",
    }
}

impl Drop for MountedPlace {
    fn drop(&mut self) {
        for at in self.mounts.iter().rev() {
            if system("umount", &[text(at)]).is_err() {
                let _ = system("umount", &["-l", text(at)]);
            }
        }
    }
}

/// Runs a program to its end; if it fails, returns its standard error output.
fn system(program: &str, arguments: &[&str]) -> Result<String, String> {
    match Command::new(program).args(arguments).output() {
        Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).into()),
        Ok(output) => Err(format!(
            "{program}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
        Err(error) => {
            judges::require(program);
            Err(format!("{program}: {error}"))
        }
    }
}
