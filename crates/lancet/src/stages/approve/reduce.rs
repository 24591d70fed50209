//! Reduces the change of a file to the pieces that a person picked: the file is written with exactly the picked hunks,
//! and all other bytes are unchanged.

use lancet_history::SeenRanges;
use lancet_text::{Document, Hunk, apply_raw, unified_diff};

use super::pieces::{Pieces, changed_blocks};
use crate::message::{message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::examine::edit::refuse::no_longer_text_refusal;
use crate::stages::open::configured_encoding;
use crate::stages::plan::{ChangeView, FilePlan, NewContent};
use crate::wording::{quote_path, truncate};

/// The longest diff that the answer shows, in characters.
const MAX_DIFF_LENGTH: usize = 20_000;

/// Reduces a plan to the picked pieces.
pub(super) fn reduce(
    context: &CallContext<'_>,
    mut file: FilePlan,
    pieces: &Pieces,
    picked: &[usize],
) -> Result<FilePlan, Refusal> {
    let picked = pieces.hunks_of(picked);
    let changes = pieces.changes_of(&picked);
    let hunks: Vec<Hunk> = picked
        .iter()
        .filter_map(|at| file.view.patch.get(*at))
        .cloned()
        .collect();
    let Some(base) = file.base.clone() else {
        return Err(inseparable_refusal(&file));
    };
    let Ok(old) = Document::decode(&base.bytes, Some(file.encoding)) else {
        return Err(inseparable_refusal(&file));
    };
    let result = apply_raw(&base.bytes, &changes);
    let encoding = old
        .encoding_after_changes(
            &changes,
            &result,
            configured_encoding(context.engine(), &file.target),
        )
        .map_err(|_| no_longer_text_refusal(&file.target))?;
    let new = Document::decode(&result, Some(encoding.unwrap_or(file.encoding)));
    // The bytes must be what the person was shown: the file with these hunks and no other.
    let meant = apply_hunks(old.view(), &hunks);
    if new.is_err() || new.is_ok_and(|new| Some(new.view()) != meant.as_deref()) {
        return Err(inseparable_refusal(&file));
    }
    let mut view = picked_view(&file.view, hunks, changes.len());
    view.notices.extend(encoding.map(|other| {
        message!(
            "with this change the file will be read as {}, no longer as {}",
            verbatim(other.name()),
            verbatim(file.encoding.name())
        )
    }));
    file.view = view;
    file.new = NewContent::Changes(changes);
    // The answer shows the diff; the model has read no more than before.
    file.seen = SeenRanges::default();
    Ok(file)
}

/// Returns the view of the picked hunks for the answer.
fn picked_view(whole: &ChangeView, hunks: Vec<Hunk>, changes: usize) -> ChangeView {
    let mut view = ChangeView {
        rungs: whole.rungs.clone(),
        replacements: whole.replacements.min(changes),
        notices: whole.notices.clone(),
        ..ChangeView::default()
    };
    for mut hunk in hunks {
        // Earlier hunks have moved this one by the lines that they added and removed.
        let old = hunk.old_start - usize::from(hunk.old_lines > 0);
        hunk.new_start = old + view.added - view.removed + usize::from(hunk.new_lines > 0);
        for (old, new) in changed_blocks(&hunk) {
            view.added += new.len();
            view.removed += old.len();
            view.lines.push(new.start + 1..new.end + 1);
        }
        view.patch.push(hunk);
    }
    view.body = truncate(&unified_diff(&view.patch), MAX_DIFF_LENGTH);
    view
}

/// Applies hunks to a text; none where they do not fit.
fn apply_hunks(text: &str, hunks: &[Hunk]) -> Option<String> {
    let mut lines = text.split_inclusive('\n');
    let mut made = String::with_capacity(text.len());
    let mut at = 0;
    for hunk in hunks {
        let start = hunk.old_start - usize::from(hunk.old_lines > 0);
        while at < start {
            made.push_str(lines.next()?);
            at += 1;
        }
        let mut shown = hunk.lines.iter().peekable();
        while let Some(line) = shown.next() {
            let mark = line.get(..1)?;
            let ended = shown.next_if(|next| next.starts_with('\\')).is_none();
            let text = &line[1..];
            if mark != "+" {
                let old = lines.next()?;
                at += 1;
                if old.strip_suffix('\n').unwrap_or(old) != text || old.ends_with('\n') != ended {
                    return None;
                }
            }
            if mark != "-" {
                made.push_str(text);
                made.push_str(if ended { "\n" } else { "" });
            }
        }
    }
    made.extend(lines);
    Some(made)
}

/// Returns the refusal where the picked pieces cannot be written without the others.
fn inseparable_refusal(file: &FilePlan) -> Refusal {
    let path = quote_path(file.target.path());
    let text = message!(
        "A person picked parts of this change of {} that cannot be written without the others. Nothing was written; send them as separate calls.",
        &path
    );
    Refusal::from_message(RefusalKind::Declined, text).with_field("file_path", path)
}
