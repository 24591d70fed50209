//! A repository: HEAD, a file's content in HEAD, the attributes and configuration that apply to it, and access to its
//! index and objects.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_workspace::{Disk, FileType, FolderHandle, Stamp, Workspace};

use crate::GitError;
use crate::config;
use crate::discover::{self, RepositoryFolders};
use crate::id::{HashAlgorithm, ObjectId};
use crate::index::{self, GitIndex};
use crate::object::{ObjectKind, QueryLimits};
use crate::objects::ObjectReader;
use crate::refs;
use crate::tree::{self, TreeEntry};

/// A larger blob is refused.
const MAX_BLOB_BYTES: u64 = 16 << 20;
/// A larger tree is refused.
const MAX_TREE_BYTES: u64 = 32 << 20;
/// A larger commit object is refused.
const MAX_COMMIT_BYTES: u64 = 4 << 20;
/// A larger attributes file is refused.
const MAX_RULES_BYTES: u64 = 64 * 1024;
/// A larger `info/attributes` was not written by hand and is refused.
const MAX_INFO_BYTES: u64 = 1 << 20;

/// The git repository that a file belongs to. See the crate's example.
pub struct Repository {
    place: RepositoryFolders,
    names: HashAlgorithm,
    disk: Arc<dyn Disk>,
}

/// The branch and the commit of HEAD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The branch, without `refs/heads/`; none where HEAD is detached.
    pub branch: Option<String>,
    /// The commit; none on a branch without one.
    pub commit: Option<ObjectId>,
}

/// The content of a commit at a path.
#[derive(Debug, PartialEq, Eq)]
pub enum CommittedContent {
    /// The commit has no entry at the path.
    Nothing,
    /// The commit stores a file with this content.
    File(Vec<u8>),
    /// The commit stores something other than a file: "link", "folder" or "submodule".
    Other(&'static str),
}

/// A `.gitattributes` or `info/attributes` file that applies to a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributesFile {
    /// Its folder, relative to the work tree; empty for the work tree's own and for `info/attributes`.
    pub folder: PathBuf,
    /// The text of the file.
    pub text: String,
}

/// The attributes and the configuration that decide how git converts a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversionRules {
    /// The attributes files for the path; a later one overrides an earlier one.
    pub attributes: Vec<AttributesFile>,
    /// The text of the repository's configuration, for [`effective_auto_crlf`](crate::effective_auto_crlf).
    pub config: String,
}

impl Repository {
    /// Finds and opens the repository that a file belongs to; `None` if there is none. The path must have its
    /// links resolved.
    ///
    /// # Errors
    /// Fails if a repository exists but cannot be read, or belongs to another work tree.
    pub fn find_for_file(
        file: &Path,
        disk: &Arc<dyn Disk>,
    ) -> Result<Option<Repository>, GitError> {
        let Some(place) = discover::find_repository(file, disk)? else {
            return Ok(None);
        };
        let extension = |key| config::last_value(&place.config, "extensions", key);
        let names = match extension("objectformat").as_deref() {
            None | Some("sha1") => HashAlgorithm::Sha1,
            Some("sha256") => HashAlgorithm::Sha256,
            Some(_) => return Err(GitError::Unsupported("this format of objects")),
        };
        if extension("refstorage").is_some_and(|storage| storage != "files") {
            return Err(GitError::Unsupported("reftable"));
        }
        Ok(Some(Repository {
            place,
            names,
            disk: Arc::clone(disk),
        }))
    }

