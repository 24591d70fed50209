//! What `stat` says of a file, and when its answer may stand for the content. The decision is always by content;
//! a stamp is only the short cut.

use crate::locate::FileType;

/// Seconds and nanoseconds since 1970.
pub type Moment = (i64, u32);

/// How long after a change a stamp cannot be trusted to show the next one: covers clocks that tick and file systems
/// that keep two-second times.
const RACY_SECONDS: i64 = 2;

/// What `stat` says of a file, and the clock when it was asked. No two are equal, since the clock goes on: whether the file
/// is the same, [`Stamp::same_file`] and [`Stamp::same_file_state`] say.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// The file system.
    pub device: u64,
    /// The file in it.
    pub inode: u64,
    /// Length in bytes.
    pub size: u64,
    /// Last change of the content.
    pub mtime: Moment,
    /// Last change of content or metadata.
    pub ctime: Moment,
    /// FileType and permission bits, as in `st_mode`.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Number of names (hard links).
    pub links: u64,
    /// The clock when this stamp was taken.
    pub taken: Moment,
}

impl Stamp {
    /// Do both show the same file in the same state? True says nothing where [`Stamp::racy`] holds for the older one.
    pub fn same_file_state(&self, other: &Stamp) -> bool {
        self.same_file(other)
            && self.size == other.size
            && self.mtime == other.mtime
            && self.ctime == other.ctime
    }

    /// The same inode, whatever its state.
    pub fn same_file(&self, other: &Stamp) -> bool {
        self.device == other.device && self.inode == other.inode
    }

    /// git's racily-clean rule: the file changed so shortly before the stamp was taken (or "after" it) that another
    /// change could have left the same stamp.
    pub fn racy(&self) -> bool {
        let changed = self.mtime.max(self.ctime);
        let (seconds, nanoseconds) = self.taken;
        changed >= (seconds.saturating_sub(RACY_SECONDS), nanoseconds)
    }

    /// What kind of thing this is.
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

    /// Permission bits with the special ones (set-user-id and kin).
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

    fn stamp(changed: Moment, taken: Moment) -> Stamp {
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
    fn a_stamp_taken_soon_after_the_change_or_before_it_is_racy() {
        assert!(stamp((100, 0), (100, 5)).racy());
        assert!(stamp((100, 0), (102, 0)).racy());
        assert!(!stamp((100, 0), (102, 1)).racy());
        assert!(
            stamp((500, 0), (100, 0)).racy(),
            "a time in the future proves nothing"
        );
    }

    #[test]
    fn a_restored_mtime_is_still_another_state() {
        let before = stamp((100, 0), (200, 0));
        let after = Stamp {
            ctime: (150, 0),
            ..before
        };
        assert!(!before.same_file_state(&after));
    }
}
