//! Sessions whose writes a person has stopped. The stop is checked here before a person is asked. The transaction that
//! announces a change checks again, and that is the only check for a change without a question.

use lancet_history::SessionStop;

use super::context::CallContext;
use crate::message::{Message, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::wording::truncate;

/// The longest message of the person that is passed on, in characters.
const MAX_MESSAGE_LENGTH: usize = 500;

/// Refuses where a person has stopped the session. If the state folder cannot be read, the announcement decides; where
/// a change is made without a record, a session cannot be stopped while the folder is unreadable.
pub(super) fn require_not_stopped(context: &CallContext<'_>) -> Result<(), Refusal> {
    let Some(store) = context.engine().history() else {
        return Ok(());
    };
    match store.session_stop(context.session.key()) {
        Ok(Some(stop)) => Err(stopped_refusal(&stop)),
        Ok(None) | Err(_) => Ok(()),
    }
}

/// Returns the refusal of a change in a stopped session. No file is named, because none was examined.
pub(super) fn stopped_refusal(stop: &SessionStop) -> Refusal {
    let words = stop.words.as_deref().map(str::trim);
    let words = match words.filter(|words| !words.is_empty()) {
        Some(words) => message!(
            " Their words: {}",
            verbatim(truncate(words, MAX_MESSAGE_LENGTH))
        ),
        None => Message::default(),
    };
    let text = message!(
        "A person has stopped the writes of this session. Nothing was written, and no change of it will be until they let it write again; reads go on.{} Ask your user how to go on; sending the call again does not help.",
        words
    );
    Refusal::from_message(RefusalKind::Declined, text).with_field("stopped", true)
}
