//! Resolves a path to a file, a folder or a free name below a root. The resolved file decides which root it is below,
//! never the spelling; the result holds the handle of its folder, so that a later swap of folders leads nowhere else.

mod freed;
mod respell;
mod walk;
mod windows;

#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::disk::{Disk, FileSystemKind};
use crate::roots::{Workspace, WorkspaceRoot};
use crate::stamp::{FileType, Stamp};
use walk::PathResolver;

/// Why a path could not be resolved below a root.
#[derive(Debug, thiserror::Error)]
pub enum LocateError {
    /// The path is outside every root once its links are resolved.
    #[error("outside every root")]
    Outside,
    /// A link inside a root leads outside every root.
    #[error("{path} is a link that leads outside every root", path = link.display())]
    LeadsOutside {
        /// The path of the link.
        link: PathBuf,
        /// The target of the link, made absolute. Whether it exists was not checked.
        target: PathBuf,
    },
    /// The root is no longer where it was when it was opened.
    #[error("the root {path} was moved, or removed and made again", path = root.display())]
    RootMoved {
        /// The path that the root was opened by.
        root: PathBuf,
    },
    /// A component of the path is not a folder.
    #[error("{path} is not a folder", path = at.display())]
    NotADirectory {
        /// The component.
        at: PathBuf,
    },
    /// The path ends in a slash, so it names a folder, and none exists.
    #[error("there is no folder {path}", path = at.display())]
    NoSuchFolder {
        /// The path without that slash.
        at: PathBuf,
    },
    /// The path contains more than forty links, or a cycle of links.
    #[error("too many symbolic links on the way")]
    TooManyLinks,
    /// The path is malformed; the text continues "the path".
    #[error("the path {0}")]
    BadName(&'static str),
    /// A system call failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Whether a missing name may be found under a look-alike name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpellingTolerance {
    Forgiving,
    Exact,
}

/// A file, folder or free name below a root, with the handle of the folder through which it was found.
#[derive(Clone, Debug)]
pub struct Located {
    pub(crate) disk: Arc<dyn Disk>,
    /// The folder that contains the name; for a missing name the innermost existing folder; for a folder, itself.
    pub(crate) folder: Arc<OwnedFd>,
    /// `.` for a folder.
    pub(crate) name: OsString,
    /// Folders between `folder` and the name that do not exist.
    pub(crate) missing_folders: Vec<OsString>,
    pub(crate) root: Arc<WorkspaceRoot>,
    path: PathBuf,
    given: PathBuf,
    kind: FileType,
    stamp: Option<Stamp>,
    followed_link: bool,
    respelled: bool,
}

impl Workspace {
    /// Locates an absolute path. A missing name that has exactly one look-alike in its folder (another Unicode form, a
    /// narrow no-break space, a curly apostrophe) is found under that one, and [`Located::is_respelled`] is true.
    pub fn locate(&self, path: &Path) -> Result<Located, LocateError> {
        self.locate_with(path, SpellingTolerance::Forgiving)
    }

    /// Locates an absolute path by its exact spelling, for names that are to be created.
    pub fn locate_as_spelled(&self, path: &Path) -> Result<Located, LocateError> {
        self.locate_with(path, SpellingTolerance::Exact)
    }

    /// Locates the symbolic link at an absolute path, without following it; `None` if the path does not end in the name
    /// of a link.
    pub fn locate_link(&self, path: &Path) -> Result<Option<Located>, LocateError> {
        self.locate_itself(path, |stamp| stamp.is_link())
    }

    /// Locates the folder at an absolute path by its name in the folder around it, so that it can be removed; `None` if
    /// there is no folder, or it is a root.
    pub fn locate_folder(&self, path: &Path) -> Result<Option<Located>, LocateError> {
        self.locate_itself(path, |stamp| stamp.is_folder())
    }

