//! Records what hooks did to the files of a call: as a separate operation in the history, and in the ledger.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_history::{
    ChangeKind, ContentDraft, DraftState, FileDraft, FileVersion, LedgerEntry, OperationAuthor,
    OperationDraft, OperationKind,
};
use lancet_text::{Document, RawChange, apply_raw};
use lancet_workspace::{KnownContent, Revision, Snapshot};

use crate::ledger::{raw_lines, version};
use crate::message::{OPERATION, message, verbatim};
use crate::operation;
use crate::stages::context::CallContext;
use crate::stages::examine::formatted::{line_blocks, line_changes, unshown_formatted_lines};
use crate::stages::examine::view::{LineOffsets, Notes, change_view};
use crate::stages::open::MAX_IN_MEMORY_SIZE;
use crate::stages::record::Recorded;

/// The name that the history gives as the tool of a hook's change.
const HOOK_TOOL: &str = "hook";

/// A file that a hook has changed.
struct HookedFile {
    /// The index of the file in the plan.
    at: usize,
    path: PathBuf,
    /// The content that the call wrote.
    old: Arc<Vec<u8>>,
    /// The present version; none where the file no longer exists.
    new: Option<Snapshot>,
}

/// The state of a file after hooks.
enum FileAfterHooks {
    AsWritten,
    Gone,
    Other(Snapshot),
    /// It cannot be read, or is too large for memory.
    Unknown,
}

/// Returns whether the files are still as the call wrote them.
pub(super) fn is_as_written(context: &CallContext<'_>, recorded: &Recorded) -> bool {
    (0..recorded.plan.files.len()).all(|at| {
        recorded.plan.files[at].removes()
            || matches!(
                file_after_hooks(context, recorded, at),
                FileAfterHooks::AsWritten
            )
    })
}

/// Records the changes. `by` names the hooks that ran.
pub(super) fn record_hook_changes(context: &CallContext<'_>, recorded: &mut Recorded, by: &str) {
    let mut changed = Vec::new();
    for at in 0..recorded.plan.files.len() {
        if recorded.plan.files[at].removes() {
            continue;
        }
        let new = match file_after_hooks(context, recorded, at) {
            FileAfterHooks::AsWritten => continue,
            FileAfterHooks::Gone => None,
            FileAfterHooks::Other(snapshot) => Some(snapshot),
            FileAfterHooks::Unknown => {
                let words = message!(
                    "{} changed this file, which cannot be kept in the history",
                    verbatim(by)
                );
                recorded.plan.files[at].view.notices.push(words);
                continue;
            }
        };
        let path = recorded.plan.files[at].target.path().to_path_buf();
        match written_content(context, &path, &recorded.written[at].revision) {
            Some(old) => changed.push(HookedFile { at, path, old, new }),
            None => {
                let words = message!(
                    "{} changed this file, and what the call wrote is no longer known, so that change cannot be undone",
                    verbatim(by)
                );
                recorded.plan.files[at].view.notices.push(words);
            }
        }
    }
    if changed.is_empty() {
        return;
    }
    let child = record_operation(context, recorded, &changed, by);
    for file in changed {
        report_hook_change(context, recorded, file, by, child.as_deref());
    }
}

fn file_after_hooks(context: &CallContext<'_>, recorded: &Recorded, at: usize) -> FileAfterHooks {
    let (path, written) = (recorded.plan.files[at].target.path(), &recorded.written[at]);
    let Ok(located) = context.engine().workspace.locate_as_spelled(path) else {
        return FileAfterHooks::Unknown;
    };
    let Some(stamp) = located.stat() else {
        return FileAfterHooks::Gone;
    };
    if stamp.has_same_state(&written.stamp) {
        return FileAfterHooks::AsWritten;
    }
    let known = KnownContent::Revision(written.revision);
    if let Ok(Some(_)) = located.check_unchanged_since(&written.stamp, known) {
        return FileAfterHooks::AsWritten;
    }
    match located.read_snapshot(MAX_IN_MEMORY_SIZE) {
        Ok(snapshot) if snapshot.revision == written.revision => FileAfterHooks::AsWritten,
        Ok(snapshot) => FileAfterHooks::Other(snapshot),
        Err(_) => FileAfterHooks::Unknown,
    }
}

