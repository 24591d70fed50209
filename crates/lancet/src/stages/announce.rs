//! Records a plan in the history before it is carried out, with everything that an undo needs, and marks it finished
//! afterwards. Where the record cannot be written the change is refused, unless the settings allow changes without
//! history.

mod states;

use std::os::fd::AsFd as _;
use std::sync::Arc;

use lancet_history::{
    AnnounceConflict, ConfirmOutcome, HistoryError, OperationAuthor, OperationDraft,
    OperationStore, SaveOutcome,
};
use lancet_workspace::{OldFile, Revision, Seal, WriteOutcome};

use super::context::CallContext;
use super::plan::{FilePlan, NewContent, Plan};
use super::{empty_folders, late, stopped};
use crate::message::{Message, SEND_AGAIN, message, verbatim};
use crate::operation;
use crate::refusal::{Refusal, RefusalKind};
use crate::wording::quote_path;

/// Old contents above this size are not copied into the history: the displaced file itself becomes the stored content.
const MAX_COPIED_CONTENT: u64 = lancet_history::INLINE_LIMIT;
/// How many ids are tried before giving up where an id is already taken.
const MAX_ID_ATTEMPTS: usize = 8;

/// An operation that is announced in the history and not finished yet.
pub(crate) struct PendingOperation {
    pub(super) id: String,
    pub(super) keeping: OldStateStorage,
    /// The revision of each file's new content, where it is known in advance, so that it is not hashed again.
    pub(super) revisions: Vec<Option<Revision>>,
    time: i64,
    /// Whether the history has a record of the operation.
    on_record: bool,
}

impl PendingOperation {
    /// Returns whether the announced record is already complete, so that it only has to be confirmed.
    fn is_complete(&self, plan: &Plan, written: &[WriteOutcome]) -> bool {
        let mut files = plan.files.iter().zip(written).zip(&self.revisions);
        plan.origin.takes_back.is_empty()
            && files.all(|((file, written), known)| {
                let Some(stamp) = file.expected.stamp() else {
                    return false;
                };
                // An old file that may still be written to must be stored with the record.
                (written.is_old_file_sealed()
                    || self.old_file_handling(file) == OldFile::KeptByCaller)
                    && *known == Some(written.revision)
                    && stamp.mode == written.stamp.mode
                    && written.created_folders.is_empty()
            })
    }

    /// Returns whether the workspace keeps a file's old bytes: bytes that the record contains are not stored a second
    /// time.
    pub(super) fn old_file_handling(&self, file: &FilePlan) -> OldFile {
        let is_whole = file
            .base
            .as_ref()
            .is_some_and(|base| base.bytes.len() as u64 <= MAX_COPIED_CONTENT);
        if self.on_record && is_whole {
            OldFile::KeptByCaller
        } else {
            OldFile::Keep
        }
    }
}

/// Whether the history stores the old state of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OldStateStorage {
    /// The history stores it, or there is no state folder at all.
    History,
    /// The state folder cannot be written, and the settings allow the change all the same.
    Nothing,
}

/// Announces a plan in the history.
pub(crate) fn announce_plan(
    context: &CallContext<'_>,
    plan: &mut Plan,
) -> Result<PendingOperation, Refusal> {
    let mut announced = PendingOperation {
        id: operation::new_id(),
        keeping: OldStateStorage::History,
        revisions: Vec::new(),
        time: operation::current_milliseconds(),
        on_record: false,
    };
    let Some(store) = context.engine().history() else {
        return Ok(announced);
    };
    super::heal::settle_history_once(context.engine());
    let engine = context.engine();
    let revisions = plan.files.iter().map(|file| file.new_revision(engine));
    announced.revisions = revisions.collect();
    for _ in 0..MAX_ID_ATTEMPTS {
        match store.begin(&draft(context, plan, &announced, None)) {
            Ok(_) => {
                announced.on_record = true;
                return Ok(announced);
            }
            Err(HistoryError::Conflict(AnnounceConflict::Taken(_))) => {
                announced.id = operation::new_id()
            }
            Err(HistoryError::Conflict(AnnounceConflict::UsedUp(_))) => {
                return Err(used_up_refusal(plan));
            }
            Err(HistoryError::Conflict(AnnounceConflict::Stopped(stop))) => {
                return Err(stopped::stopped_refusal(&stop));
            }
            // An approval is valid for one write, and a change that cannot be recorded could not use it up. A newer
            // lancet would not know of an unrecorded change, whatever the settings say.
            Err(error)
                if context.engine().settings.history.required
                    || plan.origin.question.is_some()
                    || matches!(error, HistoryError::Newer { .. }) =>
            {
                return Err(refuse(context, plan, &error));
            }
            Err(error) => {
                stopped::require_not_stopped(context)?;
                add_notice(
                    plan,
                    Some(message!(
                        "this change cannot be undone: {}",
                        verbatim(error)
                    )),
                );
                announced.keeping = OldStateStorage::Nothing;
                return Ok(announced);
            }
        }
    }
    Ok(announced)
}