    fn locate_itself(
        &self,
        path: &Path,
        is_wanted: impl Fn(&Stamp) -> bool,
    ) -> Result<Option<Located>, LocateError> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Ok(None);
        };
        if requires_folder(path.as_os_str().as_bytes()) {
            return Ok(None);
        }
        let folder = match self.locate_with(parent, SpellingTolerance::Forgiving) {
            Ok(folder) if folder.kind == FileType::Directory => folder,
            // Any other problem with the path is reported by `locate`.
            Ok(_) | Err(LocateError::Outside | LocateError::NoSuchFolder { .. }) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let stamp = match self.disk.stat_at(folder.folder(), name) {
            Ok(stamp) if is_wanted(&stamp) => stamp,
            _ => return Ok(None),
        };
        Ok(Some(Located {
            name: name.to_owned(),
            path: folder.path.join(name),
            given: path.to_owned(),
            kind: stamp.kind(),
            stamp: Some(stamp),
            ..folder
        }))
    }

    fn locate_with(
        &self,
        path: &Path,
        spelling: SpellingTolerance,
    ) -> Result<Located, LocateError> {
        let bytes = path.as_os_str().as_bytes();
        check_path_form(path, bytes)?;
        let literal = self.root_containing(path);
        if is_network_path(bytes) && literal.is_none_or(|(_, rest)| has_parent_component(rest)) {
            // Not even checked for existence: the check would contact another machine.
            return Err(LocateError::Outside);
        }
        if let Some((root, _)) = literal {
            self.roots[root].check_place(&*self.disk)?;
        }
        let located = match literal {
            Some((root, rest)) if !has_parent_component(rest) => {
                match self.locate_without_links(root, rest, path, spelling) {
                    Some(located) => located,
                    None => PathResolver::new(self, path, spelling).resolve()?,
                }
            }
            _ => PathResolver::new(self, path, spelling).resolve()?,
        };
        if literal.is_none_or(|(root, _)| !Arc::ptr_eq(&self.roots[root], &located.root)) {
            located.root.check_place(&*self.disk)?;
        }
        if requires_folder(bytes) {
            match located.kind {
                FileType::Directory => {}
                FileType::Missing => return Err(LocateError::NoSuchFolder { at: located.path }),
                _ => return Err(LocateError::NotADirectory { at: located.path }),
            }
        }
        self.check_file_system(located)
    }

    /// Treats files of virtual file systems as special files, and refuses names that a Windows file system would map to
    /// other files.
    fn check_file_system(&self, mut located: Located) -> Result<Located, LocateError> {
        let device = match located.stamp {
            Some(stamp) => stamp.device,
            None => self.disk.stat(located.folder())?.device,
        };
        match self
            .mounts
            .file_system_kind(&*self.disk, located.folder(), device)
        {
            FileSystemKind::Plain => {}
            FileSystemKind::Kernel if located.kind == FileType::File => {
                located.kind = FileType::Special("file that the kernel makes up");
            }
            FileSystemKind::Kernel => {}
            FileSystemKind::Windows => {
                windows::refuse_windows_aliases(located.relative()).map_err(LocateError::BadName)?
            }
        }
        Ok(located)
    }

    /// Handles the common case in two calls: no link in the path, the name exists or is simply missing. Everything else
    /// is left to the resolver, which can explain what is wrong.
    fn locate_without_links(
        &self,
        root: usize,
        rest: &Path,
        given: &Path,
        spelling: SpellingTolerance,
    ) -> Option<Located> {
        let root = &self.roots[root];
        let name = rest.file_name()?;
        let folder = match rest.parent() {
            Some(parent) if parent != Path::new("") => {
                Arc::new(self.disk.open_beneath(root.handle.as_fd(), parent).ok()?)
            }
            _ => Arc::clone(&root.handle),
        };
        let stamp = match self.disk.stat_at(folder.as_fd(), name) {
            Ok(stamp) if stamp.is_link() || stamp.is_folder() => return None,
            Ok(stamp) => Some(stamp),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if spelling == SpellingTolerance::Forgiving && respell::may_have_look_alikes(name) {
                    return None;
                }
                None
            }
            Err(_) => return None,
        };
        Some(Located {
            disk: Arc::clone(&self.disk),
            folder,
            name: name.to_owned(),
            missing_folders: Vec::new(),
            root: Arc::clone(root),
            path: root.path.join(rest),
            given: given.to_owned(),
            kind: stamp.map_or(FileType::Missing, |stamp| stamp.kind()),
            stamp,
            followed_link: false,
            respelled: false,
        })
    }
}

