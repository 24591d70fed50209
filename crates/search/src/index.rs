//! The resident index: a copy of a tree in memory, so that a search need not walk the tree and open its files. It
//! returns the same results as a walk: it is filled by the rules of the walk, brought up to date before every search,
//! and every line that it returns is found by ripgrep's matcher in the bytes of the file.
//!
//! - `table` has the folders and files, `scan` and `fill` read the disk into it, `refresh` keeps it current.
//! - `signatures` say which blocks of text can contain a literal, `blocks` which files these are, `plan` which literals
//!   a pattern needs.
//! - `ignored` has the signatures of files that ignore files leave out: a search without a match says whether they have
//!   one.
//! - `contents` has the texts of small files, where memory allows it.
//! - `query` answers searches.
//! - `budget` limits what all lancet processes of a user take together, `status` describes the index of a process for
//!   others, and `home` says which roots get no index.

mod blocks;
mod budget;
mod columns;
mod contents;
mod fill;
mod grams;
mod home;
mod ids;
mod ignored;
mod literal_query;
mod name_grams;
mod name_hashes;
mod plan;
mod query;
mod refill;
mod refresh;
pub(crate) mod rule_files;
mod scan;
mod signatures;
mod status;
mod table;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use lancet_workspace::{FolderHandle, FolderWatch, MountWatch, WatchedFolder};

use self::blocks::SignedBlocks;
use self::contents::StoredContents;
use self::rule_files::RuleFileStates;
use self::table::{FileId, FileTable, FolderId};
use crate::file_search::Encodings;
use crate::filter::FileFilter;
use crate::gate::{Gate, GateBasis, Stop};
use crate::literal_names::LiteralNames;
use crate::rules::Excludes;
use crate::tally::SearchProgress;
use crate::walk::{HiddenFiles, IgnoreFiles, Walk, WalkStart};

pub(crate) use self::literal_query::LiteralQuery;

pub use self::budget::{
    Exhausted, MemoryBudget, Reservation, SLOT_BYTES, WATCHES_PER_PORTION, WatchAllowance,
};
pub use self::home::is_home_folder;
pub use self::query::{
    CannotAnswer, PageNeed, PageUnit, ResidentTree, count_resident, list_resident,
};
pub use self::status::{AbsenceReason, IndexResidency, IndexStatus, ResidentFacts};

/// With `KeepContents::Sparingly`, one part in this many of the budget stays free.
const SPARED_BUDGET_PART: u64 = 8;

/// The conditions under which an index is filled and kept current. They must be the same for all searches of an index:
/// a gate with other rules, or other encodings, need another index.
pub struct IndexScope<'i> {
    /// git's global excludes file, if it is to apply.
    pub excludes: Option<&'i Excludes>,
    /// Decides which entries may be read; an entry that it denies is not in the index.
    pub gate: &'i dyn Gate,
    /// The encodings that the settings give to files.
    pub encodings: Encodings<'i>,
    /// Decides when to stop.
    pub stop: &'i dyn Stop,
}

impl IndexScope<'_> {
    /// Calls `work` with the parameters of a walk that finds what the index contains.
    fn run_as_walk<T>(&self, work: impl FnOnce(&Walk<'_>) -> T) -> T {
        work(&Walk {
            starts: &[],
            ignoring: IgnoreFiles::Respect,
            hidden: HiddenFiles::Skip,
            excludes: self.excludes,
            filter: &FileFilter::default(),
            named: &LiteralNames::default(),
            gate: self.gate,
            stop: self.stop,
            progress: &SearchProgress::default(),
            threads: 1,
        })
    }
}

/// Why a tree has no index (any more).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotResident {
    /// More has changed than an index takes in one by one, or the kernel lost some of the changes.
    #[error("too much is changing")]
    Changing,
    /// The user has no watches left.
    #[error("the user's limit of watched folders is reached")]
    NoWatches,
    /// The memory that all lancet processes of the user share is used up.
    #[error("the memory budget is used up")]
    NoMemory,
    /// A folder is on a file system whose changes the kernel does not report.
    #[error("the kernel does not tell of changes on this file system")]
    Untold,
    /// The folder cannot be opened.
    #[error("the folder cannot be opened")]
    Unreadable,
    /// The building was stopped.
    #[error("building it was stopped")]
    Stopped,
}

impl From<std::io::Error> for NotResident {
    fn from(_: std::io::Error) -> Self {
        NotResident::NoMemory
    }
}

