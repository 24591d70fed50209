//! Real file systems for the proofs, mounted from images in memory. This needs root and the programs that make file
//! systems; where something is missing the reason is returned.

use std::fs;
use std::path::{Path, PathBuf};

use lancet_testing::TestFolder;

use crate::runner::system;

/// A kind of file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Tmpfs,
    Ext4,
    /// ext4 without its heuristics for programs that do not flush.
    Ext4Strict,
    Xfs,
    Btrfs,
    Overlay,
    /// A pass-through in user space (bindfs), which cannot exchange names.
    Fuse,
}

impl System {
    pub(crate) fn name(self) -> &'static str {
        match self {
            System::Tmpfs => "tmpfs",
            System::Ext4 => "ext4",
            System::Ext4Strict => "ext4 noauto_da_alloc",
            System::Xfs => "xfs",
            System::Btrfs => "btrfs",
            System::Overlay => "overlayfs",
            System::Fuse => "fuse",
        }
    }
}

/// A mounted file system, unmounted on drop.
pub(crate) struct Place {
    pub(crate) at: PathBuf,
    mounts: Vec<PathBuf>,
    _folder: TestFolder,
}

impl Place {
    pub(crate) fn mount(kind: System) -> Result<Place, String> {
        let folder = TestFolder::in_memory();
        let around = folder.path().to_owned();
        let at = around.join("at");
        fs::create_dir(&at).unwrap();
        let mut place = Place {
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
        }
        Ok(place)
    }

    /// Mounts a file system at the place.
    fn add(&mut self, words: &[&str]) -> Result<(), String> {
        let at = self.at.clone();
        system("mount", &[words, &[text(&at)]].concat())?;
        self.mounts.push(at);
        Ok(())
    }
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Makes an empty file system in a file.
pub(crate) fn make_image(kind: System, image: &Path) -> Result<(), String> {
    let (megabytes, maker, words): (u64, _, &[&str]) = match kind {
        System::Xfs => (300, "mkfs.xfs", &["-q", "-f"]),
        System::Btrfs => (128, "mkfs.btrfs", &["-q", "-f"]),
        _ => (32, "mkfs.ext4", &["-q", "-F"]),
    };
    fs::File::create(image)
        .and_then(|file| file.set_len(megabytes << 20))
        .unwrap();
    system(maker, &[words, &[text(image)]].concat()).map(|_| ())
}

/// The mount options for an image of this kind.
pub(crate) fn options(kind: System) -> &'static str {
    match kind {
        System::Ext4Strict => "loop,noauto_da_alloc",
        // Copies of an image have the UUID of the original.
        System::Xfs => "loop,nouuid",
        _ => "loop",
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for at in self.mounts.iter().rev() {
            if system("umount", &[text(at)]).is_err() {
                let _ = system("umount", &["-l", text(at)]);
            }
        }
    }
}
