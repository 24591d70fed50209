//! Recovery after a process that ended in the middle of a change. Interrupted commits are completed or undone.
//! Operations that were announced but never finished are settled by the states that later operations found, or else by
//! comparing the files with them.

use std::path::Path;
use std::time::{Duration, Instant};

use lancet_history::{
    ChangeKind, FileChange, HistoryError, LaterState, Operation, OperationKind, OperationState,
    OperationStore, RecordedState, RivalState,
};
use lancet_local_state::displaced;
use lancet_workspace::{
    DISPLACED_FOLDER, FileType, LocateError, RecoveredFile, Revision, is_sealed_name,
};

use super::context::CallContext;
use super::open::MAX_EDITED_SIZE;
use super::{empty_folders, interrupted, late};
use crate::engine::EngineView;
use crate::settings::Mode;

/// How long the start of an engine may take over displaced files that earlier processes left.
const ADOPTION_TIME: Duration = Duration::from_secs(2);
/// How long an undo waits for other processes that are recovering files at the moment.
const MAX_WAIT: Duration = Duration::from_millis(500);
/// The pause between two checks.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The content of a file, compared with an operation that was announced for it and never finished.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileState {
    /// The content that the operation wanted to leave.
    Written,
    /// The content that the file had before the operation.
    Untouched,
    /// Some other content: another program has written the file since.
    Neither,
}

/// Runs the recovery that must precede a call. Only the first call of an engine has work to do.
pub(crate) fn before_call(context: &CallContext<'_>) {
    let engine = context.engine();
    recover_files_once(engine);
    // A named session may have notices from before the restart.
    if context.session.name().is_some() {
        settle_history_once(engine);
    }
}

/// Lets the workspace complete or undo commits that were interrupted, once per engine, and queues notices about them.
/// It runs before the first call of any kind: until then a file may contain a mixture of old and new bytes.
fn recover_files_once(engine: &EngineView) {
    if engine.mode != Mode::Plan {
        engine.base().pending_recovery.recovered.get_or_init(|| {
            interrupted::notify_sessions(engine, &recover(engine), None);
        });
    }
}

/// Completes or undoes the unfinished file changes of ended processes. If it fails, the next write tries again and
/// reports why.
pub(super) fn recover(engine: &EngineView) -> Vec<RecoveredFile> {
    engine
        .full_workspace()
        .recover_commits()
        .unwrap_or_default()
}

/// Settles the operations that the history lists as unfinished, once per engine, and takes over the files of ended
/// processes.
pub(crate) fn settle_history_once(engine: &EngineView) {
    engine.base().pending_recovery.settled.get_or_init(|| {
        if let Some(store) = engine.history() {
            recover_files_once(engine);
            if settle_history(engine) > 0 {
                // Displaced files that their process did not adopt before it ended; idle time adopts the rest.
                let _ = adopt_leftover_files(engine, &**store, ADOPTION_TIME);
            }
            late::take_over_from_ended_processes(engine);
        }
    });
}

/// Moves into the history the displaced files that ended processes left in the state folder, for at most `budget`.
pub(crate) fn adopt_leftover_files(
    engine: &EngineView,
    store: &dyn OperationStore,
    budget: Duration,
) -> Result<(), HistoryError> {
    let Some(state) = engine.base().state_folder() else {
        return Ok(());
    };
    let folder = state.join(DISPLACED_FOLDER);
    displaced::adopt_displaced_files(&folder, &is_sealed_name, budget, &mut |revision, file| {
        let _ = store.adopt_file(revision, file);
    })
    .map_err(|source| HistoryError::Unavailable {
        store: folder.clone().into(),
        source,
    })
}

