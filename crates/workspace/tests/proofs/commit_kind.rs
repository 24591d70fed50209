//! One commit of each kind, as a small program that other proofs trace and kill.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use lancet_text::RawChange;
use lancet_workspace::{
    CommitError, ExecutableChange, ExpectedState, FaultyDisk, FileWrite, Located, NewBytes,
    Snapshot, Workspace, WriteOptions, WriteOutcome, WriteStrategy, WriteWarning,
};
use rustix::io::Errno;

pub(crate) type Tree = BTreeMap<String, Vec<u8>>;
type Outcome = Result<Vec<WriteOutcome>, CommitError>;

/// A kind of commit.
pub(crate) struct CommitKind {
    pub(crate) name: &'static str,
    prepare: fn(&Path),
    /// The calls that the disk refuses, with their errors; the commit then uses another method.
    lacks: &'static [(&'static str, Errno)],
    act: fn(&Workspace, &Path) -> Outcome,
}

/// The content of the files before the commit.
pub(crate) const OLD: &str =
    "the first line\nthe second, which is going to be another\nthe third line\n";

pub(crate) const COMMIT_KINDS: [CommitKind; 9] = [
    CommitKind {
        name: "exchange+lease",
        prepare: one_file,
        lacks: &[],
        act: |workspace, root| replace(workspace, root, WriteOptions::default()),
    },
    CommitKind {
        name: "exchange",
        prepare: one_file,
        lacks: &[("take_lease", Errno::ACCESS)],
        act: |workspace, root| replace(workspace, root, WriteOptions::default()),
    },
    CommitKind {
        name: "aside",
        prepare: one_file,
        lacks: &[("exchange_at", Errno::INVAL)],
        act: |workspace, root| replace(workspace, root, WriteOptions::default()),
    },
    CommitKind {
        name: "in-place-leased",
        prepare: one_file,
        lacks: &[],
        act: |workspace, root| replace(workspace, root, IN_PLACE),
    },
    CommitKind {
        name: "in-place",
        prepare: one_file,
        lacks: &[("take_lease", Errno::ACCESS)],
        act: |workspace, root| replace(workspace, root, IN_PLACE),
    },
    CommitKind {
        name: "create",
        prepare: |_| {},
        lacks: &[],
        act: |workspace, root| {
            let new = located(workspace, &root.join("a"))?;
            workspace.commit(vec![creation(&new, b"all new\n")])
        },
    },
    CommitKind {
        name: "remove",
        prepare: one_file,
        lacks: &[],
        act: |workspace, root| {
            let file = Seen::at(workspace, &root.join("a"))?;
            workspace.commit(vec![
                file.becomes(NewBytes::Nothing, WriteOptions::default()),
            ])
        },
    },
    CommitKind {
        name: "move",
        prepare: one_file,
        lacks: &[],
        act: |workspace, root| {
            let file = Seen::at(workspace, &root.join("a"))?;
            let to = located(workspace, &root.join("elsewhere"))?;
            workspace.commit(vec![
                file.becomes(NewBytes::MovedTo(&to), WriteOptions::default()),
            ])
        },
    },
    CommitKind {
        name: "five files",
        prepare: |root| {
            for name in ["a", "b", "c", "d"] {
                fs::write(root.join(name), OLD).unwrap();
            }
            fs::hard_link(root.join("c"), root.join("c's other name")).unwrap();
        },
        lacks: &[],
        act: |workspace, root| {
            let seen = |name| Seen::at(workspace, &root.join(name));
            let (a, b, c, d) = (seen("a")?, seen("b")?, seen("c")?, seen("d")?);
            let new = located(workspace, &root.join("e"))?;
            let changes = changes();
            workspace.commit(vec![
                a.becomes(
                    NewBytes::Streamed { changes: &changes },
                    WriteOptions::default(),
                ),
                b.becomes(NewBytes::Whole(b"all new\n"), WriteOptions::default()),
                c.becomes(
                    NewBytes::Streamed { changes: &changes },
                    WriteOptions::default(),
                ),
                d.becomes(NewBytes::Nothing, WriteOptions::default()),
                creation(&new, b"all new\n"),
            ])
        },
    },
];

pub(crate) const IN_PLACE: WriteOptions = WriteOptions {
    strategy: WriteStrategy::InPlace,
    links: lancet_workspace::HardLinkPolicy::Auto,
    weak: lancet_workspace::WeakProtectionPolicy::Allow,
    durability: lancet_workspace::Durability::Full,
    mode: None,
    executable: ExecutableChange::Keep,
    owner: None,
    old: lancet_workspace::OldFile::Keep,
    permission: lancet_workspace::OldFilePermission::Needed,
};

fn one_file(root: &Path) {
    fs::write(root.join("a"), OLD).unwrap();
}

fn changes() -> Vec<RawChange> {
    vec![RawChange {
        range: 15..19,
        bytes: b"what was there, and it is longer than before".to_vec(),
    }]
}

