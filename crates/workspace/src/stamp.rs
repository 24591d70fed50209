//! The result of `stat`, and when it may be used in place of the content. Content always decides; a stamp is only a
//! shortcut.

/// The kind of entry that was found at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileType {
    /// A regular file.
    File,
    /// Nothing; folders of the path may be missing too.
    Missing,
    /// A folder.
    Directory,
    /// Neither a file nor a folder, with its name: "named pipe", "socket", "character device" and so on.
    Special(&'static str),
}

/// A point in time: seconds and nanoseconds since 1970.
pub type Moment = (i64, u32);

/// Returns `now`, or the next nanosecond after `old` if that is later: a file's time changes with every write.
pub(crate) fn later_time(old: Moment, now: Moment) -> Moment {
    let next = if old.1 < 999_999_999 {
        (old.0, old.1 + 1)
    } else {
        (old.0.saturating_add(1), 0)
    };
    now.max(next)
}

/// How long after a change a stamp may fail to show the next one: covers clock ticks and file systems with two-second
/// times.
const RACY_SECONDS: i64 = 2;

/// The result of `stat` and the time it was taken. Stamps are not comparable with `==`, since the time differs; use
/// [`Stamp::is_same_file`] and [`Stamp::has_same_state`].
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// The device number of the file system.
    pub device: u64,
    /// The inode number.
    pub inode: u64,
    /// The length in bytes.
    pub size: u64,
    /// The modification time of the content.
    pub mtime: Moment,
    /// The change time of content or metadata.
    pub ctime: Moment,
    /// The file type and permission bits, as in `st_mode`.
    pub mode: u32,
    /// The user id of the owner.
    pub uid: u32,
    /// The group id.
    pub gid: u32,
    /// The number of hard links.
    pub links: u64,
    /// The time when this stamp was taken.
    pub taken: Moment,
}

impl Stamp {
    /// Returns whether both stamps show the same file in the same state. If [`Stamp::is_racy`] holds for the older one,
    /// true proves nothing.
    pub fn has_same_state(&self, other: &Stamp) -> bool {
        self.is_same_file(other)
            && self.size == other.size
            && self.mtime == other.mtime
            && self.ctime == other.ctime
    }

    /// Returns whether both stamps are of the same inode, in whatever state.
    pub fn is_same_file(&self, other: &Stamp) -> bool {
        self.device == other.device && self.inode == other.inode
    }

    /// Returns whether git's "racily clean" rule applies: the file changed so shortly before the stamp was taken (or
    /// "after" it) that another change could have left the same stamp.
    pub fn is_racy(&self) -> bool {
        let changed = self.mtime.max(self.ctime);
        let (seconds, nanoseconds) = self.taken;
        changed >= (seconds.saturating_sub(RACY_SECONDS), nanoseconds)
    }

    /// Returns the file type.
    pub fn kind(&self) -> FileType {
        match self.mode & 0o170_000 {
            0o100_000 => FileType::File,
            0o040_000 => FileType::Directory,
            0o120_000 => FileType::Special("symbolic link"),
            0o010_000 => FileType::Special("named pipe"),
            0o140_000 => FileType::Special("socket"),
            0o020_000 => FileType::Special("character device"),
            0o060_000 => FileType::Special("block device"),
            _ => FileType::Special("special file"),
        }
    }

    /// Returns the permission bits, set-user-id and similar included.
    pub fn permissions(&self) -> u32 {
        self.mode & 0o7777
    }

    pub(crate) fn is_link(&self) -> bool {
        self.mode & 0o170_000 == 0o120_000
    }

    pub(crate) fn is_folder(&self) -> bool {
        self.mode & 0o170_000 == 0o040_000
    }

    pub(crate) fn is_file(&self) -> bool {
        self.mode & 0o170_000 == 0o100_000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_stamp(changed: Moment, taken: Moment) -> Stamp {
        Stamp {
            device: 1,
            inode: 2,
            size: 3,
            mtime: changed,
            ctime: changed,
            mode: 0o100_644,
            uid: 0,
            gid: 0,
            links: 1,
            taken,
        }
    }

    #[test]
    fn stamp_taken_close_to_change_is_racy() {
        assert!(new_stamp((100, 0), (100, 5)).is_racy());
        assert!(new_stamp((100, 0), (102, 0)).is_racy());
        assert!(!new_stamp((100, 0), (102, 1)).is_racy());
        assert!(
            new_stamp((500, 0), (100, 0)).is_racy(),
            "a time in the future proves nothing"
        );
    }

    #[test]
    fn restored_mtime_does_not_hide_change() {
        let before = new_stamp((100, 0), (200, 0));
        let after = Stamp {
            ctime: (150, 0),
            ..before
        };
        assert!(!before.has_same_state(&after));
    }
}