/// Returns the content that the call wrote, from the ledger or the history.
fn written_content(
    context: &CallContext<'_>,
    path: &Path,
    revision: &Revision,
) -> Option<Arc<Vec<u8>>> {
    let held = {
        let ledger = context.session.ledger();
        let entry = ledger.get_without_use(path);
        let entry = entry.filter(|entry| entry.revision == *revision.as_bytes());
        entry.and_then(|entry| entry.content.clone())
    };
    held.or_else(|| {
        let store = context.engine().history()?;
        let content = store.content(revision.as_bytes()).ok()??;
        Some(Arc::new(content))
    })
}

/// Records the changes as one operation and returns its id, where there is a history.
fn record_operation(
    context: &CallContext<'_>,
    recorded: &Recorded,
    changed: &[HookedFile],
    by: &str,
) -> Option<String> {
    let store = context.engine().history()?;
    let id = operation::new_id();
    let files = changed.iter().map(|file| {
        let mode = recorded.written[file.at].stamp.mode;
        let (added, removed) = count_changed_lines(file);
        FileDraft {
            path: &file.path,
            kind: match file.new {
                Some(_) => ChangeKind::Update,
                None => ChangeKind::Delete,
            },
            moved_from: None,
            before: Some(DraftState {
                revision: *recorded.written[file.at].revision.as_bytes(),
                size: file.old.len() as u64,
                mode,
                link: None,
                inode: Some(recorded.written[file.at].stamp.inode),
                content: ContentDraft::Whole(&file.old),
            }),
            after: file.new.as_ref().map(|new| DraftState {
                revision: *new.revision.as_bytes(),
                size: new.bytes.len() as u64,
                mode: new.stamp.mode,
                link: None,
                inode: Some(new.stamp.inode),
                content: ContentDraft::Whole(&new.bytes),
            }),
            added,
            removed,
            folders: Vec::new(),
            workspace: context.engine().workspace_of(&file.path),
        }
    });
    let approved = format!("the hook {by}");
    let draft = OperationDraft {
        id: &id,
        time: operation::current_milliseconds(),
        kind: OperationKind::Change,
        author: OperationAuthor {
            session: context.session.key(),
            client: context.caller.client.as_deref(),
            version: context.caller.version.as_deref(),
            turn: context.caller.turn.as_deref(),
            call: context.caller.call.as_deref(),
        },
        tool: HOOK_TOOL,
        rungs: Vec::new(),
        approved: Some(&approved),
        question: None,
        parent: Some(&recorded.operation),
        files: files.collect(),
        takes_back: Vec::new(),
        takes_part_of: Vec::new(),
    };
    let begun = store.begin(&draft).and_then(|_| store.finish(&draft));
    begun.is_ok().then_some(id)
}

/// Returns the lines that a hook added and removed.
fn count_changed_lines(file: &HookedFile) -> (u64, u64) {
    let new = file.new.as_ref().map_or(&[][..], |new| &new.bytes);
    let (Ok(old), Ok(new)) = (
        Document::decode(&file.old, None),
        Document::decode(new, None),
    ) else {
        return (0, 0);
    };
    let blocks = line_blocks(old.view(), new.view());
    let sum = |lines: &mut dyn Iterator<Item = usize>| lines.sum::<usize>() as u64;
    (
        sum(&mut blocks.iter().map(|(_, new)| new.len())),
        sum(&mut blocks.iter().map(|(old, _)| old.len())),
    )
}

