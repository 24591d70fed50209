//! What git has of the files that changes touched: in HEAD, in its index and in the work tree. Nothing of the repository
//! is changed: the work tree is read into a temporary index and temporary objects.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use lancet::history::{ComparedVersions, LineEndUse, NetFile, TreeVersion};

use super::decide::{Division, StoredFile, StoredVersions};
use super::entries::{Entries, GitEntry, LINK_MODE, SUBMODULE_MODE, list_index};
use super::git::Git;
use super::index_file::IndexFile;
use super::repository::GitRepository;
use super::scratch::ScratchFolder;
use crate::failure::Failure;

/// How many bytes git looks at to tell text from other contents.
const EXAMINED_BYTES: usize = 8_000;

/// A file that selected changes touched.
pub(super) struct TouchedFile {
    pub(super) file: NetFile,
    /// The name in the work tree.
    pub(super) name: Vec<u8>,
    /// The name in HEAD.
    pub(super) head_name: Vec<u8>,
}

impl TouchedFile {
    fn is_moved(&self) -> bool {
        self.name != self.head_name
    }
}

/// What git has of the files.
pub(super) struct GitState {
    head: Entries,
    /// The file of the index when it was read; none where there was none.
    pub(super) index_file: Option<IndexFile>,
    index: Entries,
    /// The work tree, as far as files were touched.
    tree: Entries,
    /// git with the temporary index and objects.
    git: Git,
    /// Untracked files that ignore files exclude.
    ignored: HashSet<Vec<u8>>,
    blobs: HashMap<String, Vec<u8>>,
}

impl GitState {
    /// Reads what git has of the files. The work tree is read as `git add` does, into a temporary index.
    pub(super) fn read(
        head: Entries,
        jobs: &[TouchedFile],
        repository: &GitRepository,
        scratch: &ScratchFolder,
    ) -> Result<Self, Failure> {
        let own = &repository.git;
        let work_index = scratch.join("work.index");
        let git = own
            .with_index(&work_index)
            .with_objects(&scratch.join("objects"), &repository.objects);
        let index_file = repository.read_index()?;
        let mut index = Entries::new();
        match &index_file {
            Some(copied) => {
                scratch.write_index("work.index", copied)?;
                index = list_index(&git)?;
                // Without -i git refuses where the work tree differs from what is staged.
                git.run(&["read-tree", "-i", "-m", "HEAD"])?;
            }
            None => drop(git.run(&["read-tree", "HEAD"])?),
        }
        scratch.write_index("commit.index", &scratch.read_index("work.index")?)?;
        let (mut present, mut absent) = (Vec::new(), Vec::new());
        for job in jobs {
            let is_there = job.file.path.symlink_metadata();
            let names = match is_there.is_ok_and(|found| !found.is_dir()) {
                true => &mut present,
                false => &mut absent,
            };
            names.extend_from_slice(&job.name);
            names.push(0);
            if job.head_name != job.name {
                absent.extend_from_slice(&job.head_name);
                absent.push(0);
            }
        }
        git.run_with(&["update-index", "--force-remove", "-z", "--stdin"], absent)?;
        git.run_with(
            &[
                "update-index",
                "--add",
                "--remove",
                "--replace",
                "-z",
                "--stdin",
            ],
            present,
        )?;
        let tree = list_index(&git)?;
        let mut state = Self {
            ignored: list_ignored(jobs, &head, &index, own)?,
            head,
            index_file,
            index,
            tree,
            git,
            blobs: HashMap::new(),
        };
        state.read_blobs(jobs)?;
        Ok(state)
    }

    /// Returns the entries of a file: in HEAD, in the work tree, and in the index under either name.
    pub(super) fn entries(&self, job: &TouchedFile) -> [Option<&GitEntry>; 3] {
        let staged = self.index.get(&job.head_name);
        [
            self.head.get(&job.head_name),
            self.tree.get(&job.name),
            staged.or_else(|| self.index.get(&job.name)),
        ]
    }

    /// Returns whether the work tree has another version of a file than HEAD.
    pub(super) fn differs(&self, job: &TouchedFile) -> bool {
        let [committed, present, _] = self.entries(job);
        committed != present || job.is_moved()
    }

    /// Returns whether the index has a moved file under both names, so that it is not certain what is staged.
    pub(super) fn is_staged_twice(&self, job: &TouchedFile) -> bool {
        let names = [&job.name, &job.head_name];
        job.is_moved() && names.into_iter().all(|name| self.index.contains_key(name))
    }

    /// Returns whether git does not track a file because it ignores it.
    pub(super) fn is_ignored(&self, job: &TouchedFile) -> bool {
        self.ignored.contains(&job.name)
    }

    fn read_blobs(&mut self, jobs: &[TouchedFile]) -> Result<(), Failure> {
        let mut ids: Vec<String> = Vec::new();
        for job in jobs {
            if !self.differs(job) {
                continue;
            }
            let found = self.entries(job).into_iter().flatten();
            let found = found.filter(|entry| entry.mode != SUBMODULE_MODE);
            ids.extend(found.map(|entry| entry.id.clone()));
        }
        ids.sort_unstable();
        ids.dedup();
        let named: Vec<&str> = ids.iter().map(String::as_str).collect();
        let blobs = self.git.read_blobs(&named)?;
        self.blobs = ids.into_iter().zip(blobs).collect();
        Ok(())
    }

