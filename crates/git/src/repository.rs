//! A repository opened to query one file: HEAD, the file's content in HEAD, and the attributes and configuration that
//! apply to it.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_workspace::{Disk, Workspace};

use crate::GitError;
use crate::config;
use crate::discover::{self, RepositoryFolders};
use crate::id::{HashAlgorithm, ObjectId};
use crate::objects::{ObjectKind, Objects};
use crate::refs;
use crate::tree::{self, TreeEntry};

/// A larger blob is refused.
const MOST_BLOB: u64 = 16 << 20;
/// A larger tree is refused.
const MOST_TREE: u64 = 32 << 20;
/// A larger commit object is refused.
const MOST_COMMIT: u64 = 4 << 20;
/// A larger attributes file is refused.
const MOST_RULES: u64 = 64 * 1024;

/// The git repository that a file belongs to. See the crate's example.
pub struct Repository {
    place: RepositoryFolders,
    names: HashAlgorithm,
    disk: Arc<dyn Disk>,
}

/// What a commit stores at a path.
#[derive(Debug, PartialEq, Eq)]
pub enum Committed {
    /// The commit has no entry at the path.
    Nothing,
    /// The commit stores a file with this content.
    File(Vec<u8>),
    /// The commit stores something that is no file: "link", "folder" or "submodule".
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
    /// The text of the repository's configuration, for [`auto_crlf`](crate::auto_crlf).
    pub config: String,
}

impl Repository {
    /// Finds and opens the repository that a file belongs to; `None` where there is none. The path must have its
    /// links resolved.
    ///
    /// # Errors
    /// Fails where a repository exists but cannot be read, or belongs to another work tree.
    pub fn around(file: &Path, disk: &Arc<dyn Disk>) -> Result<Option<Repository>, GitError> {
        let Some(place) = discover::around(file, disk)? else {
            return Ok(None);
        };
        let extension = |key| config::last(&place.config, "extensions", key);
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
    pub fn relative<'f>(&self, file: &'f Path) -> Option<&'f Path> {
        let relative = file.strip_prefix(&self.place.work_tree).ok()?;
        let inside = relative.components().all(|part| part.as_os_str() != ".git");
        (inside && !relative.as_os_str().is_empty()).then_some(relative)
    }

    /// Returns the commit of HEAD; `None` on a branch without a commit.
    ///
    /// # Errors
    /// Fails where HEAD or the reference it names cannot be read.
    pub fn head(&self) -> Result<Option<ObjectId>, GitError> {
        let place = &self.place;
        refs::head(&place.workspace, (&place.git, &place.common), self.names)
    }

    /// Returns what a commit stores at a path relative to the work tree.
    ///
    /// # Errors
    /// Fails where a commit, tree or blob on the way is missing, damaged or too large.
    pub fn committed(&self, commit: &ObjectId, relative: &Path) -> Result<Committed, GitError> {
        let mut objects = Objects::open(&self.place.workspace, &self.place.common, &self.disk)?;
        let bytes = objects.find(commit, ObjectKind::Commit, MOST_COMMIT)?;
        let mut at = (TreeEntry::Folder, tree::of_commit(&bytes, self.names)?);
        for part in relative.components() {
            if at.0 != TreeEntry::Folder {
                return Ok(Committed::Nothing);
            }
            let bytes = objects.find(&at.1, ObjectKind::Tree, MOST_TREE)?;
            match tree::entry(&bytes, part.as_os_str().as_bytes(), self.names)? {
                Some(next) => at = next,
                None => return Ok(Committed::Nothing),
            }
        }
        Ok(match at.0 {
            TreeEntry::File => Committed::File(objects.find(&at.1, ObjectKind::Blob, MOST_BLOB)?),
            TreeEntry::Folder => Committed::Other("folder"),
            TreeEntry::Link => Committed::Other("link"),
            TreeEntry::Submodule => Committed::Other("submodule"),
        })
    }

    /// Reads the attributes files and the configuration that apply to a path relative to the work tree.
    ///
    /// # Errors
    /// Fails where an attributes file exists and cannot be read.
    pub fn rules(&self, relative: &Path) -> Result<ConversionRules, GitError> {
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
            if let Some(text) = discover::read_text(&tree, &path, MOST_RULES)? {
                attributes.push(AttributesFile {
                    folder: folder.to_path_buf(),
                    text,
                });
            }
        }
        let own = place.common.join("info/attributes");
        if let Some(text) = discover::read_text(&place.workspace, &own, MOST_RULES)? {
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
}