/// Records the change of a hook in the ledger and the answer.
fn report_hook_change(
    context: &CallContext<'_>,
    recorded: &mut Recorded,
    file: HookedFile,
    by: &str,
    child: Option<&str>,
) {
    let back = match child {
        Some(child) => message!(
            "; that is {} {}, and an undo of {} takes it along",
            OPERATION,
            verbatim(child),
            verbatim(&recorded.operation)
        ),
        None => message!("; that could not be recorded, so no undo takes it back"),
    };
    let HookedFile { at, path, old, new } = file;
    let Some(new) = new else {
        let view = &mut recorded.plan.files[at].view;
        view.notices.push(message!(
            "the hook {} removed this file{}",
            verbatim(by),
            back
        ));
        view.removed_later = true;
        context.session.ledger().remove(&path);
        context.session.remove_entry(&path);
        return;
    };
    let what = match new.bytes.is_empty() && !old.is_empty() {
        true => "emptied",
        false => "changed",
    };
    let notice = message!("the hook {} {} this file{}", verbatim(by), what, back);
    let shown = shown_change(context, recorded, at, &old, &new);
    let view = &mut recorded.plan.files[at].view;
    view.notices.push(notice);
    if let Some(shown) = &shown {
        if !view.body.is_empty() && !view.body.ends_with('\n') {
            view.body.push('\n');
        }
        view.body
            .push_str(&format!("after the hook {by}:\n{}", shown.body));
    }
    let now = version(&new.revision, &new.stamp);
    update_ledger(context, &path, &new, now, shown);
    let written = &mut recorded.written[at];
    (written.revision, written.stamp) = (new.revision, new.stamp);
    if let Some((_, Some(content))) = recorded.contents.get_mut(at) {
        *content = Arc::clone(&new.bytes);
    }
}

/// The text that the answer shows of a hook's change.
struct ShownChange {
    body: String,
    /// The change as replacements of bytes; none where it is more than a change of lines.
    changes: Option<Vec<RawChange>>,
    /// The bytes that the hook wrote and the answer does not show.
    unshown: Vec<Range<u64>>,
}

fn shown_change(
    context: &CallContext<'_>,
    recorded: &Recorded,
    at: usize,
    old: &[u8],
    new: &Snapshot,
) -> Option<ShownChange> {
    let file = &recorded.plan.files[at];
    if file.is_withheld() {
        return None;
    }
    let old = Document::decode(old, Some(file.encoding)).ok()?;
    let after = Document::decode(&new.bytes, Some(file.encoding)).ok()?;
    let blocks = line_blocks(old.view(), after.view());
    let changes = blocks.iter().map(|(gone, come)| {
        let insertion = raw_lines(&old, 0..gone.start).end;
        let gone = match gone.is_empty() {
            true => insertion..insertion,
            false => raw_lines(&old, gone.clone()),
        };
        let come = raw_lines(&after, come.clone());
        RawChange {
            range: gone,
            bytes: new.bytes[come.start as usize..come.end as usize].to_vec(),
        }
    });
    let changes: Vec<RawChange> = changes.collect();
    let is_all = apply_raw(old.raw(), &changes) == *new.bytes;
    let view_changes = line_changes(old.view(), after.view());
    let (view, _) = change_view(
        context,
        &old,
        &view_changes,
        Notes::default(),
        LineOffsets::default(),
    );
    let lines: Vec<Range<usize>> = blocks.into_iter().map(|(_, come)| come).collect();
    Some(ShownChange {
        unshown: unshown_formatted_lines(&after, &view, &lines),
        body: view.body,
        changes: is_all.then_some(changes),
    })
}

fn update_ledger(
    context: &CallContext<'_>,
    path: &Path,
    new: &Snapshot,
    now: FileVersion,
    shown: Option<ShownChange>,
) {
    if context.session.is_for_host() {
        return;
    }
    {
        let mut ledger = context.session.ledger();
        let mut is_taken_in = false;
        if let Some(ShownChange {
            changes: Some(changes),
            unshown,
            ..
        }) = shown
        {
            let raw = changes.iter();
            let raw: Vec<_> = raw
                .map(|change| (change.range.clone(), change.bytes.as_slice()))
                .collect();
            is_taken_in = ledger.record_edit(path, &raw, now).is_some();
            ledger.update(path, |entry| {
                for range in unshown {
                    entry.seen.remove(range);
                }
            });
        }
        if !is_taken_in {
            // It is not certain that any of it was shown, so nothing counts as seen.
            let mut entry = LedgerEntry::from_write(now, Some(Arc::clone(&new.bytes)));
            entry.seen = lancet_history::SeenRanges::default();
            ledger.put(path, entry);
        }
    }
    context.session.store_entry(path);
}
