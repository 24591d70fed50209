//! Files that a change parted from their other names (hard links): noted in the history, so that an undo can say what it
//! does not join again.

use lancet_workspace::Warning;

use super::CallContext;
use super::record::Recorded;

/// Notes those of a change.
pub(super) fn note(context: &CallContext<'_>, recorded: &Recorded) {
    for (at, written) in recorded.written.iter().enumerate() {
        if written.warnings.contains(&Warning::LinksBroken)
            && let Some(store) = context.engine().history()
        {
            // Told in this answer; where it cannot be noted the undo does not repeat it.
            let _ = store.record_broken_link(&recorded.operation, at);
        }
    }
}
