//! A path becomes a file, a folder or a free name below a root. Which root is decided on the resolved file, never on
//! the spelling; what is found is held by its folder's handle, so that nothing swapped in later leads elsewhere.

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
use crate::roots::{Root, Workspace};
use crate::stamp::Stamp;
use walk::Walk;

/// What a located name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileType {
    /// A regular file.
    File,
    /// Nothing; folders on the way may be missing too.
    Missing,
    /// A folder.
    Directory,
    /// Neither file nor folder: "named pipe", "socket", "character device" and so on.
    Special(&'static str),
}

/// Why a path leads nowhere that may be touched.
#[derive(Debug, thiserror::Error)]
pub enum LocateError {
    /// Not inside a root once every link is resolved.
    #[error("outside every root")]
    Outside,
    /// A link inside a root leads out of all of them.
    #[error("{path} is a link that leads outside every root", path = link.display())]
    LeadsOutside {
        /// The link.
        link: PathBuf,
        /// What it says, with the folders of the link before it where that is relative. Whether anything is there was
        /// not looked at for this.
        target: PathBuf,
    },
    /// Its root no longer stands where it stood when it was opened.
    #[error("the root {path} was moved, or removed and made again", path = root.display())]
    RootMoved {
        /// The path that the root was opened by.
        root: PathBuf,
    },
    /// Something on the way is not a folder.
    #[error("{path} is not a folder", path = at.display())]
    NotADirectory {
        /// That something.
        at: PathBuf,
    },
    /// The path ends in a slash, so it names a folder, and nothing is there.
    #[error("there is no folder {path}", path = at.display())]
    NoSuchFolder {
        /// The path without that slash.
        at: PathBuf,
    },
    /// Links that lead to links, over forty of them or in a circle.
    #[error("too many symbolic links on the way")]
    TooManyLinks,
    /// The path itself cannot be one; the words follow on "the path".
    #[error("the path {0}")]
    BadName(&'static str),
    /// The system's words.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Whether a name that is missing may be found under a look-alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    Forgiving,
    Exact,
}

/// A file, folder or free name below a root, held by the handle of the folder it was found through.
#[derive(Clone, Debug)]
pub struct Located {
    pub(crate) disk: Arc<dyn Disk>,
    /// The folder that holds the name; of a missing name the innermost folder that exists; of a folder itself.
    pub(crate) folder: Arc<OwnedFd>,
    /// `.` for a folder.
    pub(crate) name: OsString,
    /// Folders between `folder` and the name that do not exist.
    pub(crate) missing_folders: Vec<OsString>,
    pub(crate) root: Arc<Root>,
    path: PathBuf,
    given: PathBuf,
    kind: FileType,
    stamp: Option<Stamp>,
    followed_link: bool,
    respelled: bool,
}

impl Workspace {
    /// Locates an absolute path. A missing name that has exactly one look-alike in its folder (another Unicode form, a
    /// narrow no-break space, a curly apostrophe) is found under that one, and [`Located::respelled`] says so.
    pub fn locate(&self, path: &Path) -> Result<Located, LocateError> {
        self.locate_with(path, Spelling::Forgiving)
    }

    /// Locates an absolute path by exactly its letters: for names that are to be made.
    pub fn locate_as_spelled(&self, path: &Path) -> Result<Located, LocateError> {
        self.locate_with(path, Spelling::Exact)
    }