    /// Returns the path of a file relative to the work tree; `None` for a path outside it or inside a `.git` folder.
    pub fn relative_path<'f>(&self, file: &'f Path) -> Option<&'f Path> {
        let relative = file.strip_prefix(&self.place.work_tree).ok()?;
        let inside = relative.components().all(|part| part.as_os_str() != ".git");
        (inside && !relative.as_os_str().is_empty()).then_some(relative)
    }

    /// Returns the folder of the work tree, which has the `.git`.
    #[must_use]
    pub fn work_tree(&self) -> &Path {
        &self.place.work_tree
    }

    /// Returns git's folder for all work trees of the repository: objects, references, configuration. The folder of
    /// this work tree alone is below it, or the same.
    #[must_use]
    pub fn common_folder(&self) -> &Path {
        &self.place.common
    }

    /// Reads the index of this work tree; `None` if it has none, as before the first `git add`. A submodule and a
    /// linked work tree have their own.
    ///
    /// # Errors
    /// [`GitError::Unsupported`] for what this crate does not read: a split index, a sparse one, an unknown version or
    /// extension, SHA-256. Otherwise the index is damaged, too large, or cannot be read.
    pub fn index(&self) -> Result<Option<GitIndex>, GitError> {
        if self.names != HashAlgorithm::Sha1 {
            return Err(GitError::Unsupported("the index of a SHA-256 repository"));
        }
        let place = &self.place;
        let file = place
            .workspace
            .locate_as_spelled(&place.git.join("index"))?;
        match file.kind() {
            FileType::Missing => Ok(None),
            FileType::File if !file.has_followed_link() => {
                let (bytes, stamp) = file.read_without_revision(index::MAX_INDEX_BYTES)?;
                GitIndex::parse(&bytes, stamp).map(Some)
            }
            _ => Err(GitError::Damaged("the index")),
        }
    }

    /// Returns the stamp of the index of this work tree, which is not read; `None` if it has none, or cannot be reached.
    #[must_use]
    pub fn index_stamp(&self) -> Option<Stamp> {
        let place = &self.place;
        let file = place.workspace.locate_as_spelled(&place.git.join("index"));
        file.ok()?.stat()
    }

    /// Opens the objects of the repository and of its alternates.
    ///
    /// # Errors
    /// Fails if the folder of the objects cannot be listed.
    pub fn open_objects(&self) -> Result<ObjectReader, GitError> {
        ObjectReader::open(&self.place.workspace, &self.place.common, &self.disk)
    }

    /// Returns the commit of HEAD; `None` on a branch without a commit.
    ///
    /// # Errors
    /// Fails if HEAD or the reference it names cannot be read.
    pub fn head_commit(&self) -> Result<Option<ObjectId>, GitError> {
        let place = &self.place;
        refs::resolve_head(&place.workspace, (&place.git, &place.common), self.names)
    }

    /// Returns the branch and the commit of HEAD.
    ///
    /// # Errors
    /// Fails if HEAD or the reference it names cannot be read.
    pub fn head(&self) -> Result<Head, GitError> {
        let place = &self.place;
        Ok(Head {
            branch: refs::read_head_branch(&place.workspace, &place.git)?,
            commit: self.head_commit()?,
        })
    }

    /// Opens git's folder for all work trees.
    ///
    /// # Errors
    /// Fails if the folder cannot be opened.
    pub fn open_common_folder(&self) -> Result<FolderHandle, GitError> {
        let folder = self.place.workspace.locate_as_spelled(&self.place.common)?;
        Ok(folder.open_folder()?)
    }

    /// Returns what a commit stores at a path relative to the work tree.
    ///
    /// # Errors
    /// Fails if a commit, tree or blob along the path is missing, damaged or too large.
    pub fn committed_content(
        &self,
        commit: &ObjectId,
        relative: &Path,
    ) -> Result<CommittedContent, GitError> {
        let mut objects = self.open_objects()?;
        let mut limits = QueryLimits::for_query();
        let mut find = |id: &ObjectId, kind, most| {
            limits.object = most;
            objects.find_object(id, kind, &limits)
        };
        let bytes = find(commit, ObjectKind::Commit, MAX_COMMIT_BYTES)?;
        let mut at = (TreeEntry::Folder, tree::tree_of_commit(&bytes, self.names)?);
        for part in relative.components() {
            if at.0 != TreeEntry::Folder {
                return Ok(CommittedContent::Nothing);
            }
            let bytes = find(&at.1, ObjectKind::Tree, MAX_TREE_BYTES)?;
            match tree::find_entry(&bytes, part.as_os_str().as_bytes(), self.names)? {
                Some(next) => at = next,
                None => return Ok(CommittedContent::Nothing),
            }
        }
        Ok(match at.0 {
            TreeEntry::File => {
                CommittedContent::File(find(&at.1, ObjectKind::Blob, MAX_BLOB_BYTES)?)
            }
            TreeEntry::Folder => CommittedContent::Other("folder"),
            TreeEntry::Link => CommittedContent::Other("link"),
            TreeEntry::Submodule => CommittedContent::Other("submodule"),
        })
    }

    /// Reads the attributes files and the configuration that apply to a path relative to the work tree.
    ///
    /// # Errors
    /// Fails if an attributes file exists and cannot be read.
    pub fn conversion_rules(&self, relative: &Path) -> Result<ConversionRules, GitError> {
        let place = &self.place;
        let tree = Workspace::open(
            std::slice::from_ref(&place.work_tree),
            Arc::clone(&self.disk),
            None,
        )?;
        let mut folders: Vec<&Path> = relative.ancestors().skip(1).collect();
        folders.reverse();
        let mut attributes = Vec::new();
        for folder in folders {
            let path = place.work_tree.join(folder).join(".gitattributes");
            if let Some(text) = discover::read_text(&tree, &path, MAX_RULES_BYTES)? {
                attributes.push(AttributesFile {
                    folder: folder.to_path_buf(),
                    text,
                });
            }
        }
        let own = place.common.join("info/attributes");
        if let Some(text) = discover::read_text(&place.workspace, &own, MAX_RULES_BYTES)? {
            attributes.push(AttributesFile {
                folder: PathBuf::new(),
                text,
            });
        }
        Ok(ConversionRules {
            attributes,
            config: place.config.clone(),
        })
    }

    /// Returns the text of `info/attributes`; `None` if there is none.
    ///
    /// # Errors
    /// Fails if it exists but is not a readable file.
    pub(crate) fn info_attributes(&self) -> Result<Option<String>, GitError> {
        let path = self.place.common.join("info/attributes");
        let file = self.place.workspace.locate_as_spelled(&path)?;
        match file.kind() {
            FileType::Missing => Ok(None),
            FileType::File => {
                let read = file.read_snapshot(MAX_INFO_BYTES)?;
                Ok(Some(String::from_utf8_lossy(&read.bytes).into_owned()))
            }
            _ => Err(GitError::Damaged("info/attributes")),
        }
    }

    /// Returns the text of the repository's configuration.
    pub(crate) fn config_text(&self) -> &str {
        &self.place.config
    }

    pub(crate) fn disk(&self) -> Arc<dyn Disk> {
        Arc::clone(&self.disk)
    }
}
