//! The *examine* stage for one hunk of a review or of an operation: the plan that undoes exactly its lines. The hunk
//! belongs to the difference between the last review, or the state before the operation, and the state that the
//! operation left. Its lines are found on the disk by counting through the later changes, never by searching.

use lancet_history::{OperationKind, OperationStore, ReversedChange};

use super::current_file::{self, CurrentFile, DiskContent};
use super::kept::{read_content, unreadable_refusal};
use super::view::{self, WantedState};
use super::withheld::withhold_texts;
use crate::message::{OPERATION, message};
use crate::refusal::{Refusal, RefusalKind};
use crate::review::chain::Chain;
use crate::review::contributors;
use crate::review::lines::{Block, Lines, compare, group_blocks, hunk_of, revert_blocks};
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::{Intent, Target, locate};
use crate::stages::open::MAX_IN_MEMORY_SIZE;
use crate::stages::plan::{DryRun, FilePlan, Plan, PlanRecord};
use crate::undo::{HunkLines, HunkSource, HunkUndoRequest};
use crate::wording::{QuotedPath, quote_path};

/// Works out the plan that undoes one hunk.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
pub(crate) fn plan_hunk_undo(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    asked: &HunkUndoRequest,
) -> Result<Plan, Refusal> {
    let store = super::require_store(context)?;
    let path = asked.file.to_string_lossy();
    let target = locate(context.engine(), &path, Intent::Replace)?;
    let told = quote_path(target.path());
    let not_there = || match asked.part_of {
        HunkSource::Review => looked_at_refusal(&told),
        HunkSource::Operation => no_such_hunk_refusal(&told),
        _ => no_such_hunk_refusal(&told),
    };
    let chain = load_chain(context, store, asked)?
        .filter(|chain| chain.baseline == asked.before && target.path() == asked.file)
        .ok_or_else(not_there)?;
    let left = chain.newest().and_then(|step| step.change().after.as_ref());
    if left.is_some_and(|left| left.size > MAX_IN_MEMORY_SIZE) {
        return Err(no_lines_refusal(&told));
    }
    let bytes_of = |revision: Option<[u8; 32]>| match revision {
        None => Ok(Vec::new()),
        Some(revision) => read_content(store, &revision),
    };
    let old_bytes = bytes_of(chain.baseline)?;
    let new_bytes = bytes_of(left.map(|left| left.revision))?;
    let (Some(old), Some(new)) = (Lines::from_bytes(&old_bytes), Lines::from_bytes(&new_bytes))
    else {
        return Err(no_lines_refusal(&told));
    };
    let compared = compare(&old, &new);
    let mut groups = group_blocks(&compared.blocks).into_iter();
    let blocks = groups
        .find(|group| HunkLines::from_hunk(&hunk_of(&old, &new, group)) == asked.hunk)
        .filter(|_| !compared.coarse)
        .ok_or_else(not_there)?;
    let touching =
        contributors::contributing_steps(store, &chain, blocks).map_err(unreadable_refusal)?;
    let takes_part_of = touching.iter().map(|step| ReversedChange {
        by: Some(0),
        operation: step.operation.id.clone(),
        at: step.change().at,
    });
    let takes_part_of = takes_part_of.collect();
    // All of the above is recorded and cannot change, so the file is locked (its turn taken) only now: no other call
    // waits during the comparison.
    let turn = context.take_turn([target.path()])?;
    let file = file_plan(
        context,
        attempt,
        store,
        target,
        &chain,
        (&old, &new, blocks),
    )?;
    let mut files = vec![file];
    withhold_texts(&mut files);
    Ok(Plan {
        files,
        dry_run: DryRun::from(asked.dry_run),
        turn,
        origin: PlanRecord {
            kind: OperationKind::Undo,
            takes_part_of,
            lead: Some(message!("One hunk was undone.")),
            ..PlanRecord::default()
        },
    })
}

