//! The write-ahead journal: records what a commit is about to do, so that a crash can be recovered by completing or
//! undoing it. [`FileJournal`] stores it in plain files; a database may implement [`Journal`] as well.

mod file;
mod line;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub use file::FileJournal;

use crate::revision::Revision;

/// The changes that one commit is about to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitIntent {
    /// The boot id; empty if unknown. Some file systems assign new inode numbers at each mount, so those of another
    /// boot prove nothing.
    pub boot: String,
    /// The steps, one for each file, in order.
    pub steps: Vec<IntentStep>,
}

impl CommitIntent {
    /// Encodes the intent, for a journal that stores bytes.
    pub fn encode(&self) -> Vec<u8> {
        line::JournalLine::Open(0, self.clone()).encode()
    }

    /// Decodes an intent; `None` if the bytes are torn or of another format.
    pub fn decode(bytes: &[u8]) -> Option<CommitIntent> {
        match line::JournalLine::decode(bytes.strip_suffix(b"\n")?)? {
            line::JournalLine::Open(_, intent) => Some(intent),
            _ => None,
        }
    }
}

/// The change that is about to be made to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntentStep {
    /// The folder with every link resolved.
    pub folder: PathBuf,
    /// The name of the file in it.
    pub name: OsString,
    /// The temporary name in the same folder: of the new file before the swap, of the old one after it.
    pub temporary: OsString,
    /// The kind of change.
    pub act: StepAction,
    /// The file at the name before the change.
    pub old: Option<FileIdentity>,
    /// The file at the name after the change.
    pub new: Option<FileIdentity>,
}

/// Identifies a file after a crash by its inode and content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileIdentity {
    /// The inode number.
    pub inode: u64,
    /// The revision of its content.
    pub revision: Revision,
}

/// The kind of change that a commit makes to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepAction {
    /// The name and the temporary name are exchanged.
    Exchange,
    /// The old file is renamed to the temporary name plus `.old`, then the new one takes the name.
    MoveAside,
    /// The file is rewritten in place.
    InPlace {
        /// The path of the copy of its old bytes.
        kept: PathBuf,
    },
    /// The new file takes a free name.
    Create,
    /// The file is renamed to the temporary name.
    Remove,
    /// A folder is created for a file, first under the temporary name, or is to be removed with its last file. It has a
    /// separate entry from the file's.
    Folder,
    /// A symbolic link is created under the temporary name, which is also the name. It has a separate entry from that of
    /// the file that it becomes.
    TemporaryLink,
    /// The file is moved to another name.
    Move {
        /// The target folder.
        folder: PathBuf,
        /// The name in the target folder.
        name: OsString,
    },
}

/// Whether an entry must be flushed before the commit goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlushTime {
    /// The entry is flushed and survives a power cut.
    Now,
    /// The entry survives this process; the page cache is enough.
    Later,
}

/// The id of a journal entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId(pub u64);

/// How far a commit had progressed when its process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitProgress {
    /// It was begun: a commit of several files is rolled back.
    Begun,
    /// It was decided: the commit is completed.
    Decided,
}

/// An entry that a dead process left open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenEntry {
    /// The id of the entry.
    pub ticket: EntryId,
    /// The changes that the commit was about to make.
    pub intent: CommitIntent,
    /// How far it had progressed.
    pub progress: CommitProgress,
}

impl OpenEntry {
    /// Returns whether the entry concerns only folders and temporary links, which have separate entries from those of the
    /// files that they are for.
    pub(crate) fn is_of_auxiliaries(&self) -> bool {
        let mut steps = self.intent.steps.iter();
        steps.all(|step| matches!(step.act, StepAction::Folder | StepAction::TemporaryLink))
    }

    /// Returns whether a crash can leave it half done: a single exchange, creation, removal or move is either done or
    /// not.
    pub(crate) fn can_be_half_done(&self) -> bool {
        let steps = &self.intent.steps;
        let mut acts = steps.iter().map(|step| &step.act);
        !self.is_of_auxiliaries()
            && (steps.len() > 1
                || acts
                    .any(|act| matches!(act, StepAction::MoveAside | StepAction::InPlace { .. })))
    }

    /// Returns whether one of its files has this path before or after the commit.
    pub fn concerns_path(&self, path: &Path) -> bool {
        let is = |folder: &Path, name: &OsStr| {
            path.file_name() == Some(name) && path.parent() == Some(folder)
        };
        self.intent.steps.iter().any(|step| {
            is(&step.folder, &step.name)
                || matches!(&step.act, StepAction::Move { folder, name } if is(folder, name))
        })
    }

    /// Returns the depth of its first folder.
    pub(crate) fn depth(&self) -> usize {
        let first = self.intent.steps.first();
        first.map_or(0, |step| step.folder.components().count())
    }
}

/// A store for intents.
pub trait Journal: Send + Sync + fmt::Debug {
    /// Records an intent.
    fn open(&self, intent: &CommitIntent, flush: FlushTime) -> io::Result<EntryId>;
    /// Records that the commit is decided.
    fn mark_decided(&self, ticket: EntryId, flush: FlushTime) -> io::Result<()>;
    /// Closes an entry that needs no further work.
    fn close(&self, ticket: EntryId) -> io::Result<()>;
    /// Returns the entries that dead processes left open. The caller owns them until it closes or releases them, or
    /// ends.
    fn list(&self) -> io::Result<Vec<OpenEntry>>;
    /// Releases an entry without closing it, so that any process may recover it: it is not below the roots of this
    /// workspace, or its commit could not finish it.
    fn release(&self, ticket: EntryId);
    /// Returns the entries of other processes that are not decided and that a crash can leave half done. Entries of
    /// living processes may be among them. A commit calls it under its locks, so no process is working on the entries
    /// that it finds about its files. It runs before every write, so it must cost little if there are none.
    fn undecided_entries(&self) -> io::Result<Vec<OpenEntry>>;
    /// Records a folder that a commit created and that remains: with its file, or because other programs have files in
    /// it. It is called before the folder's entry is closed, so that the creator of the folder is not forgotten after a
    /// crash.
    fn record_kept_folder(&self, folder: &Path) -> io::Result<()> {
        let _ = folder;
        Ok(())
    }
}
