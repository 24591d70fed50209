//! Objects by their names: loose ones, packs, and the object folders that a repository borrows from.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_workspace::{Disk, FileType, Located, Workspace};

use crate::Trouble;
use crate::id::Id;
use crate::inflate::{Budget, Stream};
use crate::pack;

/// What one question may unpack in all.
const MOST_WORK: u64 = 128 << 20;
/// More packs are not looked into.
const MOST_PACKS: usize = 10_000;
/// Object folders that are borrowed from; git stops at a depth of five.
const MOST_FOLDERS: usize = 16;
/// The list of these.
const MOST_ALTERNATES: u64 = 64 * 1024;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Commit,
    Tree,
    Blob,
    Tag,
}

/// An object, unpacked.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) kind: Kind,
    pub(crate) bytes: Vec<u8>,
}

/// The objects of a repository.
pub(crate) struct Objects {
    folders: Vec<Folder>,
    budget: Budget,
}

struct Folder {
    workspace: Arc<Workspace>,
    path: PathBuf,
    /// The indexes of its packs.
    packs: Vec<PathBuf>,
}

impl Objects {
    /// The objects below git's folder `common`, which `workspace` has as a root.
    pub(crate) fn open(
        workspace: &Arc<Workspace>,
        common: &Path,
        disk: &Arc<dyn Disk>,
    ) -> Result<Objects, Trouble> {
        let mut objects = Objects {
            folders: Vec::new(),
            budget: Budget::new(MOST_WORK),
        };
        objects.add(Arc::clone(workspace), common.join("objects"))?;
        let mut at = 0;
        while let Some(folder) = objects.folders.get(at) {
            for path in folder.alternates()? {
                let known = objects.folders.iter().any(|folder| folder.path == path);
                if known || objects.folders.len() == MOST_FOLDERS {
                    continue;
                }
                // One that is gone is passed over, as git does; an object that was in it is then missing.
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

    fn add(&mut self, workspace: Arc<Workspace>, path: PathBuf) -> Result<(), Trouble> {
        let mut folder = Folder {
            workspace,
            path,
            packs: Vec::new(),
        };
        folder.list_packs()?;
        self.folders.push(folder);
        Ok(())
    }

    /// An object of this kind, `most` bytes at most.
    pub(crate) fn find(&mut self, id: &Id, kind: Kind, most: u64) -> Result<Vec<u8>, Trouble> {
        let mut found = self.look(id, most);
        if !matches!(found, Ok(Some(_)) | Err(Trouble::TooLarge { .. })) {
            // Git may just be packing anew: what was there is now elsewhere.
            for folder in &mut self.folders {
                folder.list_packs()?;
            }
            found = self.look(id, most);
        }
        let object = found?.ok_or(Trouble::Missing(*id))?;
        if object.kind != kind {
            return Err(Trouble::Damaged("a reference to an object"));
        }
        Ok(object.bytes)
    }

    fn look(&self, id: &Id, most: u64) -> Result<Option<Object>, Trouble> {
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

impl Folder {
    fn file(&self, path: &Path) -> Result<Option<Located>, Trouble> {
        let located = self.workspace.locate_as_spelled(path)?;
        Ok((located.kind() == FileType::File).then_some(located))
    }

    fn list_packs(&mut self) -> Result<(), Trouble> {
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

    fn alternates(&self) -> Result<Vec<PathBuf>, Trouble> {
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

    fn packed(&self, id: &Id, most: u64, budget: &Budget) -> Result<Option<Object>, Trouble> {
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

    fn loose(&self, id: &Id, most: u64, budget: &Budget) -> Result<Option<Object>, Trouble> {
        let name = id.to_string();
        let (start, rest) = name.split_at(2);
        let Some(file) = self.file(&self.path.join(start).join(rest))? else {
            return Ok(None);
        };
        let damaged = || Trouble::Damaged("a loose object");
        let mut stream = Stream::new(&file, 0);
        let mut head = [0; 64];
        let filled = stream.some(&mut head)?;
        let head = &head[..filled];
        let end = head
            .iter()
            .position(|byte| *byte == 0)
            .ok_or_else(damaged)?;
        let words = std::str::from_utf8(&head[..end]).map_err(|_| damaged())?;
        let (kind, size) = words.split_once(' ').ok_or_else(damaged)?;
        let kind = match kind {
            "commit" => Kind::Commit,
            "tree" => Kind::Tree,
            "blob" => Kind::Blob,
            "tag" => Kind::Tag,
            _ => return Err(damaged()),
        };
        let size: u64 = size.parse().map_err(|_| damaged())?;
        if size > most {
            return Err(Trouble::TooLarge {
                what: "an object",
                size,
            });
        }
        let length = usize::try_from(size).map_err(|_| damaged())?;
        let bytes = stream.rest(head[end + 1..].to_vec(), length, budget)?;
        Ok(Some(Object { kind, bytes }))
    }
}
