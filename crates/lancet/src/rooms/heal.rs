//! Recovery after a process that ended in the middle of a change: interrupted commits are finished or taken back, and
//! operations that were announced but never finished are settled by comparing the files with them.

use std::path::Path;
use std::time::Duration;

use lancet_history::{
    ChangeKind, FileChange, Operation, OperationKind, OperationState, OperationStore, RecordedState,
};
use lancet_workspace::{DISPLACED_FOLDER, FileType, Revision, is_sealed_name};

use super::examine::open::LARGEST;
use super::{CallContext, late};
use crate::engine::EngineView;
use crate::settings::Mode;

/// How long the start of an engine may take over displaced files that earlier processes left.
const ADOPTING: Duration = Duration::from_secs(2);

/// What a file holds, compared with an operation that was announced for it and never finished.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileState {
    /// The content that the operation wanted to leave.
    Written,
    /// The content from before the operation.
    Untouched,
    /// Some other content: another program has written the file since.
    Neither,
}

/// Runs the recovery that must precede a call. Only the first call of an engine finds work to do.
pub(crate) fn before_call(context: &CallContext<'_>) {
    let engine = context.engine();
    recover_files_once(engine);
    // A named session may have notices from before the restart.
    if context.session.name().is_some() {
        settle_history_once(engine);
    }
}

/// Lets the workspace finish or take back commits that were interrupted, once per engine, and queues notices about them.
/// It runs before the first call of any kind: until then a file may hold a mixture of old and new bytes.
fn recover_files_once(engine: &EngineView) {
    if engine.mode != Mode::Plan {
        engine.base().pending_recovery.recovered.get_or_init(|| {
            // If recovery fails, the first write tries again and reports why.
            late::recovered(engine, &engine.ceiling().recover().unwrap_or_default());
        });
    }
}

/// Settles the operations that the history has as unfinished, once per engine. Operations on files outside its roots wait
/// for an engine that may read them.
pub(crate) fn settle_history_once(engine: &EngineView) {
    engine.base().pending_recovery.settled.get_or_init(|| {
        if let Some(store) = engine.history() {
            recover_files_once(engine);
            // A store that cannot be read is reported by the call that needs it.
            let mut unfinished = store.unfinished().unwrap_or_default();
            // What is at these paths now does not tell how an operation in another folder ended.
            let others = engine.other_workspaces().unwrap_or_default();
            unfinished.retain(|operation| !others.have(operation));
            for operation in &unfinished {
                settle(engine, &**store, operation);
            }
            if !unfinished.is_empty() {
                // Displaced files that their process did not adopt before it ended; idle time adopts the rest.
                let _ = store.adopt_left(DISPLACED_FOLDER, &is_sealed_name, ADOPTING);
            }
            late::take_up(engine, &**store);
        }
    });
}

/// Records how an unfinished operation ended, as its files show it.
fn settle(engine: &EngineView, store: &dyn OperationStore, operation: &Operation) {
    if operation.kind == OperationKind::Late {
        // This version never had the file's name, so the file cannot tell whether it was recorded.
        let all: Vec<usize> = operation.files.iter().map(|file| file.at).collect();
        let _ = store.settle(operation, OperationState::Done, &all);
        return;
    }
    let states: Option<Vec<(usize, FileState)>> = operation
        .files
        .iter()
        .map(|file| Some((file.at, file_state(engine, file)?)))
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
    let _ = store.settle(operation, state, &written);
}

/// Compares a file with its announced change; none where the file may not be read from here.
fn file_state(engine: &EngineView, file: &FileChange) -> Option<FileState> {
    let at_name = find(engine, &file.path)?;
    let Some(from) = &file.moved_from else {
        if file.after.is_none() && file.kind != ChangeKind::Delete && file.before.is_some() {
            // What a streamed change leaves is known only once it is done.
            let untouched = compare(&at_name, file.before.as_ref(), file.before.as_ref());
            return Some(untouched);
        }
        return Some(compare(&at_name, file.before.as_ref(), file.after.as_ref()));
    };
    let at_old_name = find(engine, from)?;
    let came = compare(&at_name, None, file.after.as_ref());
    let left = compare(&at_old_name, file.before.as_ref(), None);
    // Between the two steps of a move that copies both names hold the file: recovery has taken the copy back by now.
    Some(if came == left {
        came
    } else {
        FileState::Neither
    })
}

/// What a name holds.
enum AtName {
    Nothing,
    File { revision: [u8; 32], mode: u32 },
    Other,
}

/// Looks at a name; none where it may not be read from here.
fn find(engine: &EngineView, path: &Path) -> Option<AtName> {
    let workspace = engine.ceiling();
    if let Some(link) = workspace.locate_link(path).ok()? {
        let revision = Revision::of_link(&link.link_target()?);
        return Some(AtName::File {
            revision: *revision.as_bytes(),
            mode: link.stat()?.mode,
        });
    }
    let located = workspace.locate_as_spelled(path).ok()?;
    Some(match located.kind() {
        FileType::Missing => AtName::Nothing,
        FileType::File => {
            let found = located.snapshot(LARGEST).ok()?;
            AtName::File {
                revision: *found.revision.as_bytes(),
                mode: found.stamp.mode,
            }
        }
        _ => AtName::Other,
    })
}

/// Which of two states a name holds.
fn compare(
    found: &AtName,
    before: Option<&RecordedState>,
    after: Option<&RecordedState>,
) -> FileState {
    let holds = |kept: Option<&RecordedState>| match (found, kept) {
        (AtName::Nothing, None) => true,
        (AtName::File { revision, .. }, Some(kept)) => kept.revision == *revision,
        _ => false,
    };
    let has_mode = |kept: Option<&RecordedState>| match (found, kept) {
        (AtName::File { mode, .. }, Some(kept)) => kept.mode == *mode,
        _ => false,
    };
    match (holds(before), holds(after)) {
        // The content is the same: the permission bits tell whether the change was made.
        (true, true) if has_mode(after) && !has_mode(before) => FileState::Written,
        (true, _) => FileState::Untouched,
        (false, true) => FileState::Written,
        (false, false) => FileState::Neither,
    }
}
