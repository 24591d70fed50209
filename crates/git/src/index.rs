//! git's index in memory: for each tracked name its object and the stat with which git last saw the file. `parse.rs`
//! reads the bytes.

mod parse;

use lancet_workspace::{Moment, Stamp};

use crate::id::ObjectId;

/// A larger index is refused. One of a million files takes about 100 MB.
pub(crate) const MAX_INDEX_BYTES: u64 = 256 << 20;

/// The index of a work tree: what git tracks. Names are bytes, relative to the work tree, with `/` between their parts.
///
/// Reading one of 60,000 entries takes 14 ms of processor time in an optimised build (6.8 MB in version 2, checksum
/// included; 9 ms in version 4), on a busy machine with two cores:
/// `cargo run --release -p lancet-git --example read_index`.
#[derive(Debug)]
pub struct GitIndex {
    /// Sorted by name and stage.
    records: Vec<StoredEntry>,
    /// All names, one after the other.
    names: Vec<u8>,
    /// The stamp of the file that was read.
    stamp: Stamp,
}

/// An entry as it is stored: its name is a range of [`GitIndex::names`].
#[derive(Debug)]
struct StoredEntry {
    name_start: u32,
    name_length: u32,
    mode: u32,
    id: ObjectId,
    stat: IndexStat,
    stage: u8,
    flags: EntryFlags,
}

/// The flags of an entry other than its stage.
#[derive(Clone, Copy, Debug, Default)]
struct EntryFlags {
    assume_unchanged: bool,
    skip_worktree: bool,
    intent_to_add: bool,
}

/// An entry of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry<'i> {
    /// The name, relative to the work tree, as bytes.
    pub name: &'i [u8],
    /// The type and permission bits: 0o100644, 0o100755, 0o120000 for a symbolic link, 0o160000 for a submodule.
    pub mode: u32,
    /// The object: a blob; of a submodule the commit.
    pub id: ObjectId,
    /// The stat of the file when git last compared it with the object.
    pub stat: IndexStat,
    /// 0, or in a conflict 1 for the base, 2 for ours, 3 for theirs.
    pub stage: u8,
    /// `git update-index --assume-unchanged`.
    pub assume_unchanged: bool,
    /// The file is left out of the work tree (`git sparse-checkout`).
    pub skip_worktree: bool,
    /// `git add --intent-to-add`: the object is the empty blob and says nothing about the file.
    pub intent_to_add: bool,
}

/// The part of a file's `stat` that git stored. Every number is truncated to 32 bits; all are zero if git knows
/// nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexStat {
    /// The change time: seconds, nanoseconds.
    pub ctime: (u32, u32),
    /// The modification time: seconds, nanoseconds.
    pub mtime: (u32, u32),
    /// The device number.
    pub device: u32,
    /// The inode number.
    pub inode: u32,
    /// The user id of the owner.
    pub uid: u32,
    /// The group id.
    pub gid: u32,
    /// The length in bytes. git writes 0 for a file that may have changed within the tick of its stat.
    pub size: u32,
}

/// The mode of a symbolic link.
pub const LINK_MODE: u32 = 0o120_000;
/// The mode of a submodule.
pub const SUBMODULE_MODE: u32 = 0o160_000;

impl GitIndex {
    /// Returns the number of entries; a name in conflict has up to three.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns whether git tracks nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns all entries, sorted by the bytes of their names and then by stage.
    pub fn entries(&self) -> impl Iterator<Item = IndexEntry<'_>> {
        self.records
            .iter()
            .map(|record| self.entry_of_record(record))
    }

    /// Returns the entry of a name that is not in conflict (stage 0). The name of a submodule has an entry; the names
    /// inside it have none here.
    #[must_use]
    pub fn find(&self, name: &[u8]) -> Option<IndexEntry<'_>> {
        self.find_with_hint(name, &mut 0)
    }

    /// Like `Index::find`, but tries the position `next` first and sets it to the one after the entry found. Names
    /// queried in order need no search.
    pub(crate) fn find_with_hint(&self, name: &[u8], next: &mut usize) -> Option<IndexEntry<'_>> {
        let is_next = |at: usize| {
            let record = self.records.get(at);
            record.is_some_and(|record| self.name(record) == name)
        };
        let at = if is_next(*next) {
            *next
        } else {
            self.first_position_from(name)
        };
        let record = self.records.get(at)?;
        let found = record.stage == 0 && self.name(record) == name;
        *next = if found { at + 1 } else { at };
        found.then(|| self.entry_of_record(record))
    }

    /// Returns whether git tracks exactly this name, in conflict or not: a file, a symbolic link or a submodule. A
    /// folder itself is not tracked; use [`GitIndex::entries_below`].
    #[must_use]
    pub fn is_tracked(&self, name: &[u8]) -> bool {
        let at = self.first_position_from(name);
        self.records
            .get(at)
            .is_some_and(|record| self.name(record) == name)
    }

    /// Returns the entries below a folder, at any depth, sorted; all entries for the empty name. For an ignored
    /// folder, these are the files that git tracks nevertheless. The first one is found by binary search.
    pub fn entries_below<'i>(
        &'i self,
        folder: &[u8],
    ) -> impl Iterator<Item = IndexEntry<'i>> + use<'i> {
        let mut start = folder.to_vec();
        if !start.is_empty() && !start.ends_with(b"/") {
            start.push(b'/');
        }
        let first = self.first_position_from(&start);
        self.records[first..]
            .iter()
            .map(|record| self.entry_of_record(record))
            .take_while(move |entry| entry.name.starts_with(&start))
    }

    /// Returns the time at which the index was written: the modification time of its file.
    #[must_use]
    pub fn write_time(&self) -> Moment {
        self.stamp.mtime
    }

    /// Returns the stamp of the file that was read. If a later one shows the same state ([`Stamp::has_same_state`]
    /// and not [`Stamp::is_racy`]), the index need not be read again.
    #[must_use]
    pub fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// Returns the position of the first entry whose name is not smaller.
    fn first_position_from(&self, name: &[u8]) -> usize {
        self.records
            .partition_point(|record| self.name(record) < name)
    }

    fn name(&self, record: &StoredEntry) -> &[u8] {
        let start = record.name_start as usize;
        // The parser created the range together with the names.
        self.names
            .get(start..start + record.name_length as usize)
            .unwrap_or_default()
    }

    fn entry_of_record(&self, record: &StoredEntry) -> IndexEntry<'_> {
        IndexEntry {
            name: self.name(record),
            mode: record.mode,
            id: record.id,
            stat: record.stat,
            stage: record.stage,
            assume_unchanged: record.flags.assume_unchanged,
            skip_worktree: record.flags.skip_worktree,
            intent_to_add: record.flags.intent_to_add,
        }
    }
}

impl IndexEntry<'_> {
    /// Returns whether the entry is of a regular file.
    #[must_use]
    pub fn is_regular_file(&self) -> bool {
        self.mode & 0o170_000 == 0o100_000
    }
}
