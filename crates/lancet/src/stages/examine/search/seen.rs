//! Lines that Grep showed whole count as seen: an Edit inside them needs no Read. They are compared with the file's
//! bytes, line by line, so that only lines that were shown count.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_history::{FileVersion, LedgerEntry, SeenRanges};
use lancet_text::Document;

use super::page_file::PageFile;
use crate::ledger::{raw_line, stamp_from_record};
use crate::stages::context::CallContext;
use crate::stages::open::is_notebook;

/// A line that an answer shows whole.
pub(super) struct ShownLine {
    /// Its number, from 1.
    pub(super) number: u64,
    /// The offset of its start in the text that was searched.
    pub(super) offset: u64,
    /// Its text without the line end.
    pub(super) text: Arc<str>,
}

/// The ledger's entry for a file.
pub(crate) struct SeenFile {
    pub(crate) path: PathBuf,
    pub(crate) version: FileVersion,
    pub(crate) seen: SeenRanges,
}

impl SeenFile {
    /// Returns whether an entry of the ledger already contains all of this, so that it need not be saved again. An
    /// entry whose stamp proves nothing yet is worth replacing, since this stamp may prove it.
    pub(crate) fn is_contained_in(&self, entry: &LedgerEntry) -> bool {
        let (known, now) = (
            stamp_from_record(&entry.stamp),
            stamp_from_record(&self.version.stamp),
        );
        entry.revision == self.version.revision
            && known.has_same_state(&now)
            && !known.is_racy()
            && self
                .seen
                .ranges()
                .iter()
                .all(|range| entry.seen.covers(range.clone()))
    }
}

/// Returns what counts as seen of a file of which these lines are shown; `None` where nothing does.
pub(super) fn from_shown_lines(
    context: &CallContext<'_>,
    path: &Path,
    file: &PageFile<'_>,
    shown: &[ShownLine],
) -> Option<SeenFile> {
    // A line of a notebook's JSON is not a cell: NotebookEdit may only change cells that Read showed.
    if shown.is_empty() || is_notebook(path) {
        return None;
    }
    let engine = context.engine();
    let bytes = file.bytes()?;
    let encoding = engine.settings.encoding_for(engine.relative_to_root(path));
    let document = Document::decode(bytes, encoding).ok()?;
    let mut seen = SeenRanges::default();
    if document.is_verbatim() && file.is_searched_as_stored() {
        for line in shown {
            seen.add(stored_line(bytes, line).unwrap_or_default());
        }
    } else {
        for line in shown {
            let number = usize::try_from(line.number).ok()?.checked_sub(1)?;
            if number < document.line_count()
                && document.view()[document.line_range(number)] == *line.text
            {
                seen.add(raw_line(&document, number));
            }
        }
    }
    if seen.is_empty() {
        return None;
    }
    Some(SeenFile {
        path: path.to_path_buf(),
        version: file.version(context, path)?,
        seen,
    })
}

/// Returns the bytes of a shown line with its line end, in a file whose text is its bytes; `None` where they are not
/// the whole line. Looking up a line by its number took about 1,000 instructions; this takes about 50.
fn stored_line(bytes: &[u8], line: &ShownLine) -> Option<Range<u64>> {
    let start = usize::try_from(line.offset).ok()?;
    let rest = bytes.get(start..).filter(|rest| !rest.is_empty())?;
    let after = rest.strip_prefix(line.text.as_bytes())?;
    let begins = start == 0 || bytes[start - 1] == b'\n';
    let line_end = match after.first() {
        None => 0,
        Some(b'\n') => 1,
        Some(_) => return None,
    };
    let end = line.offset + line.text.len() as u64 + line_end;
    begins.then_some(line.offset..end)
}
