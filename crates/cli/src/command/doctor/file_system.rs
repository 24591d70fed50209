//! Properties of the file system of a root that decide how safely a file can be replaced there.

use std::path::{Path, PathBuf};

use lancet_workspace::{FileSystemHost, WriteGuarantee, WritePromise, write_promise};
use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, accessat, fsync, openat};
use rustix::io::Errno;
use serde_json::{Value, json};

/// The properties of a root's file system.
#[derive(Debug)]
pub(super) struct RootFacts {
    path: PathBuf,
    kind: Option<String>,
    writable: bool,
    /// Whether a folder can be flushed, so that a new name in it survives a power cut.
    fsync: bool,
    /// Whether the kernel itself can confine paths below a folder (`openat2`).
    openat2: bool,
    /// Whether new bytes can be staged in a file without a name (`O_TMPFILE`).
    unnamed: bool,
    /// What protects a write; none where that could not be tested.
    promise: Option<WritePromise>,
}

/// Tests a root. It leaves nothing behind: a file without a name disappears with its handle, and the folder in which an
/// exchange of names is tested is removed.
pub(super) fn inspect(path: &Path) -> RootFacts {
    let folder = openat(
        CWD,
        path,
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    );
    let access = accessat(
        CWD,
        path,
        Access::WRITE_OK | Access::EXEC_OK,
        AtFlags::EACCESS,
    );
    RootFacts {
        path: path.to_path_buf(),
        kind: file_system_name(path),
        writable: access.is_ok(),
        fsync: folder.is_ok_and(|folder| fsync(folder).is_ok()),
        openat2: supports_openat2(path),
        unnamed: supports_unnamed_files(path),
        promise: access.is_ok().then(|| write_promise(path).ok()).flatten(),
    }
}

impl RootFacts {
    /// Returns the properties as text for people.
    pub(super) fn describe(&self) -> String {
        let has =
            |there: bool, words: &str| format!("{words} {}", if there { "yes" } else { "no" });
        let promise = self
            .promise
            .map(|promise| format!("\n    {}", describe_protection(&promise)));
        format!(
            "{}\n    {}; {}; {}; {}; {}{}",
            self.path.display(),
            self.kind.as_deref().unwrap_or("file system unknown"),
            has(self.writable, "writable"),
            has(self.fsync, "folder flush"),
            has(self.openat2, "openat2"),
            has(self.unnamed, "unnamed files"),
            promise.unwrap_or_default(),
        )
    }

    /// Returns the properties as JSON.
    pub(super) fn object(&self) -> Value {
        json!({
            "path": self.path,
            "fileSystem": self.kind,
            "writable": self.writable,
            "folderFlush": self.fsync,
            "openat2": self.openat2,
            "unnamedFiles": self.unnamed,
            "guarantee": self.promise.map(|promise| promise.replaced.name()),
            "inPlace": self.promise.map(|promise| in_place_protection(&promise)),
            "keptBy": self.promise.map(|promise| host_name(promise.host)),
        })
    }
}

/// Returns the line about the protection of writes.
pub(super) fn describe_protection(promise: &WritePromise) -> String {
    let meaning = match promise.replaced {
        WriteGuarantee::ExchangeLeased => "names are exchanged, and every other writer is noticed",
        WriteGuarantee::Exchange => "names are exchanged",
        WriteGuarantee::Aside => "the name is missing for a moment while a file is replaced",
        _ => "a file that another program makes at the same moment may be replaced",
    };
    let kept_by = match promise.host {
        FileSystemHost::Network => " (other machines may write these files)",
        FileSystemHost::Program => " (a program keeps these files)",
        _ => "",
    };
    format!(
        "guarantee {}: {meaning}{kept_by}; in place: {}",
        promise.replaced.name(),
        in_place_protection(promise)
    )
}

/// Names the default protection of a rewrite in place.
pub(super) fn in_place_protection(promise: &WritePromise) -> &'static str {
    match promise.host {
        FileSystemHost::Network => "refused",
        _ => promise.in_place.name(),
    }
}

/// Names the host of the file system, for the JSON.
pub(super) fn host_name(host: FileSystemHost) -> &'static str {
    match host {
        FileSystemHost::Kernel => "kernel",
        FileSystemHost::Layers => "layers",
        FileSystemHost::Program => "program",
        FileSystemHost::Network => "network",
    }
}

#[cfg(target_os = "linux")]
fn supports_openat2(path: &Path) -> bool {
    use rustix::fs::{ResolveFlags, openat2};
    openat2(
        CWD,
        path,
        OFlags::PATH | OFlags::CLOEXEC,
        Mode::empty(),
        ResolveFlags::NO_MAGICLINKS,
    )
    .is_ok()
}

#[cfg(not(target_os = "linux"))]
fn can_hold_below(_: &Path) -> bool {
    false
}

#[cfg(target_os = "linux")]
fn supports_unnamed_files(path: &Path) -> bool {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    // Without write permission nothing can be found out about the file system.
    !matches!(
        openat(CWD, path, flags, Mode::RUSR | Mode::WUSR),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT)
    )
}

#[cfg(not(target_os = "linux"))]
fn can_stage_unnamed(_: &Path) -> bool {
    false
}

/// Returns the file system's name, from its magic number in the kernel.
#[cfg(target_os = "linux")]
fn file_system_name(path: &Path) -> Option<String> {
    let number = rustix::fs::statfs(path).ok()?.f_type as u64 & 0xffff_ffff;
    let name = match number {
        0xef53 => "ext4",
        0x5846_5342 => "xfs",
        0x9123_683e => "btrfs",
        0x0102_1994 => "tmpfs",
        0x794c_7630 => "overlay",
        0x6969 => "nfs",
        0xff53_4d42 | 0xfe53_4d42 => "cifs",
        0x6573_5546 => "fuse",
        0x0102_1997 => "9p",
        0x2fc1_2fc1 => "zfs",
        0xf2f5_2010 => "f2fs",
        0x4d44 => "vfat",
        0x2011_bab0 => "exfat",
        0x7366_746e | 0x5346_544e => "ntfs",
        _ => return Some(format!("file system 0x{number:x}")),
    };
    Some(name.to_owned())
}

#[cfg(not(target_os = "linux"))]
fn kind(_: &Path) -> Option<String> {
    None
}
