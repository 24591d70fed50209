//! A root with a state folder for one test, and short functions that write a file through a commit.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_testing::{TestFolder, folder};
use lancet_text::RawChange;
use lancet_workspace::{
    CommitError, ExpectedState, FaultyDisk, FileWrite, Located, NewBytes, Snapshot, Workspace,
    WriteOptions, WriteOutcome,
};

/// A root and a state folder next to it; the disk works until a test sets a fault.
pub(crate) struct Ground {
    _folder: TestFolder,
    pub(crate) around: PathBuf,
    pub(crate) root: PathBuf,
    pub(crate) state: PathBuf,
    pub(crate) disk: Arc<FaultyDisk>,
    pub(crate) workspace: Workspace,
    /// Whether the disk refuses to exchange two names.
    pub(crate) lacks_exchange: std::sync::atomic::AtomicBool,
}

impl Ground {
    pub(crate) fn new() -> Ground {
        Ground::inside(TestFolder::new())
    }

    /// Makes a ground on a file system in memory, for tests with thousands of commits: flushes of a real disk would
    /// take minutes.
    pub(crate) fn in_memory() -> Ground {
        Ground::inside(TestFolder::in_memory())
    }

    fn inside(folder: TestFolder) -> Ground {
        let around = folder.path().to_owned();
        let root = folder.make("root");
        let state = folder.join("state");
        let disk = Arc::new(FaultyDisk::new());
        let workspace = Workspace::open(
            std::slice::from_ref(&root),
            disk.clone(),
            Some(state.clone()),
        )
        .unwrap();
        Ground {
            _folder: folder,
            around,
            root,
            state,
            disk,
            workspace,
            lacks_exchange: false.into(),
        }
    }

    pub(crate) fn with(files: &[(&str, &str)]) -> Ground {
        Ground::new().filled(files)
    }

    /// Refuses the exchange again if this ground lacks it; `FaultyDisk::clear_faults` has removed the refusal.
    pub(crate) fn refuse_what_is_lacking(&self) {
        if self
            .lacks_exchange
            .load(std::sync::atomic::Ordering::SeqCst)
        {
            let einval = rustix::io::Errno::INVAL.raw_os_error();
            self.disk.fail_method("exchange_at", einval);
        }
    }

    /// Opens the workspace so that it does not wait for other writers: in tests they act on the same thread and would
    /// not finish while it waits.
    pub(crate) fn without_patience(mut self) -> Ground {
        let roots = [self.root.clone()];
        self.workspace = Workspace::open(&roots, self.disk.clone(), Some(self.state.clone()))
            .unwrap()
            .with_lease_patience(std::time::Duration::ZERO);
        self
    }

    fn filled(self, files: &[(&str, &str)]) -> Ground {
        for (name, text) in files {
            self.put(name, text);
        }
        self
    }

    /// Writes a file directly, as another program does.
    pub(crate) fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        folder::put(&self.root.join(name), text);
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(fs::read(self.root.join(name)).unwrap()).unwrap()
    }

    pub(crate) fn locate(&self, name: &str) -> Located {
        self.workspace.locate(&self.root.join(name)).unwrap()
    }

    pub(crate) fn seen(&self, name: &str) -> Seen {
        let located = self.locate(name);
        let snapshot = located.read_snapshot(1 << 30).unwrap();
        Seen { located, snapshot }
    }

    /// Reads the file and replaces it whole.
    pub(crate) fn replace(&self, name: &str, text: &str) -> Result<WriteOutcome, CommitError> {
        let seen = self.seen(name);
        single(self.workspace.commit(vec![seen.whole(text.as_bytes())]))
    }

    pub(crate) fn create(&self, name: &str, text: &str) -> Result<WriteOutcome, CommitError> {
        let located = self
            .workspace
            .locate_as_spelled(&self.root.join(name))
            .unwrap();
        single(
            self.workspace
                .commit(vec![creation(&located, text.as_bytes())]),
        )
    }

    /// Every file, link and folder below the root, with its content or target.
    pub(crate) fn tree(&self) -> BTreeMap<String, Option<Vec<u8>>> {
        let mut tree = BTreeMap::new();
        collect(&self.root, &self.root, &mut tree);
        tree
    }

    /// Locates a symbolic link and what it is expected to be.
    pub(crate) fn link(&self, name: &str) -> (Located, ExpectedState) {
        let link = self.workspace.locate_link(&self.root.join(name));
        let link = link.unwrap().unwrap();
        let expected = ExpectedState::Link {
            target: link.link_target().unwrap(),
            stamp: link.stat().unwrap(),
        };
        (link, expected)
    }

    /// Locates an empty folder and what it is expected to be.
    pub(crate) fn empty_folder(&self, name: &str) -> (Located, ExpectedState) {
        let folder = self.workspace.locate_folder(&self.root.join(name));
        let folder = folder.unwrap().unwrap();
        let stamp = folder.stat().unwrap();
        (folder, ExpectedState::EmptyFolder { stamp })
    }

    /// Returns the contents of the displaced files, and the targets of displaced links, sorted.
    pub(crate) fn displaced_texts(&self) -> Vec<String> {
        let read = |path: PathBuf| String::from_utf8(content(&path).unwrap()).unwrap();
        let mut texts: Vec<String> = self.displaced().into_iter().map(read).collect();
        texts.sort();
        texts
    }

    /// Returns the paths of the displaced files in the state folder.
    pub(crate) fn displaced(&self) -> Vec<PathBuf> {
        match fs::read_dir(self.state.join("displaced")) {
            Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
            Err(_) => Vec::new(),
        }
    }
}

