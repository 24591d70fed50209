//! A file of which a page shows lines. Its bytes are obtained once, from the search's memory or from the disk; both the
//! excerpt and the lines that count as seen come from them.

use std::path::Path;

use lancet_history::FileVersion;
use lancet_search::{Excerpt, ExcerptRange, FileInMemory, FileOutcome, FileSearcher, HeldContents};
use lancet_workspace::{Located, ReadError, Revision};

use super::rules_of_files::configured_encoding;
use crate::ledger::{stamp_from_record, version};
use crate::stages::context::CallContext;

/// A larger file is read again for each excerpt, piece by piece, and its lines do not count as seen: the whole file
/// would have to be loaded and hashed for a few lines.
const MAX_IN_MEMORY_SIZE: u64 = 4 << 20;

/// A file of a page.
pub(super) struct PageFile<'h> {
    content: FileContent<'h>,
    encoding: Option<&'static str>,
}

enum FileContent<'h> {
    /// All its bytes, as they were at one moment.
    Whole(FileInMemory<'h>),
    /// A file that is too large for memory, or that keeps changing.
    Streamed(Located),
    /// A file that cannot be read.
    Failed(FileOutcome),
}

impl<'h> PageFile<'h> {
    /// Gets the file at an absolute path that the search has found.
    pub(super) fn get(
        context: &CallContext<'_>,
        held: Option<&'h dyn HeldContents>,
        path: &Path,
    ) -> Self {
        let whole = held
            .and_then(|held| held.content_in_memory(path))
            .map(FileContent::Whole);
        PageFile {
            content: whole.unwrap_or_else(|| from_disk(context, path)),
            encoding: configured_encoding(context.engine(), path),
        }
    }

    /// Returns the lines around some of its matches.
    pub(super) fn excerpt(
        &self,
        searcher: &FileSearcher<'_>,
        extent: ExcerptRange,
    ) -> Result<Excerpt, FileOutcome> {
        match &self.content {
            FileContent::Whole(file) => {
                searcher.excerpt_of_bytes((*file.bytes).as_ref(), self.encoding, extent)
            }
            FileContent::Streamed(located) => {
                searcher.excerpt_of_file(located.open_reader(), self.encoding, extent)
            }
            FileContent::Failed(why) => Err(*why),
        }
    }

    /// Returns all its bytes, where they are in memory.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match &self.content {
            FileContent::Whole(file) => Some((*file.bytes).as_ref()),
            _ => None,
        }
    }

    /// Returns whether the offsets of an excerpt's lines are offsets in these bytes, according to the settings.
    pub(super) fn is_searched_as_stored(&self) -> bool {
        self.encoding.is_none()
    }

    /// Returns the version that the bytes represent. Hashing is most of the cost of a line that counts as seen (10 KB
    /// take about 9 µs), so a revision that the ledger has for the same stamp is reused.
    pub(super) fn version(&self, context: &CallContext<'_>, path: &Path) -> Option<FileVersion> {
        let FileContent::Whole(file) = &self.content else {
            return None;
        };
        let known = context
            .session
            .ledger()
            .get_without_use(path)
            .and_then(|entry| {
                let stamp = stamp_from_record(&entry.stamp);
                let proves = stamp.has_same_state(&file.stamp) && !stamp.is_racy();
                proves.then(|| Revision::from_bytes(entry.revision))
            });
        let revision = known.unwrap_or_else(|| Revision::from_content((*file.bytes).as_ref()));
        Some(version(&revision, &file.stamp))
    }
}

fn from_disk<'h>(context: &CallContext<'_>, path: &Path) -> FileContent<'h> {
    let located = match context.engine().workspace.locate_as_spelled(path) {
        // A walk follows no link, so this one was created later, and its target was not part of the search.
        Ok(located) if located.path() == path => located,
        _ => return FileContent::Failed(FileOutcome::Gone),
    };
    if located
        .stat()
        .is_some_and(|stamp| stamp.size > MAX_IN_MEMORY_SIZE)
    {
        return FileContent::Streamed(located);
    }
    match located.read_without_revision(MAX_IN_MEMORY_SIZE) {
        Ok((bytes, stamp)) => FileContent::Whole(FileInMemory {
            bytes: Box::new(bytes),
            stamp,
        }),
        Err(ReadError::TooLarge { .. } | ReadError::Unstable) => FileContent::Streamed(located),
        Err(error) => FileContent::Failed(FileOutcome::from(&error)),
    }
}
