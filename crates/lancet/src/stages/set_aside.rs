//! Notices about damaged databases that the store has set aside (renamed, and replaced by a new one). Observers are
//! notified as soon as no lock is held that they could wait for; every session gets one notice, at the end of its next
//! answer.

use super::context::CallContext;
use super::notice::Notice;
use crate::engine::EngineView;
use crate::events::Event;
use crate::wording::truncate;

/// The longest notice about one database, in characters.
const MAX_NOTICE_LENGTH: usize = 1_000;

/// Notifies the observers of databases that were not reported to them yet.
pub(crate) fn notify_observers(engine: &EngineView) {
    let Some(local) = engine.local() else {
        return;
    };
    let told = &engine.base().pending_recovery.set_aside;
    for database in told.take_unreported(local.databases_set_aside()) {
        engine.notify_observers(|| Event::SetAside {
            time: std::time::SystemTime::now(),
            moved_to: database.moved_to.clone(),
            words: database.to_string(),
        });
    }
}

/// Returns the notice for the session. The observers are notified immediately.
pub(super) fn notice<'c>(context: &'c CallContext<'_>) -> Option<Notice<'c>> {
    notify_observers(context.engine());
    let local = context.engine().local()?;
    let (told, all) = (&context.session.inner.told, local.databases_set_aside());
    // Only the latest database is named: it says where the current history begins.
    let latest = all.last().filter(|_| told.has_unreported(&all))?;
    let sentence = format!(
        "{}. Tell the user.",
        truncate(&latest.to_string(), MAX_NOTICE_LENGTH)
    );
    Some(Notice::new(&sentence, move || {
        !told.take_unreported(all).is_empty()
    }))
}
