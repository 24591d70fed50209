//! What is asked of a commit: which file, what has to be there, what is to be there, and in what options.

use std::fmt;
use std::io;
use std::sync::Arc;

use lancet_text::RawChange;

use crate::locate::Located;
use crate::revision::Revision;
use crate::stamp::Stamp;

/// One file to be written.
#[derive(Clone, Debug)]
pub struct Write<'a> {
    /// Where.
    pub located: &'a Located,
    /// What has to be there for the write to be right.
    pub expected: Expected,
    /// What is to be there afterwards.
    pub new: NewBytes<'a>,
    /// The name of that content where it has been worked out already; else it is while it is written.
    pub revision: Option<Revision>,
    /// How it may be put there.
    pub options: WriteOptions,
}

/// What has to be at the name for a write to be right.
#[derive(Clone, Debug)]
pub enum Expected {
    /// Nothing.
    Missing,
    /// A file with this content.
    Content {
        /// The name of the content.
        revision: Revision,
        /// The stamp taken when it was read.
        stamp: Stamp,
        /// The content itself where it is at hand: the cheaper comparison.
        bytes: Option<Arc<Vec<u8>>>,
    },
}

/// The new content of a file.
#[derive(Clone, Copy, Debug)]
pub enum NewBytes<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// The old content, in memory, with stretches of it replaced.
    Spliced {
        /// The old content.
        base: &'a [u8],
        /// Sorted and disjoint.
        changes: &'a [RawChange],
    },
    /// The old content, read from the file on the way and compared with what is expected, with stretches of it replaced.
    Streamed {
        /// Sorted and disjoint.
        changes: &'a [RawChange],
    },
    /// All of it, read from elsewhere on the way and compared with its name.
    Copied {
        /// Where it is read.
        from: &'a dyn Source,
        /// Its length in bytes.
        length: u64,
        /// Its name.
        revision: Revision,
    },
    /// None: the file is to be gone. What it held is kept where old files are kept.
    Nothing,
    /// None here: the file itself is to stand at another name, which must be free, on the same file system.
    MovedTo(&'a Located),
}

/// Content that is read piece by piece, as often as it is needed.
pub trait Source: fmt::Debug + Sync {
    /// Reads some bytes from `offset` on; none at the end.
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize>;
}

/// How a file may be written. The default is what COMMIT and settings call `auto`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// By another file under its name, or in place.
    pub strategy: Strategy,
    /// What becomes of a file's further names.
    pub links: HardLinkPolicy,
    /// Whether a write without any protection from other writers is allowed.
    pub weak: Weak,
    /// What is flushed.
    pub durability: Durability,
    /// Permission bits that the file is to have; none: those it has, of a new file what the umask leaves. A file that
    /// is rewritten in place keeps its own.
    pub mode: Option<u32>,
    /// What becomes of the old file.
    pub old: OldFile,
}

/// What becomes of an old file that nobody can write into any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OldFile {
    /// It is kept where old files are kept.
    #[default]
    Keep,
    /// It goes: whoever asks for the write keeps the bytes already. One that somebody may still write into is kept.
    KeptByCaller,
}

/// By another file under its name, or in place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// A new file takes the name; in place only where that cannot be.
    #[default]
    Auto,
    /// The file itself is rewritten, for those who watch or hold its inode.
    InPlace,
}

/// What becomes of a file's further names (hard links).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HardLinkPolicy {
    /// Kept, but broken inside package stores (`node_modules` and kin), whose files are shared with other projects.
    #[default]
    Auto,
    /// Kept: the file is rewritten in place.
    Keep,
    /// Broken: the new file has this name alone, the old one keeps the others.
    Break,
}

/// Whether a rewrite in place may go on where no lease can be had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weak {
    /// As today's tools do it; the answer says so.
    #[default]
    Allow,
    /// Refused.
    Refuse,
}

/// What is flushed before the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The file and its folder.
    #[default]
    Full,
    /// The file, so that it is never empty after a power cut; the folder when the system gets to it.
    Ordered,
}

impl Write<'_> {
    /// Is the name to be free afterwards?
    pub(crate) fn empties_its_name(&self) -> bool {
        matches!(self.new, NewBytes::Nothing | NewBytes::MovedTo(_))
    }
}