/// Whether the contents of small files are kept in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeepContents {
    /// As many contents are kept as fit into the memory budget.
    Yes,
    /// As many are kept as fit with an eighth of the budget left free. That is what the signatures of another tree of
    /// 200 MB take.
    #[default]
    Sparingly,
    /// None are kept: each search reads them from the disk.
    No,
}

/// A resident tree.
pub struct TreeIndex {
    root: FolderHandle,
    /// The length of the root's path in bytes.
    base: usize,
    table: FileTable,
    blocks: SignedBlocks,
    contents: Option<StoredContents>,
    /// The part of the memory budget that contents leave free.
    spare: u64,
    /// The basis of the gate that let all files in, if it was the same for all of them.
    judged_by: Option<GateBasis>,
    watch: FolderWatch,
    watched: HashMap<WatchedFolder, FolderId>,
    rule_files: RuleFileStates,
    mounts: MountWatch,
    /// Files with several hard links.
    linked: BTreeSet<FileId>,
    /// The memory and the watches that were taken from the user's budget.
    memory: Reservation,
    watches: Reservation,
    /// The limit of what the current refresh may still read.
    allowance: ReadAllowance,
    /// The number of ignored files that may still be signed, and of their bytes.
    ignored_allowance: ReadAllowance,
    buffer: Vec<u8>,
}

/// A limit on the files and bytes that are read at one time.
#[derive(Clone, Copy, Debug)]
struct ReadAllowance {
    files: usize,
    bytes: u64,
}

impl ReadAllowance {
    const UNLIMITED: ReadAllowance = ReadAllowance {
        files: usize::MAX,
        bytes: u64::MAX,
    };

    /// Subtracts a file of this size from what may still be read.
    fn subtract(&mut self, size: u64) -> Result<(), NotResident> {
        let files = self.files.checked_sub(1);
        let bytes = self.bytes.checked_sub(size);
        let (files, bytes) = files.zip(bytes).ok_or(NotResident::Changing)?;
        *self = ReadAllowance { files, bytes };
        Ok(())
    }
}

/// The memory and the watches that an index takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexSize {
    /// The files in it.
    pub files: usize,
    /// The folders that are watched.
    pub folders: usize,
    /// The bytes of text that have signatures.
    pub text: u64,
    /// The memory of the table in bytes.
    pub table: usize,
    /// The memory of the signatures in bytes.
    pub signatures: usize,
    /// The memory of the contents in bytes.
    pub contents: usize,
}

impl TreeIndex {
    /// Reads a whole tree.
    ///
    /// # Errors
    /// Returns why the tree cannot be resident.
    pub fn build_index(
        scope: &IndexScope<'_>,
        start: &WalkStart,
        contents: KeepContents,
        memory: &MemoryBudget,
        watches: &WatchAllowance,
    ) -> Result<TreeIndex, NotResident> {
        let path = start.path();
        let root = start
            .located
            .open_folder()
            .map_err(|_| NotResident::Unreadable)?;
        let mut index = TreeIndex {
            root: root.clone(),
            judged_by: scope.gate.decision_basis(),
            base: path.as_os_str().len(),
            table: FileTable::default(),
            blocks: SignedBlocks::default(),
            contents: (contents != KeepContents::No).then(StoredContents::default),
            spare: match contents {
                KeepContents::Sparingly => memory.total() / SPARED_BUDGET_PART,
                KeepContents::Yes | KeepContents::No => 0,
            },
            watch: FolderWatch::new().map_err(|_| NotResident::NoWatches)?,
            watched: HashMap::new(),
            rule_files: RuleFileStates::load_above(path, scope.excludes),
            mounts: MountWatch::new(path),
            linked: BTreeSet::new(),
            memory: memory.reserve(0).map_err(|_| NotResident::NoMemory)?,
            watches: watches.reserve(0).map_err(|_| NotResident::NoWatches)?,
            allowance: ReadAllowance::UNLIMITED,
            ignored_allowance: ignored::SIGNED_LIMIT,
            buffer: Vec::new(),
        };
        index.add_root(scope, root, path)?;
        index.ignored_allowance = ignored::EXHAUSTED_ALLOWANCE;
        index.settle_pending();
        index.claim_memory()?;
        index.buffer = Vec::new();
        Ok(index)
    }

