//! The roots: folders that are resolved once, held open, and bound every access.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, Once};
use std::time::Duration;

use crate::disk::Disk;
use crate::displaced::{
    DISPLACED_FOLDER, DisplacedFile, DisplacedLimits, DisplacedStore, LateWriteCheck,
};
use crate::journal::{EntryId, FileJournal, Journal};
use crate::locate::{LocateError, Located};
use crate::locks::LockSettings;
use crate::mounts::MountKnowledge;
use crate::stamp::{FileType, Stamp};
use crate::workspace_id::WorkspaceId;

/// How long a commit waits for another one in the same folder.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);
/// How long a commit waits for a program that has the file open for writing. A process that was just started has every
/// file open that its parent is writing, until it runs its own program: on a busy machine for tens of milliseconds.
const LEASE_PATIENCE: Duration = Duration::from_millis(250);

/// A root of a workspace.
#[derive(Debug)]
pub(crate) struct WorkspaceRoot {
    /// The path with every link resolved.
    pub(crate) path: PathBuf,
    pub(crate) handle: Arc<OwnedFd>,
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) id: WorkspaceId,
}

/// Roots and a disk: locates files and commits changes below the roots. See the crate's example.
#[derive(Debug)]
pub struct Workspace {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) roots: Vec<Arc<WorkspaceRoot>>,
    pub(crate) locks: LockSettings,
    pub(crate) lease_patience: Duration,
    pub(crate) mounts: MountKnowledge,
    pub(crate) displaced: DisplacedStore,
    pub(crate) journal: Option<Arc<dyn Journal>>,
    pub(crate) recovered: Mutex<bool>,
    /// Journal entries of dead processes that cannot be recovered here, because they name files outside the roots.
    pub(crate) out_of_reach: Arc<Mutex<BTreeSet<EntryId>>>,
    pub(crate) pruned: Once,
    /// Folders that were already swept for abandoned temporary files.
    pub(crate) swept: Mutex<BTreeSet<(u64, u64)>>,
    pub(crate) state_folder: Option<PathBuf>,
    paths: Vec<PathBuf>,
}

/// How a root relates to a folder that had another path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootMatch {
    /// It is that folder, moved or renamed since, or mounted at a second path.
    Moved,
    /// It is a copy with the same inode number and birth time, such as a snapshot: the original is still at its path.
    Copy,
    /// It is another folder.
    Other,
}

