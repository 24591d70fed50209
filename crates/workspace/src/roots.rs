//! The folders given at start: resolved once, held open, the ceiling of everything below.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, Once};
use std::time::Duration;

use crate::disk::Disk;
use crate::displaced::{DISPLACED_FOLDER, Displaced, LateWriteCheck, Limits, Store};
use crate::journal::{FileJournal, Journal};
use crate::locate::{FileType, LocateError, Located};
use crate::locks::Locks;
use crate::mounts::Mounts;
use crate::stamp::Stamp;

/// How long a commit waits for another one in the same folder.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long it waits for somebody who just has the file open for writing.
const LEASE_PATIENCE: Duration = Duration::from_millis(50);

/// A folder that was given at start.
#[derive(Debug)]
pub(crate) struct Root {
    /// Every link resolved.
    pub(crate) path: PathBuf,
    pub(crate) handle: Arc<OwnedFd>,
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

/// The roots and the way to the disk: where every file is located and every change is committed.
#[derive(Debug)]
pub struct Workspace {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) roots: Vec<Arc<Root>>,
    pub(crate) locks: Locks,
    pub(crate) lease_patience: Duration,
    pub(crate) mounts: Mounts,
    pub(crate) displaced: Store,
    pub(crate) journal: Option<Arc<dyn Journal>>,
    pub(crate) recovered: Mutex<bool>,
    pub(crate) pruned: Once,
    /// Folders in which left temporary files were looked for.
    pub(crate) swept: Mutex<BTreeSet<(u64, u64)>>,
    pub(crate) state_folder: Option<PathBuf>,
    paths: Vec<PathBuf>,
}

/// Why the roots could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There has to be at least one.
    #[error("no root was given")]
    NoRoots,
    /// This one is no folder that can be opened.
    #[error("the root {path} cannot be opened: {source}", path = path.display())]
    Root {
        /// As given.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
}

impl Workspace {
    /// Opens the roots. `state_folder` holds `displaced/` (the old file of every change), `journal/` (what is just
    /// being done) and `locks/` (for folders that cannot be locked themselves); made at first need, mode 0700. Without
    /// it old files are removed once the new ones are flushed, and nothing heals a crash.
    pub fn open(
        roots: &[PathBuf],
        disk: Arc<dyn Disk>,
        state_folder: Option<PathBuf>,
    ) -> Result<Workspace, OpenError> {
        if roots.is_empty() {
            return Err(OpenError::NoRoots);
        }
        let mut opened: Vec<Arc<Root>> = Vec::with_capacity(roots.len());
        for given in roots {
            let root = Root::open(given, &*disk).map_err(|source| OpenError::Root {
                path: given.clone(),
                source,
            })?;
            if !opened.iter().any(|other| other.path == root.path) {
                opened.push(Arc::new(root));
            }
        }
        Ok(Workspace::with_roots(opened, disk, state_folder))
    }

    fn with_roots(
        roots: Vec<Arc<Root>>,
        disk: Arc<dyn Disk>,
        state_folder: Option<PathBuf>,
    ) -> Workspace {
        let paths = roots.iter().map(|root| root.path.clone()).collect();
        let locks = Locks::new(
            state_folder.as_ref().map(|folder| folder.join("locks")),
            PATIENCE,
        );
        let displaced = Store::new(
            state_folder
                .as_ref()
                .map(|folder| folder.join(DISPLACED_FOLDER)),
        );
        let journal = state_folder.as_ref().map(|folder| {
            let path = folder.join("journal");
            Arc::new(FileJournal::new(Arc::clone(&disk), path)) as Arc<dyn Journal>
        });
        Workspace {
            disk,
            roots,
            locks,
            lease_patience: LEASE_PATIENCE,
            mounts: Mounts::default(),
            displaced,
            journal,
            recovered: Mutex::new(false),
            pruned: Once::new(),
            swept: Mutex::default(),
            state_folder,
            paths,
        }
    }

    /// The same way to the disk over other folders, with the same state folder, journal and patience.
    pub fn over(&self, roots: &[PathBuf]) -> Result<Workspace, OpenError> {
        let other = Workspace::open(roots, Arc::clone(&self.disk), self.state_folder.clone())?;
        Ok(self.liken(other))
    }

    /// The same over folders that were located here, by the handles that they were found through: nothing outside the
    /// roots can come in by it. Anything but a folder is left out.
    pub fn within(&self, folders: &[Located]) -> Workspace {
        let folders = folders.iter().filter_map(|folder| {
            let stamp = folder
                .stat()
                .filter(|_| folder.kind() == FileType::Directory)?;
            Some(Arc::new(Root {
                path: folder.path().to_owned(),
                handle: Arc::clone(&folder.folder),
                device: stamp.device,
                inode: stamp.inode,
            }))
        });
        let roots = folders.collect();
        self.liken(Workspace::with_roots(
            roots,
            Arc::clone(&self.disk),
            self.state_folder.clone(),
        ))
    }