impl Located {
    /// Returns the absolute path with every link resolved: the same for every spelling.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path as the caller spelled it.
    pub fn given_path(&self) -> &Path {
        &self.given
    }

    /// Returns the root that the file is below.
    pub fn root(&self) -> &Path {
        &self.root.path
    }

    /// Returns the path relative to that root; empty for the root itself.
    pub fn relative(&self) -> &Path {
        self.path
            .strip_prefix(&self.root.path)
            .unwrap_or(Path::new(""))
    }

    /// Returns what was at the path when it was located.
    pub fn kind(&self) -> FileType {
        self.kind
    }

    /// Returns whether this is a symbolic link itself, found by [`Workspace::locate_link`].
    pub fn is_link(&self) -> bool {
        self.stamp.is_some_and(|stamp| stamp.is_link())
    }

    /// Returns the target of the link; `None` if it is not a link.
    pub fn link_target(&self) -> Option<OsString> {
        self.disk.read_link_at(self.folder(), &self.name).ok()
    }

    /// Returns the stamp when it was located; `None` if nothing was there.
    pub fn stat(&self) -> Option<Stamp> {
        self.stamp
    }

    /// Returns the current stamp; `None` if nothing is there or `stat` fails.
    pub fn current_stamp(&self) -> Option<Stamp> {
        if !self.missing_folders.is_empty() {
            return None;
        }
        self.disk.stat_at(self.folder(), &self.name).ok()
    }

    /// Returns whether both are the same name in the same folder at the same path; false also if that cannot be
    /// determined.
    pub fn is_same_place(&self, other: &Located) -> bool {
        let (one, two) = (
            self.disk.stat(self.folder()),
            self.disk.stat(other.folder()),
        );
        self.path == other.path
            && self.missing_folders == other.missing_folders
            && one.is_ok_and(|one| two.is_ok_and(|two| one.is_same_file(&two)))
    }

    /// Returns whether a symbolic link below a root was followed.
    pub fn has_followed_link(&self) -> bool {
        self.followed_link
    }

    /// Returns whether the file was found under a look-alike of the given name.
    pub fn is_respelled(&self) -> bool {
        self.respelled
    }

    /// Returns, for a missing name, the folders of its path that do not exist either, outermost first.
    pub fn missing_folders(&self) -> &[OsString] {
        &self.missing_folders
    }

    /// Returns, for a missing name, the first component of its path that does not exist, to compare with
    /// [`Located::names_near_missing`].
    pub fn first_missing(&self) -> &OsStr {
        self.missing_folders.first().unwrap_or(&self.name)
    }

    /// Returns whether the permissions of the folder around the name allow names in it to be made and removed; true if
    /// that cannot be determined.
    pub fn has_writable_folder(&self) -> bool {
        let checked = self.disk.check_writable_at(self.folder(), OsStr::new("."));
        checked.map_or_else(
            |error| error.kind() != io::ErrorKind::PermissionDenied,
            |()| true,
        )
    }

    pub(crate) fn folder(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

fn check_path_form(path: &Path, bytes: &[u8]) -> Result<(), LocateError> {
    if bytes.is_empty() {
        Err(LocateError::BadName("is empty"))
    } else if bytes.contains(&0) {
        Err(LocateError::BadName("holds a NUL character"))
    } else if !path.is_absolute() {
        Err(LocateError::BadName("is not absolute"))
    } else if bytes.len() >= 4096 {
        Err(LocateError::BadName("is longer than 4095 bytes"))
    } else if path.components().any(|part| part.as_os_str().len() > 255) {
        Err(LocateError::BadName(
            "has a name longer than 255 bytes in it",
        ))
    } else {
        Ok(())
    }
}

/// Returns whether the path has the form `//server/share`: exactly two leading slashes name another machine.
fn is_network_path(bytes: &[u8]) -> bool {
    bytes.starts_with(b"//") && !bytes.starts_with(b"///")
}

fn has_parent_component(path: &Path) -> bool {
    path.components()
        .any(|component| component == Component::ParentDir)
}

fn requires_folder(bytes: &[u8]) -> bool {
    bytes.ends_with(b"/") || bytes.ends_with(b"/.")
}