/// Why a workspace could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No root was given.
    #[error("no root was given")]
    NoRoots,
    /// A root is not a folder, or cannot be opened.
    #[error("the root {path} cannot be opened: {source}", path = path.display())]
    Root {
        /// The path of the root as given.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl Workspace {
    /// Opens the roots. `state_folder` contains `displaced/` (the old file of every change), `journal/` (changes in
    /// progress) and `locks/` (for folders that cannot be locked themselves); they are created on first use, mode 0700.
    /// Without a state folder old files are removed once the new ones are flushed, and crashes are not recovered.
    pub fn open(
        roots: &[PathBuf],
        disk: Arc<dyn Disk>,
        state_folder: Option<PathBuf>,
    ) -> Result<Workspace, OpenError> {
        if roots.is_empty() {
            return Err(OpenError::NoRoots);
        }
        let mut opened: Vec<Arc<WorkspaceRoot>> = Vec::with_capacity(roots.len());
        for given in roots {
            let root = WorkspaceRoot::open(given, &*disk).map_err(|source| OpenError::Root {
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
        roots: Vec<Arc<WorkspaceRoot>>,
        disk: Arc<dyn Disk>,
        state_folder: Option<PathBuf>,
    ) -> Workspace {
        let paths = roots.iter().map(|root| root.path.clone()).collect();
        let locks = LockSettings::new(
            state_folder.as_ref().map(|folder| folder.join("locks")),
            LOCK_PATIENCE,
        );
        let displaced = DisplacedStore::new(
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
            mounts: MountKnowledge::default(),
            displaced,
            journal,
            recovered: Mutex::new(false),
            out_of_reach: Arc::default(),
            pruned: Once::new(),
            swept: Mutex::default(),
            state_folder,
            paths,
        }
    }

    /// Opens other roots with the same disk, state folder, journal and timeouts.
    pub fn open_other_roots(&self, roots: &[PathBuf]) -> Result<Workspace, OpenError> {
        let other = Workspace::open(roots, Arc::clone(&self.disk), self.state_folder.clone())?;
        Ok(self.copy_settings_to(other))
    }

    /// Makes a workspace of folders that were located here, by their handles: nothing outside the roots can become
    /// reachable through it. Anything but a folder is left out.
    pub fn restricted_to_folders(&self, folders: &[Located]) -> Workspace {
        let folders = folders.iter().filter_map(|folder| {
            let stamp = folder
                .stat()
                .filter(|_| folder.kind() == FileType::Directory)?;
            let id =
                WorkspaceId::from_open_folder(&*self.disk, folder.path(), folder.folder.as_fd());
            Some(Arc::new(WorkspaceRoot {
                id,
                path: folder.path().to_owned(),
                handle: Arc::clone(&folder.folder),
                device: stamp.device,
                inode: stamp.inode,
            }))
        });
        let roots = folders.collect();
        self.copy_settings_to(Workspace::with_roots(
            roots,
            Arc::clone(&self.disk),
            self.state_folder.clone(),
        ))
    }

    /// Copies the settings of this workspace to another.
    fn copy_settings_to(&self, mut other: Workspace) -> Workspace {
        other.locks.patience = self.locks.patience;
        other.lease_patience = self.lease_patience;
        other.journal.clone_from(&self.journal);
        other.out_of_reach = Arc::clone(&self.out_of_reach);
        other
    }

    /// Sets how long a commit waits for another lancet in the same folder (2 seconds by default).
    pub fn with_patience(mut self, patience: Duration) -> Workspace {
        self.locks.patience = patience;
        self
    }

    /// Replaces the journal files of the state folder by another journal.
    pub fn with_journal(mut self, journal: Arc<dyn Journal>) -> Workspace {
        self.journal = Some(journal);
        self
    }

    /// Sets how long a commit waits for a file that another program has open for writing (250 milliseconds by
    /// default).
    pub fn with_lease_patience(mut self, patience: Duration) -> Workspace {
        self.lease_patience = patience;
        self
    }

    /// Checks an unsealed displaced file again for late writes, and seals it if possible.
    pub fn check_late_writes(&self, displaced: &DisplacedFile) -> io::Result<LateWriteCheck> {
        self.displaced.check_late_writes(&*self.disk, displaced)
    }

    /// Copies the current content of a displaced file, even while another program has it open for writing; returns the
    /// size of the copy and the copy.
    pub fn copy_displaced(&self, displaced: &DisplacedFile) -> io::Result<(u64, DisplacedFile)> {
        self.displaced.copy_displaced(&*self.disk, displaced)
    }

    /// Removes sealed old files beyond these limits; returns how many. It runs by itself, with the default limits,
    /// before the first commit.
    pub fn prune(&self, limits: DisplacedLimits) -> io::Result<u64> {
        self.displaced.prune(&*self.disk, limits)
    }

    /// Returns the roots in the given order, links resolved, duplicates removed.
    pub fn roots(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Returns the innermost root that a path is below, and its id; the path is taken literally.
    pub fn root_of(&self, path: &Path) -> Option<(&Path, WorkspaceId)> {
        let (index, _) = self.root_containing(path)?;
        let root = self.roots.get(index)?;
        Some((&root.path, root.id))
    }

    /// Compares a root with the folder that had this id at another path.
    pub fn compare_root(&self, root: &Path, (former, id): (&Path, WorkspaceId)) -> RootMatch {
        let Some(root) = self.roots.iter().find(|known| known.path == root) else {
            return RootMatch::Other;
        };
        let here = (root.path.as_path(), root.handle.as_fd());
        if WorkspaceId::from_former_path(&*self.disk, here, former) != Some(id) {
            return RootMatch::Other;
        }
        match WorkspaceId::id_at_path(&*self.disk, former) {
            // The folder with this inode and birth time is still there.
            Ok(Some(now)) if now == id => match self.disk.stat_path(former) {
                // A bind mount has the same device.
                Ok(stamp) if (stamp.device, stamp.inode) == (root.device, root.inode) => {
                    RootMatch::Moved
                }
                _ => RootMatch::Copy,
            },
            Ok(_) => RootMatch::Moved,
            // A folder that cannot be examined may still be the original.
            Err(_) => RootMatch::Other,
        }
    }

    /// Returns the innermost root whose path is a literal prefix of `path`, and the rest of the path.
    pub(crate) fn root_containing<'p>(&self, path: &'p Path) -> Option<(usize, &'p Path)> {
        self.roots
            .iter()
            .enumerate()
            .filter_map(|(index, root)| Some((index, path.strip_prefix(&root.path).ok()?)))
            .min_by_key(|(_, rest)| rest.components().count())
    }

    /// Finds, for a path that is outside or missing, the longest tail of it that exists below a root. `None` for a path
    /// with `..`.
    pub fn find_tail(&self, path: &Path) -> Option<PathBuf> {
        /// Longer paths are not searched for.
        const MAX_COMPONENTS: usize = 64;
        let mut names = Vec::new();
        for component in path.components() {
            match component {
                Component::Normal(name) => names.push(name),
                Component::ParentDir => return None,
                _ => {}
            }
        }
        let first = names.len().saturating_sub(MAX_COMPONENTS);
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

impl WorkspaceRoot {
    /// Fails if the root was moved, or removed and created again. A component that has become a link to the same folder
    /// is left to the commit to detect.
    pub(crate) fn check_place(&self, disk: &dyn Disk) -> Result<(), LocateError> {
        let now = disk.stat_path(&self.path);
        if let Ok(now) = &now
            && (now.device, now.inode) == (self.device, self.inode)
        {
            return Ok(());
        }
        match self.is_folder_at(disk, now)? {
            true => Ok(()),
            false => Err(LocateError::RootMoved {
                root: self.path.clone(),
            }),
        }
    }

    /// Returns whether the path leads to this folder without a link in it.
    pub(crate) fn is_in_place(&self, disk: &dyn Disk) -> io::Result<bool> {
        self.is_folder_at(disk, disk.stat_folder(&self.path))
    }

    fn is_folder_at(&self, disk: &dyn Disk, found: io::Result<Stamp>) -> io::Result<bool> {
        is_folder_of(disk, self.handle.as_fd(), (self.device, self.inode), found)
    }

    fn open(given: &Path, disk: &dyn Disk) -> io::Result<WorkspaceRoot> {
        let path = disk.resolve(given)?;
        let handle = disk.open_folder(&path)?;
        let stamp = disk.stat(handle.as_fd())?;
        Ok(WorkspaceRoot {
            id: WorkspaceId::from_open_folder(disk, &path, handle.as_fd()),
            path,
            handle: Arc::new(handle),
            device: stamp.device,
            inode: stamp.inode,
        })
    }
}

/// Returns whether `found`, the `stat` of a path, is the open folder with these numbers.
pub(crate) fn is_folder_of(
    disk: &dyn Disk,
    folder: BorrowedFd<'_>,
    numbers: (u64, u64),
    found: io::Result<Stamp>,
) -> io::Result<bool> {
    use rustix::io::Errno;
    match found {
        Ok(found) if (found.device, found.inode) == numbers => Ok(true),
        // Some file systems change the inode number of a folder over time.
        Ok(found) => Ok(disk.stat(folder)?.is_same_file(&found)),
        Err(error) => match Errno::from_io_error(&error) {
            Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(false),
            _ => Err(error),
        },
    }
}
