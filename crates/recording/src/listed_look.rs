//! Looks at a root by means of its listing, which a full scan leaves in the state folder.

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

use lancet_git::{GitIndex, Repository};
use lancet_history::{
    Checkpoint, CheckpointEntry, CheckpointEntryKind, CheckpointQuery, ContentIdentity,
    EntryChange, HistoryError,
};
use lancet_workspace::{EntryKind, FolderHandle, StateFile};

use crate::extent::{Extent, FoundEntries};
use crate::git_view::find_repository;
use crate::listing::{
    ListedIndex, ListingBuilder, MAX_FILE_BYTES, TreeListing, journal_record, look_by_listing,
};
use crate::look::{LookSource, RecordError};
use crate::recorder::Recorder;
use crate::scan::{ScanScope, ScannedEntry};
use crate::seen_stat::proves_unchanged;

/// What a look by means of the listing found.
pub(crate) struct ListedLook {
    pub(crate) found: FoundEntries,
    /// The record that the journal of the listing lacks, because another process looked meanwhile.
    pub(crate) missing_record: Vec<u8>,
}

impl Recorder<'_> {
    /// Compares the root with its listing. Returns none if there is none that still holds, or if too much changed.
    pub(crate) fn look_by_listing(
        &self,
        root: &FolderHandle,
        newest: Option<&Checkpoint>,
    ) -> Result<Option<ListedLook>, RecordError> {
        let (Some(newest), Some(mut listing)) = (newest, self.read_listing()) else {
            return Ok(None);
        };
        let Some(missing_record) = self.bring_up_to_date(&mut listing, newest)? else {
            return Ok(None);
        };
        if !listing.has_same_rules() {
            return Ok(None);
        }
        let repository = find_repository(self.workspace.root, &self.disk);
        let read = OnceCell::new();
        let index = || {
            let index = read.get_or_init(|| read_index(repository.as_ref()));
            index.as_deref()
        };
        let now = repository.as_ref().and_then(Repository::index_stamp);
        let covers = |name: &Path| {
            let path = self.workspace.root.join(name);
            let is_denied = (self.coverage.leaves_out)(name);
            !is_denied && self.coverage.gate.may_read(&path, EntryKind::File)
        };
        if !listing.has_same_index(ListedIndex::from_stamp(now.as_ref()))
            && !listing.is_equal_under(index(), &covers)
        {
            return Ok(None);
        }
        let scope = ScanScope {
            root,
            path: self.workspace.root,
            coverage: &self.coverage,
            tracked: None,
        };
        let Some(found) = look_by_listing(&listing, &scope, &index) else {
            return Ok(None);
        };
        Ok(Some(ListedLook {
            found: self.drop_unchanged(found, newest.number)?,
            missing_record,
        }))
    }

    fn read_listing(&self) -> Option<TreeListing> {
        let bytes = self.listing_file()?.read(MAX_FILE_BYTES).ok()??;
        TreeListing::parse(bytes, &(self.coverage.fingerprint)())
    }

    fn listing_file(&self) -> Option<StateFile> {
        let path = self.listing?;
        StateFile::locate(&self.disk, path.parent()?, path.file_name()?).ok()
    }

    /// Adds to a listing what changed up to the newest checkpoint. Returns the record that its journal lacks, empty if it
    /// lacks none; none if that is not known.
    fn bring_up_to_date(
        &self,
        listing: &mut TreeListing,
        newest: &Checkpoint,
    ) -> Result<Option<Vec<u8>>, HistoryError> {
        if listing.checkpoint() == newest.id {
            return Ok(Some(Vec::new()));
        }
        let query = CheckpointQuery {
            workspace: Some(self.workspace.id),
            called: Some(listing.checkpoint().to_owned()),
            ..CheckpointQuery::default()
        };
        let Some(last) = self.store.checkpoints(&query)?.into_iter().next() else {
            return Ok(None);
        };
        let workspace = &self.workspace.id;
        let names = self
            .store
            .changed_names(workspace, last.number, newest.number)?;
        let changed = names.iter().map(Vec::as_slice);
        let record = journal_record(&last.id, &newest.id, changed);
        listing.add_changed(names);
        Ok(record)
    }

    /// Leaves out the names that are as the newest checkpoint has them.
    fn drop_unchanged(
        &self,
        found: FoundEntries,
        newest: i64,
    ) -> Result<FoundEntries, HistoryError> {
        let Extent::Names(mut names) = found.extent else {
            return Ok(found);
        };
        let workspace = &self.workspace.id;
        let known = self
            .store
            .checkpoint_entries_named(workspace, newest, &names)?;
        let find_known = |name: &[u8]| {
            let at = known.binary_search_by(|entry| entry.name.as_slice().cmp(name));
            at.ok().map(|at| &known[at])
        };
        let largest = self.coverage.largest_file;
        let mut entries = found.entries;
        entries.retain(|entry| {
            let known = find_known(&entry.name);
            let is_same = known.is_some_and(|known| is_certainly_same(known, entry, largest));
            if is_same {
                names.remove(&entry.name);
            }
            !is_same
        });
        let is_present = |name: &[u8]| {
            let at = entries.binary_search_by(|entry| entry.name.as_slice().cmp(name));
            at.is_ok()
        };
        names.retain(|name| is_present(name) || find_known(name).is_some());
        Ok(FoundEntries {
            entries,
            extent: Extent::Names(names),
            files: found.files,
        })
    }

    /// Stores the listing of a full scan, which the checkpoint has. `unread` are files that the next look has to read
    /// although their stat is unchanged. Without a listing the next look is a full scan, too, so an error is none of this
    /// one.
    pub(crate) fn store_listing(
        &self,
        built: ListingBuilder<'_>,
        checkpoint: &str,
        unread: &[Vec<u8>],
    ) {
        let Some(file) = self.listing_file() else {
            return;
        };
        let _ = match built.finish(&(self.coverage.fingerprint)(), checkpoint, unread) {
            Some(listing) => file.replace(&listing),
            None => file.remove(),
        };
    }

    /// Adds a look to the journal of the listing, if there is one. An error costs the next look time and nothing else.
    pub(crate) fn extend_listing(
        &self,
        source: LookSource<'_>,
        newest: &Checkpoint,
        checkpoint: &str,
        changes: &[EntryChange],
    ) {
        let changed = changes.iter().filter_map(|change| match change {
            EntryChange::Now(entry) => Some(entry.name.as_slice()),
            EntryChange::Gone(name) => Some(name.as_slice()),
            EntryChange::Touched(_) => None,
        });
        let look = journal_record(&newest.id, checkpoint, changed);
        if let (Some(file), Some(look)) = (self.listing_file(), look) {
            let mut record = match source {
                LookSource::Listing(missing_record) => missing_record,
                LookSource::Report | LookSource::Scan(_) => Vec::new(),
            };
            record.extend(look);
            let _ = file.append(&record, MAX_FILE_BYTES - record.len() as u64);
        }
    }
}

fn read_index(repository: Option<&Repository>) -> Option<Arc<GitIndex>> {
    repository?.index().ok().flatten().map(Arc::new)
}

/// Returns whether an entry is certainly as a checkpoint has it, without reading the file.
fn is_certainly_same(known: &CheckpointEntry, now: &ScannedEntry, largest: u64) -> bool {
    let is_unread = known.kind == CheckpointEntryKind::File
        && known.identity == ContentIdentity::Unknown
        && known.size <= largest;
    known.kind == now.kind
        && match known.kind {
            CheckpointEntryKind::EmptyFolder => known.mode == now.stamp.mode,
            CheckpointEntryKind::File | CheckpointEntryKind::Link => {
                !is_unread && proves_unchanged(&known.stamp, &now.stamp)
            }
        }
}
