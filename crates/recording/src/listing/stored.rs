//! A listing that was read from its file.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use lancet_git::GitIndex;
use lancet_search::RuleRecord;
use lancet_workspace::Stamp;

use super::format::{ListingReader, StatBytes, stat_bytes, verified_body};
use super::journal;

/// A listing that takes more is not stored. One of a million files takes about 80 MB.
pub(super) const MAX_LISTING_BYTES: usize = 256 << 20;
/// With a longer journal the next look scans the root and writes the listing again.
const MAX_JOURNAL_BYTES: usize = 256 << 10;
/// The largest size of the file.
pub(crate) const MAX_FILE_BYTES: u64 = (MAX_LISTING_BYTES + 2 * MAX_JOURNAL_BYTES) as u64;

/// git's index as it was when a listing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListedIndex {
    /// There was none.
    Missing,
    /// Its stat.
    Present(StatBytes),
    /// It had changed so shortly before that its stat proves nothing.
    Unproven,
}

impl ListedIndex {
    /// Returns an index by the stat of its file.
    pub(crate) fn from_stamp(stamp: Option<&Stamp>) -> ListedIndex {
        match stamp {
            Some(stamp) => ListedIndex::Present(stat_bytes(stamp)),
            None => ListedIndex::Missing,
        }
    }

    fn read(reader: &mut ListingReader<'_>) -> Option<ListedIndex> {
        Some(match reader.number_8()? {
            0 => ListedIndex::Missing,
            1 => ListedIndex::Present(reader.stat()?),
            _ => ListedIndex::Unproven,
        })
    }

    pub(super) fn write(&self, body: &mut Vec<u8>) {
        match self {
            ListedIndex::Missing => body.push(0),
            ListedIndex::Present(stat) => {
                body.push(1);
                body.extend_from_slice(stat);
            }
            ListedIndex::Unproven => body.push(2),
        }
    }
}

/// A listing that was read.
pub(crate) struct TreeListing {
    bytes: Vec<u8>,
    /// Where the records of the folders begin and end.
    folders: (usize, usize),
    /// The id of the newest checkpoint whose changes the journal has.
    checkpoint: String,
    /// The names that changed since the listing was written, up to that checkpoint.
    pub(super) changed: BTreeSet<Vec<u8>>,
    index: ListedIndex,
    rules: RuleRecord,
    /// The ignored folders that were not entered.
    pub(super) ignored: BTreeSet<Vec<u8>>,
    /// Ignored files outside these folders, and whether git tracks them.
    conditional: Vec<(Vec<u8>, bool)>,
    /// The names that git tracks in ignored folders.
    pub(super) tracked: Vec<TrackedName>,
}

/// A name that git tracks in an ignored folder.
pub(super) struct TrackedName {
    pub(super) name: Vec<u8>,
    /// The stat of the file, if it was covered and changed so long before that the stat proves something.
    stat: Option<StatBytes>,
    pub(super) is_covered: bool,
}

impl TreeListing {
    /// Reads the content of the file. Returns none if it is damaged, or was written under other rules of coverage.
    pub(crate) fn parse(bytes: Vec<u8>, fingerprint: &[u8; 32]) -> Option<TreeListing> {
        let body = verified_body(&bytes)?;
        let mut reader = ListingReader::new(&bytes[body.0..body.1]);
        if reader.take(32)? != fingerprint {
            return None;
        }
        let mut checkpoint = reader.text()?;
        let index = ListedIndex::read(&mut reader)?;
        let mut rules = Vec::new();
        for _ in 0..reader.number_32()? {
            let path = PathBuf::from(OsStr::from_bytes(reader.name()?));
            let state = match reader.number_8()? {
                0 => None,
                _ => Some(reader.rule_numbers()?),
            };
            rules.push((path, state));
        }
        let mut changed = BTreeSet::new();
        for _ in 0..reader.number_32()? {
            changed.insert(reader.name()?.to_vec());
        }
        let mut ignored = BTreeSet::new();
        for _ in 0..reader.number_32()? {
            ignored.insert(reader.name()?.to_vec());
        }
        let mut conditional = Vec::new();
        for _ in 0..reader.number_32()? {
            conditional.push((reader.name()?.to_vec(), reader.number_8()? != 0));
        }
        let mut tracked = Vec::new();
        for _ in 0..reader.number_32()? {
            tracked.push(TrackedName::read(&mut reader)?);
        }
        let folders = (body.1 - reader.left(), body.1);
        if bytes.len() - body.1 > MAX_JOURNAL_BYTES {
            return None;
        }
        journal::follow(&bytes[body.1..], &mut checkpoint, &mut changed)?;
        Some(TreeListing {
            folders,
            checkpoint,
            changed,
            index,
            rules: RuleRecord::from_files(rules.into_iter()),
            ignored,
            conditional,
            tracked,
            bytes,
        })
    }

    /// Returns the records of the folders.
    pub(super) fn folders(&self) -> ListingReader<'_> {
        ListingReader::new(&self.bytes[self.folders.0..self.folders.1])
    }

    /// Returns the id of the newest checkpoint whose changes the journal has.
    pub(crate) fn checkpoint(&self) -> &str {
        &self.checkpoint
    }

    /// Adds names that changed after that checkpoint.
    pub(crate) fn add_changed(&mut self, names: impl IntoIterator<Item = Vec<u8>>) {
        self.changed.extend(names);
    }

    /// Returns whether all ignore files are as they were.
    pub(crate) fn has_same_rules(&self) -> bool {
        self.rules.is_current()
    }

    /// Returns whether git's index, by its stat, is the one that the listing was written with, or has no say in what is
    /// covered: nothing is ignored.
    pub(crate) fn has_same_index(&self, now: ListedIndex) -> bool {
        let is_proven = self.index == now && now != ListedIndex::Unproven;
        is_proven || (self.ignored.is_empty() && self.conditional.is_empty())
    }

    /// Returns whether an index tracks the same ignored names as the one that the listing was written with. `covers`
    /// decides about the names in ignored folders.
    pub(crate) fn is_equal_under(
        &self,
        index: Option<&GitIndex>,
        covers: &dyn Fn(&Path) -> bool,
    ) -> bool {
        let is_tracked = |name: &[u8]| index.is_some_and(|index| index.is_tracked(name));
        let mut conditional = self.conditional.iter();
        if !conditional.all(|(name, was_tracked)| is_tracked(name) == *was_tracked) {
            return false;
        }
        let mut listed: Vec<&[u8]> = self.tracked.iter().map(|one| one.name.as_slice()).collect();
        listed.sort_unstable();
        let mut now: Vec<&[u8]> = Vec::new();
        for folder in &self.ignored {
            let below = index
                .into_iter()
                .flat_map(|index| index.entries_below(folder));
            now.extend(below.map(|entry| entry.name));
        }
        now.retain(|name| covers(Path::new(OsStr::from_bytes(name))));
        now.sort_unstable();
        now.dedup();
        listed == now
    }
}

impl TrackedName {
    fn read(reader: &mut ListingReader<'_>) -> Option<TrackedName> {
        let name = reader.name()?.to_vec();
        let is_covered = reader.number_8()? != 0;
        let stat = match reader.number_8()? {
            0 => None,
            _ => Some(reader.stat()?),
        };
        Some(TrackedName {
            name,
            stat,
            is_covered,
        })
    }

    /// Returns whether a later stat proves that the file is unchanged.
    pub(super) fn is_unchanged(&self, now: &Stamp) -> bool {
        self.is_covered && self.stat == Some(stat_bytes(now))
    }
}
