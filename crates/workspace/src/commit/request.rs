//! The request of a commit: the file, the content it must have, the content it gets, and the options.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::sync::Arc;

use lancet_text::RawChange;

use crate::locate::Located;
use crate::revision::Revision;
use crate::stamp::Stamp;

/// One file to write.
#[derive(Clone, Debug)]
pub struct FileWrite<'a> {
    /// The located file.
    pub located: &'a Located,
    /// The state that the name must have for the write to go ahead.
    pub expected: ExpectedState,
    /// The state that the name has afterwards.
    pub new: NewBytes<'a>,
    /// The revision of the new content, if it is known; else it is computed while writing.
    pub revision: Option<Revision>,
    /// How the file may be written.
    pub options: WriteOptions,
}

/// The state that a name must have for a write to go ahead.
#[derive(Clone, Debug)]
pub enum ExpectedState {
    /// The name must be free.
    Missing,
    /// A file with this content must be there.
    Content {
        /// The revision of the content.
        revision: Revision,
        /// The stamp from when it was read.
        stamp: Stamp,
        /// The content itself, if it is in memory: cheaper to compare.
        bytes: Option<Arc<Vec<u8>>>,
    },
    /// A symbolic link with this target must be there. It can be moved, removed, and replaced by another link, by an
    /// empty folder or by whole content.
    Link {
        /// The target, as the link has it.
        target: OsString,
        /// The stamp of the link itself.
        stamp: Stamp,
    },
    /// This folder must be there, without entries. It can be removed, and replaced by another empty folder, by a link or
    /// by whole content.
    EmptyFolder {
        /// The stamp of the folder.
        stamp: Stamp,
    },
}

impl ExpectedState {
    /// Returns the revision of what must be there: of the content, or of a link's target.
    pub fn revision(&self) -> Option<Revision> {
        match self {
            ExpectedState::Missing => None,
            ExpectedState::Content { revision, .. } => Some(*revision),
            ExpectedState::Link { target, .. } => Some(Revision::from_link(target)),
            ExpectedState::EmptyFolder { .. } => Some(Revision::of_empty_folder()),
        }
    }

    /// Returns the stamp from when it was read.
    pub fn stamp(&self) -> Option<&Stamp> {
        match self {
            ExpectedState::Missing => None,
            ExpectedState::Content { stamp, .. }
            | ExpectedState::Link { stamp, .. }
            | ExpectedState::EmptyFolder { stamp } => Some(stamp),
        }
    }
}

/// The new content of a file.
#[derive(Clone, Copy, Debug)]
pub enum NewBytes<'a> {
    /// The whole new content.
    Whole(&'a [u8]),
    /// The old content, in memory, with ranges replaced.
    Spliced {
        /// The old content.
        base: &'a [u8],
        /// Sorted and disjoint.
        changes: &'a [RawChange],
    },
    /// The old content, read from the file while writing and compared with what is expected, with ranges replaced.
    Streamed {
        /// Sorted and disjoint.
        changes: &'a [RawChange],
    },
    /// The whole new content, read from a [`Source`] while writing and checked against its revision.
    Copied {
        /// The source of the content.
        from: &'a dyn Source,
        /// Its length in bytes.
        length: u64,
        /// Its revision.
        revision: Revision,
    },
    /// A new file: the content of another one, read while writing and compared with its revision, with ranges replaced.
    /// It also gets the other file's owner, permission bits and attributes.
    CopiedFrom {
        /// The other file.
        from: &'a Located,
        /// The revision that the other file must have.
        revision: Revision,
        /// Sorted and disjoint.
        changes: &'a [RawChange],
    },
    /// A symbolic link with this target. The target is not resolved; it may lead anywhere.
    Link(&'a OsStr),
    /// A further name of an existing file (a hard link), for a free name. The file must not have been written since it
    /// was located. [`CommitError::NoRename`](crate::CommitError::NoRename) where the link cannot be made.
    HardLink {
        /// The file.
        to: &'a Located,
        /// The revision that it must have.
        revision: Revision,
    },
    /// A folder without entries.
    EmptyFolder {
        /// The permission bits of the folder.
        mode: u32,
    },
    /// The file, link or empty folder is removed. The content of a file is stored; the caller has the target of a link.
    Nothing,
    /// The file or link is renamed to another name, which must be free, on the same file system.
    MovedTo(&'a Located),
}

impl NewBytes<'static> {
    /// The content of a file that is copied unchanged.
    pub(crate) const COPY_UNCHANGED: Self = NewBytes::Streamed { changes: &[] };
}

/// Content that can be read piece by piece, repeatedly.
pub trait Source: fmt::Debug + Sync {
    /// Reads some bytes from `offset` on; 0 means the end.
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize>;
}

/// How a file may be written. The default is what the settings call `auto`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Whether a new file takes the name or the file is rewritten in place.
    pub strategy: WriteStrategy,
    /// What happens to the file's other hard links.
    pub links: HardLinkPolicy,
    /// Whether a write without protection from other writers is allowed.
    pub weak: WeakProtectionPolicy,
    /// What is flushed before a commit returns.
    pub durability: Durability,
    /// The permission bits of the file. With `None` the file keeps its bits, and a new file gets those that the umask
    /// leaves. A file that is rewritten in place always keeps its bits.
    pub mode: Option<u32>,
    /// Whether the permission to execute the file changes.
    pub executable: ExecutableChange,
    /// The user and group that a file with a free name belongs to, where this process may set them;
    /// [`WriteWarning::OwnerLost`](crate::WriteWarning::OwnerLost) where it may not. With `None` it belongs to this
    /// process.
    pub owner: Option<(u32, u32)>,
    /// What happens to the old file.
    pub old: OldFile,
    /// Whether the permission to write the old file is needed.
    pub permission: OldFilePermission,
}