    /// Returns whether a gate would let in every file of the index again, because it has the basis under which the
    /// index was filled.
    fn uses_gate(&self, gate: &dyn Gate) -> bool {
        match (&self.judged_by, gate.decision_basis()) {
            (Some(known), Some(now)) => std::ptr::addr_eq(Arc::as_ptr(known), Arc::as_ptr(&now)),
            _ => false,
        }
    }

    /// Returns the absolute path of the tree.
    pub fn path(&self) -> &Path {
        self.table
            .folder(FolderId(0))
            .map_or(Path::new(""), |folder| &folder.path)
    }

    /// Returns what the index takes.
    pub fn size(&self) -> IndexSize {
        IndexSize {
            files: self.table.len(),
            folders: self.watched.len(),
            text: self.blocks.text_bytes(),
            table: self.table.bytes(),
            signatures: self.blocks.bytes(),
            contents: self.contents.as_ref().map_or(0, StoredContents::bytes),
        }
    }

    /// Frees the memory of the contents. Searches then read from the disk the files that the signatures let through.
    pub fn drop_contents(&mut self) {
        if self.contents.take().is_some() {
            let files: Vec<FileId> = self.table.live_files().map(|(id, _)| id).collect();
            for id in files {
                self.table.set_content(id, None);
            }
            let less = self.memory.amount().saturating_sub(self.needed_memory());
            self.memory.shrink(less);
        }
    }

    /// Compares every file and folder with the disk.
    fn compare_with_disk(&self, scope: &IndexScope<'_>) -> Result<(), NotResident> {
        for (id, folder) in self.table.live_folders() {
            if scope.stop.should_stop() {
                return Ok(());
            }
            let handle = self.open_folder(id).ok_or(NotResident::Changing)?;
            let listed = handle.stat_folder().map(|now| now.mtime);
            if listed.ok() != Some(folder.stamp.mtime) {
                return Err(NotResident::Changing);
            }
            for file in &folder.files {
                let known = self.table.file(*file).map(|file| file.stamp);
                let now = handle.stat(self.table.name(*file)).ok();
                if !known
                    .zip(now)
                    .is_some_and(|(known, now)| known.has_same_state(&now))
                {
                    return Err(NotResident::Changing);
                }
            }
        }
        Ok(())
    }

    fn settle_pending(&mut self) {
        self.table.update_order();
        self.blocks.settle_open_block();
    }

    fn is_wasteful(&self) -> bool {
        let contents = self.contents.as_ref();
        self.blocks.is_wasteful()
            || contents.is_some_and(|contents| contents.unneeded_bytes() > contents.bytes() / 2)
    }

    fn watch_folder(&mut self, handle: &FolderHandle) -> Result<WatchedFolder, NotResident> {
        if self.watched.len() as u64 >= self.watches.amount() {
            self.watches
                .grow(WATCHES_PER_PORTION)
                .map_err(|_| NotResident::NoWatches)?;
        }
        handle
            .watch(&self.watch)
            .map_err(|_| NotResident::NoWatches)
    }

    /// Opens a folder of the table through the root's handle; returns `None` where another folder is in its place.
    fn open_folder(&self, id: FolderId) -> Option<FolderHandle> {
        let folder = self.table.folder(id)?;
        let relative = folder.path.strip_prefix(self.path()).ok()?;
        // The root's handle can be listed only once, so the root is opened again.
        let relative = match relative.as_os_str().is_empty() {
            true => Path::new("."),
            false => relative,
        };
        let handle = self.root.open_folder_below(relative).ok()?;
        let now = handle.stat_folder().ok()?;
        now.is_same_file(&folder.stamp).then_some(handle)
    }

    fn needed_memory(&self) -> u64 {
        let contents = self.contents.as_ref().map_or(0, StoredContents::bytes);
        (self.blocks.bytes() + contents + self.table.bytes()) as u64
    }

    /// Takes the memory that the index now needs from the budget; frees contents where none is left.
    fn claim_memory(&mut self) -> Result<(), NotResident> {
        let needed = self.needed_memory();
        let Some(more) = needed
            .checked_sub(self.memory.amount())
            .filter(|more| *more > 0)
        else {
            return Ok(());
        };
        if self.memory.grow(more.next_multiple_of(1 << 20)).is_ok() {
            return Ok(());
        }
        match self.drop_last_chunk() {
            true => self.claim_memory(),
            false => Err(NotResident::NoMemory),
        }
    }
}