    /// Gives another workspace what was set on this one.
    fn liken(&self, mut other: Workspace) -> Workspace {
        other.locks.patience = self.locks.patience;
        other.lease_patience = self.lease_patience;
        other.journal.clone_from(&self.journal);
        other
    }

    /// The same with another bound on the wait for a folder in which another lancet writes (2 seconds unless set).
    pub fn with_patience(mut self, patience: Duration) -> Workspace {
        self.locks.patience = patience;
        self
    }

    /// The same with another journal than the files in the state folder.
    pub fn with_journal(mut self, journal: Arc<dyn Journal>) -> Workspace {
        self.journal = Some(journal);
        self
    }

    /// The same with another bound on the wait for a file that somebody else has open for writing (50 milliseconds
    /// unless set).
    pub fn with_lease_patience(mut self, patience: Duration) -> Workspace {
        self.lease_patience = patience;
        self
    }

    /// Looks again at a displaced file that was not sealed: is it certain by now that nobody writes into it?
    pub fn check_late_writes(&self, displaced: &Displaced) -> io::Result<LateWriteCheck> {
        self.displaced.check_late_writes(&*self.disk, displaced)
    }

    /// Removes sealed old files beyond these limits; how many. Done by itself, with the default limits, before the first
    /// commit.
    pub fn prune(&self, limits: Limits) -> io::Result<u64> {
        self.displaced.prune(&*self.disk, limits)
    }

    /// The roots in the order given, links resolved, doubles left out.
    pub fn roots(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The innermost root whose path is a literal start of `path`, and what follows it.
    pub(crate) fn root_around<'p>(&self, path: &'p Path) -> Option<(usize, &'p Path)> {
        self.roots
            .iter()
            .enumerate()
            .filter_map(|(index, root)| Some((index, path.strip_prefix(&root.path).ok()?)))
            .min_by_key(|(_, rest)| rest.components().count())
    }

    /// Where the same tail of a path stands below a root: the longest one that exists, for a path that is outside or
    /// missing. Nothing for a path that climbs (`..`).
    pub fn find_tail(&self, path: &Path) -> Option<PathBuf> {
        /// Longer paths are nobody's typing mistake.
        const MOST_COMPONENTS: usize = 64;
        let mut names = Vec::new();
        for component in path.components() {
            match component {
                Component::Normal(name) => names.push(name),
                Component::ParentDir => return None,
                _ => {}
            }
        }
        let first = names.len().saturating_sub(MOST_COMPONENTS);
        for start in first..names.len() {
            let tail: PathBuf = names[start..].iter().collect();
            for root in &self.roots {
                match self.locate(&root.path.join(&tail)) {
                    Ok(found) if found.stat().is_some() && found.path() != path => {
                        return Some(found.path().to_owned());
                    }
                    _ => {}
                }
            }
        }
        None
    }
}

impl Root {
    /// Fails where the folder no longer stands at its path: it was moved, or removed and made again. A folder on the way
    /// that has become a link to the same place is left to the commit.
    pub(crate) fn check_place(&self, disk: &dyn Disk) -> Result<(), LocateError> {
        let now = disk.stat_path(&self.path);
        if let Ok(now) = &now
            && (now.device, now.inode) == (self.device, self.inode)
        {
            return Ok(());
        }
        match self.is_at(disk, now)? {
            true => Ok(()),
            false => Err(LocateError::RootMoved {
                root: self.path.clone(),
            }),
        }
    }

    /// Whether the path leads to this folder without a link anywhere on the way.
    pub(crate) fn is_in_place(&self, disk: &dyn Disk) -> io::Result<bool> {
        self.is_at(disk, disk.stat_folder(&self.path))
    }

    fn is_at(&self, disk: &dyn Disk, found: io::Result<Stamp>) -> io::Result<bool> {
        is_folder_of(disk, self.handle.as_fd(), (self.device, self.inode), found)
    }

    fn open(given: &Path, disk: &dyn Disk) -> io::Result<Root> {
        let path = disk.resolve(given)?;
        let handle = disk.open_folder(&path)?;
        let stamp = disk.stat(handle.as_fd())?;
        Ok(Root {
            path,
            handle: Arc::new(handle),
            device: stamp.device,
            inode: stamp.inode,
        })
    }
}

/// Whether `found` at a path is the open folder of these numbers. Nothing there, a file or a link is another one.
pub(crate) fn is_folder_of(
    disk: &dyn Disk,
    folder: BorrowedFd<'_>,
    numbers: (u64, u64),
    found: io::Result<Stamp>,
) -> io::Result<bool> {
    use rustix::io::Errno;
    match found {
        Ok(found) if (found.device, found.inode) == numbers => Ok(true),
        // Some file systems give a folder other numbers as time goes on.
        Ok(found) => Ok(disk.stat(folder)?.same_file(&found)),
        Err(error) => match Errno::from_io_error(&error) {
            Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(false),
            _ => Err(error),
        },
    }
}
