//! The kind of a file system by the magic number that `statfs` returns, and the boot id.

use std::io;
use std::os::fd::BorrowedFd;

use crate::disk::FileSystemKind;

/// Virtual file systems: sizes are wrong, reading may have side effects, and there is nothing to edit.
#[cfg(target_os = "linux")]
const VIRTUAL_FILE_SYSTEMS: [u64; 13] = [
    0x9fa0,      // procfs
    0x6265_6572, // sysfs
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x7363_6673, // securityfs
    0x6265_6570, // configfs
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup 2
    0xcafe_4a11, // bpf
    0xde5e_81e4, // efivarfs
    0x6165_676c, // pstore
    0xf97c_ff8c, // selinuxfs
    0x1cd1,      // devpts
];

/// Windows file systems: mounted into WSL (9p), over the network, or from a disk.
#[cfg(target_os = "linux")]
const WINDOWS_FILE_SYSTEMS: [u64; 7] = [
    0x0102_1997, // 9p
    0xff53_4d42, // cifs
    0xfe53_4d42, // smb 2
    0x4d44,      // vfat
    0x2011_bab0, // exfat
    0x5346_544e, // ntfs
    0x7366_746e, // ntfs3
];

/// FUSE, which may serve any file system; its type is in the mount table.
#[cfg(target_os = "linux")]
pub(super) const FUSE_MAGIC: u64 = 0x6573_5546;

#[cfg(target_os = "linux")]
pub(super) fn kind_of(folder: BorrowedFd<'_>) -> io::Result<FileSystemKind> {
    let number = rustix::fs::fstatfs(folder)?.f_type as u64 & 0xffff_ffff;
    if number == FUSE_MAGIC {
        let device = rustix::fs::fstat(folder)?.st_dev;
        let mounts = std::fs::read_to_string("/proc/self/mountinfo")?;
        return Ok(kind_behind_fuse(
            &mounts,
            (rustix::fs::major(device), rustix::fs::minor(device)),
        ));
    }
    Ok(if VIRTUAL_FILE_SYSTEMS.contains(&number) {
        FileSystemKind::Kernel
    } else if WINDOWS_FILE_SYSTEMS.contains(&number) {
        FileSystemKind::Windows
    } else {
        FileSystemKind::Plain
    })
}

/// Returns the type of a file system in the mount table, such as `fuse.sshfs`; empty if it is not listed.
#[cfg(target_os = "linux")]
pub(super) fn type_in_mount_table(mounts: &str, (major, minor): (u32, u32)) -> &str {
    let device = format!("{major}:{minor}");
    let kind = mounts.lines().find_map(|line| {
        let (mount, rest) = line.split_once(" - ")?;
        let is_it = mount.split(' ').nth(2) == Some(device.as_str());
        rest.split(' ').next().filter(|_| is_it)
    });
    kind.unwrap_or_default()
}

/// Recognizes NTFS and exFAT behind FUSE by their type in the mount table.
#[cfg(target_os = "linux")]
fn kind_behind_fuse(mounts: &str, device: (u32, u32)) -> FileSystemKind {
    let kind = type_in_mount_table(mounts, device);
    let is_windows = kind == "fuseblk" || kind.contains("ntfs") || kind.contains("exfat");
    if is_windows {
        FileSystemKind::Windows
    } else {
        FileSystemKind::Plain
    }
}

/// Not distinguished on this system.
#[cfg(not(target_os = "linux"))]
pub(super) fn kind_of(_: BorrowedFd<'_>) -> io::Result<FileSystemKind> {
    Ok(FileSystemKind::Plain)
}

#[cfg(target_os = "linux")]
pub(super) fn boot() -> String {
    use std::sync::OnceLock;
    static BOOT: OnceLock<String> = OnceLock::new();
    let read = || std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    BOOT.get_or_init(|| read().unwrap_or_default().trim().to_owned())
        .clone()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn boot() -> String {
    String::new()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    const MOUNT_TABLE: &str = "\
27 1 254:0 / / rw,relatime - ext4 /dev/root rw
42 27 0:41 / /mnt/stick rw,relatime shared:5 - fuseblk /dev/sdb1 rw,user_id=0
43 27 0:42 / /mnt/far rw,relatime - fuse.sshfs user@host: rw
44 27 0:43 / /mnt/old rw - fuse.ntfs-3g /dev/sdc1 rw
";

    #[test]
    fn recognises_windows_disks_behind_fuse() {
        assert_eq!(
            kind_behind_fuse(MOUNT_TABLE, (0, 41)),
            FileSystemKind::Windows
        );
        assert_eq!(
            kind_behind_fuse(MOUNT_TABLE, (0, 43)),
            FileSystemKind::Windows
        );
        assert_eq!(
            kind_behind_fuse(MOUNT_TABLE, (0, 42)),
            FileSystemKind::Plain
        );
        assert_eq!(
            kind_behind_fuse(MOUNT_TABLE, (0, 44)),
            FileSystemKind::Plain
        );
        assert_eq!(
            kind_behind_fuse("not a table", (0, 41)),
            FileSystemKind::Plain
        );
    }
}
