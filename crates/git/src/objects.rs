//! Finds objects by id: loose objects, packs, and the object folders named in `info/alternates`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_workspace::{Disk, FileType, Located, Workspace};

use crate::GitError;
use crate::id::ObjectId;
use crate::inflate::{InflateBudget, InflateStream};
use crate::pack;

/// One query may inflate this many bytes in all.
const MOST_WORK: u64 = 128 << 20;
/// Further packs are ignored.
const MOST_PACKS: usize = 10_000;
/// At most this many object folders are opened through alternates; git itself stops at a depth of five.
const MOST_FOLDERS: usize = 16;
/// A longer `info/alternates` is refused.
const MOST_ALTERNATES: u64 = 64 * 1024;

/// The kind of a git object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Tag,
}

/// An object's kind and its inflated content.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) kind: ObjectKind,
    pub(crate) bytes: Vec<u8>,
}

/// The object folders of a repository, alternates included.
pub(crate) struct Objects {
    folders: Vec<ObjectFolder>,
    budget: InflateBudget,
}

struct ObjectFolder {
    workspace: Arc<Workspace>,
    path: PathBuf,
    /// The paths of its pack indexes.
    packs: Vec<PathBuf>,
}

impl Objects {
    /// Opens the objects of the git folder `common`, which must be a root of `workspace`.
    pub(crate) fn open(
        workspace: &Arc<Workspace>,
        common: &Path,
        disk: &Arc<dyn Disk>,
    ) -> Result<Objects, GitError> {
        let mut objects = Objects {
            folders: Vec::new(),
            budget: InflateBudget::new(MOST_WORK),
        };
        objects.add(Arc::clone(workspace), common.join("objects"))?;
        let mut at = 0;
        while let Some(folder) = objects.folders.get(at) {
            for path in folder.alternates()? {
                let known = objects.folders.iter().any(|folder| folder.path == path);
                if known || objects.folders.len() == MOST_FOLDERS {
                    continue;
                }
                // A missing alternate is skipped, as git does; its objects are then reported missing.
                if let Ok(workspace) =
                    Workspace::open(std::slice::from_ref(&path), Arc::clone(disk), None)
                {
                    let path = workspace.roots().first().cloned().unwrap_or(path);
                    objects.add(Arc::new(workspace), path)?;
                }
            }
            at += 1;
        }
        Ok(objects)
    }

    fn add(&mut self, workspace: Arc<Workspace>, path: PathBuf) -> Result<(), GitError> {
        let mut folder = ObjectFolder {
            workspace,
            path,
            packs: Vec::new(),
        };
        folder.list_packs()?;
        self.folders.push(folder);
        Ok(())
    }

    /// Returns the content of an object of this kind, with at most `most` bytes.
    pub(crate) fn find(
        &mut self,
        id: &ObjectId,
        kind: ObjectKind,
        most: u64,
    ) -> Result<Vec<u8>, GitError> {
        let mut found = self.lookup(id, most);
        if !matches!(found, Ok(Some(_)) | Err(GitError::TooLarge { .. })) {
            // A concurrent `git repack` may have moved the object: list the packs again.
            for folder in &mut self.folders {
                folder.list_packs()?;
            }
            found = self.lookup(id, most);
        }
        let object = found?.ok_or(GitError::Missing(*id))?;
        if object.kind != kind {
            return Err(GitError::Damaged("a reference to an object"));
        }
        Ok(object.bytes)
    }

    fn lookup(&self, id: &ObjectId, most: u64) -> Result<Option<Object>, GitError> {
        for folder in &self.folders {
            if let Some(object) = folder.loose(id, most, &self.budget)? {
                return Ok(Some(object));
            }
            if let Some(object) = folder.packed(id, most, &self.budget)? {
                return Ok(Some(object));
            }
        }
        Ok(None)
    }
}

impl ObjectFolder {
    fn file(&self, path: &Path) -> Result<Option<Located>, GitError> {
        let located = self.workspace.locate_as_spelled(path)?;
        Ok((located.kind() == FileType::File).then_some(located))
    }

    fn list_packs(&mut self) -> Result<(), GitError> {
        self.packs.clear();
        let folder = self.workspace.locate_as_spelled(&self.path.join("pack"))?;
        if folder.kind() != FileType::Directory {
            return Ok(());
        }
        let listed = folder.entries(MOST_PACKS, &|name, _| name.as_bytes().ends_with(b".idx"))?;
        self.packs = listed
            .entries
            .iter()
            .map(|entry| self.path.join("pack").join(&entry.name))
            .collect();
        Ok(())
    }

    fn alternates(&self) -> Result<Vec<PathBuf>, GitError> {
        let Some(file) = self.file(&self.path.join("info/alternates"))? else {
            return Ok(Vec::new());
        };
        let listed = file.snapshot(MOST_ALTERNATES)?;
        let lines = listed.bytes.split(|byte| *byte == b'\n');
        Ok(lines
            .filter(|line| !line.is_empty() && line[0] != b'#')
            .map(|line| self.path.join(OsStr::from_bytes(line)))
            .collect())
    }

    fn packed(
        &self,
        id: &ObjectId,
        most: u64,
        budget: &InflateBudget,
    ) -> Result<Option<Object>, GitError> {
        for path in &self.packs {
            let Some(index) = self.file(path)? else {
                continue;
            };
            let Some(offset) = pack::offset_of(&index, id)? else {
                continue;
            };
            if let Some(pack) = self.file(&path.with_extension("pack"))? {
                return pack::object_at((&pack, &index), offset, (id.length(), most), budget)
                    .map(Some);
            }
        }
        Ok(None)
    }

    fn loose(
        &self,
        id: &ObjectId,
        most: u64,
        budget: &InflateBudget,
    ) -> Result<Option<Object>, GitError> {
        let name = id.to_string();
        let (start, rest) = name.split_at(2);
        let Some(file) = self.file(&self.path.join(start).join(rest))? else {
            return Ok(None);
        };
        let damaged = || GitError::Damaged("a loose object");
        let mut stream = InflateStream::new(&file, 0);
        let mut head = [0; 64];
        let filled = stream.fill(&mut head)?;
        let head = &head[..filled];
        let end = head
            .iter()
            .position(|byte| *byte == 0)
            .ok_or_else(damaged)?;
        let words = std::str::from_utf8(&head[..end]).map_err(|_| damaged())?;
        let (kind, size) = words.split_once(' ').ok_or_else(damaged)?;
        let kind = match kind {
            "commit" => ObjectKind::Commit,
            "tree" => ObjectKind::Tree,
            "blob" => ObjectKind::Blob,
            "tag" => ObjectKind::Tag,
            _ => return Err(damaged()),
        };
        let size: u64 = size.parse().map_err(|_| damaged())?;
        if size > most {
            return Err(GitError::TooLarge {
                what: "an object",
                size,
            });
        }
        let length = usize::try_from(size).map_err(|_| damaged())?;
        let bytes = stream.read_to_end(head[end + 1..].to_vec(), length, budget)?;
        Ok(Some(Object { kind, bytes }))
    }
}
