//! Notices about damaged databases that the store has set aside (renamed, and replaced by a new one). Observers are
//! notified as soon as no lock is held that they could wait for; every session gets one notice, at the end of its next
//! answer.

use super::context::CallContext;
use super::notice::Notice;
use crate::engine::EngineView;
use crate::events::Event;
use crate::wording::cut;

/// The longest notice about one database, in characters.
const LONGEST: usize = 1_000;

/// Notifies the observers of databases that were not reported to them yet.
pub(crate) fn observe(engine: &EngineView) {
    let Some(local) = engine.local() else {
        return;
    };
    let told = &engine.base().pending_recovery.set_aside;
    for database in told.take_new(local.set_aside()) {
        engine.tell(|| Event::SetAside {
            time: std::time::SystemTime::now(),
            moved_to: database.moved_to.clone(),
            words: database.to_string(),
        });
    }
}

/// Returns the notice for the session. The observers are notified immediately.
pub(super) fn notice<'c>(context: &'c CallContext<'_>) -> Option<Notice<'c>> {
    observe(context.engine());
    let local = context.engine().local()?;
    let (told, all) = (&context.session.inner.told, local.set_aside());
    // Only the latest database is named: it says where the current history begins.
    let latest = all.last().filter(|_| told.misses_some(&all))?;
    let sentence = format!("{}. Tell the user.", cut(&latest.to_string(), LONGEST));
    Some(Notice::new(&sentence, move || {
        !told.take_new(all).is_empty()
    }))
}