    fn locate_with(&self, path: &Path, spelling: Spelling) -> Result<Located, LocateError> {
        let bytes = path.as_os_str().as_bytes();
        check_form(path, bytes)?;
        let literal = self.root_around(path);
        if is_network_path(bytes) && literal.is_none_or(|(_, rest)| climbs(rest)) {
            // Not even asked whether it is there: the asking would reach out to another machine.
            return Err(LocateError::Outside);
        }
        if let Some((root, _)) = literal {
            self.roots[root].check_place(&*self.disk)?;
        }
        let located = match literal {
            Some((root, rest)) if !climbs(rest) => {
                match self.locate_plainly(root, rest, path, spelling) {
                    Some(located) => located,
                    None => Walk::new(self, path, spelling).run()?,
                }
            }
            _ => Walk::new(self, path, spelling).run()?,
        };
        if literal.is_none_or(|(root, _)| !Arc::ptr_eq(&self.roots[root], &located.root)) {
            located.root.check_place(&*self.disk)?;
        }
        if names_a_folder(bytes) {
            match located.kind {
                FileType::Directory => {}
                FileType::Missing => return Err(LocateError::NoSuchFolder { at: located.path }),
                _ => return Err(LocateError::NotADirectory { at: located.path }),
            }
        }
        self.judge_by_file_system(located)
    }

    /// A file that the kernel makes up is none, and on a drive of Windows some names are other files than they seem.
    fn judge_by_file_system(&self, mut located: Located) -> Result<Located, LocateError> {
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
                windows::check(located.relative()).map_err(LocateError::BadName)?
            }
        }
        Ok(located)
    }

    /// The common case in two more calls: no link on the way, the name is there or simply missing. Anything else is left to
    /// the walk, which knows how to say what is wrong.
    fn locate_plainly(
        &self,
        root: usize,
        rest: &Path,
        given: &Path,
        spelling: Spelling,
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
                if spelling == Spelling::Forgiving && respell::may_have_look_alikes(name) {
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
    /// Absolute, every link resolved: one key for every spelling of the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path as it was given.
    pub fn given(&self) -> &Path {
        &self.given
    }

    /// The root it is below.
    pub fn root(&self) -> &Path {
        &self.root.path
    }

    /// The path from that root; empty for the root itself.
    pub fn relative(&self) -> &Path {
        self.path
            .strip_prefix(&self.root.path)
            .unwrap_or(Path::new(""))
    }

    /// What it was when it was located.
    pub fn kind(&self) -> FileType {
        self.kind
    }

    /// Its stamp when it was located; none where it is missing.
    pub fn stat(&self) -> Option<Stamp> {
        self.stamp
    }

    /// Its stamp now; none where nothing is there, or nothing can be told of it.
    pub fn stat_now(&self) -> Option<Stamp> {
        if !self.missing_folders.is_empty() {
            return None;
        }
        self.disk.stat_at(self.folder(), &self.name).ok()
    }

    /// Whether both are the same name of the same folder at the same path. False, too, where that cannot be told.
    pub fn is_same_place(&self, other: &Located) -> bool {
        let (one, two) = (
            self.disk.stat(self.folder()),
            self.disk.stat(other.folder()),
        );
        self.path == other.path
            && self.missing_folders == other.missing_folders
            && one.is_ok_and(|one| two.is_ok_and(|two| one.same_file(&two)))
    }

    /// Was a symbolic link below a root followed?
    pub fn followed_link(&self) -> bool {
        self.followed_link
    }

    /// Was it found under another form of the name than given?
    pub fn respelled(&self) -> bool {
        self.respelled
    }

    /// Of a missing name: the folders on the way that do not exist either, outermost first.
    pub fn missing_folders(&self) -> &[OsString] {
        &self.missing_folders
    }

    /// Of a missing name: the first part of its path that does not exist, to be compared with [`Located::siblings`].
    pub fn first_missing(&self) -> &OsStr {
        self.missing_folders.first().unwrap_or(&self.name)
    }

    pub(crate) fn folder(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

fn check_form(path: &Path, bytes: &[u8]) -> Result<(), LocateError> {
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

/// `//server/share`: exactly two slashes in front name another machine.
fn is_network_path(bytes: &[u8]) -> bool {
    bytes.starts_with(b"//") && !bytes.starts_with(b"///")
}

fn climbs(path: &Path) -> bool {
    path.components()
        .any(|component| component == Component::ParentDir)
}

fn names_a_folder(bytes: &[u8]) -> bool {
    bytes.ends_with(b"/") || bytes.ends_with(b"/.")
}
