//! The walk: finds every file below some folders that ripgrep would search, passes it to visitors on several threads,
//! and counts what it leaves out by reason. Folders are opened relative to the handle of their parent; files are not
//! opened.

pub(crate) mod folder;
mod linked_path;
pub(crate) mod names;
mod workers;

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use lancet_workspace::{FileReader, FolderHandle, Located, ReadError, Stamp};

use crate::filter::FileFilter;
use crate::gate::{Gate, Stop};
use crate::literal_names::LiteralNames;
use crate::rules::Excludes;
use crate::tally::{SearchProgress, Tally};

/// Whether ignore files apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoreFiles {
    /// Ignore files apply.
    Respect,
    /// Ignored entries are included, as with ripgrep's `--no-ignore`.
    Include,
}

/// Whether hidden entries are included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HiddenFiles {
    /// Entries whose name begins with a dot are left out.
    #[default]
    Skip,
    /// They are included, as with ripgrep's `--hidden`; folders of version control are left out all the same.
    Include,
}

/// A starting point of a walk: a folder, or a single file, which is searched whatever the rules say.
#[derive(Clone, Debug)]
pub struct WalkStart {
    pub(crate) located: Located,
}

impl WalkStart {
    /// Starts at a located file or folder.
    pub fn new(located: Located) -> Self {
        WalkStart { located }
    }

    /// Returns the absolute path of the start.
    pub fn path(&self) -> &Path {
        self.located.path()
    }
}

/// The parameters of a walk. See the crate's example.
pub struct Walk<'w> {
    /// The files and folders to start from.
    pub starts: &'w [WalkStart],
    /// Whether ignore files apply.
    pub ignoring: IgnoreFiles,
    /// Whether hidden entries are included.
    pub hidden: HiddenFiles,
    /// git's global excludes file, if it is to apply.
    pub excludes: Option<&'w Excludes>,
    /// The files that the caller wants; used by [`list_files`](crate::list_files) and
    /// [`count_matches`](crate::count_matches).
    pub filter: &'w FileFilter,
    /// Entries that are searched though they are hidden or ignored.
    pub named: &'w LiteralNames,
    /// Decides which entries may be read.
    pub gate: &'w dyn Gate,
    /// Decides when to stop.
    pub stop: &'w dyn Stop,
    /// Counters that another thread may read while the walk runs.
    pub progress: &'w SearchProgress,
    /// The number of threads, the calling one included.
    pub threads: usize,
}

/// Receives the files of a walk; each thread has its own visitor.
pub trait Visitor: Send {
    /// Handles a file. It is called for each file, in no particular order.
    fn visit(&mut self, file: &WalkedFile<'_>, tally: &mut Tally);

    /// Handles a folder that the system would not open, by its path relative to its start.
    fn miss_folder(&mut self, _start: usize, _relative: &Path) {}

    /// Handles a folder. It is called for each folder that is entered, except the starts.
    fn visit_folder(&mut self, _folder: &EnteredFolder<'_>) {}
}

/// A folder that a walk enters.
pub struct EnteredFolder<'w> {
    /// The index of the start that the folder is below.
    pub start: usize,
    /// The absolute path of the folder.
    pub path: &'w Path,
    /// The path relative to the start.
    pub relative: &'w Path,
}

/// A file that a walk found, not opened yet.
pub struct WalkedFile<'w> {
    /// The index of the start that the file is below.
    pub start: usize,
    /// The absolute path of the file.
    pub path: &'w Path,
    /// The path relative to the start; empty where the start is the file.
    pub relative: &'w Path,
    place: FileSource<'w>,
}

enum FileSource<'w> {
    InFolder(&'w FolderHandle, &'w OsStr),
    Start(&'w Located),
    /// A file that a link leads to.
    Linked(&'w Located),
    /// A file of a resident tree.
    Resident(&'w Stamp),
}

impl<'w> WalkedFile<'w> {
    /// Returns a file that an earlier walk found below the start with this index.
    pub(crate) fn from_earlier_walk(
        start: usize,
        relative: &'w Path,
        located: &'w Located,
    ) -> Self {
        WalkedFile {
            start,
            path: located.path(),
            relative,
            place: FileSource::Start(located),
        }
    }
}

impl<'w> WalkedFile<'w> {
    /// Returns a file of a resident tree.
    pub(crate) fn from_resident_tree(
        start: usize,
        path: &'w Path,
        relative: &'w Path,
        stamp: &'w Stamp,
    ) -> Self {
        WalkedFile {
            start,
            path,
            relative,
            place: FileSource::Resident(stamp),
        }
    }
}

impl WalkedFile<'_> {
    /// Opens the file for reading.
    pub fn open(&self) -> Result<FileReader, ReadError> {
        match self.place {
            FileSource::InFolder(folder, name) => folder.open(name),
            FileSource::Start(located) | FileSource::Linked(located) => located.open_reader(),
            FileSource::Resident(_) => Err(ReadError::Missing),
        }
    }

    /// Returns whether the file is itself a start: then it is wanted whatever the filter says, as with ripgrep.
    pub fn is_start(&self) -> bool {
        matches!(self.place, FileSource::Start(_))
    }

    /// Returns the absolute path of the file itself, where the walk came to it by a link to it.
    pub fn target_path(&self) -> &Path {
        match self.place {
            FileSource::Linked(located) => located.path(),
            _ => self.path,
        }
    }

    /// Returns the `stat` result of the file.
    pub fn stat(&self) -> io::Result<Stamp> {
        match self.place {
            FileSource::InFolder(folder, name) => folder.stat(name),
            FileSource::Start(located) | FileSource::Linked(located) => {
                located.stat().ok_or_else(|| io::ErrorKind::NotFound.into())
            }
            FileSource::Resident(stamp) => Ok(*stamp),
        }
    }
}

/// The result of a walk: what it counted and whether it was stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WalkEnd {
    /// The counts of all threads together.
    pub tally: Tally,
    /// A folder that had not been searched when the walk was stopped; `None` where it ran to its end.
    pub stopped_at: Option<PathBuf>,
}

impl Walk<'_> {
    /// Runs the walk on `threads` threads and returns their visitors, made by `make`.
    pub fn run<V: Visitor>(&self, make: impl Fn() -> V + Sync) -> (Vec<V>, WalkEnd) {
        workers::run(self, &make)
    }
}
