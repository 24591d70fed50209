//! Resolves a path component by component and follows links itself, for every path that is not plainly a file below a
//! root. It resolves as the kernel does, and notices when the path leaves the roots.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::{LocateError, Located, SpellingTolerance, respell};
use crate::disk::OpenMode;
use crate::resolved::normalize_lexically;
use crate::roots::{Workspace, WorkspaceRoot};
use crate::stamp::{FileType, Stamp};

/// The number of links that the kernel follows.
const MAX_LINKS: u32 = 40;
/// The most components of one path that may be found under a look-alike.
const MAX_RESPELLINGS: u32 = 16;

/// The current position of the resolver: below a root, or outside on the way to one.
enum WalkBase {
    Slash(Arc<OwnedFd>),
    Root(usize),
}

pub(super) struct PathResolver<'w> {
    workspace: &'w Workspace,
    given: &'w Path,
    spelling: SpellingTolerance,
    base: WalkBase,
    /// The folders from the base down to the current one.
    levels: Vec<(OsString, Arc<OwnedFd>)>,
    /// The components still to resolve; `..` is not resolved yet.
    pending: VecDeque<OsString>,
    /// Components below the current folder that do not exist.
    missing: Vec<OsString>,
    links: u32,
    respellings: u32,
    followed_link: bool,
    /// The link below a root that was followed last.
    link: Option<FollowedLink>,
    /// The link that led out of the roots, while the resolver is outside.
    led_out: Option<FollowedLink>,
}

/// A link below a root that was followed.
struct FollowedLink {
    at: PathBuf,
    target: PathBuf,
    /// The number of components behind it: while more are pending, the resolver is still within the link's target.
    behind: usize,
}

