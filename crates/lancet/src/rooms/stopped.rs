//! Sessions whose writes a person has stopped. Before a person is asked the stop is looked up here; the transaction that
//! announces a change looks once more, and is the only look that a change which nobody is asked about costs.

use lancet_history::{SessionStop, has_database};

use super::CallContext;
use crate::refusal::{Refusal, RefusalKind};
use crate::wording::cut;

/// The longest words of the person that are passed on, in characters.
const LONGEST: usize = 500;

/// Refuses where a person has stopped the session. A state folder that cannot be read is left to the announcement.
pub(super) fn check(context: &CallContext<'_>) -> Result<(), Refusal> {
    let Some(store) = context.engine().history() else {
        return Ok(());
    };
    match store.stop_of(context.session.key()) {
        Ok(Some(stop)) => Err(refusal(&stop)),
        Ok(None) | Err(_) => Ok(()),
    }
}

/// The same for a change that is made without a record, where no announcement looks once more: it is refused where there is a
/// database that does not say whether the session is stopped. Where there is none, nobody has stopped anything.
pub(super) fn check_alone(context: &CallContext<'_>) -> Result<(), Refusal> {
    let Some(store) = context.engine().history() else {
        return Ok(());
    };
    let state = context.session.lancet.state_dir();
    match store.stop_of(context.session.key()) {
        Ok(Some(stop)) => Err(refusal(&stop)),
        Ok(None) => Ok(()),
        Err(_) if !state.is_some_and(has_database) => Ok(()),
        Err(error) => {
            let text = format!(
                "Nothing was written: a person may have stopped the writes of this session, and that cannot be read ({error}). Send the call again in a moment; `lancet doctor` says more."
            );
            Err(Refusal::new(RefusalKind::Io, text))
        }
    }
}

/// The refusal of a change in a stopped session. No file is named: nothing was found out about it.
pub(super) fn refusal(stop: &SessionStop) -> Refusal {
    let words = stop.words.as_deref().map(str::trim);
    let words = match words.filter(|words| !words.is_empty()) {
        Some(words) => format!(" Their words: {}", cut(words, LONGEST)),
        None => String::new(),
    };
    let text = format!(
        "A person has stopped the writes of this session. Nothing was written, and no change of it will be until they let it write again; reads go on.{words} Ask your user how to go on; sending the call again does not help."
    );
    Refusal::new(RefusalKind::Declined, text).with("stopped", true)
}
