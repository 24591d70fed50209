//! The ledger's entry for a file that a call wrote: its content, the parts that were seen, and the numbers that were
//! shown.

use std::ops::Range;
use std::sync::Arc;

use lancet_history::{FileVersion, LedgerEntry};
use lancet_text::{RawChange, apply_raw};
use lancet_workspace::{Revision, Snapshot};

use super::numbers::line_numbers_after;
use crate::stages::context::CallContext;
use crate::stages::plan::{FilePlan, LedgerUpdate, NewContent};

/// Updates the ledger with what was written.
pub(super) fn note_in_ledger(
    context: &CallContext<'_>,
    file: &FilePlan,
    base: Option<Snapshot>,
    new: NewContent,
    version: FileVersion,
) {
    let path = file.target.path();
    let mut ledger = context.session.ledger();
    let numbers = line_numbers_after(ledger.get_without_use(path), file, &new);
    match new {
        // A link or folder has no text that a session could have seen.
        NewContent::Removed { .. } | NewContent::Link { .. } | NewContent::EmptyFolder { .. } => {
            ledger.remove(path);
        }
        // Moves are recorded by `record_move`, and a hard link as the content that it gives.
        NewContent::Moved(_) | NewContent::HardLink(_) => {}
        NewContent::Whole(bytes) | NewContent::Restored { bytes, .. } => {
            let mut entry = LedgerEntry::from_write(version, Some(Arc::new(bytes)));
            entry.seen = file.seen.clone();
            entry.numbers = numbers;
            ledger.put(path, entry);
        }
        NewContent::Streamed(_) | NewContent::Copied { .. } => {
            let mut entry = LedgerEntry::new(version);
            entry.seen = file.seen.clone();
            entry.numbers = numbers;
            entry.wrote = Some(version.revision);
            ledger.put(path, entry);
        }
        NewContent::Changes(changes) => {
            let plain_texts = &context.engine().base().caches.plain_texts;
            plain_texts.note_changed(
                base.as_ref(),
                &changes,
                Revision::from_bytes(version.revision),
            );
            let known = ledger.get_without_use(path).is_some_and(|entry| {
                entry.content.is_some()
                    && base
                        .as_ref()
                        .is_some_and(|base| entry.revision == *base.revision.as_bytes())
            });
            if known {
                drop(base);
                let changes: Vec<_> = raw_replacements(&changes).collect();
                ledger.record_edit(path, &changes, version);
            } else {
                let content = base.map(|base| Arc::new(apply_raw(&base.bytes, &changes)));
                let mut entry = LedgerEntry::from_write(version, content);
                entry.seen = file.seen.clone();
                ledger.put(path, entry);
            }
            // A Read during this call may have shown more of the old version; those ranges were carried over and
            // still count.
            ledger.update_seen(path, |seen, lines| {
                seen.add_all(&file.seen);
                file.forget_unshown(seen);
                *lines = numbers;
            });
        }
    }
}

/// Moves an entry to the new name: what was seen of the file under its old name counts as seen under the new one.
pub(super) fn record_move(
    context: &CallContext<'_>,
    file: &FilePlan,
    base: &Option<Snapshot>,
    changes: &[RawChange],
    version: FileVersion,
) {
    let (from, to) = (file.source().path(), file.target.path());
    {
        let mut ledger = context.session.ledger();
        let numbers = line_numbers_after(ledger.get_without_use(from), file, &file.new);
        ledger.rename(from, to);
        let base = base.as_ref().map(|base| *base.revision.as_bytes());
        let is_revised = file
            .moved()
            .is_some_and(|moved| moved.ledger == LedgerUpdate::Revise);
        let known = ledger
            .get_without_use(to)
            .filter(|entry| Some(entry.revision) == base)
            .map(|entry| entry.content.is_some() && is_revised);
        match (known, changes.is_empty()) {
            (Some(_), true) => {
                ledger.update(to, |entry| entry.stamp = version.stamp);
            }
            // A version that the session does not know remains unknown.
            (None, true) => {}
            (Some(true), false) => {
                let changes: Vec<_> = raw_replacements(changes).collect();
                ledger.record_edit(to, &changes, version);
            }
            (_, false) => {
                let mut entry = LedgerEntry::new(version);
                entry.wrote = Some(version.revision);
                ledger.put(to, entry);
            }
        }
        let is_known = known.is_some() || !changes.is_empty();
        ledger.update(to, |entry| {
            entry.seen.add_all(&file.seen);
            file.forget_unshown(&mut entry.seen);
            if is_known {
                entry.numbers = numbers;
            }
        });
    }
    context.session.store_entry(to);
    context.session.remove_entry(from);
}

fn raw_replacements(changes: &[RawChange]) -> impl Iterator<Item = (Range<u64>, &[u8])> {
    let changes = changes.iter();
    changes.map(|RawChange { range, bytes }| (range.clone(), bytes.as_slice()))
}
