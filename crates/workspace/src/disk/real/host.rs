//! Determines who implements a file system, by the magic number that `statfs` returns and, for FUSE, the mount table;
//! whether its hard links can be relied on; and which mount a folder is on.
//!
//! File systems of this machine's kernel need no test and have no extra cost. FUSE programs and other machines may
//! ignore the flags of a rename and report success, so their renames are doubtful (`RenameTrust::Doubtful`).

#[cfg(target_os = "linux")]
use std::collections::BTreeMap;
use std::io;
use std::os::fd::BorrowedFd;
#[cfg(target_os = "linux")]
use std::sync::{Mutex, PoisonError};

use crate::disk::{FileSystemHost, MountId};

#[cfg(target_os = "linux")]
const OVERLAY_MAGIC: u64 = 0x794c_7630;

/// File systems of this machine's kernel, alone on their disk or in memory. One that is missing here is treated like a
/// program's: its renames are tested before they are relied on.
#[cfg(target_os = "linux")]
const KERNEL_FILE_SYSTEMS: [u64; 22] = [
    0xef53,      // ext2, ext3, ext4
    0x5846_5342, // xfs
    0x9123_683e, // btrfs
    0x0102_1994, // tmpfs
    0x8584_58f6, // ramfs
    0x2fc1_2fc1, // zfs
    0xf2f5_2010, // f2fs
    0xca45_1a4e, // bcachefs
    0x3153_464a, // jfs
    0x5265_4973, // reiserfs
    0x3434,      // nilfs
    0x4d44,      // vfat
    0x2011_bab0, // exfat
    0x5346_544e, // ntfs
    0x7366_746e, // ntfs3
    0x482b,      // hfs+
    0x1501_3346, // udf
    0x2405_1905, // ubifs
    0x72b6,      // jffs2
    0x9660,      // iso 9660
    0x7371_7368, // squashfs
    0xe0f5_e1e2, // erofs
];

/// Programs that serve files of this machine, by the type of their mounts after `fuse.`. Any other program may pass the
/// files on to another machine, as sshfs, rclone and the clients of object stores do.
#[cfg(target_os = "linux")]
const LOCAL_FUSE_TYPES: [&str; 18] = [
    "archivemount",
    "bindfs",
    "cryfs",
    "encfs",
    "exfat",
    "exfat-fuse",
    "fuse-overlayfs",
    "fuse2fs",
    "fuseiso",
    "gocryptfs",
    "lxcfs",
    "mergerfs",
    "ntfs",
    "ntfs-3g",
    "squashfuse",
    "unionfs",
    "unionfs-fuse",
    // A folder of the machine that runs this one; a container's project is often on it.
    "virtiofs",
];

/// Programs whose hard links are not used. On two mounts of one SeaweedFS volume the same name can be linked at the
/// same moment. One then replaces the other, and a mount continues to count two links of a file after the other one has
/// removed one of them.
#[cfg(target_os = "linux")]
const TYPES_WITH_UNSOUND_LINKS: [&str; 1] = ["seaweedfs"];

/// The known properties of a file system.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileSystemProperties {
    host: FileSystemHost,
    has_sound_links: bool,
}

/// The hosts of the mounts that were examined. `statfs` is a request to the program or machine that stores the files;
/// the number of a mount comes from the kernel.
#[cfg(target_os = "linux")]
static KNOWN: Mutex<BTreeMap<u64, FileSystemProperties>> = Mutex::new(BTreeMap::new());

#[cfg(target_os = "linux")]
pub(super) fn file_system_host(file: BorrowedFd<'_>) -> io::Result<FileSystemHost> {
    Ok(known_properties(file)?.host)
}