/// Marks an operation as carried out. If this fails the files stay as written, and the next start settles the record by
/// comparing the files.
pub(crate) fn mark_carried_out(
    context: &CallContext<'_>,
    plan: &mut Plan,
    announced: &PendingOperation,
    written: &[WriteOutcome],
) {
    let Some(store) = history_store(context, announced) else {
        return;
    };
    let adopt = || {
        for displaced in written.iter().filter_map(|file| file.displaced.as_ref()) {
            // A file that another process may still write to is checked again later (`late`).
            if displaced.seal == Seal::Sealed {
                // If this fails the file remains in place, and the next start adopts it.
                let _ = store.adopt_file(displaced.revision.as_bytes(), &displaced.path);
            }
        }
    };
    // This must precede the end of the operation: files that a killed process left are searched for only among
    // unfinished operations.
    adopt();
    let confirmed = if announced.is_complete(plan, written) {
        let files = plan.files.iter().zip(written);
        let has_inode = |file: &FilePlan| {
            !file.removes() && !matches!(file.new, NewContent::EmptyFolder { .. })
        };
        let inodes = files.map(|(file, written)| has_inode(file).then_some(written.stamp.inode));
        let inodes: Vec<Option<u64>> = inodes.collect();
        store.confirm(&announced.id, plan.origin.kind, &inodes)
    } else {
        Ok(ConfirmOutcome::Missing(SaveOutcome::default()))
    };
    let finished = match confirmed {
        Ok(ConfirmOutcome::Done) => Ok(SaveOutcome::default()),
        Ok(ConfirmOutcome::Missing(confirmed)) => store
            .finish(&draft(context, plan, announced, Some(written)))
            .map(|saved| SaveOutcome {
                set_aside: saved.set_aside.or(confirmed.set_aside),
                unclaimed: saved.unclaimed,
            }),
        Err(error) => Err(error),
    };
    let notice = match finished {
        Ok(saved) => {
            // The store started a new database in the meantime, and that does not have the files yet.
            if saved.set_aside.is_some() {
                adopt();
            }
            // Another process may have assigned a folder to the undone change after this one was planned.
            empty_folders::remove_unclaimed(context.engine(), saved.unclaimed);
            None
        }
        Err(error) => Some(message!(
            "this change could not be recorded as made in the history ({}); the next start of lancet finds out",
            verbatim(error)
        )),
    };
    add_notice(plan, notice);
    late::watch_displaced_files(context, plan, written, &announced.id);
}

fn history_store<'d>(
    context: &'d CallContext<'_>,
    announced: &PendingOperation,
) -> Option<&'d Arc<dyn OperationStore>> {
    context
        .engine()
        .history()
        .filter(|_| announced.keeping == OldStateStorage::History)
}

/// Marks an operation as not carried out.
pub(crate) fn mark_not_carried_out(context: &CallContext<'_>, announced: &PendingOperation) {
    if let Some(store) = history_store(context, announced) {
        // An operation left in the announced state is settled at the next start by comparing the files.
        let unclaimed = store
            .remove_not_carried_out(&announced.id)
            .unwrap_or_default();
        empty_folders::remove_unclaimed(context.engine(), unclaimed);
    }
}

fn add_notice(plan: &mut Plan, notice: Option<Message>) {
    if let (Some(first), Some(notice)) = (plan.files.first_mut(), notice) {
        first.view.notices.push(notice);
    }
}

/// Returns the refusal where another call has used up the approval in the meantime.
fn used_up_refusal(plan: &Plan) -> Refusal {
    let path = plan
        .files
        .first()
        .map(|file| quote_path(file.target.path()));
    let path = path.unwrap_or_default();
    let text = message!(
        "{} was not written: the person's yes was for one write, and another call has used it. Look at the file, then {} if it is still needed.",
        &path,
        SEND_AGAIN
    );
    Refusal::from_message(RefusalKind::Busy, text).with_field("file_path", path)
}

