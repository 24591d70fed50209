//! The project that all servers work on, and its files.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use lancet_testing::{TestFolder, judges};
use serde_json::Value;

/// How many files of each kind there are. Fewer than servers, so that they meet.
pub(crate) const SHARED: usize = 6;
/// The last line of every list: new lines are put before it.
pub(crate) const END: &str = "end of the list\n";

/// The permission bits of a name and, for a file, its bytes.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) mode: u32,
    pub(crate) bytes: Option<Vec<u8>>,
}

/// The names below a folder with what they hold.
pub(crate) type Tree = BTreeMap<PathBuf, Entry>;

/// A project with its own state folder and home folder.
pub(crate) struct Project {
    folder: TestFolder,
}

impl Project {
    pub(crate) fn new() -> Project {
        // A disk takes longer to write than memory, and more kills fall into a write.
        let folder = match judges::is_torture_run() {
            true => TestFolder::below(env!("CARGO_TARGET_TMPDIR")),
            false => TestFolder::new(),
        };
        let project = Project { folder };
        for name in ["home", "project/empty", "project/new"] {
            project.folder.make(name);
        }
        project.folder.put("project/new/first.txt", "first\n");
        for number in 0..SHARED {
            project
                .folder
                .put(project.list(number), format!("list {number}\n{END}"));
            project.folder.put(project.whole(number), "nothing yet\n");
            for half in project.pair(number) {
                project.folder.put(half, format!("number 0\n{END}"));
            }
            let notebook = concat!(
                "{\n \"cells\": [\n  {\n   \"cell_type\": \"markdown\",\n   \"id\": \"top\",\n",
                "   \"metadata\": {},\n   \"source\": [\n    \"top\"\n   ]\n  }\n ],\n",
                " \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n"
            );
            project.folder.put(project.notebook(number), notebook);
        }
        project
    }

    /// Returns the folder that the servers may write in.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// Returns the state folder.
    pub(crate) fn state(&self) -> PathBuf {
        self.folder.join("state")
    }

    /// Returns the path of a text whose lines are added one by one.
    pub(crate) fn list(&self, number: usize) -> PathBuf {
        self.root().join(format!("lists/{number}.txt"))
    }

    /// Returns the path of a text that is written as a whole.
    pub(crate) fn whole(&self, number: usize) -> PathBuf {
        self.root().join(format!("whole/{number}.txt"))
    }

    /// Returns the path of a notebook to which cells are added.
    pub(crate) fn notebook(&self, number: usize) -> PathBuf {
        self.root().join(format!("notebooks/{number}.ipynb"))
    }

    /// Returns the paths of two texts that every call changes together, in two folders.
    pub(crate) fn pair(&self, number: usize) -> [PathBuf; 2] {
        ["left", "right"].map(|half| self.root().join(format!("{half}/{number}.txt")))
    }

    /// Returns the program's command, in the project and without the tester's environment.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lancet"));
        command
            .env_clear()
            .env("HOME", self.folder.join("home"))
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("LANCET_STATE_DIR", self.state())
            .current_dir(self.root());
        command
    }

    /// Runs a command of the shell to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let mut command = self.command();
        command.args(arguments);
        command.output().expect("it ends")
    }

    /// Runs a command and reads the lines of JSON that it prints.
    pub(crate) fn lines(&self, arguments: &[&str]) -> Vec<Value> {
        let out = self.run(arguments).stdout;
        let out = String::from_utf8(out).expect("UTF-8");
        out.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    }

    /// Copies everything to the folder that `LANCET_CROWD_KEEP` names, for an inspection of failures.
    pub(crate) fn keep_copy(&self) {
        if let Some(target) = std::env::var_os("LANCET_CROWD_KEEP") {
            let mut copy = Command::new("cp");
            copy.arg("-a").arg(self.folder.path()).arg(target);
            assert!(copy.status().expect("it ends").success());
        }
    }

    /// Returns everything below the project.
    pub(crate) fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        gather(&self.root(), &mut tree);
        tree
    }
}

fn gather(folder: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let about = fs::symlink_metadata(&path).expect("there");
        let bytes = about.is_file().then(|| fs::read(&path).expect("a file"));
        let mode = about.permissions().mode();
        if about.is_dir() {
            gather(&path, tree);
        }
        tree.insert(path, Entry { mode, bytes });
    }
}
