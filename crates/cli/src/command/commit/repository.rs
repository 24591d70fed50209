//! The state of a git repository before `lancet commit`, and the reasons to leave it alone.

use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use super::git::Git;
use super::index_file::IndexFile;
use crate::failure::Failure;
use crate::terminal::escape_for_terminal;

/// Files in git's folder that exist while something is not finished, with its name and the command that ends it.
const UNFINISHED: [(&str, &str, &str); 7] = [
    ("MERGE_HEAD", "a merge", "git merge --continue"),
    ("rebase-merge", "a rebase", "git rebase --continue"),
    (
        "rebase-apply",
        "a rebase or `git am`",
        "git rebase --continue",
    ),
    (
        "CHERRY_PICK_HEAD",
        "a cherry-pick",
        "git cherry-pick --continue",
    ),
    ("REVERT_HEAD", "a revert", "git revert --continue"),
    ("sequencer", "a cherry-pick or revert", "git status"),
    ("BISECT_LOG", "a bisect", "git bisect reset"),
];

/// The repository that a commit is made in.
#[derive(Debug)]
pub(super) struct GitRepository {
    pub(super) git: Git,
    /// The file of git's index.
    pub(super) index: PathBuf,
    /// The folder of git's objects.
    pub(super) objects: PathBuf,
    /// The id of the commit of HEAD.
    pub(super) head: String,
    /// The branch of HEAD; none where it is detached.
    pub(super) branch: Option<String>,
}

/// Whether a commit may be made although HEAD names no branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DetachedHead {
    Allowed,
    Refused,
}

impl GitRepository {
    /// Opens the repository around a folder.
    ///
    /// # Errors
    /// There is no repository, or one in which nothing may be committed now.
    pub(super) fn open(folder: &Path, detached: DetachedHead) -> Result<Self, Failure> {
        let top = Git::new(folder).query(&["rev-parse", "--show-toplevel"])?;
        let Some(top) = top.map(path_of_line).filter(|top| top.is_absolute()) else {
            return Err(Failure::refused(format!(
                "{} is in no work tree of git; nothing can be committed",
                escape_for_terminal(&folder.display().to_string())
            )));
        };
        let git = Git::new(&top);
        let path = |name: &str| -> Result<PathBuf, Failure> {
            let found = git.run(&["rev-parse", "--git-path", name])?;
            Ok(top.join(path_of_line(found)))
        };
        for (name, what, way_out) in UNFINISHED {
            if path(name)?.symlink_metadata().is_ok() {
                return Err(Failure::refused(format!(
                    "{what} is under way; finish it first (`{way_out}`). Nothing was committed"
                )));
            }
        }
        let index = path("index")?;
        if lock_path(&index).symlink_metadata().is_ok() {
            return Err(locked_failure(&index));
        }
        let head = git.query(&["rev-parse", "--verify", "-q", "HEAD^{commit}"])?;
        let Some(head) = head.map(|out| super::git::first_line(&out)) else {
            return Err(Failure::refused(
                "HEAD has no commit yet; make the first one with `git commit`. Nothing was committed",
            ));
        };
        let branch = git.query(&["symbolic-ref", "--short", "-q", "HEAD"])?;
        let branch = branch.map(|out| super::git::first_line(&out));
        if branch.is_none() && detached == DetachedHead::Refused {
            return Err(Failure::refused(
                "HEAD is detached: a commit would be on no branch; --detached makes it all the same. Nothing was committed",
            ));
        }
        if !git.run(&["ls-files", "--unmerged", "-z"])?.is_empty() {
            return Err(Failure::refused(
                "git's index has files in conflict; resolve them first (`git status`). Nothing was committed",
            ));
        }
        Ok(Self {
            objects: path("objects")?,
            git,
            index,
            head,
            branch,
        })
    }

    /// Reads the file of git's index; none where there is none yet.
    pub(super) fn read_index(&self) -> Result<Option<IndexFile>, Failure> {
        IndexFile::read(&self.index).map_err(|error| {
            Failure::system(format!(
                "git's index cannot be read: {error}. Nothing was committed"
            ))
        })
    }
}

/// The lock of git's index: while it exists, git does not change index and HEAD. It is removed when it is dropped.
#[derive(Debug)]
pub(super) struct IndexLock {
    index: PathBuf,
    file: fs::File,
}

impl IndexLock {
    /// Takes the lock, as git does.
    pub(super) fn take(repository: &GitRepository) -> Result<Self, Failure> {
        let index = repository.index.clone();
        let mut options = fs::OpenOptions::new();
        match options.write(true).create_new(true).open(lock_path(&index)) {
            Ok(file) => Ok(Self { index, file }),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                Err(locked_failure(&index))
            }
            Err(error) => Err(Failure::system(format!(
                "git's index cannot be locked: {error}. Nothing was committed"
            ))),
        }
    }

    /// Replaces git's index and gives the lock up.
    pub(super) fn replace_index(mut self, index: &IndexFile) -> std::io::Result<()> {
        if let Ok(before) = self.index.metadata() {
            self.file.set_permissions(before.permissions())?;
        }
        index.write_to(&mut self.file)?;
        self.file.sync_all()?;
        fs::rename(lock_path(&self.index), &self.index)
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        // After `replace_index` the lock has the name of the index.
        if let (Ok(own), Ok(named)) = (
            self.file.metadata(),
            lock_path(&self.index).symlink_metadata(),
        ) && is_same_file(&own, &named)
        {
            let _ = fs::remove_file(lock_path(&self.index));
        }
    }
}

fn is_same_file(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

fn lock_path(index: &Path) -> PathBuf {
    let mut name = index.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

fn locked_failure(index: &Path) -> Failure {
    Failure::refused(format!(
        "git's index is locked ({}): another git command is running, or one was killed and its lock has to be removed. Nothing was committed",
        escape_for_terminal(&lock_path(index).display().to_string())
    ))
}

/// Returns the path that git printed, without the line feed.
fn path_of_line(mut out: Vec<u8>) -> PathBuf {
    if out.last() == Some(&b'\n') {
        out.pop();
    }
    PathBuf::from(std::ffi::OsString::from_vec(out))
}
