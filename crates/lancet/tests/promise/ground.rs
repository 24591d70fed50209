//! The fixture of the laws: a folder for each, an engine opened once, and a check after each call that what was
//! refused, read or only tried has left everything as it was.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet::testing::FaultyDisk;
use lancet::{Builder, Lancet, Mode, RawCall, Reply, Session};
pub(crate) use lancet_testing::laws::cases;
pub(crate) use lancet_testing::replies::{done, is_refused, refused};
pub(crate) use lancet_testing::settings;
use lancet_testing::{TestFolder, laws};
use proptest::test_runner::Config;
use serde_json::{Value, json};

/// Returns the configuration of a law.
pub(crate) fn config() -> Config {
    config_of(cases())
}

/// Returns the configuration of a law that is tried on fewer cases, because each of them takes long.
pub(crate) fn config_of(cases: u32) -> Config {
    Config {
        max_shrink_iters: 4_000,
        ..laws::config_of(cases.max(16))
    }
}

pub(crate) struct Ground {
    pub(crate) root: PathBuf,
    pub(crate) lancet: Lancet,
    _folder: TestFolder,
}

/// The entry at a name, in enough detail to detect any change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    File {
        bytes: Vec<u8>,
        modified: (i64, i64),
        inode: u64,
        mode: u32,
    },
    Folder,
    Link(PathBuf),
    Special,
}

pub(crate) type Tree = BTreeMap<String, Entry>;

impl Ground {
    /// Opens an engine that flushes nothing, on an empty folder.
    pub(crate) fn new() -> Ground {
        Ground::with(|builder| builder)
    }

    pub(crate) fn with(more: impl FnOnce(Builder) -> Builder) -> Ground {
        Ground::on(
            TestFolder::in_memory(),
            Arc::new(FaultyDisk::without_flushes()),
            more,
        )
    }

    /// Opens an engine on a real disk, with every flush made.
    pub(crate) fn real(more: impl FnOnce(Builder) -> Builder) -> Ground {
        Ground::on(TestFolder::new(), Arc::new(FaultyDisk::new()), more)
    }

    pub(crate) fn on(
        folder: TestFolder,
        disk: Arc<FaultyDisk>,
        more: impl FnOnce(Builder) -> Builder,
    ) -> Ground {
        let root = folder.path().to_owned();
        let builder = Lancet::builder()
            .root(&root)
            .mode(Mode::AcceptEdits)
            .disk(disk);
        Ground {
            lancet: more(builder).open().unwrap(),
            root,
            _folder: folder,
        }
    }

    pub(crate) fn session(&self) -> Session {
        self.lancet.new_session()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// Empties the folder for the next case.
    pub(crate) fn clear(&self) {
        for entry in fs::read_dir(&self.root).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                fs::remove_dir_all(entry.path()).unwrap();
            } else {
                fs::remove_file(entry.path()).unwrap();
            }
        }
    }

    pub(crate) fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        collect(&self.root, &self.root, &mut tree);
        tree
    }

    /// Makes a call. A refusal, a Read and a dry run must leave every file as it was and nothing next to it; a write
    /// must leave no file that was not requested.
    #[track_caller]
    pub(crate) fn call(&self, session: &Session, tool: &str, arguments: Value) -> Reply {
        let before = self.tree();
        let dry = arguments["dry_run"] == json!(true);
        let reply = session.call(RawCall::new(tool, arguments.clone()));
        let after = self.tree();
        if reply.is_error() || dry || tool == "Read" {
            assert!(
                before == after,
                "{tool} {arguments} answered {:?} and left traces\nbefore {before:?}\nafter {after:?}",
                reply.text()
            );
        }
        for name in after.keys() {
            assert!(
                before.contains_key(name) || !name.contains("lancet"),
                "{tool} {arguments} left {name}"
            );
        }
        assert!(
            reply.text().chars().count() <= self.lancet.answer_limit(),
            "an answer of {} characters",
            reply.text().chars().count()
        );
        let last = reply.text().chars().next_back();
        assert!(
            last.is_some_and(|last| !last.is_whitespace() && !last.is_control()),
            "{tool} {arguments}: clients trim the end of {:?}",
            reply.text()
        );
        assert_eq!(reply.is_error(), reply.data().get("error").is_some());
        reply
    }

    #[track_caller]
    pub(crate) fn read(&self, session: &Session, name: &str) -> Reply {
        self.call(session, "Read", json!({ "file_path": self.path(name) }))
    }

    #[track_caller]
    pub(crate) fn edit(&self, session: &Session, name: &str, old: &str, new: &str) -> Reply {
        let arguments = json!({ "file_path": self.path(name), "old_string": old, "new_string": new, "insist": true });
        self.call(session, "Edit", arguments)
    }

    #[track_caller]
    pub(crate) fn write(&self, session: &Session, name: &str, content: &str) -> Reply {
        let arguments = json!({ "file_path": self.path(name), "content": content, "insist": true });
        self.call(session, "Write", arguments)
    }
}

/// Returns the numbered lines that an answer shows, in Read's default form.
pub(crate) fn numbered(text: &str) -> Vec<(usize, &str)> {
    text.lines()
        .filter_map(|line| {
            let (number, text) = line.split_once('→')?;
            Some((number.parse().ok()?, text))
        })
        .collect()
}

fn collect(root: &Path, folder: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_string_lossy().into();
        let found = fs::symlink_metadata(&path).unwrap();
        let kind = found.file_type();
        let entry = if kind.is_file() {
            Entry::File {
                bytes: fs::read(&path).unwrap(),
                modified: (found.mtime(), found.mtime_nsec()),
                inode: found.ino(),
                mode: found.mode(),
            }
        } else if kind.is_dir() {
            collect(root, &path, tree);
            Entry::Folder
        } else if kind.is_symlink() {
            Entry::Link(fs::read_link(&path).unwrap())
        } else {
            Entry::Special
        };
        tree.insert(name, entry);
    }
}
