//! The bytes of files: read from the disk or from git's objects, identified, and passed to the history in batches.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::Instant;

use lancet_git::{ObjectId, ObjectReader};
use lancet_history::{
    CheckpointEntry, ContentIdentity, HistoryError, IdentifiedBlob, OperationStore, Revision,
    StampRecord,
};
use lancet_workspace::{FolderHandle, Stamp};

use crate::seen_stat::{to_record, with_attributes};

/// The number of waiting bytes at which contents are written.
const BATCH_BYTES: usize = 16 << 20;
/// The number of times that a file which changes while it is read is read again.
const MAX_READ_TRIES: usize = 4;

/// Whether git's objects outlive their removal from git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectRetention {
    /// The state folder has hard links to them.
    Linked,
    /// It does not, so what git may drop is copied.
    InGitOnly,
}

/// Reads contents and ensures that the history has them.
pub(crate) struct ContentRecorder<'c> {
    root: &'c FolderHandle,
    store: &'c dyn OperationStore,
    objects: Option<ObjectReader>,
    links: ObjectRetention,
    largest: u64,
    /// The number of bytes that may still be stored of files that were read.
    left: u64,
    /// When files are no longer read, because they may have changed by then.
    read_until: Option<Instant>,
    waiting: Vec<(Revision, Vec<u8>)>,
    bytes: usize,
}

impl<'c> ContentRecorder<'c> {
    pub(crate) fn new(
        root: &'c FolderHandle,
        store: &'c dyn OperationStore,
        (objects, links): (Option<ObjectReader>, ObjectRetention),
        largest: u64,
        most: u64,
    ) -> Self {
        ContentRecorder {
            root,
            store,
            objects,
            links,
            largest,
            left: most,
            read_until: None,
            waiting: Vec::new(),
            bytes: 0,
        }
    }

    /// Reads no files after this time.
    pub(crate) fn until(self, read_until: Option<Instant>) -> Self {
        ContentRecorder { read_until, ..self }
    }

    /// Returns whether a file is read: it is not too large, and it is not too late.
    pub(crate) fn may_read(&self, seen: &Stamp) -> bool {
        let is_late = self.read_until.is_some_and(|end| Instant::now() >= end);
        self.accepts_size(seen.size) && !is_late
    }

    /// Returns whether a file of this size is small enough to be read.
    pub(crate) fn accepts_size(&self, size: u64) -> bool {
        size <= self.largest
    }

    /// Reads a file and stores its bytes, up to the limit of all. Returns its identity, and the stat that they were read
    /// with. A file that is too large, that is reached too late, or that cannot be read, has no identity.
    pub(crate) fn read(
        &mut self,
        name: &[u8],
        seen: Stamp,
    ) -> Result<(ContentIdentity, StampRecord), HistoryError> {
        if !self.may_read(&seen) {
            return Ok((ContentIdentity::Unknown, to_record(&seen)));
        }
        let Some((bytes, stamp)) = self.read_stable_bytes(name) else {
            return Ok((ContentIdentity::Unknown, to_record(&seen)));
        };
        let revision = *blake3::hash(&bytes).as_bytes();
        if !self.has_revision(&revision)?
            && let Some(left) = self.left.checked_sub(bytes.len() as u64)
        {
            self.left = left;
            self.queue_content(revision, bytes)?;
        }
        Ok((ContentIdentity::Revision(revision), stamp))
    }

    /// Returns whether the history has these bytes, or is about to get them.
    pub(crate) fn has_revision(&self, revision: &Revision) -> Result<bool, HistoryError> {
        let is_waiting = self.waiting.iter().any(|(waiting, _)| waiting == revision);
        Ok(is_waiting || self.store.has_content(revision)?)
    }

    /// Returns whether git's objects are in danger of being dropped.
    pub(crate) fn retention(&self) -> ObjectRetention {
        self.links
    }

    /// Returns the reader of git's objects.
    pub(crate) fn objects(&self) -> Option<&ObjectReader> {
        self.objects.as_ref()
    }

