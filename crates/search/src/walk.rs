//! The walk: every file below some folders that ripgrep would search, handed to visitors on several threads, and a count
//! of what was left out and why. It lists folders through the handles of their parents and opens no file.

mod crew;
mod folder;
mod names;

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use lancet_workspace::{Branch, Leaf, Located, ReadError, Stamp};

use crate::components::Named;
use crate::filter::Filter;
use crate::gate::{Gate, Stop};
use crate::rules::Excludes;
use crate::tally::{SoFar, Tally};

/// Whether ignore files count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignoring {
    /// They do.
    Respect,
    /// What they leave out comes too: ripgrep's `--no-ignore`.
    Include,
}

/// Where a walk begins: a folder, or one file, which is searched whatever the rules say.
#[derive(Clone, Debug)]
pub struct Start {
    pub(crate) located: Located,
}

impl Start {
    /// From a located file or folder.
    pub fn new(located: Located) -> Self {
        Start { located }
    }

    /// Its absolute path.
    pub fn path(&self) -> &Path {
        self.located.path()
    }
}

/// What a walk goes by.
pub struct Walk<'w> {
    /// Where it begins.
    pub starts: &'w [Start],
    /// Whether ignore files count.
    pub ignoring: Ignoring,
    /// git's global excludes file.
    pub excludes: Option<&'w Excludes>,
    /// Which files are wanted.
    pub filter: &'w Filter,
    /// What is searched though hidden or ignored.
    pub named: &'w Named,
    /// What may be read.
    pub gate: &'w dyn Gate,
    /// When to stop.
    pub stop: &'w dyn Stop,
    /// Where it is told how far it has come.
    pub so_far: &'w SoFar,
    /// How many threads at most.
    pub threads: usize,
}

/// Takes the files that a walk finds; one for each thread.
pub trait Visitor: Send {
    /// A file.
    fn visit(&mut self, file: &File<'_>, tally: &mut Tally);
}

/// A file that a walk found.
pub struct File<'w> {
    /// Which start it is below.
    pub start: usize,
    /// Its absolute path.
    pub path: &'w Path,
    /// Its path from the start; empty where the start is the file.
    pub relative: &'w Path,
    place: Place<'w>,
}

enum Place<'w> {
    In(&'w Branch, &'w OsStr),
    Named(&'w Located),
}

impl File<'_> {
    /// Opens it for reading.
    pub fn open(&self) -> Result<Leaf, ReadError> {
        match self.place {
            Place::In(folder, name) => folder.open(name),
            Place::Named(located) => located.leaf(),
        }
    }

    /// Whether it is the start itself: then it is wanted whatever the filter says, as with ripgrep.
    pub fn is_start(&self) -> bool {
        matches!(self.place, Place::Named(_))
    }

    /// What `stat` says of it.
    pub fn stat(&self) -> io::Result<Stamp> {
        match self.place {
            Place::In(folder, name) => folder.stat(name),
            Place::Named(located) => located.stat().ok_or_else(|| io::ErrorKind::NotFound.into()),
        }
    }
}

/// How a walk ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// What it counted.
    pub tally: Tally,
    /// Where it was told to stop, if it was: a folder that it had not looked at.
    pub stopped_at: Option<PathBuf>,
}

impl Walk<'_> {
    /// Walks, and gives the visitors back.
    pub fn run<V: Visitor>(&self, make: impl Fn() -> V + Sync) -> (Vec<V>, Ended) {
        crew::run(self, &make)
    }
}
