//! Settles what a process that ended in the middle left announced: the files say whether it was carried out.

use lancet_history::{FileChange, Operation, OperationState, OperationStore};
use lancet_workspace::{Kind, Revision};

use super::examine::open::LARGEST;
use crate::engine::Inner;

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

/// Looks once in the life of an engine. What lies outside its roots waits for one that may look there.
pub(crate) fn once(engine: &Inner) {
    engine.healed.call_once(|| {
        if let Some(store) = engine.history() {
            // Files first: what a commit had left half done is finished or taken back by the door to the disk.
            let _ = engine.workspace.recover();
            // A store that cannot be read is told by whoever needs it.
            for operation in store.unfinished().unwrap_or_default() {
                settle(engine, &**store, &operation);
            }
        }
    });
}

fn settle(engine: &Inner, store: &dyn OperationStore, operation: &Operation) {
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
fn look(engine: &Inner, file: &FileChange) -> Option<Look> {
    let located = engine.workspace.locate_as_spelled(&file.path).ok()?;
    let found: Option<Revision> = match located.kind() {
        Kind::Missing => None,
        Kind::File => Some(located.snapshot(LARGEST).ok()?.revision),
        _ => return Some(Look::Neither),
    };
    let found = found.map(|revision| *revision.as_bytes());
    let is = |kept: &Option<lancet_history::Kept>| kept.as_ref().map(|kept| kept.revision) == found;
    let removes = file.kind == lancet_history::FileKind::Delete;
    Some(if is(&file.before) {
        Look::Untouched
    } else if is(&file.after) && (file.after.is_some() || removes) {
        Look::Written
    } else {
        Look::Neither
    })
}
