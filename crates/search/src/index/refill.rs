//! Keeps contents as far as memory allows, and reads contents that were dropped in an idle period into memory again,
//! while searches go on. A content is stored only if its file is still in the state in which it was signed. A file with
//! a change that no search has taken in yet therefore gets none.

use std::sync::PoisonError;

use lancet_workspace::Stamp;

use super::contents::{CHUNK_BYTES, ContentPlace, StoredContents};
use super::fill::MAX_CACHED_FILE_BYTES;
use super::query::ResidentTree;
use super::table::{FileEntry, FileId, TextKind};
use super::{KeepContents, NotResident, TreeIndex};
use crate::gate::Stop;

/// The number of files that are read while searches wait for the lock: 200 KB, less than a millisecond.
const FILES_PER_LOCK: usize = 32;

/// The content of a file as it was at one moment.
struct ReadContent {
    id: FileId,
    stamp: Stamp,
    text: Vec<u8>,
}

impl ResidentTree {
    /// Reads the contents into memory again, as far as memory allows.
    pub fn reload_contents(&self, contents: KeepContents, stop: &dyn Stop) {
        let missing = match contents {
            KeepContents::No => return,
            _ => self.write().start_reloading(),
        };
        for batch in missing.chunks(FILES_PER_LOCK) {
            if stop.should_stop() {
                return;
            }
            let read: Vec<ReadContent> = {
                let index = self.read();
                let read = batch.iter().filter_map(|id| index.read_content(*id));
                read.collect()
            };
            let mut index = self.write();
            if !read.iter().all(|content| index.restore_content(content)) {
                return;
            }
        }
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, TreeIndex> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TreeIndex {
    /// Stores a content, if contents are kept and memory is left.
    pub(super) fn store_content(
        &mut self,
        text: &[u8],
    ) -> Result<Option<ContentPlace>, NotResident> {
        let Some(contents) = &mut self.contents else {
            return Ok(None);
        };
        if contents.needs_chunk(text.len()) {
            let chunk = CHUNK_BYTES as u64;
            if contents.is_full() || self.memory.grow_and_leave_free(chunk, self.spare).is_err() {
                contents.stop_growing();
                return Ok(None);
            }
        }
        Ok(Some(contents.add(text)?))
    }

    /// Returns whether almost all texts are in memory (15 of 16 bytes).
    pub(super) fn has_most_contents(&self) -> bool {
        let held = self.contents.as_ref().map_or(0, StoredContents::live_bytes) as u64;
        held >= self.blocks.text_bytes() / 16 * 15
    }

    /// Drops the last chunk of contents; returns whether there was one.
    pub(super) fn drop_last_chunk(&mut self) -> bool {
        let Some(shed) = self
            .contents
            .as_mut()
            .and_then(StoredContents::drop_last_chunk)
        else {
            return false;
        };
        let is_in = |file: &FileEntry| file.content.is_some_and(|at| at.is_in_chunk(shed));
        let files = self.table.live_files().filter(|(_, file)| is_in(file));
        let files: Vec<FileId> = files.map(|(id, _)| id).collect();
        for id in files {
            self.table.set_content(id, None);
        }
        true
    }

    /// Begins to keep contents again; returns the files that have none, in path order.
    fn start_reloading(&mut self) -> Vec<FileId> {
        if self.contents.is_some() {
            return Vec::new();
        }
        self.contents = Some(StoredContents::default());
        let all = self.table.path_span(super::FolderId(0));
        let files = self.table.files_in(all).iter().copied();
        files.filter(|id| self.may_store_content(*id)).collect()
    }

    fn may_store_content(&self, id: FileId) -> bool {
        self.table.file(id).is_some_and(|file| {
            matches!(file.kind, TextKind::Text | TextKind::CutText)
                && file.stamp.size <= MAX_CACHED_FILE_BYTES
        })
    }

    /// Reads the content of a file that is in the state in which it was signed.
    fn read_content(&self, id: FileId) -> Option<ReadContent> {
        let entry = self.table.file(id)?;
        let mut reader = self
            .open_folder(entry.folder)?
            .open(self.table.name(id))
            .ok()?;
        let mut text = Vec::new();
        let whole = reader
            .read_whole(&mut text, MAX_CACHED_FILE_BYTES as usize)
            .ok()?;
        let stamp = reader.stat().ok()?;
        // A later change has another stamp, since this one is not racy.
        let is_known = stamp.has_same_state(&entry.stamp) && !stamp.is_racy();
        (whole && is_known).then_some(ReadContent { id, stamp, text })
    }

    /// Stores a content; returns whether there is memory for more.
    fn restore_content(&mut self, content: &ReadContent) -> bool {
        let is_same =
            |file: &FileEntry| file.content.is_none() && file.stamp.has_same_state(&content.stamp);
        if !self.table.file(content.id).is_some_and(is_same) || !self.may_store_content(content.id)
        {
            return true;
        }
        match self.store_content(&content.text) {
            Ok(Some(place)) => {
                self.table.set_content(content.id, Some(place));
                true
            }
            Ok(None) | Err(_) => false,
        }
    }
}
