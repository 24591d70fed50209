//! Turns the text that a person wrote instead of the model's into a separate plan. Lines that the person did not change
//! keep the file's bytes.

use std::ops::Range;

use lancet_history::SeenRanges;
use lancet_text::{
    Change, Document, Encoding, Hunk, LineEnd, LineStarts, LineTable as _, difference, encode_new,
    hunks_of_changes, unified_diff,
};

use crate::message::message;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::examine::explain::unencodable_refusal;
use crate::stages::examine::read_state::DIFF_BUDGET;
use crate::stages::plan::{ChangeView, FilePlan, NewContent};
use crate::wording::{quote_path, truncate};

/// The longest diff that the answer shows, in characters.
const MAX_DIFF_LENGTH: usize = 20_000;

/// Replaces the plan's new text by the person's.
pub(super) fn apply_edited_text(mut file: FilePlan, text: &str) -> Result<FilePlan, Refusal> {
    let Some(base) = file.base.clone() else {
        // The file is new, so the person's text is all of it.
        let ending = line_ending_of_plan(&file);
        let bytes = encode_new(text, file.encoding, ending)
            .map_err(|error| unencodable_refusal(&file.target, &error))?;
        let all = Change {
            range: 0..0,
            text: text.to_owned(),
        };
        let patch = hunks_of_changes("", &LineStarts::new(""), &[all], 0);
        file.seen = SeenRanges::all_seen(bytes.len() as u64);
        file.new = NewContent::Whole(bytes);
        file.view = edited_view(patch.hunks, (patch.added, patch.removed), patch.coarse);
        file.view.lines = std::iter::once(1..file.view.added + 1).collect();
        return Ok(file);
    };
    let document = Document::decode(&base.bytes, Some(file.encoding)).map_err(|_| {
        Refusal::from_message(
            RefusalKind::Internal,
            "The file can no longer be read as text. Nothing was written.",
        )
    })?;
    let changed = difference(document.view(), text, 3, DIFF_BUDGET);
    if changed.is_empty() {
        let path = quote_path(file.target.path());
        let text = message!(
            "A person edited the change of {} until nothing was left of it. Nothing was written.",
            &path
        );
        return Err(
            Refusal::from_message(RefusalKind::Declined, text).with_field("file_path", path)
        );
    }
    let (old_lines, new_lines) = (LineStarts::new(document.view()), LineStarts::new(text));
    let changes: Vec<Change> = changed
        .blocks
        .iter()
        .map(|(old, new)| Change {
            range: byte_range_of_lines(&old_lines, old, document.view()),
            text: text[byte_range_of_lines(&new_lines, new, text)].to_owned(),
        })
        .collect();
    let raw = document
        .raw_changes(&changes)
        .map_err(|error| unencodable_refusal(&file.target, &error))?;
    file.view = ChangeView {
        lines: changed
            .blocks
            .iter()
            .map(|(_, new)| new.start + 1..new.end + 1)
            .collect(),
        ..edited_view(
            changed.hunks,
            (changed.added, changed.removed),
            changed.coarse,
        )
    };
    // The model sees only the diff of the person's text, so nothing else counts as seen.
    file.seen = SeenRanges::default();
    file.new = NewContent::Changes(raw);
    Ok(file)
}

fn edited_view(patch: Vec<Hunk>, (added, removed): (usize, usize), coarse: bool) -> ChangeView {
    ChangeView {
        added,
        removed,
        coarse,
        body: truncate(&unified_diff(&patch), MAX_DIFF_LENGTH),
        patch,
        notices: vec![message!(
            "a person changed the text before it was written; this is what was written"
        )],
        ..ChangeView::default()
    }
}

/// Returns the byte range of some lines, with their line ends.
fn byte_range_of_lines(lines: &LineStarts, block: &Range<usize>, text: &str) -> Range<usize> {
    let start = |line: usize| match line < lines.line_count() {
        true => lines.line_range(line).start,
        false => text.len(),
    };
    start(block.start)..start(block.end)
}

/// Finds the line ending that the plan's own bytes have.
fn line_ending_of_plan(file: &FilePlan) -> LineEnd {
    match (&file.new, file.encoding == Encoding::UTF8) {
        (NewContent::Whole(bytes), true) if bytes.windows(2).any(|pair| pair == b"\r\n") => {
            LineEnd::Crlf
        }
        _ => LineEnd::AsSent,
    }
}