    /// Copies the bytes of the blobs that files no longer have into the history, up to the limit of all.
    pub(crate) fn copy_superseded<'e>(
        &mut self,
        entries: impl Iterator<Item = &'e CheckpointEntry>,
    ) -> Result<Vec<IdentifiedBlob>, HistoryError> {
        let mut copied = Vec::new();
        for before in entries {
            let ContentIdentity::Blob(blob) = before.identity else {
                continue;
            };
            let Some(left) = self.left.checked_sub(before.size) else {
                continue;
            };
            if let Some(revision) = self.store_blob(blob)? {
                self.left = left;
                copied.push(IdentifiedBlob {
                    name: before.name.clone(),
                    blob,
                    revision,
                });
            }
        }
        Ok(copied)
    }

    /// Stores the bytes of a blob and returns their revision; none if git no longer has it.
    pub(crate) fn store_blob(&mut self, id: [u8; 20]) -> Result<Option<Revision>, HistoryError> {
        let largest = self.largest;
        let objects = self.objects.as_mut();
        let found =
            objects.and_then(|objects| objects.read_blob(&ObjectId::from_array(id), largest).ok());
        let Some(bytes) = found else {
            return Ok(None);
        };
        let revision = *blake3::hash(&bytes).as_bytes();
        self.queue_content(revision, bytes)?;
        Ok(Some(revision))
    }

    /// Returns the id that stored bytes have as a blob.
    pub(crate) fn blob_id(&self, revision: &Revision) -> Result<Option<ObjectId>, HistoryError> {
        let waiting = self.waiting.iter().find(|(known, _)| known == revision);
        if let Some((_, bytes)) = waiting {
            return Ok(Some(ObjectId::hash_blob(bytes)));
        }
        let bytes = self.store.content(revision)?;
        Ok(bytes.map(|bytes| ObjectId::hash_blob(&bytes)))
    }

    /// Returns whether git has an object.
    pub(crate) fn is_object(&mut self, id: &ObjectId) -> bool {
        let objects = self.objects.as_mut();
        objects.is_some_and(|objects| objects.size(id).is_ok())
    }

    /// Returns the revision of a blob without storing its bytes.
    pub(crate) fn blob_revision(&mut self, id: [u8; 20]) -> Option<Revision> {
        let largest = self.largest;
        let objects = self.objects.as_mut()?;
        let bytes = objects.read_blob(&ObjectId::from_array(id), largest).ok()?;
        Some(*blake3::hash(&bytes).as_bytes())
    }

    fn read_stable_bytes(&self, name: &[u8]) -> Option<(Vec<u8>, StampRecord)> {
        let path = Path::new(OsStr::from_bytes(name));
        let last = path.file_name()?;
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        let folder = match parent {
            Some(parent) => self.root.open_folder_below(parent).ok()?,
            None => self.root.clone(),
        };
        let most = usize::try_from(self.largest).unwrap_or(usize::MAX);
        for _ in 0..MAX_READ_TRIES {
            let mut file = folder.open(last).ok()?;
            let before = file.stat().ok()?;
            let mut bytes = Vec::new();
            if !file.read_whole(&mut bytes, most).ok()? {
                return None;
            }
            let stamp = file.stat().ok()?;
            if before.has_same_state(&stamp) && stamp.size == bytes.len() as u64 {
                let record = to_record(&stamp);
                return Some(match file.has_attributes() {
                    true => (bytes, with_attributes(record)),
                    false => (bytes, record),
                });
            }
        }
        None
    }

    fn queue_content(&mut self, revision: Revision, bytes: Vec<u8>) -> Result<(), HistoryError> {
        if !self.store.has_content(&revision)? {
            self.bytes += bytes.len();
            self.waiting.push((revision, bytes));
            if self.bytes >= BATCH_BYTES {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Writes the waiting contents, the last one first: what a file had before a change was read after what it has now,
    /// and the history can store a content as a difference to an older one.
    pub(crate) fn flush(&mut self) -> Result<(), HistoryError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let waiting = self.waiting.iter().rev();
        let contents: Vec<(Revision, &[u8])> = waiting
            .map(|(revision, bytes)| (*revision, bytes.as_slice()))
            .collect();
        self.store.store_contents(&contents)?;
        self.waiting.clear();
        self.bytes = 0;
        Ok(())
    }
}
