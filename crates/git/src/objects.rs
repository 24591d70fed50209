//! Finds objects by id: packs, loose objects, and the object folders named in `info/alternates`. Objects are verified
//! against their ids before they are returned.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_workspace::{Disk, FolderHandle, Workspace};

use crate::GitError;
use crate::id::{HashAlgorithm, ObjectId};
use crate::inflate::InflateBudget;
use crate::object::{ObjectKind, QueryLimits};
use crate::object_folder::ObjectFolder;

/// The number of bytes that reading one blob by its id may inflate: 128 deltas of a file of 32 MiB.
const MAX_BLOB_INFLATED_BYTES: u64 = 4 << 30;
/// At most this many object folders are opened through alternates; git itself stops at a depth of five.
const MAX_OBJECT_FOLDERS: usize = 16;

/// Reads objects of a repository, or of a folder into which its packs and loose objects were linked, by their ids.
///
/// Packs stay open, so that objects which `git gc` removes meanwhile can still be read. A reader is meant for many
/// queries; none of its methods changes anything on the disk.
pub struct ObjectReader {
    pub(crate) folders: Vec<ObjectFolder>,
}

impl ObjectReader {
    /// Opens the objects of the git folder `common`, which must be a root of `workspace`, and of its alternates.
    pub(crate) fn open(
        workspace: &Arc<Workspace>,
        common: &Path,
        disk: &Arc<dyn Disk>,
    ) -> Result<ObjectReader, GitError> {
        let own = ObjectFolder::open(Arc::clone(workspace), common.join("objects"))?;
        let mut objects = ObjectReader { folders: vec![own] };
        let mut at = 0;
        while let Some(folder) = objects.folders.get(at) {
            for path in folder.read_alternates()? {
                let known = objects.folders.iter().any(|folder| folder.path == path);
                if known || objects.folders.len() == MAX_OBJECT_FOLDERS {
                    continue;
                }
                // A missing alternate is skipped, as git does; its objects are then reported missing.
                if let Ok(folder) = open_folder(&path, disk) {
                    objects.folders.push(folder);
                }
            }
            at += 1;
        }
        Ok(objects)
    }

    /// Opens a folder that has the layout of `.git/objects`: `pack/` with packs and their indexes, and loose objects.
    /// Alternates that it names are not followed.
    ///
    /// # Errors
    /// Fails if the folder is missing or cannot be listed.
    pub fn open_in_folder(path: &Path, disk: &Arc<dyn Disk>) -> Result<ObjectReader, GitError> {
        let folder = open_folder(path, disk)?;
        Ok(ObjectReader {
            folders: vec![folder],
        })
    }

    /// Adds the folders of another reader, which are queried after those of this one.
    pub fn append(&mut self, other: ObjectReader) {
        self.folders.extend(other.folders);
    }

    /// Opens the folders with the packs of the repository and of its alternates, those that exist.
    #[must_use]
    pub fn pack_folders(&self) -> Vec<FolderHandle> {
        self.open_folders(Path::new("pack"))
    }

    /// Opens the folders with the loose objects whose ids begin with these two digits, those that exist. The names in
    /// them are the remaining digits.
    #[must_use]
    pub fn loose_folders(&self, digits: &str) -> Vec<FolderHandle> {
        self.open_folders(Path::new(digits))
    }

    fn open_folders(&self, below: &Path) -> Vec<FolderHandle> {
        let folders = self.folders.iter();
        folders
            .filter_map(|folder| folder.open_part(below))
            .collect()
    }

    /// Reads a blob of at most `most` bytes. Its bytes are verified against the id, which must be of a SHA-1
    /// repository.
    ///
    /// # Errors
    /// Fails if the blob is missing ([`GitError::Missing`]), too large, damaged, or has another id.
    pub fn read_blob(&mut self, id: &ObjectId, most: u64) -> Result<Vec<u8>, GitError> {
        if id.algorithm() != HashAlgorithm::Sha1 {
            return Err(GitError::Unsupported("an object of a SHA-256 repository"));
        }
        let limits = QueryLimits {
            object: most,
            base: most.saturating_mul(4).clamp(32 << 20, 256 << 20),
            budget: InflateBudget::new(MAX_BLOB_INFLATED_BYTES),
        };
        self.find_object(id, ObjectKind::Blob, &limits)
    }

    /// Returns the size of an object from its header, or from the beginning of its delta. The object is not read
    /// completely and not verified against its id.
    ///
    /// # Errors
    /// Fails if the object is missing or its header is damaged.
    pub fn size(&mut self, id: &ObjectId) -> Result<u64, GitError> {
        self.query_with_retry(id, |folder| folder.size(id))
    }

    /// Returns the content of an object of this kind.
    pub(crate) fn find_object(
        &mut self,
        id: &ObjectId,
        kind: ObjectKind,
        limits: &QueryLimits,
    ) -> Result<Vec<u8>, GitError> {
        let object = self.query_with_retry(id, |folder| folder.read_object(id, limits))?;
        if object.kind != kind {
            return Err(GitError::Damaged("a reference to an object"));
        }
        Ok(object.bytes)
    }

    /// Queries each folder, and once more after listing the packs again, because a concurrent `git repack` may have
    /// moved the object.
    fn query_with_retry<T>(
        &mut self,
        id: &ObjectId,
        ask: impl Fn(&mut ObjectFolder) -> Result<Option<T>, GitError>,
    ) -> Result<T, GitError> {
        let mut found = query_folders(&mut self.folders, &ask);
        if !matches!(found, Ok(Some(_)) | Err(GitError::TooLarge { .. })) {
            for folder in &mut self.folders {
                folder.list_packs()?;
            }
            found = query_folders(&mut self.folders, &ask);
        }
        found?.ok_or(GitError::Missing(*id))
    }
}

/// Returns the first answer of a folder. A folder that fails is skipped if another one has an answer.
fn query_folders<T>(
    folders: &mut [ObjectFolder],
    ask: &impl Fn(&mut ObjectFolder) -> Result<Option<T>, GitError>,
) -> Result<Option<T>, GitError> {
    let mut failure = None;
    for folder in folders {
        match ask(folder) {
            Ok(None) => {}
            Ok(found) => return Ok(found),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    failure.map_or(Ok(None), Err)
}

fn open_folder(path: &Path, disk: &Arc<dyn Disk>) -> Result<ObjectFolder, GitError> {
    let workspace = Workspace::open(&[path.to_path_buf()], Arc::clone(disk), None)?;
    let path: PathBuf = workspace.roots()[0].clone();
    ObjectFolder::open(Arc::new(workspace), path)
}
