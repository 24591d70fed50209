//! Lines that Grep showed whole count as seen: an Edit inside them needs no Read. They are compared with the file as it
//! is now, line by line, so that no line counts that was not shown.

use std::path::PathBuf;
use std::sync::Arc;

use lancet_history::{Seen, Version};
use lancet_search::Stop;
use lancet_text::Document;

use crate::ledger::{raw_line, version};
use crate::rooms::CallContext;
use crate::rooms::examine::open::is_notebook;

/// Lines of larger files do not count: the whole file would have to be read and hashed for a few lines.
const LARGEST: u64 = 4 << 20;

/// Lines of a file that an answer shows whole.
pub(super) struct ShownFile {
    pub(super) path: PathBuf,
    /// The number of each line, from 1, and its text.
    pub(super) lines: Vec<(u64, Arc<str>)>,
}

/// The ledger's entry for a file.
pub(crate) struct SeenFile {
    pub(crate) path: PathBuf,
    pub(crate) version: Version,
    pub(crate) seen: Seen,
}

pub(super) fn take(
    context: &CallContext<'_>,
    shown: Vec<ShownFile>,
    stop: &dyn Stop,
) -> Vec<SeenFile> {
    shown
        .into_iter()
        .take_while(|_| !stop.is_over())
        .filter(|file| !file.lines.is_empty())
        .filter_map(|file| seen(context, file))
        .collect()
}

fn seen(context: &CallContext<'_>, shown: ShownFile) -> Option<SeenFile> {
    // A line of a notebook's JSON is no cell: what NotebookEdit may change is what Read showed.
    if is_notebook(&shown.path) {
        return None;
    }
    let engine = context.engine();
    let located = engine.workspace.locate_as_spelled(&shown.path).ok()?;
    if located.stat()?.size > LARGEST {
        return None;
    }
    let snapshot = located.snapshot(LARGEST).ok()?;
    let encoding = engine
        .settings
        .encoding_for(engine.below_root(located.path()));
    let document = Document::decode(&snapshot.bytes, encoding).ok()?;
    let mut seen = Seen::default();
    for (number, text) in &shown.lines {
        let line = usize::try_from(*number).ok()?.checked_sub(1)?;
        if line < document.line_count() && document.view()[document.line_range(line)] == **text {
            seen.add(raw_line(&document, line));
        }
    }
    Some(SeenFile {
        path: located.path().to_path_buf(),
        version: version(&snapshot.revision, &snapshot.stamp),
        seen,
    })
}