fn refuse(context: &CallContext<'_>, plan: &Plan, error: &HistoryError) -> Refusal {
    let path = plan
        .files
        .first()
        .map(|file| quote_path(file.target.path()))
        .unwrap_or_default();
    if let HistoryError::Busy { .. } = error {
        let text = message!(
            "{} was not written: the history takes one change at a time, and {}. It is as it was; {} in a moment.",
            &path,
            verbatim(error),
            SEND_AGAIN
        );
        return Refusal::from_message(RefusalKind::Busy, text).with_field("file_path", path);
    }
    if let HistoryError::Newer { .. } = error {
        let text = message!(
            "{} was not written: {}, and writes by the rules of this one could damage it. It is as it was; reading goes on. Ask the user to start this lancet again from the newer version.",
            &path,
            verbatim(error)
        );
        return Refusal::from_message(RefusalKind::Io, text).with_field("file_path", path);
    }
    let Some(folder) = error.affected_path() else {
        let text = message!(
            "{} was not changed: its current content could not be saved to the history ({}), so the edit could not be undone later. With `history.required = false` in the settings lancet writes all the same.",
            &path,
            verbatim(error)
        );
        return Refusal::from_message(RefusalKind::Io, text).with_field("file_path", path);
    };
    if is_blocked_by_sandbox(context, error) {
        let text = message!(
            "{} was not written: {} was removed and made again while lancet ran, and the kernel lets this process write to the old one alone, so this change could not be undone. It is as it was. Restart lancet (for an agent, its MCP server); until then only reading works.",
            &path,
            verbatim(folder.display())
        );
        return Refusal::from_message(RefusalKind::Io, text).with_field("file_path", path);
    }
    let text = message!(
        "{} was not changed: its current content could not be saved to the history ({}), so the edit could not be undone later. Make {} writable and free some space there; `lancet doctor` says more. With `history.required = false` in the settings lancet writes all the same.",
        &path,
        verbatim(error),
        verbatim(folder.display())
    );
    Refusal::from_message(RefusalKind::Io, text).with_field("file_path", path)
}

/// Returns whether only the kernel sandbox prevents writing to the state folder: the user may write to it, but the
/// write was refused. The sandbox allows only the folder that existed when the process began.
fn is_blocked_by_sandbox(context: &CallContext<'_>, error: &HistoryError) -> bool {
    let (HistoryError::Unavailable { source, .. }, Some(folder)) = (error, error.affected_path())
    else {
        return false;
    };
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
        return false;
    };
    let disk = &context.engine().base().disk;
    let may_write = || {
        let parent = disk.open_folder(parent)?;
        disk.check_writable_at(parent.as_fd(), name)
    };
    source.kind() == std::io::ErrorKind::PermissionDenied && may_write().is_ok()
}

/// Converts a plan to the history's record; after the write, with the values that are known only then.
fn draft<'p>(
    context: &'p CallContext<'_>,
    plan: &'p Plan,
    announced: &'p PendingOperation,
    written: Option<&[WriteOutcome]>,
) -> OperationDraft<'p> {
    let files = plan.files.iter().enumerate();
    OperationDraft {
        id: &announced.id,
        time: announced.time,
        kind: plan.origin.kind,
        author: OperationAuthor {
            session: context.session.key(),
            client: context.caller.client.as_deref(),
            version: context.caller.version.as_deref(),
            turn: context.caller.turn.as_deref(),
            call: context.caller.call.as_deref(),
        },
        tool: &context.tool,
        rungs: plan
            .files
            .iter()
            .flat_map(|file| &file.view.rungs)
            .map(|rung| rung.name())
            .collect(),
        approved: plan.origin.approved.as_deref(),
        question: plan.origin.question.as_deref(),
        files: files
            .map(|(at, file)| {
                let written = written.and_then(|written| written.get(at));
                let known = announced.revisions.get(at).copied().flatten();
                file.file_draft(written, known, context.engine())
            })
            .collect(),
        parent: None,
        takes_back: plan.origin.takes_back.clone(),
        takes_part_of: plan.origin.takes_part_of.clone(),
    }
}
