//! Files whose hard links a change broke are recorded in the history, so that an undo can say that it does not restore
//! them.

use lancet_workspace::WriteWarning;

use super::context::CallContext;
use super::record::Recorded;

/// Records the files of a change whose hard links it broke.
pub(super) fn record_broken_hard_links(context: &CallContext<'_>, recorded: &Recorded) {
    for (at, written) in recorded.written.iter().enumerate() {
        if written.warnings.contains(&WriteWarning::LinksBroken)
            && let Some(store) = context.engine().history()
        {
            // This answer reports it anyway; if recording fails, a later undo does not repeat it.
            let _ = store.record_broken_link(&recorded.operation, at);
        }
    }
}
