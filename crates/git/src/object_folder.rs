//! A folder of objects such as `.git/objects`: its packs, which stay open, and its loose objects.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_workspace::{FileReader, FileType, FolderHandle, Located, ReadError, Workspace};

use crate::GitError;
use crate::id::ObjectId;
use crate::inflate::InflateStream;
use crate::object::{GitObject, ObjectKind, QueryLimits};
use crate::pack::Pack;

/// Further packs are ignored.
const MAX_PACKS: usize = 10_000;
/// This many packs of a folder stay open; further ones are opened for each query.
const MAX_OPEN_PACKS: usize = 48;
/// A longer `info/alternates` is refused.
const MAX_ALTERNATES: u64 = 64 * 1024;

const DAMAGED_LOOSE_OBJECT: GitError = GitError::Damaged("a loose object");

/// A folder with packs and loose objects.
pub(crate) struct ObjectFolder {
    workspace: Arc<Workspace>,
    pub(crate) path: PathBuf,
    /// Its packs; the most recently used one is first.
    packs: Vec<KnownPack>,
    open: usize,
}

/// A pack found in the folder, by the path of its index.
struct KnownPack {
    path: PathBuf,
    opened: Option<Pack>,
}

impl ObjectFolder {
    pub(crate) fn open(workspace: Arc<Workspace>, path: PathBuf) -> Result<ObjectFolder, GitError> {
        let mut folder = ObjectFolder {
            workspace,
            path,
            packs: Vec::new(),
            open: 0,
        };
        folder.list_packs()?;
        Ok(folder)
    }

    /// Lists the packs again; open ones are closed.
    pub(crate) fn list_packs(&mut self) -> Result<(), GitError> {
        self.packs.clear();
        self.open = 0;
        let folder = self.workspace.locate_as_spelled(&self.path.join("pack"))?;
        if folder.kind() != FileType::Directory {
            return Ok(());
        }
        let listed = folder.entries(MAX_PACKS, &|name, _| name.as_bytes().ends_with(b".idx"))?;
        let places = listed.entries.iter().map(|entry| KnownPack {
            path: self.path.join("pack").join(&entry.name),
            opened: None,
        });
        self.packs = places.collect();
        Ok(())
    }

    /// Returns the object folders that `info/alternates` names.
    pub(crate) fn read_alternates(&self) -> Result<Vec<PathBuf>, GitError> {
        let Some(file) = self.locate_file(&self.path.join("info/alternates"))? else {
            return Ok(Vec::new());
        };
        let listed = file.read_snapshot(MAX_ALTERNATES)?;
        let lines = listed.bytes.split(|byte| *byte == b'\n');
        Ok(lines
            .filter(|line| !line.is_empty() && line[0] != b'#')
            .map(|line| self.path.join(OsStr::from_bytes(line)))
            .collect())
    }

    /// Returns the object with this id, after verifying its bytes against the id.
    pub(crate) fn read_object(
        &mut self,
        id: &ObjectId,
        limits: &QueryLimits,
    ) -> Result<Option<GitObject>, GitError> {
        let packed = self.with_containing_pack(id, |pack, offset| {
            pack.object_at(offset, id.algorithm(), limits)?
                .verify_id(id)
        });
        // A damaged pack does not hide a loose object.
        match packed {
            Ok(None) => self.loose_object(id, limits),
            Err(error) => match self.loose_object(id, limits) {
                Ok(Some(object)) => Ok(Some(object)),
                _ => Err(error),
            },
            found => found,
        }
    }

    /// Returns the size of an object, by its header alone.
    pub(crate) fn size(&mut self, id: &ObjectId) -> Result<Option<u64>, GitError> {
        match self.with_containing_pack(id, |pack, offset| pack.size_at(offset, id.algorithm()))? {
            Some(size) => Ok(Some(size)),
            None => Ok(self.open_loose_object(id)?.map(|loose| loose.size)),
        }
    }

    /// Opens a folder below this one; none if it is missing or a link.
    pub(crate) fn open_part(&self, below: &Path) -> Option<FolderHandle> {
        let located = self.workspace.locate_as_spelled(&self.path.join(below));
        let located = located.ok().filter(|found| !found.has_followed_link())?;
        located.open_folder().ok()
    }

