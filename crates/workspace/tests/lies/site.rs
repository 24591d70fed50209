//! A workspace on a lying file system, and short functions that write files through it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_testing::TestFolder;
use lancet_testing::judges::skipped;
use lancet_testing::lying_disk::{Lie, LyingDisk, LyingMount};
use lancet_workspace::{
    CommitError, ExpectedState, FaultyDisk, FileWrite, Located, NewBytes, Snapshot, Workspace,
    WriteOptions, WriteOutcome,
};

/// A file system, mounted as often as needed, and a state folder on another one.
pub(crate) struct Site {
    pub(crate) lying: LyingDisk,
    pub(crate) root: PathBuf,
    pub(crate) state: PathBuf,
    mounts: Vec<LyingMount>,
    folder: TestFolder,
}

impl Site {
    /// Mounts a file system that lies in the given ways; none if this process may not mount.
    pub(crate) fn new(lies: &[Lie]) -> Option<Site> {
        Site::with_disk(LyingDisk::new(lies))
    }

    pub(crate) fn with_disk(lying: LyingDisk) -> Option<Site> {
        let folder = TestFolder::in_memory();
        let mut site = Site {
            lying,
            root: folder.join("at"),
            state: folder.join("state"),
            mounts: Vec::new(),
            folder,
        };
        site.root = site.mount("at")?;
        Some(site)
    }

    /// Mounts it once more.
    pub(crate) fn mount(&mut self, name: &str) -> Option<PathBuf> {
        let at = self.folder.join(name);
        match self.lying.mount(&at) {
            Ok(mount) => {
                self.mounts.push(mount);
                Some(at)
            }
            Err(why) => {
                skipped(&format!("a file system in user space: {why}"));
                None
            }
        }
    }

    pub(crate) fn put(&self, name: &str, text: &str) {
        fs::write(self.root.join(name), text).unwrap();
    }

    pub(crate) fn open(&self, disk: Arc<FaultyDisk>) -> Workspace {
        open(&self.root, &self.state, disk)
    }

    /// Returns the text of a file, as the file system itself stores it.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let bytes = self.lying.content(name)?;
        Some(String::from_utf8(bytes).unwrap())
    }

    /// Returns the texts of the displaced files, sorted.
    pub(crate) fn displaced(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.state.join("displaced")) else {
            return Vec::new();
        };
        let mut texts: Vec<String> = entries
            .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
            .collect();
        texts.sort();
        texts
    }
}

pub(crate) fn open(root: &Path, state: &Path, disk: Arc<FaultyDisk>) -> Workspace {
    Workspace::open(&[root.to_owned()], disk, Some(state.to_owned())).unwrap()
}

/// A file that was read.
pub(crate) struct Seen {
    pub(crate) located: Located,
    pub(crate) snapshot: Snapshot,
}

impl Seen {
    pub(crate) fn at(workspace: &Workspace, path: &Path) -> Option<Seen> {
        let located = workspace.locate(path).ok()?;
        let snapshot = located.read_snapshot(1 << 20).ok()?;
        Some(Seen { located, snapshot })
    }

    pub(crate) fn becomes<'a>(&'a self, new: NewBytes<'a>, options: WriteOptions) -> FileWrite<'a> {
        FileWrite {
            located: &self.located,
            expected: ExpectedState::Content {
                revision: self.snapshot.revision,
                stamp: self.snapshot.stamp,
                bytes: Some(Arc::clone(&self.snapshot.bytes)),
            },
            new,
            revision: None,
            options,
        }
    }
}

pub(crate) fn replace(
    workspace: &Workspace,
    path: &Path,
    text: &str,
    options: WriteOptions,
) -> Result<WriteOutcome, CommitError> {
    let seen = Seen::at(workspace, path).unwrap();
    let new = NewBytes::Whole(text.as_bytes());
    single(workspace.commit(vec![seen.becomes(new, options)]))
}

pub(crate) fn create(
    workspace: &Workspace,
    path: &Path,
    text: &str,
) -> Result<WriteOutcome, CommitError> {
    let located = workspace.locate_as_spelled(path).unwrap();
    single(workspace.commit(vec![creation(&located, text)]))
}

pub(crate) fn creation<'a>(located: &'a Located, text: &'a str) -> FileWrite<'a> {
    FileWrite {
        located,
        expected: ExpectedState::Missing,
        new: NewBytes::Whole(text.as_bytes()),
        revision: None,
        options: WriteOptions::default(),
    }
}

pub(crate) fn relocate(
    workspace: &Workspace,
    path: &Path,
    to: &Path,
) -> Result<WriteOutcome, CommitError> {
    let seen = Seen::at(workspace, path).unwrap();
    let to = workspace.locate_as_spelled(to).unwrap();
    let options = WriteOptions::default();
    single(workspace.commit(vec![seen.becomes(NewBytes::MovedTo(&to), options)]))
}

pub(crate) fn remove(workspace: &Workspace, path: &Path) -> Result<WriteOutcome, CommitError> {
    let seen = Seen::at(workspace, path).unwrap();
    let options = WriteOptions::default();
    single(workspace.commit(vec![seen.becomes(NewBytes::Nothing, options)]))
}

pub(crate) fn single(
    result: Result<Vec<WriteOutcome>, CommitError>,
) -> Result<WriteOutcome, CommitError> {
    result.map(|mut written| written.remove(0))
}