/// Returns whether the hard links in a folder can be relied on, if the file system has any.
#[cfg(target_os = "linux")]
pub(super) fn has_sound_links(folder: BorrowedFd<'_>) -> bool {
    known_properties(folder).is_ok_and(|known| known.has_sound_links)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn has_sound_links(_: BorrowedFd<'_>) -> bool {
    true
}

#[cfg(target_os = "linux")]
fn known_properties(file: BorrowedFd<'_>) -> io::Result<FileSystemProperties> {
    let mount = mount_id(file).ok().filter(|mount| mount.is_unique);
    let table = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = mount.and_then(|mount| table().get(&mount.number).copied()) {
        return Ok(known);
    }
    let known = probe_properties(file)?;
    if let Some(mount) = mount {
        table().insert(mount.number, known);
    }
    Ok(known)
}

#[cfg(target_os = "linux")]
fn probe_properties(file: BorrowedFd<'_>) -> io::Result<FileSystemProperties> {
    let number = rustix::fs::fstatfs(file)?.f_type as u64 & 0xffff_ffff;
    if number == super::file_system::FUSE_MAGIC {
        let device = rustix::fs::fstat(file)?.st_dev;
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let device = (rustix::fs::major(device), rustix::fs::minor(device));
        return Ok(for_type(super::file_system::type_in_mount_table(
            &mounts, device,
        )));
    }
    let host = if number == OVERLAY_MAGIC {
        FileSystemHost::Layers
    } else if KERNEL_FILE_SYSTEMS.contains(&number) {
        FileSystemHost::Kernel
    } else {
        FileSystemHost::Network
    };
    Ok(FileSystemProperties {
        host,
        has_sound_links: true,
    })
}

/// Returns what is known about a FUSE mount of this type. `fuseblk` is a disk of this machine.
#[cfg(target_os = "linux")]
fn for_type(kind: &str) -> FileSystemProperties {
    let program = kind.strip_prefix("fuse.").unwrap_or(kind);
    let is_here = kind == "fuseblk" || LOCAL_FUSE_TYPES.contains(&program);
    FileSystemProperties {
        host: match is_here {
            true => FileSystemHost::Program,
            false => FileSystemHost::Network,
        },
        has_sound_links: !TYPES_WITH_UNSOUND_LINKS.contains(&program),
    }
}

/// Not distinguished on this system, where there are no leases; renames are those of the kernel.
#[cfg(not(target_os = "linux"))]
pub(super) fn file_system_host(_: BorrowedFd<'_>) -> io::Result<FileSystemHost> {
    Ok(FileSystemHost::Layers)
}

/// `STATX_MNT_ID_UNIQUE`, which rustix does not name.
#[cfg(target_os = "linux")]
const STATX_MOUNT_ID_UNIQUE: u32 = 0x4000;

#[cfg(target_os = "linux")]
pub(super) fn mount_id(folder: BorrowedFd<'_>) -> io::Result<MountId> {
    use rustix::fs::{AtFlags, StatxFlags, makedev, statx};
    let wanted = StatxFlags::MNT_ID | StatxFlags::from_bits_retain(STATX_MOUNT_ID_UNIQUE);
    let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
    let found = statx(folder, "", flags, wanted)?;
    let is_unique = found.stx_mask & STATX_MOUNT_ID_UNIQUE != 0;
    if !is_unique && found.stx_mask & StatxFlags::MNT_ID.bits() == 0 {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(MountId {
        device: makedev(found.stx_dev_major, found.stx_dev_minor),
        number: found.stx_mnt_id,
        is_unique,
    })
}

#[cfg(not(target_os = "linux"))]
pub(super) fn mount_id(_: BorrowedFd<'_>) -> io::Result<MountId> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes the kernel request the attributes of a file, whatever it has cached.
#[cfg(target_os = "linux")]
pub(super) fn ask_again(file: BorrowedFd<'_>) -> io::Result<()> {
    use rustix::fs::{AtFlags, StatxFlags, statx};
    let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_FORCE_SYNC;
    statx(file, "", flags, StatxFlags::BASIC_STATS)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn ask_again(_: BorrowedFd<'_>) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn unknown_fuse_program_counts_as_network() {
        for kind in ["fuseblk", "fuse.bindfs", "fuse.ntfs-3g", "virtiofs"] {
            assert_eq!(for_type(kind).host, FileSystemHost::Program, "{kind}");
        }
        for kind in ["fuse.sshfs", "fuse.rclone", "fuse", ""] {
            assert_eq!(for_type(kind).host, FileSystemHost::Network, "{kind}");
        }
    }

    #[test]
    fn rejects_links_of_seaweedfs() {
        assert!(!for_type("fuse.seaweedfs").has_sound_links);
        assert!(for_type("fuse.sshfs").has_sound_links);
    }
}
