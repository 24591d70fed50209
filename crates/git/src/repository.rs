//! A repository opened for questions about one file: HEAD, what HEAD has of it, and the rules that git goes by.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_workspace::{Disk, Workspace};

use crate::Trouble;
use crate::config;
use crate::discover::{self, Place};
use crate::id::{Id, Length};
use crate::objects::{Kind, Objects};
use crate::refs;
use crate::tree::{self, Entry};

/// A blob that is larger is not compared.
const MOST_BLOB: u64 = 16 << 20;
/// A tree that is larger is none that a person made.
const MOST_TREE: u64 = 32 << 20;
/// The longest commit: its message.
const MOST_COMMIT: u64 = 4 << 20;
/// The longest file of attributes; the rest is not read by those who match.
const MOST_RULES: u64 = 64 * 1024;

/// A git repository around a file.
pub struct Repository {
    place: Place,
    names: Length,
    disk: Arc<dyn Disk>,
}

/// What HEAD has at a path.
#[derive(Debug, PartialEq, Eq)]
pub enum Committed {
    /// Nothing.
    Nothing,
    /// A file with these bytes.
    File(Vec<u8>),
    /// Something that is no file: a link, a folder, a submodule.
    Other(&'static str),
}

/// A file of attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleText {
    /// Its folder, relative to the work tree; empty for the work tree itself and for the repository's own rules.
    pub folder: PathBuf,
    /// What it says.
    pub text: String,
}

/// What git goes by when it takes a file in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// The attribute files for the path, the strongest last.
    pub attributes: Vec<RuleText>,
    /// The repository's configuration.
    pub config: String,
}

impl Repository {
    /// The repository around a file; none where there is none. The path must have its links resolved.
    ///
    /// # Errors
    /// Where there is one that cannot be read, or that is for another work tree.
    pub fn around(file: &Path, disk: &Arc<dyn Disk>) -> Result<Option<Repository>, Trouble> {
        let Some(place) = discover::around(file, disk)? else {
            return Ok(None);
        };
        let extension = |key| config::last(&place.config, "extensions", key);
        let names = match extension("objectformat").as_deref() {
            None | Some("sha1") => Length::Sha1,
            Some("sha256") => Length::Sha256,
            Some(_) => return Err(Trouble::Unsupported("this format of objects")),
        };
        if extension("refstorage").is_some_and(|storage| storage != "files") {
            return Err(Trouble::Unsupported("reftable"));
        }
        Ok(Some(Repository {
            place,
            names,
            disk: Arc::clone(disk),
        }))
    }

    /// The path of a file from the work tree; none for what is not in it, as git's own folder.
    pub fn relative<'f>(&self, file: &'f Path) -> Option<&'f Path> {
        let relative = file.strip_prefix(&self.place.work_tree).ok()?;
        let inside = relative.components().all(|part| part.as_os_str() != ".git");
        (inside && !relative.as_os_str().is_empty()).then_some(relative)
    }

    /// The commit that HEAD stands for; none where there is none yet.
    ///
    /// # Errors
    /// Where HEAD cannot be read.
    pub fn head(&self) -> Result<Option<Id>, Trouble> {
        let place = &self.place;
        refs::head(&place.workspace, (&place.git, &place.common), self.names)
    }

    /// What a commit has at a path relative to the work tree.
    ///
    /// # Errors
    /// Where an object on the way is missing, damaged or too large.
    pub fn committed(&self, commit: &Id, relative: &Path) -> Result<Committed, Trouble> {
        let mut objects = Objects::open(&self.place.workspace, &self.place.common, &self.disk)?;
        let bytes = objects.find(commit, Kind::Commit, MOST_COMMIT)?;
        let mut at = (Entry::Folder, tree::of_commit(&bytes, self.names)?);
        for part in relative.components() {
            if at.0 != Entry::Folder {
                return Ok(Committed::Nothing);
            }
            let bytes = objects.find(&at.1, Kind::Tree, MOST_TREE)?;
            match tree::entry(&bytes, part.as_os_str().as_bytes(), self.names)? {
                Some(next) => at = next,
                None => return Ok(Committed::Nothing),
            }
        }
        Ok(match at.0 {
            Entry::File => Committed::File(objects.find(&at.1, Kind::Blob, MOST_BLOB)?),
            Entry::Folder => Committed::Other("folder"),
            Entry::Link => Committed::Other("link"),
            Entry::Submodule => Committed::Other("submodule"),
        })
    }

    /// The rules for a path relative to the work tree.
    ///
    /// # Errors
    /// Where a file of rules cannot be read.
    pub fn rules(&self, relative: &Path) -> Result<Rules, Trouble> {
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
            if let Some(text) = discover::text(&tree, &path, MOST_RULES)? {
                attributes.push(RuleText {
                    folder: folder.to_path_buf(),
                    text,
                });
            }
        }
        let own = place.common.join("info/attributes");
        if let Some(text) = discover::text(&place.workspace, &own, MOST_RULES)? {
            attributes.push(RuleText {
                folder: PathBuf::new(),
                text,
            });
        }
        Ok(Rules {
            attributes,
            config: place.config.clone(),
        })
    }
}
