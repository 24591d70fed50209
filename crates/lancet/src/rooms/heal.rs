//! Settles what a process that ended in the middle left announced: the files say whether it was carried out.

use std::sync::OnceLock;
use std::time::Duration;

use lancet_history::{FileChange, Operation, OperationKind, OperationState, OperationStore};
use lancet_workspace::{FileType, Revision};

use super::examine::open::LARGEST;
use super::{CallContext, aside, late};
use crate::engine::EngineView;
use crate::settings::Mode;

/// What other processes left: whether it was looked for, and what is still open.
#[derive(Debug, Default)]
pub(crate) struct PendingRecovery {
    /// On the files.
    recovered: OnceLock<()>,
    /// In the history.
    healed: OnceLock<()>,
    /// Old files that somebody may still write into, and what is to be told.
    pub(super) late: late::Watch,
    /// Which damaged databases the observers know of.
    pub(super) aside: aside::Told,
}

/// How long a start may look through old files.
const ADOPTING: Duration = Duration::from_secs(2);

/// How a file stands to a change of it that was announced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// It is as the change left it.
    Written,
    /// It is as it was before.
    Untouched,
    /// Somebody has written it since.
    Neither,
}

/// Before a call.
pub(crate) fn before_call(context: &CallContext<'_>) {
    let engine = context.engine();
    files(engine);
    // There may be something to tell it from before the restart.
    if context.session.name().is_some() {
        once(engine);
    }
}

/// What a commit had left half done is finished or taken back by the door to the disk, once, and told. Before the first
/// call, whatever it is: until then a mixture may stand there.
fn files(engine: &EngineView) {
    if engine.mode != Mode::Plan {
        engine.base().pending_recovery.recovered.get_or_init(|| {
            // Where that fails the first write tries again, and says why.
            late::recovered(engine, &engine.ceiling().recover().unwrap_or_default());
        });
    }
}

/// Looks once in the life of an engine. What lies outside its roots waits for one that may look there.
pub(crate) fn once(engine: &EngineView) {
    engine.base().pending_recovery.healed.get_or_init(|| {
        if let Some(store) = engine.history() {
            files(engine);
            // A store that cannot be read is told by whoever needs it.
            let unfinished = store.unfinished().unwrap_or_default();
            for operation in &unfinished {
                settle(engine, &**store, operation);
            }
            if !unfinished.is_empty() {
                // Old files that were not taken in any more; the rest waits until there is time.
                let _ = store.adopt_left(ADOPTING);
            }
            late::take_up(engine, &**store);
        }
    });
}

fn settle(engine: &EngineView, store: &dyn OperationStore, operation: &Operation) {
    if operation.kind == OperationKind::Late {
        // Never stood under its name: the files cannot say.
        let all: Vec<usize> = operation.files.iter().map(|file| file.at).collect();
        let _ = store.settle(operation, OperationState::Done, &all);
        return;
    }
    let looks: Option<Vec<(usize, Look)>> = operation
        .files
        .iter()
        .map(|file| Some((file.at, look(engine, file)?)))
        .collect();
    let Some(looks) = looks else {
        return;
    };
    let written: Vec<usize> = looks
        .iter()
        .filter(|(_, look)| *look != Look::Untouched)
        .map(|(at, _)| *at)
        .collect();
    let state = if looks.iter().any(|(_, look)| *look == Look::Neither) {
        OperationState::Unsure
    } else {
        OperationState::Done
    };
    let _ = store.settle(operation, state, &written);
}

/// None where the file may not be looked at from here.
fn look(engine: &EngineView, file: &FileChange) -> Option<Look> {
    let located = engine.ceiling().locate_as_spelled(&file.path).ok()?;
    let found: Option<Revision> = match located.kind() {
        FileType::Missing => None,
        FileType::File => Some(located.snapshot(LARGEST).ok()?.revision),
        _ => return Some(Look::Neither),
    };
    let found = found.map(|revision| *revision.as_bytes());
    let is = |kept: &Option<lancet_history::Kept>| kept.as_ref().map(|kept| kept.revision) == found;
    let removes = file.kind == lancet_history::ChangeKind::Delete;
    Some(if is(&file.before) {
        Look::Untouched
    } else if is(&file.after) && (file.after.is_some() || removes) {
        Look::Written
    } else {
        Look::Neither
    })
}