fn collect(root: &Path, folder: &Path, tree: &mut BTreeMap<String, Option<Vec<u8>>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path
            .strip_prefix(root)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        if path.is_dir() && !path.is_symlink() {
            tree.insert(name, None);
            collect(root, &path, tree);
        } else {
            tree.insert(name, content(&path));
        }
    }
}

/// Returns the content of a file, or the target of a link.
fn content(path: &Path) -> Option<Vec<u8>> {
    match fs::read_link(path) {
        Ok(target) => Some(target.into_os_string().into_encoded_bytes()),
        Err(_) => fs::read(path).ok(),
    }
}

pub(crate) fn single(
    result: Result<Vec<WriteOutcome>, CommitError>,
) -> Result<WriteOutcome, CommitError> {
    result.map(|mut written| {
        assert_eq!(written.len(), 1);
        written.remove(0)
    })
}

pub(crate) fn creation<'a>(located: &'a Located, bytes: &'a [u8]) -> FileWrite<'a> {
    FileWrite {
        located,
        expected: ExpectedState::Missing,
        new: NewBytes::Whole(bytes),
        revision: None,
        options: WriteOptions::default(),
    }
}

/// A file that was read.
pub(crate) struct Seen {
    pub(crate) located: Located,
    pub(crate) snapshot: Snapshot,
}

impl Seen {
    pub(crate) fn expected(&self) -> ExpectedState {
        ExpectedState::Content {
            revision: self.snapshot.revision,
            stamp: self.snapshot.stamp,
            bytes: Some(Arc::clone(&self.snapshot.bytes)),
        }
    }

    pub(crate) fn whole<'a>(&'a self, bytes: &'a [u8]) -> FileWrite<'a> {
        FileWrite {
            located: &self.located,
            expected: self.expected(),
            new: NewBytes::Whole(bytes),
            revision: None,
            options: WriteOptions::default(),
        }
    }

    pub(crate) fn becomes<'a>(&'a self, new: NewBytes<'a>) -> FileWrite<'a> {
        FileWrite {
            located: &self.located,
            expected: self.expected(),
            new,
            revision: None,
            options: WriteOptions::default(),
        }
    }

    pub(crate) fn spliced<'a>(&'a self, changes: &'a [RawChange]) -> FileWrite<'a> {
        let new = NewBytes::Spliced {
            base: &self.snapshot.bytes,
            changes,
        };
        FileWrite {
            located: &self.located,
            expected: self.expected(),
            new,
            revision: None,
            options: WriteOptions::default(),
        }
    }

    pub(crate) fn streamed<'a>(&'a self, changes: &'a [RawChange]) -> FileWrite<'a> {
        let expected = match self.expected() {
            ExpectedState::Content {
                revision, stamp, ..
            } => ExpectedState::Content {
                revision,
                stamp,
                bytes: None,
            },
            other => other,
        };
        FileWrite {
            located: &self.located,
            expected,
            new: NewBytes::Streamed { changes },
            revision: None,
            options: WriteOptions::default(),
        }
    }
}