/// Does the same for processes that have ended since. An undo needs it: an operation that was not carried out must not
/// block it.
pub(crate) fn settle_with_retries(context: &CallContext<'_>) {
    let engine = context.engine();
    settle_history_once(engine);
    let since = Instant::now();
    loop {
        if engine.mode != Mode::Plan {
            interrupted::notify_sessions(engine, &recover(engine), Some(context.session.key()));
        }
        // Another process may be about to complete or undo a change.
        if settle_unfinished_operations(engine).waiting == 0 || since.elapsed() > MAX_WAIT {
            return;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Settles the operations that the history lists as unfinished, and returns how many there were.
pub(crate) fn settle_history(engine: &EngineView) -> usize {
    let settled = settle_unfinished_operations(engine);
    settled.done + settled.waiting
}

/// The number of unfinished operations.
#[derive(Default)]
struct SettledCount {
    done: usize,
    /// Those whose files another process is recovering or writing at the moment.
    waiting: usize,
}

/// Settles the operations that the history lists as unfinished. Operations on files outside the roots wait for an
/// engine that may read them, and those on files that are being recovered until that is done.
fn settle_unfinished_operations(engine: &EngineView) -> SettledCount {
    let Some(store) = engine.history() else {
        return SettledCount::default();
    };
    // A store that cannot be read is reported by the call that needs it.
    let mut unfinished = store.unfinished_operations().unwrap_or_default();
    // If a recorded root's path now leads to another folder or to none, its files do not show how an operation ended.
    let others = engine.other_workspaces().unwrap_or_default();
    unfinished.retain(|operation| !others.include_changes_of(operation));
    let all = unfinished.len();
    // Read after the operations: a commit that is recovered by then has its final files.
    if let Some(undecided) = (all > 0).then(|| engine.full_workspace().undecided_commits()) {
        let undecided = undecided.unwrap_or_default();
        unfinished.retain(|operation| {
            let mut files = operation.files.iter();
            !files.any(|file| {
                undecided
                    .iter()
                    .any(|commit| commit.concerns_path(&file.path))
            })
        });
    }
    // Newest first: the outcome of a later operation shows how an earlier one ended.
    unfinished.sort_by_key(|operation| std::cmp::Reverse(operation.sequence));
    for operation in &unfinished {
        settle_one(engine, &**store, operation);
    }
    SettledCount {
        done: unfinished.len(),
        waiting: all - unfinished.len(),
    }
}

/// Records how an unfinished operation ended, as shown by later operations or its files.
fn settle_one(engine: &EngineView, store: &dyn OperationStore, operation: &Operation) {
    if operation.kind == OperationKind::Late {
        // This version never had the file's name, so the file does not show whether it was recorded.
        let all: Vec<usize> = operation.files.iter().map(|file| file.at).collect();
        let _ = store.settle_unfinished(operation, OperationState::Done, &all);
        return;
    }
    let states: Option<Vec<(usize, FileState)>> = operation
        .files
        .iter()
        .map(|file| Some((file.at, outcome_of_change(engine, store, operation, file)?)))
        .collect();
    let Some(states) = states else {
        return;
    };
    let written: Vec<usize> = states
        .iter()
        .filter(|(_, state)| *state != FileState::Untouched)
        .map(|(at, _)| *at)
        .collect();
    let state = if states.iter().any(|(_, state)| *state == FileState::Neither) {
        OperationState::Unsure
    } else {
        OperationState::Done
    };
    let unclaimed = store.settle_unfinished(operation, state, &written);
    empty_folders::remove_unclaimed(engine, unclaimed.unwrap_or_default());
}

/// Returns how the change of one file ended; none where the file may not be read from here and no later operation shows
/// it.
fn outcome_of_change(
    engine: &EngineView,
    store: &dyn OperationStore,
    operation: &Operation,
    file: &FileChange,
) -> Option<FileState> {
    let carried_out = outcome_from_later_operations(store, operation, file, Evidence::CarriedOut);
    match carried_out.or_else(|| outcome_from_disk(engine, file)) {
        // Another process is writing the file at the moment, and has not recorded that yet.
        Some(FileState::Neither) => {
            let announced =
                outcome_from_later_operations(store, operation, file, Evidence::Announced);
            let ended = announced.or_else(|| outcome_from_rivals(engine, store, operation, file));
            ended.or(Some(FileState::Neither))
        }
        ended => ended,
    }
}

/// The later operations that show how an earlier one ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Evidence {
    /// Those that were carried out.
    CarriedOut,
    /// Those that are announced: they saw the state at that time, and recovery may have undone it since.
    Announced,
}

/// Returns how a change ended, as shown by the states that later operations found. One that found the state which the
/// change was to leave proves that it was made, and one that found the state before it proves that it was not. None
/// where no later operation shows it.
fn outcome_from_later_operations(
    store: &dyn OperationStore,
    operation: &Operation,
    file: &FileChange,
    evidence: Evidence,
) -> Option<FileState> {
    let later = |path: &Path| {
        let mut later = store
            .later_states(operation, file.at, path)
            .unwrap_or_default();
        later.retain(|state| state.is_finished == (evidence == Evidence::CarriedOut));
        later
    };
    let is_streamed =
        file.after.is_none() && file.kind != ChangeKind::Delete && file.before.is_some();
    let after = (!is_streamed).then_some(file.after.as_ref());
    let Some(from) = &file.moved_from else {
        return outcome_from_states(&later(&file.path), file.before.as_ref(), after);
    };
    outcome_from_states(&later(&file.path), None, after)
        .or_else(|| outcome_from_states(&later(from), file.before.as_ref(), Some(None)))
}

/// Returns how a change ended, as shown by other operations on the same initial state. They may have been announced
/// before it and written after it had read the file. If the file contains the result of one of them, or another change
/// found that result, this change was not made.
fn outcome_from_rivals(
    engine: &EngineView,
    store: &dyn OperationStore,
    operation: &Operation,
    file: &FileChange,
) -> Option<FileState> {
    let path = file.moved_from.as_ref().unwrap_or(&file.path);
    let now = match examine_name(engine, path)? {
        NameContent::Nothing => None,
        NameContent::File { revision, .. } => Some(revision),
        NameContent::Other => return None,
    };
    let rivals = store.rival_states(operation, file.at, path).ok()?;
    let is_made = |rival: &RivalState| rival.is_followed || rival.revision == now;
    rivals.iter().any(is_made).then_some(FileState::Untouched)
}

/// Returns the conclusion from the first of these states that allows one. `after` is none where it is not known.
fn outcome_from_states(
    later: &[LaterState],
    before: Option<&RecordedState>,
    after: Option<Option<&RecordedState>>,
) -> Option<FileState> {
    let revision = |state: Option<&RecordedState>| state.map(|state| state.revision);
    let is_same_content = after.is_some_and(|after| revision(after) == revision(before));
    let holds = |found: &LaterState, state: Option<&RecordedState>| {
        // Where only the permission bits change, they distinguish the states.
        let has_mode = state.is_none_or(|state| state.mode == found.mode);
        revision(state) == found.revision && (has_mode || !is_same_content)
    };
    later.iter().find_map(|found| {
        if after.is_some_and(|after| holds(found, after)) {
            Some(FileState::Written)
        } else if holds(found, before) {
            Some(FileState::Untouched)
        } else {
            None
        }
    })
}

/// Compares a file with its announced change; none where the file may not be read from here.
fn outcome_from_disk(engine: &EngineView, file: &FileChange) -> Option<FileState> {
    let at_name = examine_name(engine, &file.path)?;
    let Some(from) = &file.moved_from else {
        if file.after.is_none() && file.kind != ChangeKind::Delete && file.before.is_some() {
            // The result of a streamed change is known only once it is done.
            let untouched = compare(&at_name, file.before.as_ref(), file.before.as_ref());
            return Some(untouched);
        }
        return Some(compare(&at_name, file.before.as_ref(), file.after.as_ref()));
    };
    let at_old_name = examine_name(engine, from)?;
    let came = compare(&at_name, None, file.after.as_ref());
    let left = compare(&at_old_name, file.before.as_ref(), None);
    // Between the two steps of a move that copies both names have the file: recovery has removed the copy by now.
    Some(if came == left {
        came
    } else {
        FileState::Neither
    })
}

/// The content of a name.
pub(crate) enum NameContent {
    Nothing,
    File { revision: [u8; 32], mode: u32 },
    Other,
}

/// Examines a name; none where it may not be read from here.
pub(crate) fn examine_name(engine: &EngineView, path: &Path) -> Option<NameContent> {
    let workspace = engine.full_workspace();
    let is_below_file = |error: &LocateError| matches!(error, LocateError::NotADirectory { .. });
    let link = match workspace.locate_link(path) {
        Err(error) if is_below_file(&error) => return Some(NameContent::Nothing),
        link => link.ok()?,
    };
    if let Some(link) = link.filter(|link| link.path() == path) {
        let revision = Revision::from_link(&link.link_target()?);
        return Some(NameContent::File {
            revision: *revision.as_bytes(),
            mode: link.stat()?.mode,
        });
    }
    let located = match workspace.locate_as_spelled(path) {
        // A file is where the folder of the name was.
        Err(error) if is_below_file(&error) => return Some(NameContent::Nothing),
        // A link is there, and leads to another folder.
        Ok(located) if located.path() != path => return Some(NameContent::Nothing),
        located => located.ok()?,
    };
    Some(match located.kind() {
        FileType::Missing => NameContent::Nothing,
        FileType::File => {
            let found = located.read_snapshot(MAX_EDITED_SIZE).ok()?;
            NameContent::File {
                revision: *found.revision.as_bytes(),
                mode: found.stamp.mode,
            }
        }
        FileType::Directory => NameContent::File {
            revision: *Revision::of_empty_folder().as_bytes(),
            mode: located.stat()?.mode,
        },
        FileType::Special(_) => NameContent::Other,
    })
}

/// Determines which of two states a name has.
fn compare(
    found: &NameContent,
    before: Option<&RecordedState>,
    after: Option<&RecordedState>,
) -> FileState {
    let is_of_folder = |kept: Option<&RecordedState>| kept.is_some_and(RecordedState::is_folder);
    let concerns_folder = is_of_folder(before) || is_of_folder(after);
    let holds = |kept: Option<&RecordedState>| match (found, kept) {
        (NameContent::Nothing, None) => true,
        // A folder that was in the way is none of the file's states.
        (NameContent::File { revision, .. }, None) => {
            !concerns_folder && *revision == *Revision::of_empty_folder().as_bytes()
        }
        (NameContent::File { revision, .. }, Some(kept)) => kept.revision == *revision,
        _ => false,
    };
    let has_mode = |kept: Option<&RecordedState>| match (found, kept) {
        (NameContent::File { mode, .. }, Some(kept)) => kept.mode == *mode,
        _ => false,
    };
    match (holds(before), holds(after)) {
        // The content is the same, so the permission bits show whether the change was made.
        (true, true) if has_mode(after) && !has_mode(before) => FileState::Written,
        (true, _) => FileState::Untouched,
        (false, true) => FileState::Written,
        (false, false) => FileState::Neither,
    }
}