impl<'w> PathResolver<'w> {
    pub(super) fn new(
        workspace: &'w Workspace,
        given: &'w Path,
        spelling: SpellingTolerance,
    ) -> PathResolver<'w> {
        PathResolver {
            workspace,
            given,
            spelling,
            base: WalkBase::Root(0),
            levels: Vec::new(),
            pending: VecDeque::new(),
            missing: Vec::new(),
            links: 0,
            respellings: 0,
            followed_link: false,
            link: None,
            led_out: None,
        }
    }

    pub(super) fn resolve(mut self) -> Result<Located, LocateError> {
        match (self.walk_components(), self.led_out) {
            (Err(LocateError::Outside), Some(link)) => Err(LocateError::LeadsOutside {
                link: link.at,
                target: link.target,
            }),
            (result, _) => result,
        }
    }

    fn walk_components(&mut self) -> Result<Located, LocateError> {
        self.start_at(self.given.to_owned())?;
        while let Some(name) = self.pending.pop_front() {
            if name == ".." {
                if self.missing.pop().is_none() {
                    self.go_to_parent()?;
                }
            } else if !self.missing.is_empty() {
                self.missing.push(name);
            } else if self.is_outside() {
                self.enter_outside(name)?;
            } else if let Some(stamp) = self.enter(&name)? {
                return self.located_file(name, stamp);
            }
        }
        match self.missing.pop() {
            Some(name) => self.located_missing(name),
            None => self.located_folder(),
        }
    }

    /// Starts over with an absolute path: at a root that is a literal prefix of it, else at `/`. The former also
    /// works where the folders above a root may not be entered.
    fn start_at(&mut self, path: PathBuf) -> Result<(), LocateError> {
        self.levels.clear();
        let rest = match self.workspace.root_containing(&path) {
            Some((index, rest)) => {
                self.base = WalkBase::Root(index);
                self.led_out = None;
                rest
            }
            None => {
                if let Some(link) = self.link.take() {
                    self.led_out = Some(link).filter(|link| self.pending.len() >= link.behind);
                }
                let slash = self.workspace.disk.open_folder(Path::new("/"))?;
                self.base = WalkBase::Slash(Arc::new(slash));
                &path
            }
        };
        self.push_front(rest);
        Ok(())
    }

    fn push_front(&mut self, path: &Path) {
        for component in path.components().rev() {
            match component {
                Component::Normal(name) => self.pending.push_front(name.to_owned()),
                Component::ParentDir => self.pending.push_front("..".into()),
                _ => {}
            }
        }
    }

    fn go_to_parent(&mut self) -> Result<(), LocateError> {
        if self.levels.pop().is_some() {
            return Ok(());
        }
        match self.base {
            WalkBase::Slash(_) => Ok(()),
            WalkBase::Root(index) => match self.workspace.roots[index].path.parent() {
                Some(parent) => self.start_at(parent.to_owned()),
                None => Ok(()),
            },
        }
    }

    /// Resolves one component outside the roots: only folders and links matter until a root is reached.
    fn enter_outside(&mut self, name: OsString) -> Result<(), LocateError> {
        let disk = &self.workspace.disk;
        match disk.open_at(self.current_folder(), &name, OpenMode::Passage) {
            Ok(handle) => {
                let stamp = disk
                    .stat(handle.as_fd())
                    .map_err(|_| LocateError::Outside)?;
                self.push(name, handle, Some(stamp));
                Ok(())
            }
            Err(_) => match disk.stat_at(self.current_folder(), &name) {
                Ok(stamp) if stamp.is_link() => self.follow_link(&name),
                _ => Err(LocateError::Outside),
            },
        }
    }

    /// Resolves one component below a root. Returns the stamp of a file that ends the path, `None` while there is
    /// more to resolve.
    fn enter(&mut self, name: &OsString) -> Result<Option<Stamp>, LocateError> {
        let disk = &self.workspace.disk;
        let stamp = match disk.stat_at(self.current_folder(), name) {
            Ok(stamp) => stamp,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                match self.look_alike(name) {
                    Some(other) => {
                        self.respellings += 1;
                        self.pending.push_front(other);
                    }
                    None => self.missing.push(name.clone()),
                }
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        if stamp.is_link() {
            self.followed_link = true;
            self.follow_link(name)?;
            Ok(None)
        } else if stamp.is_folder() {
            let handle = match disk.open_at(self.current_folder(), name, OpenMode::Folder) {
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    disk.open_at(self.current_folder(), name, OpenMode::Passage)
                }
                other => other,
            };
            self.push(name.clone(), handle?, None);
            Ok(None)
        } else if self.pending.is_empty() {
            Ok(Some(stamp))
        } else {
            Err(LocateError::NotADirectory {
                at: self.path().join(name),
            })
        }
    }

    /// Enters a folder. One that is a root, by path or by inode, becomes the new base.
    fn push(&mut self, name: OsString, handle: OwnedFd, stamp: Option<Stamp>) {
        let path = self.path().join(&name);
        let is_this = |root: &Arc<WorkspaceRoot>| {
            root.path == path
                || stamp
                    .is_some_and(|stamp| stamp.device == root.device && stamp.inode == root.inode)
        };
        if let Some(index) = self.workspace.roots.iter().position(is_this) {
            self.base = WalkBase::Root(index);
            self.led_out = None;
            self.levels.clear();
        } else {
            self.levels.push((name, Arc::new(handle)));
        }
    }

    fn follow_link(&mut self, name: &OsString) -> Result<(), LocateError> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(if self.is_outside() {
                LocateError::Outside
            } else {
                LocateError::TooManyLinks
            });
        }
        let target = match self
            .workspace
            .disk
            .read_link_at(self.current_folder(), name)
        {
            Ok(target) => PathBuf::from(target),
            Err(_) if self.is_outside() => return Err(LocateError::Outside),
            Err(error) => return Err(error.into()),
        };
        if !self.is_outside() {
            let folder = self.path();
            self.link = Some(FollowedLink {
                at: folder.join(name),
                target: normalize_lexically(&folder.join(&target)),
                behind: self.pending.len(),
            });
        }
        if target.is_absolute() {
            self.start_at(target)
        } else {
            self.push_front(&target);
            Ok(())
        }
    }

    fn look_alike(&self, name: &OsString) -> Option<OsString> {
        if self.spelling == SpellingTolerance::Exact || self.respellings == MAX_RESPELLINGS {
            return None;
        }
        respell::only_look_alike(&*self.workspace.disk, self.current_folder(), name)
    }

    fn is_outside(&self) -> bool {
        matches!(self.base, WalkBase::Slash(_))
    }

    fn current_handle(&self) -> &Arc<OwnedFd> {
        match (self.levels.last(), &self.base) {
            (Some((_, handle)), _) => handle,
            (None, WalkBase::Slash(handle)) => handle,
            (None, WalkBase::Root(index)) => &self.workspace.roots[*index].handle,
        }
    }

    fn current_folder(&self) -> BorrowedFd<'_> {
        self.current_handle().as_fd()
    }

    fn path(&self) -> PathBuf {
        let mut path = match self.base {
            WalkBase::Slash(_) => PathBuf::from("/"),
            WalkBase::Root(index) => self.workspace.roots[index].path.clone(),
        };
        path.extend(self.levels.iter().map(|(name, _)| name));
        path
    }

    fn located_file(&self, name: OsString, stamp: Stamp) -> Result<Located, LocateError> {
        let path = self.path().join(&name);
        self.new_located(path, name, stamp.kind(), Some(stamp))
    }

    fn located_missing(&mut self, name: OsString) -> Result<Located, LocateError> {
        let mut path = self.path();
        path.extend(&self.missing);
        path.push(&name);
        let missing_folders = std::mem::take(&mut self.missing);
        let mut located = self.new_located(path, name, FileType::Missing, None)?;
        located.missing_folders = missing_folders;
        Ok(located)
    }

    /// Returns the result for a path that ends on a folder.
    fn located_folder(&self) -> Result<Located, LocateError> {
        if self.is_outside() {
            return Err(LocateError::Outside);
        }
        let stamp = self.workspace.disk.stat(self.current_folder())?;
        let path = self.path();
        self.new_located(path, ".".into(), FileType::Directory, Some(stamp))
    }

    fn new_located(
        &self,
        path: PathBuf,
        name: OsString,
        kind: FileType,
        stamp: Option<Stamp>,
    ) -> Result<Located, LocateError> {
        let WalkBase::Root(index) = self.base else {
            return Err(LocateError::Outside);
        };
        Ok(Located {
            disk: Arc::clone(&self.workspace.disk),
            folder: Arc::clone(self.current_handle()),
            name,
            missing_folders: Vec::new(),
            root: Arc::clone(&self.workspace.roots[index]),
            path,
            given: self.given.to_owned(),
            kind,
            stamp,
            followed_link: self.followed_link,
            respelled: self.respellings > 0,
        })
    }
}