    /// Opens a file below this folder; none if it is missing.
    fn locate_file(&self, path: &Path) -> Result<Option<Located>, GitError> {
        let located = self.workspace.locate_as_spelled(path)?;
        Ok((located.kind() == FileType::File).then_some(located))
    }

    /// Calls `take` with the first pack that has an object and the object's place in it.
    fn with_containing_pack<T>(
        &mut self,
        id: &ObjectId,
        take: impl FnOnce(&Pack, u64) -> Result<T, GitError>,
    ) -> Result<Option<T>, GitError> {
        for at in 0..self.packs.len() {
            if self.packs[at].opened.is_none() {
                let opened = self.open_pack(&self.packs[at].path)?;
                self.open += usize::from(opened.is_some());
                self.packs[at].opened = opened;
            }
            let Some(pack) = &self.packs[at].opened else {
                continue;
            };
            if let Some(offset) = pack.find_offset(id)? {
                let answer = take(pack, offset)?;
                self.packs.swap(0, at);
                return Ok(Some(answer));
            }
            if self.open > MAX_OPEN_PACKS {
                self.packs[at].opened = None;
                self.open -= 1;
            }
        }
        Ok(None)
    }

    fn open_pack(&self, index: &Path) -> Result<Option<Pack>, GitError> {
        let pack = self.open_reader(&index.with_extension("pack"))?;
        let index = self.open_reader(index)?;
        match (pack, index) {
            (Some(pack), Some(index)) => Pack::open(pack, index).map(Some),
            _ => Ok(None),
        }
    }

    fn open_reader(&self, path: &Path) -> Result<Option<FileReader>, GitError> {
        let Some(file) = self.locate_file(path)? else {
            return Ok(None);
        };
        match file.open_reader() {
            Ok(reader) => Ok(Some(reader)),
            Err(ReadError::Missing) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn loose_object(
        &self,
        id: &ObjectId,
        limits: &QueryLimits,
    ) -> Result<Option<GitObject>, GitError> {
        let Some(loose) = self.open_loose_object(id)? else {
            return Ok(None);
        };
        if loose.size > limits.object {
            return Err(GitError::TooLarge {
                what: "an object",
                size: loose.size,
            });
        }
        let length = usize::try_from(loose.size).map_err(|_| DAMAGED_LOOSE_OBJECT)?;
        let mut stream = InflateStream::new(&loose.file, 0);
        let mut head = vec![0; loose.header];
        stream.fill_buffer(&mut head)?;
        let bytes = stream.read_to_end(length, &limits.budget)?;
        let object = GitObject {
            kind: loose.kind,
            bytes,
        };
        object.verify_id(id).map(Some)
    }

    /// Reads the header of a loose object.
    fn open_loose_object(&self, id: &ObjectId) -> Result<Option<LooseObject>, GitError> {
        let Some(file) = self.open_reader(&self.path.join(loose_name(id)))? else {
            return Ok(None);
        };
        let mut head = [0; 64];
        let filled = InflateStream::new(&file, 0).fill_buffer(&mut head)?;
        let head = &head[..filled];
        let end = head
            .iter()
            .position(|byte| *byte == 0)
            .ok_or(DAMAGED_LOOSE_OBJECT)?;
        let words = std::str::from_utf8(&head[..end]).map_err(|_| DAMAGED_LOOSE_OBJECT)?;
        let (kind, size) = words.split_once(' ').ok_or(DAMAGED_LOOSE_OBJECT)?;
        let kind = [
            ObjectKind::Blob,
            ObjectKind::Tree,
            ObjectKind::Commit,
            ObjectKind::Tag,
        ]
        .into_iter()
        .find(|known| known.name() == kind)
        .ok_or(DAMAGED_LOOSE_OBJECT)?;
        Ok(Some(LooseObject {
            file,
            kind,
            size: size.parse().map_err(|_| DAMAGED_LOOSE_OBJECT)?,
            header: end + 1,
        }))
    }
}

/// A loose object whose header was read.
struct LooseObject {
    file: FileReader,
    kind: ObjectKind,
    size: u64,
    /// The length of the header.
    header: usize,
}

/// Returns the name of a loose object in its folder: two digits, a slash and the rest.
fn loose_name(id: &ObjectId) -> PathBuf {
    let name = id.to_string();
    let (start, rest) = name.split_at(2);
    Path::new(start).join(rest)
}