    fn stored(&self, entry: Option<&GitEntry>) -> Option<StoredFile> {
        entry.map(|entry| StoredFile {
            mode: entry.mode.clone(),
            bytes: self.blobs.get(&entry.id).cloned().unwrap_or_default(),
        })
    }

    /// Turns a version into what git's filters make of it in the work tree. One whose name git cannot be given stays as
    /// it is stored.
    fn smudge(
        &self,
        name: &[u8],
        entry: Option<&GitEntry>,
        version: &mut Option<TreeVersion>,
    ) -> Result<(), Failure> {
        let name = std::str::from_utf8(name).ok();
        if let (Some(name), Some(entry), Some(version)) = (name, entry, version) {
            let path = format!("--path={name}");
            let arguments = ["cat-file", "--filters", &path, &entry.id];
            version.bytes = self.git.run(&arguments)?;
        }
        Ok(())
    }

    /// Returns the versions of a file as they are stored, and as they are compared with recorded contents.
    pub(super) fn versions(
        &self,
        job: &TouchedFile,
    ) -> Result<(StoredVersions, ComparedVersions), Failure> {
        let [committed, present, staged] = self.entries(job);
        let mut stored = StoredVersions {
            committed: self.stored(committed),
            present: self.stored(present),
            staged: self.stored(staged),
            division: Division::ByLines,
        };
        let sides = [&stored.committed, &stored.present];
        let has_crlf = |file: &&StoredFile| file.bytes.windows(2).any(|pair| pair == b"\r\n");
        let line_ends = match sides.into_iter().flatten().any(|file| has_crlf(&file)) {
            true => LineEndUse::Exact,
            false => LineEndUse::Normalized,
        };
        let is_special = |file: &&StoredFile| file.mode == LINK_MODE || is_binary(&file.bytes);
        if sides.into_iter().flatten().any(|file| is_special(&file)) {
            stored.division = Division::Whole;
        }
        let version = |file: &Option<StoredFile>| {
            file.as_ref().map(|file| TreeVersion {
                bytes: file.bytes.clone(),
                mode: file.mode.clone(),
            })
        };
        let mut compared = ComparedVersions {
            committed: version(&stored.committed),
            present: version(&stored.present),
            staged: version(&stored.staged),
            line_ends,
        };
        // Of a removed file it is not known whether a filter applied.
        let present_file = stored.present.as_ref();
        if present_file.is_none_or(|file| is_filtered(&job.file.path, file)) {
            self.smudge(&job.head_name, committed, &mut compared.committed)?;
            self.smudge(&job.name, present, &mut compared.present)?;
            self.smudge(&job.head_name, staged, &mut compared.staged)?;
            let counts = |stored: &Option<StoredFile>, tree: &Option<TreeVersion>| {
                let stored = stored.as_ref().map(|file| count_lines(&file.bytes));
                stored == tree.as_ref().map(|version| count_lines(&version.bytes))
            };
            if !counts(&stored.committed, &compared.committed)
                || !counts(&stored.present, &compared.present)
            {
                stored.division = Division::Whole;
            }
        }
        Ok((stored, compared))
    }
}

fn count_lines(bytes: &[u8]) -> usize {
    bytes.split_inclusive(|byte| *byte == b'\n').count()
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(EXAMINED_BYTES).any(|byte| *byte == 0)
}

/// Returns whether git stores a file otherwise than it is in the work tree, apart from line ends.
fn is_filtered(path: &Path, present: &StoredFile) -> bool {
    if present.mode == LINK_MODE {
        return false;
    }
    // A file that cannot be read now is compared as git has it.
    fs::read(path).is_ok_and(|bytes| {
        bytes != present.bytes && without_carriage_returns(&bytes) != present.bytes
    })
}

/// Turns each CRLF into LF.
fn without_carriage_returns(bytes: &[u8]) -> Vec<u8> {
    let mut plain = bytes.to_vec();
    let mut at = 0;
    plain.retain(|byte| {
        at += 1;
        *byte != b'\r' || bytes.get(at) != Some(&b'\n')
    });
    plain
}

/// Returns which of the files that git does not track are ignored.
fn list_ignored(
    jobs: &[TouchedFile],
    head: &Entries,
    index: &Entries,
    git: &Git,
) -> Result<HashSet<Vec<u8>>, Failure> {
    let mut untracked = Vec::new();
    for job in jobs {
        if !head.contains_key(&job.name) && !index.contains_key(&job.name) {
            untracked.extend_from_slice(&job.name);
            untracked.push(0);
        }
    }
    if untracked.is_empty() {
        return Ok(HashSet::new());
    }
    // The exit code says whether any file is ignored.
    let found = git.run_any(&["check-ignore", "-z", "--stdin"], untracked)?;
    let names = found
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty());
    Ok(names.map(<[u8]>::to_vec).collect())
}
