//! The name of a folder's file system from the mount table, and the kernel's version. Nothing that identifies machines,
//! users or paths, so that it can be shown to others.

use std::path::Path;

/// Returns the type in the mount table, such as `ext4` or `fuse.sshfs`; none if it cannot be determined.
#[cfg(target_os = "linux")]
pub(super) fn type_name(folder: &Path) -> Option<String> {
    use std::os::fd::AsRawFd as _;
    // The number of a mount leads to its line even if a device has several, as on Btrfs.
    let file = std::fs::File::open(folder).ok()?;
    let facts = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_raw_fd())).ok()?;
    let number = facts
        .lines()
        .find_map(|line| line.strip_prefix("mnt_id:"))?;
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    mount_type(&mounts, number.trim()).map(str::to_owned)
}

#[cfg(target_os = "linux")]
fn mount_type<'m>(mounts: &'m str, number: &str) -> Option<&'m str> {
    mounts.lines().find_map(|line| {
        let (mount, rest) = line.split_once(" - ")?;
        let is_it = mount.split(' ').next() == Some(number);
        rest.split(' ').next().filter(|_| is_it)
    })
}

#[cfg(not(target_os = "linux"))]
pub(super) fn type_name(_: &Path) -> Option<String> {
    None
}

/// Returns the system and its version, such as `Linux 6.12.5`.
pub(super) fn kernel_version() -> String {
    match std::fs::read_to_string("/proc/sys/kernel/osrelease") {
        Ok(version) => format!("Linux {}", version.trim()),
        Err(_) => std::env::consts::OS.to_owned(),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn finds_type_by_mount_number() {
        let mounts = "27 1 254:0 / / rw - ext4 /dev/root rw\n42 27 0:41 /sub /mnt rw shared:5 - btrfs /dev/sdb rw\n";
        assert_eq!(mount_type(mounts, "42"), Some("btrfs"));
        assert_eq!(mount_type(mounts, "27"), Some("ext4"));
        assert_eq!(mount_type(mounts, "2"), None);
    }
}
