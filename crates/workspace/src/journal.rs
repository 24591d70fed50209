//! The journal: what a commit is about to do, written down before it does it, so that whoever comes after a crash can
//! finish it or take it back. [`FileJournal`] keeps it as plain files; a database may do it as well.

mod file;
mod line;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;

pub use file::FileJournal;

use crate::revision::Revision;

/// What one commit is about to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// Which start of the system this is of; empty where that is not known. Some file systems make up inode numbers anew
    /// each time: those of another start prove nothing.
    pub boot: String,
    /// File by file, in this order.
    pub steps: Vec<Step>,
}

impl Intent {
    /// As bytes, for a journal that keeps them elsewhere.
    pub fn encode(&self) -> Vec<u8> {
        line::Line::Open(0, self.clone()).encode()
    }

    /// From those bytes; nothing where they are torn, or not of our making.
    pub fn decode(bytes: &[u8]) -> Option<Intent> {
        match line::Line::decode(bytes.strip_suffix(b"\n")?)? {
            line::Line::Open(_, intent) => Some(intent),
            _ => None,
        }
    }
}

/// What is about to be done to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The folder, every link resolved.
    pub folder: PathBuf,
    /// The file's name in it.
    pub name: OsString,
    /// The name beside it, in the same folder, under which its new file waits, and its old file afterwards.
    pub temporary: OsString,
    /// What is done.
    pub act: Act,
    /// The file that is there before.
    pub old: Option<FileIdentity>,
    /// The file that is there afterwards.
    pub new: Option<FileIdentity>,
}

/// A file, to be known again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileIdentity {
    /// Which one.
    pub inode: u64,
    /// What it holds.
    pub revision: Revision,
}

/// What is done to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Name and temporary name change places.
    Exchange,
    /// The old file goes to the temporary name with `.old` behind it, the new one to the name.
    MoveAside,
    /// The file is rewritten.
    InPlace {
        /// The copy of its old bytes.
        kept: PathBuf,
    },
    /// The new file takes the free name.
    Create,
    /// The old file goes to the temporary name.
    Remove,
    /// A folder is made for a file to come, under the temporary name first, or is to go with its last file. Written down
    /// by itself: what becomes of the file is another entry.
    Folder,
    /// The file goes to another name.
    Move {
        /// In this folder.
        folder: PathBuf,
        /// The name there.
        name: OsString,
    },
}

/// Must an entry be on the disk itself before the commit goes on?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flush {
    /// It must outlive a power cut.
    Now,
    /// It must outlive this process: the system's memory is enough.
    Later,
}

/// One entry of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// How far a commit came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It was begun: of several files all go back.
    Begun,
    /// It was decided: all of it stands.
    Decided,
}

/// An entry that was left open by a process that is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Which one.
    pub ticket: Ticket,
    /// What was to be done.
    pub intent: Intent,
    /// How far it came.
    pub progress: Progress,
}

impl Record {
    /// Is it about a folder that was made, and not about files?
    pub(crate) fn is_of_folder(&self) -> bool {
        let mut steps = self.intent.steps.iter();
        steps.all(|step| step.act == Act::Folder)
    }

    /// How deep the first of its places lies.
    pub(crate) fn depth(&self) -> usize {
        let first = self.intent.steps.first();
        first.map_or(0, |step| step.folder.components().count())
    }
}

/// Where intents are written down.
pub trait Journal: Send + Sync + fmt::Debug {
    /// Writes an intent down.
    fn open(&self, intent: &Intent, flush: Flush) -> io::Result<Ticket>;
    /// Writes down that it is decided.
    fn mark(&self, ticket: Ticket, flush: Flush) -> io::Result<()>;
    /// Nothing of it is left to do.
    fn close(&self, ticket: Ticket) -> io::Result<()>;
    /// The entries that processes left open which are gone. Whoever asks has them to itself until it has closed them, has
    /// let go of them or is gone too.
    fn list(&self) -> io::Result<Vec<Record>>;
    /// Lets go of an entry of [`Journal::list`] without closing it: it is not for this workspace.
    fn let_go(&self, ticket: Ticket);
}