/// Whether the permission to write the old file is needed for a write that gives its name to a new file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OldFilePermission {
    /// It is: a file that may not be written is left as it is.
    #[default]
    Needed,
    /// It is not, only that to write the folder.
    NotNeeded,
}

/// Whether the permission to execute a file changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ExecutableChange {
    /// It stays as it is; a new file has none.
    #[default]
    Keep,
    /// Every user who may read the file may execute it.
    Yes,
    /// No user may execute the file.
    No,
}

impl ExecutableChange {
    /// Applies the change to permission bits.
    pub fn apply_to_mode(self, mode: u32) -> u32 {
        match self {
            ExecutableChange::Keep => mode,
            ExecutableChange::Yes => mode | (mode & 0o444) >> 2,
            ExecutableChange::No => mode & !0o111,
        }
    }
}

/// What happens to an old file once no process can write to it any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OldFile {
    /// It is stored in the state folder.
    #[default]
    Keep,
    /// It is removed, since the caller has its bytes. A file that may still be written to is stored.
    KeptByCaller,
}

/// How new content gets to a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteStrategy {
    /// A new file takes the name; the file is rewritten in place only if that is impossible.
    #[default]
    Auto,
    /// The file is rewritten in place, for programs that watch its inode or have it open.
    InPlace,
}

/// What happens to the other hard links of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HardLinkPolicy {
    /// They are kept, except inside package stores (`node_modules` and similar), whose files are shared with other
    /// projects.
    #[default]
    Auto,
    /// They are kept: the file is rewritten in place.
    Keep,
    /// They are broken: the new file has this name only, the old one keeps the others.
    Break,
}

/// Whether a rewrite in place may go on if no lease excludes every other writer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeakProtectionPolicy {
    /// The rewrite goes on, with a warning, unless another machine may write the file: then it is refused.
    #[default]
    Auto,
    /// The rewrite goes on, as in other tools; the result has a warning.
    Allow,
    /// The write is refused with [`CommitError::Unsafe`](crate::CommitError::Unsafe).
    Refuse,
}

/// What is flushed before the commit returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The file and its folder: the write survives a power cut.
    #[default]
    Full,
    /// Only the file: after a power cut it is never empty, but may be the old one.
    Ordered,
}

impl FileWrite<'_> {
    /// Returns whether a symbolic link or an empty folder is replaced, or gets the name.
    pub(crate) fn is_without_bytes(&self) -> bool {
        matches!(self.new, NewBytes::Link(_) | NewBytes::EmptyFolder { .. })
            || matches!(
                self.expected,
                ExpectedState::Link { .. } | ExpectedState::EmptyFolder { .. }
            )
    }

    /// Returns whether the name is free after the write.
    pub(crate) fn removes_its_name(&self) -> bool {
        matches!(self.new, NewBytes::Nothing | NewBytes::MovedTo(_))
    }
}
