//! Temporary folders, which are removed with everything in them when the value is dropped.

use std::fs;
use std::path::{Path, PathBuf};

/// A temporary folder. Its path has no symbolic link in it, so that paths in answers can be compared with it.
#[derive(Debug)]
pub struct TestFolder {
    path: PathBuf,
    _temporary: tempfile::TempDir,
}

impl TestFolder {
    /// Creates an empty folder in the system's folder for temporary files.
    #[must_use]
    pub fn new() -> TestFolder {
        TestFolder::at(tempfile::tempdir().expect("a temporary folder"))
    }

    /// Creates an empty folder in memory if the system has one (`/dev/shm`): for tests with thousands of writes that
    /// are not about the disk, which would otherwise spend most of their time flushing.
    #[must_use]
    pub fn in_memory() -> TestFolder {
        match tempfile::tempdir_in("/dev/shm") {
            Ok(folder) => TestFolder::at(folder),
            Err(_) => TestFolder::new(),
        }
    }

    /// Creates an empty folder below another one.
    #[must_use]
    pub fn below(folder: impl AsRef<Path>) -> TestFolder {
        TestFolder::at(tempfile::tempdir_in(folder).expect("a temporary folder"))
    }

    fn at(temporary: tempfile::TempDir) -> TestFolder {
        let path = temporary.path().canonicalize();
        TestFolder {
            path: path.expect("the folder was just made"),
            _temporary: temporary,
        }
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Joins a path to the folder.
    #[must_use]
    pub fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file, with the folders that it needs, without lancet; returns its path.
    pub fn put(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        put(&self.join(name), bytes)
    }

    /// Creates a folder, with its parents; returns its path.
    pub fn make(&self, name: impl AsRef<Path>) -> PathBuf {
        let path = self.join(name);
        fs::create_dir_all(&path).expect("a folder");
        path
    }

    /// Returns the bytes of a file.
    #[must_use]
    pub fn bytes(&self, name: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.join(name)).expect("a file that can be read")
    }

    /// Returns the text of a file.
    #[must_use]
    pub fn text(&self, name: impl AsRef<Path>) -> String {
        fs::read_to_string(self.join(name)).expect("a text that can be read")
    }
}

impl Default for TestFolder {
    fn default() -> TestFolder {
        TestFolder::new()
    }
}

/// Writes a file, with the folders that it needs, without lancet; returns its path.
pub fn put(path: &Path, bytes: impl AsRef<[u8]>) -> PathBuf {
    fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("its folders");
    fs::write(path, bytes).expect("a file that can be written");
    path.to_owned()
}

/// Creates a named pipe. No program is started for it: until a new process has executed its program, it has every file
/// open that other tests are writing, and those files are refused as busy.
pub fn make_pipe(path: impl AsRef<Path>) {
    rustix::fs::mkfifoat(rustix::fs::CWD, path.as_ref(), 0o644.into()).expect("a pipe");
}

/// Returns the names in a folder, sorted.
#[must_use]
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder that can be listed");
    let name = |entry: std::io::Result<fs::DirEntry>| {
        let name = entry.expect("an entry").file_name();
        name.into_string().expect("a name in UTF-8")
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}
