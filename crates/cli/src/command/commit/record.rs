//! Makes the git commit of a plan. `git commit` runs with a copy of the index; afterwards the repository's own index
//! gets the same hunks, under the lock that was held all the time.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use super::decide::{IndexOutcome, StoredFile};
use super::entries::{EntryChange, GitEntry, update_index};
use super::git::Git;
use super::index_file::IndexFile;
use super::plan::Plan;
use super::repository::{GitRepository, IndexLock};
use super::scratch::ScratchFolder;
use crate::command::recording::run_to_end;
use crate::failure::Failure;

/// A commit whose objects and index are in the temporary folder.
pub(super) struct PreparedCommit<'a> {
    repository: &'a GitRepository,
    scratch: &'a ScratchFolder,
    /// git with the temporary index and objects.
    git: Git,
    /// The repository's index when the plan was made.
    index_before: Option<IndexFile>,
    /// The files whose contents become objects, one a line.
    contents: Vec<u8>,
    index_changes: Vec<EntryChange>,
    /// The files of the commit in the work tree.
    paths: Vec<PathBuf>,
}

/// A commit that was made.
#[derive(Debug)]
pub(super) struct MadeCommit {
    /// The id.
    pub(super) id: String,
    /// The files that hooks changed, relative to the work tree. If there are any, git's index is as it was.
    pub(super) changed_by_hooks: Vec<PathBuf>,
    /// Why git's index could not be updated.
    pub(super) index_failure: Option<String>,
}

impl<'a> PreparedCommit<'a> {
    /// Prepares the commit of a plan.
    pub(super) fn new(
        plan: &Plan,
        repository: &'a GitRepository,
        scratch: &'a ScratchFolder,
    ) -> Result<Self, Failure> {
        let objects = repository
            .git
            .with_objects(&scratch.join("objects"), &repository.objects);
        let git = objects.with_index(&scratch.join("commit.index"));
        let mut stored: Vec<&StoredFile> = Vec::new();
        for file in &plan.files {
            stored.extend(&file.committed.file);
            if let IndexOutcome::Merged(merged) = &file.committed.index {
                stored.push(merged);
            }
        }
        let mut contents = Vec::new();
        for (at, file) in stored.iter().enumerate() {
            let path = scratch.write(&format!("content-{at}"), &file.bytes)?;
            contents.extend_from_slice(path.as_os_str().as_bytes());
            contents.push(b'\n');
        }
        let ids = write_objects(&git, &contents)?;
        let mut ids = ids.into_iter();
        let mut entry = |file: &StoredFile| GitEntry {
            mode: file.mode.clone(),
            id: ids.next().unwrap_or_default(),
        };
        let (mut changes, mut index_changes) = (Vec::new(), Vec::new());
        for file in &plan.files {
            let committed = file.committed.file.as_ref().map(&mut entry);
            let former = file.moved_from.iter().map(|name| (name.clone(), None));
            let own: Vec<EntryChange> = former.chain([(file.name.clone(), committed)]).collect();
            match &file.committed.index {
                IndexOutcome::Committed => index_changes.extend(own.clone()),
                IndexOutcome::Unchanged => {}
                IndexOutcome::Merged(merged) => {
                    index_changes.push((file.name.clone(), Some(entry(merged))));
                }
            }
            changes.extend(own);
        }
        update_index(&git, &repository.head, &changes)?;
        Ok(Self {
            index_before: plan.index_file.clone(),
            paths: plan.files.iter().map(|file| file.path.clone()).collect(),
            repository,
            scratch,
            git,
            contents,
            index_changes,
        })
    }

    /// Returns the patch of the commit.
    pub(super) fn patch(&self) -> Result<Vec<u8>, Failure> {
        self.git.run(&[
            "diff",
            "--cached",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--find-renames",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            "HEAD",
            "--",
        ])
    }

