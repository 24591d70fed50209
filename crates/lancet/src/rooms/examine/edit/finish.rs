//! What comes of a edit_session once all edits are laid: raw replacements, hunks, what will have been seen, and whether the
//! result is still the text it was.

use lancet_history::Seen;
use lancet_text::{Document, Draft, RawChange, apply_raw};
use lancet_workspace::Snapshot;

use super::edit_session::EditSession;
use crate::ledger::raw_line;
use crate::refusal::{Refusal, RefusalKind};
use crate::rooms::CallContext;
use crate::rooms::examine::explain::unencodable;
use crate::rooms::examine::hidden;
use crate::rooms::examine::open::configured;
use crate::rooms::examine::view::{Numbers, change_view};
use crate::rooms::locate::Target;
use crate::rooms::plan::ChangeView;
use crate::wording::quote_path;

pub(super) type Finished = (ChangeView, Vec<RawChange>, Seen);

/// Raw replacements, hunks and what will have been seen, once all edits of a file are laid.
pub(super) fn finish(
    edit_session: EditSession<'_>,
    target: &Target,
    base: &Snapshot,
    mut seen: Seen,
    context: &CallContext<'_>,
) -> Result<Finished, Refusal> {
    let document = edit_session.document;
    let changes = edit_session
        .draft
        .as_ref()
        .map_or(edit_session.changes, Draft::changes);
    let raw_changes = document
        .splice(&changes)
        .map_err(|error| unencodable(target, &error))?;
    if raw_changes.iter().all(|change| {
        base.bytes
            .get(change.range.start as usize..change.range.end as usize)
            == Some(&change.bytes)
    }) {
        let text = format!(
            "{} already is what this would make of it. Nothing was written.",
            quote_path(target.path())
        );
        return Err(
            Refusal::new(RefusalKind::NoChange, text).with("file_path", quote_path(target.path()))
        );
    }
    let mut notes = edit_session.notes;
    notes.push_once(hidden::of_changes(document.view(), &changes));
    let (mut view, shown) = change_view(context, document, &changes, notes, Numbers::default());
    view.rungs = edit_session.rungs;
    view.replacements = edit_session.replacements;
    for lines in shown {
        for line in lines {
            seen.add(raw_line(document, line));
        }
    }
    let shifts: Vec<_> = raw_changes
        .iter()
        .map(|change| (change.range.clone(), change.bytes.len() as u64))
        .collect();
    seen.shift(&shifts);
    note_encoding(context, target, document, base, &raw_changes, &mut view)?;
    Ok((view, raw_changes, seen))
}

/// What the edits come to in a text that is no file yet: the replacements, and what is told of them.
pub(in crate::rooms::examine) fn finish_new(
    edit_session: EditSession<'_>,
    target: &Target,
) -> Result<(Vec<RawChange>, ChangeView), Refusal> {
    let changes = edit_session
        .draft
        .as_ref()
        .map_or(edit_session.changes, Draft::changes);
    let changes = edit_session
        .document
        .splice(&changes)
        .map_err(|error| unencodable(target, &error))?;
    let view = ChangeView {
        rungs: edit_session.rungs,
        replacements: edit_session.replacements,
        notices: edit_session.notes.into_sentences(),
        ..ChangeView::default()
    };
    Ok((changes, view))
}

/// Says so where the result would be read in another encoding, and refuses one that would no longer be text.
fn note_encoding(
    context: &CallContext<'_>,
    target: &Target,
    document: &Document<'_>,
    base: &Snapshot,
    changes: &[RawChange],
    view: &mut ChangeView,
) -> Result<(), Refusal> {
    let configured = configured(context.engine(), target);
    let plain =
        document.encoding().is_utf8() && document.damaged().is_empty() && configured.is_none();
    if plain
        && changes
            .iter()
            .all(|change| !change.bytes.contains(&0) && change.range.start > 3)
    {
        // Nothing else could be meant; the whole result need not be made and looked at.
        return Ok(());
    }
    match document.encoding_after(changes, &apply_raw(&base.bytes, changes), configured) {
        Ok(None) => Ok(()),
        Ok(Some(other)) => {
            view.notices.push(format!(
                "with this change the file will be read as {}, no longer as {}",
                other.name(),
                document.encoding().name()
            ));
            Ok(())
        }
        Err(_) => Err(Refusal::new(
            RefusalKind::Binary,
            format!(
                "With this change {} would no longer be text. Leave the NUL characters out.",
                quote_path(target.path())
            ),
        )),
    }
}
