//! Sessions whose writes a person has stopped. Before a person is asked the stop is looked up here; the transaction that
//! announces a change looks once more, and is the only look that a change which nobody is asked about costs.

use lancet_history::SessionStop;

use super::context::CallContext;
use crate::message::{Message, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::wording::cut;

/// The longest words of the person that are passed on, in characters.
const LONGEST: usize = 500;

/// Refuses where a person has stopped the session. A state folder that cannot be read is left to the announcement; where a change
/// is made without a record, nobody can be stopped while it cannot be read.
pub(super) fn check(context: &CallContext<'_>) -> Result<(), Refusal> {
    let Some(store) = context.engine().history() else {
        return Ok(());
    };
    match store.stop_of(context.session.key()) {
        Ok(Some(stop)) => Err(refusal(&stop)),
        Ok(None) | Err(_) => Ok(()),
    }
}

/// The refusal of a change in a stopped session. No file is named: nothing was found out about it.
pub(super) fn refusal(stop: &SessionStop) -> Refusal {
    let words = stop.words.as_deref().map(str::trim);
    let words = match words.filter(|words| !words.is_empty()) {
        Some(words) => message![" Their words: ", verbatim(cut(words, LONGEST))],
        None => Message::default(),
    };
    let text = message![
        "A person has stopped the writes of this session. Nothing was written, and no change of it will be until they let it write again; reads go on.",
        words,
        " Ask your user how to go on; sending the call again does not help."
    ];
    Refusal::stating(RefusalKind::Declined, text).with("stopped", true)
}