    /// Makes the commit, and puts its hunks into git's index.
    pub(super) fn make(
        &self,
        message: Option<&str>,
        trailers: &[String],
    ) -> Result<MadeCommit, Failure> {
        let git = &self.repository.git;
        let lock = IndexLock::take(self.repository)?;
        let is_same_index = match (&self.repository.read_index()?, &self.index_before) {
            (Some(now), Some(before)) => now.has_same_content(before),
            (now, before) => now.is_none() && before.is_none(),
        };
        let is_same = is_same_index && git.line(&["rev-parse", "HEAD"])? == self.repository.head;
        if !is_same {
            return Err(Failure::refused(
                "HEAD or git's index was changed meanwhile; give the command again. Nothing was committed",
            ));
        }
        write_objects(git, &self.contents)?;
        let with_index = git.with_index(&self.scratch.join("commit.index"));
        let planned_tree = with_index.line(&["write-tree"])?;
        let before = self.read_work_tree();
        let mut arguments: Vec<OsString> = vec!["commit".into(), "-q".into()];
        if let Some(message) = message {
            arguments.extend(["-m".into(), message.into()]);
        }
        for trailer in trailers {
            arguments.extend(["--trailer".into(), trailer.into()]);
        }
        let code = run_to_end(&with_index.command_line(&arguments))
            .map_err(|error| Failure::system(format!("{error}. Nothing was committed")))?;
        let id = git.line(&["rev-parse", "HEAD"])?;
        if code != 0 && id == self.repository.head {
            return Err(Failure::refused(format!(
                "`git commit` ended with {code}; nothing was committed, and git's index is as it was"
            )));
        }
        let mut changed = self.changed_in_commit(&planned_tree)?;
        let after = self.read_work_tree();
        for ((path, before), after) in self.paths.iter().zip(before).zip(after) {
            if before != after {
                let name = path.strip_prefix(git.top()).unwrap_or(path);
                changed.insert(name.to_path_buf());
            }
        }
        let index_failure = match changed.is_empty() {
            true => self.update_index(lock).err().map(|failure| failure.message),
            false => None,
        };
        Ok(MadeCommit {
            id,
            changed_by_hooks: changed.into_iter().collect(),
            index_failure,
        })
    }

    /// Returns the files that the commit has otherwise than planned.
    fn changed_in_commit(&self, planned_tree: &str) -> Result<BTreeSet<PathBuf>, Failure> {
        let arguments = [
            "diff-tree",
            "-r",
            "-z",
            "--name-only",
            planned_tree,
            "HEAD^{tree}",
        ];
        let out = self.repository.git.run(&arguments)?;
        let names = out.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| OsStr::from_bytes(name).into()).collect())
    }

    /// Reads the files of the commit in the work tree; none where there is no file.
    fn read_work_tree(&self) -> Vec<Option<[u8; 32]>> {
        let hash = |path: &PathBuf| match fs::read_link(path) {
            Ok(target) => Some(target.into_os_string().into_vec()),
            Err(_) => fs::read(path).ok(),
        };
        let hash = |path| hash(path).map(|bytes| *blake3::hash(&bytes).as_bytes());
        self.paths.iter().map(hash).collect()
    }

    /// Puts the hunks into the repository's index.
    fn update_index(&self, lock: IndexLock) -> Result<(), Failure> {
        let write_failure = |error: std::io::Error| Failure::system(error.to_string());
        let index = self.scratch.join("repository.index");
        if let Some(before) = &self.index_before {
            self.scratch.write_index("repository.index", before)?;
        }
        let git = self.repository.git.with_index(&index);
        update_index(&git, &self.repository.head, &self.index_changes)?;
        // So that git need not read the files again. It reports files that differ by its exit code.
        git.run_any(&["update-index", "-q", "--refresh"], Vec::new())?;
        let updated = self.scratch.read_index("repository.index")?;
        lock.replace_index(&updated).map_err(write_failure)
    }
}

/// Writes files as objects, as they are; returns their ids.
fn write_objects(git: &Git, files: &[u8]) -> Result<Vec<String>, Failure> {
    let arguments = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
    let out = git.run_with(&arguments, files.to_vec())?;
    let out = String::from_utf8_lossy(&out);
    Ok(out.lines().map(str::to_owned).collect())
}