/// Loads the operations whose changes contain the hunk; none where there are none.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
fn load_chain(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    asked: &HunkUndoRequest,
) -> Result<Option<Chain>, Refusal> {
    let (file, operation) = (&asked.file, asked.operation.as_str());
    let chain = match asked.part_of {
        HunkSource::Review => {
            let others = context
                .other_workspaces()
                .map_err(unreadable_refusal)?
                .ids();
            Chain::load(store, file, Some(operation), &others)
        }
        HunkSource::Operation => Chain::from_operation(store, file, operation),
        _ => Chain::from_operation(store, file, operation),
    };
    chain.map_err(unreadable_refusal)
}

/// Works out the new state of the file.
fn file_plan(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    store: &dyn OperationStore,
    target: Target,
    chain: &Chain,
    (old, new, blocks): (&Lines<'_>, &Lines<'_>, &[Block]),
) -> Result<FilePlan, Refusal> {
    let told = quote_path(target.path());
    let left = chain.newest().and_then(|step| step.change().after.as_ref());
    let current = current_file::read_current(context, attempt, &target)?;
    let found = current.as_ref().map(|current| *current.revision.as_bytes());
    let is_as_left = found == left.map(|left| left.revision);
    let mut folders = Vec::new();
    let mut mode = None;
    let wanted = match (&current, chain.baseline, left) {
        // The file was created since the last review: its only hunk is the whole of it.
        (Some(_), None, Some(_)) if is_as_left => {
            let made = chain.steps.iter().flat_map(|step| &step.change().folders);
            folders = made.cloned().collect();
            WantedState::Nothing
        }
        // The file was removed since then.
        (None, Some(_), None) => {
            let state = chain.baseline_state();
            mode = state.map(|state| state.mode).filter(|mode| *mode != 0);
            state.map_or_else(
                || WantedState::Bytes(old.bytes().to_vec()),
                WantedState::Kept,
            )
        }
        (Some(current), Some(_), Some(_)) => {
            let taken = bytes_in_memory(current)
                .and_then(|now| revert_blocks(old, new, &Lines::from_bytes(now)?, blocks));
            WantedState::Bytes(taken.ok_or_else(|| conflict_refusal(&told))?)
        }
        _ => return Err(conflict_refusal(&told)),
    };
    let plan = view::file_plan(context, store, target, current, wanted, mode, folders)?;
    plan.ok_or_else(|| conflict_refusal(&told))
}

/// Returns the bytes of a file that is in memory.
fn bytes_in_memory(current: &CurrentFile) -> Option<&[u8]> {
    match &current.content {
        DiskContent::Held(snapshot) => Some(snapshot.bytes.as_slice()),
        DiskContent::Large(_) | DiskContent::Link(_) | DiskContent::EmptyFolder => None,
    }
}

/// Returns the refusal where the lines of the hunk are no longer on the disk.
fn conflict_refusal(path: &QuotedPath) -> Refusal {
    let text = message!(
        "The hunk cannot be undone: its lines in {}, or lines beside them, were changed since. Nothing was changed; look at the file as it is now.",
        path
    );
    Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", path)
}

/// Returns the refusal where the difference that contains the hunk is no longer to be reviewed.
fn looked_at_refusal(path: &QuotedPath) -> Refusal {
    let text = message!(
        "The hunk cannot be undone: what is to be reviewed of {} is no longer what was shown. Nothing was changed; load the review again.",
        path
    );
    Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", path)
}

/// Returns the refusal where an operation has no such hunk.
fn no_such_hunk_refusal(path: &QuotedPath) -> Refusal {
    let text = message!(
        "The hunk cannot be undone: the change has no such hunk in {}, or the file has another name now. Nothing was changed; look at the change again.",
        path
    );
    Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", path)
}

/// Returns the refusal for contents without lines.
fn no_lines_refusal(path: &QuotedPath) -> Refusal {
    let text = message!(
        "{} is no text, or too large to be compared by line. Nothing was changed; the {} as a whole can be undone.",
        path,
        OPERATION
    );
    Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", path)
}