/// Replaces the file by a streamed write: a rewrite in place then makes several writes, and a kill between them tears
/// it.
fn replace(workspace: &Workspace, root: &Path, options: WriteOptions) -> Outcome {
    let file = Seen::at(workspace, &root.join("a"))?;
    let changes = changes();
    workspace.commit(vec![
        file.becomes(NewBytes::Streamed { changes: &changes }, options),
    ])
}

fn unread(error: impl std::fmt::Debug) -> CommitError {
    CommitError::Io {
        index: 0,
        step: "read",
        source: io::Error::other(format!("{error:?}")),
    }
}

fn located(workspace: &Workspace, path: &Path) -> Result<Located, CommitError> {
    workspace.locate(path).map_err(unread)
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
    located: Located,
    pub(crate) snapshot: Snapshot,
}

impl Seen {
    /// Reads a file; fails if it cannot be read.
    pub(crate) fn at(workspace: &Workspace, path: &Path) -> Result<Seen, CommitError> {
        let located = located(workspace, path)?;
        let snapshot = located.read_snapshot(1 << 30).map_err(unread)?;
        Ok(Seen { located, snapshot })
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

/// A root and the state folder next to it.
pub(crate) struct Site {
    pub(crate) root: PathBuf,
    pub(crate) state: PathBuf,
}

impl Site {
    pub(crate) fn in_folder(folder: &Path) -> Site {
        Site {
            root: folder.join("root"),
            state: folder.join("state"),
        }
    }

    pub(crate) fn open(&self, disk: Arc<dyn lancet_workspace::Disk>) -> Workspace {
        let roots = [self.root.clone()];
        Workspace::open(&roots, disk, Some(self.state.clone())).unwrap()
    }

    /// Returns every file below the root.
    pub(crate) fn tree(&self) -> Tree {
        files(&self.root)
    }

    /// Returns every displaced file.
    pub(crate) fn displaced_files(&self) -> Tree {
        files(&self.state.join("displaced"))
    }

    /// Returns the number of journal files.
    pub(crate) fn journals(&self) -> usize {
        fs::read_dir(self.state.join("journal")).map_or(0, Iterator::count)
    }
}

pub(crate) fn files(folder: &Path) -> Tree {
    let Ok(entries) = fs::read_dir(folder) else {
        return Tree::new();
    };
    entries
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect()
}

impl CommitKind {
    pub(crate) fn named(name: &str) -> &'static CommitKind {
        COMMIT_KINDS
            .iter()
            .find(|commit| commit.name == name)
            .unwrap()
    }

    /// Makes a new site with the files as they are before the commit.
    pub(crate) fn prepare(&self, folder: &Path) -> Site {
        let site = Site::in_folder(folder);
        let _ = fs::remove_dir_all(&site.root);
        let _ = fs::remove_dir_all(&site.state);
        fs::create_dir(&site.root).unwrap();
        (self.prepare)(&site.root);
        site
    }

    /// Returns a disk on which the commit uses this commit's method.
    pub(crate) fn disk(&self) -> Arc<FaultyDisk> {
        let disk = Arc::new(FaultyDisk::new());
        for (method, error) in self.lacks {
            disk.fail_method(method, error.raw_os_error());
        }
        disk
    }

    pub(crate) fn act(&self, workspace: &Workspace, root: &Path) -> Outcome {
        (self.act)(workspace, root)
    }
}

/// The exit codes of the program, by the result of the commit.
pub(crate) const WRITTEN: i32 = 0;
pub(crate) const WRITTEN_WITH_WARNINGS: i32 = 10;
pub(crate) const REFUSED: i32 = 11;
pub(crate) const CONFLICT: i32 = 12;

/// The program prints these two markers, and the calls between them in a trace are those of the commit.
pub(crate) const BEGIN: &str = "begin";
pub(crate) const END: &str = "end";

fn mark(word: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(word.as_bytes()).unwrap();
    out.flush().unwrap();
}

/// Runs the program: it reads the files and makes one commit.
pub(crate) fn play(name: &str, folder: &Path) -> ExitCode {
    let commit = CommitKind::named(name);
    let site = Site::in_folder(folder);
    let workspace = site.open(commit.disk());
    mark(BEGIN);
    let outcome = commit.act(&workspace, &site.root);
    mark(END);
    println!("\n{outcome:?}");
    let code = match outcome {
        // A rewrite without a lease always warns.
        Ok(written)
            if written
                .iter()
                .flat_map(|one| &one.warnings)
                .all(|warning| *warning == WriteWarning::Unprotected) =>
        {
            WRITTEN
        }
        Ok(_) => WRITTEN_WITH_WARNINGS,
        Err(CommitError::Conflict { .. } | CommitError::Partly { .. }) => CONFLICT,
        Err(_) => REFUSED,
    };
    ExitCode::from(code as u8)
}
