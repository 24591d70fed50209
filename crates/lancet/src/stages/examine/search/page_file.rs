//! A file of which a page shows lines. Its bytes are obtained once, from the search's memory or from the disk; both the
//! excerpt and the lines that count as seen come from them.

use std::path::Path;

use lancet_history::Version;
use lancet_search::{Excerpt, ExcerptRange, FileOutcome, FileSearcher, HeldContents, HeldFile};
use lancet_workspace::{Located, ReadError, Revision};

use super::rules_of_files::encoding;
use crate::ledger::{stamp_of, version};
use crate::stages::context::CallContext;

/// A larger file is read again for each excerpt, piece by piece, and its lines do not count as seen: the whole file
/// would have to be loaded and hashed for a few lines.
const LARGEST: u64 = 4 << 20;

/// A file of a page.
pub(super) struct PageFile<'h> {
    content: Content<'h>,
    encoding: Option<&'static str>,
}

enum Content<'h> {
    /// All its bytes, as they were at one moment.
    Whole(HeldFile<'h>),
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
            .and_then(|held| held.held_file(path))
            .map(Content::Whole);
        PageFile {
            content: whole.unwrap_or_else(|| from_disk(context, path)),
            encoding: encoding(context.engine(), path),
        }
    }

    /// Returns the lines around some of its matches.
    pub(super) fn excerpt(
        &self,
        searcher: &FileSearcher<'_>,
        extent: ExcerptRange,
    ) -> Result<Excerpt, FileOutcome> {
        match &self.content {
            Content::Whole(file) => {
                searcher.excerpt_of((*file.bytes).as_ref(), self.encoding, extent)
            }
            Content::Streamed(located) => {
                searcher.excerpt(located.open_reader(), self.encoding, extent)
            }
            Content::Failed(why) => Err(*why),
        }
    }

    /// Returns all its bytes, where they are in memory.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Whole(file) => Some((*file.bytes).as_ref()),
            _ => None,
        }
    }

    /// Returns whether the offsets of an excerpt's lines are offsets in these bytes, according to the settings.
    pub(super) fn is_searched_as_stored(&self) -> bool {
        self.encoding.is_none()
    }

    /// Returns the version that the bytes represent. Hashing is most of the cost of a line that counts as seen (10 KB
    /// take about 9 µs), so a revision that the ledger has for the same stamp is reused.
    pub(super) fn version(&self, context: &CallContext<'_>, path: &Path) -> Option<Version> {
        let Content::Whole(file) = &self.content else {
            return None;
        };
        let known = context.session.ledger().peek(path).and_then(|entry| {
            let stamp = stamp_of(&entry.stamp);
            let proves = stamp.same_file_state(&file.stamp) && !stamp.racy();
            proves.then(|| Revision::from_bytes(entry.revision))
        });
        let revision = known.unwrap_or_else(|| Revision::of_content((*file.bytes).as_ref()));
        Some(version(&revision, &file.stamp))
    }
}

fn from_disk<'h>(context: &CallContext<'_>, path: &Path) -> Content<'h> {
    let located = match context.engine().workspace.locate_as_spelled(path) {
        // A walk follows no link, so this one was created later, and its target was not part of the search.
        Ok(located) if located.path() == path => located,
        _ => return Content::Failed(FileOutcome::Gone),
    };
    if located.stat().is_some_and(|stamp| stamp.size > LARGEST) {
        return Content::Streamed(located);
    }
    match located.whole(LARGEST) {
        Ok((bytes, stamp)) => Content::Whole(HeldFile {
            bytes: Box::new(bytes),
            stamp,
        }),
        Err(ReadError::TooLarge { .. } | ReadError::Unstable) => Content::Streamed(located),
        Err(error) => Content::Failed(FileOutcome::from(&error)),
    }
}
