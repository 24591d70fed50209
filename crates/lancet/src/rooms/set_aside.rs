//! Notices about damaged databases that the store has set aside (renamed, and begun anew). Observers hear of one as soon as
//! no lock is held that they could wait for; every session is told once, at the end of its next answer.

use super::CallContext;
use crate::engine::EngineView;
use crate::events::Event;
use crate::reply::Reply;
use crate::wording::cut;

/// The longest notice about one database, in characters.
const LONGEST: usize = 1_000;

/// Tells the observers of databases that they have not heard of.
pub(crate) fn observe(engine: &EngineView) {
    let Some(store) = engine.history() else {
        return;
    };
    let told = &engine.base().pending_recovery.set_aside;
    for database in told.take_new(store.set_aside()) {
        engine.tell(&Event::SetAside {
            moved_to: database.moved_to.clone(),
            words: database.to_string(),
        });
    }
}

/// Tells the observers, and the session at the end of an answer.
pub(crate) fn tell(context: &CallContext<'_>, reply: &mut Reply) {
    observe(context.engine());
    let Some(store) = context.engine().history() else {
        return;
    };
    let (told, all) = (&context.session.inner.told, store.set_aside());
    // Only the latest is named: it says where the current history begins.
    let Some(latest) = all.last().filter(|_| told.misses_some(&all)) else {
        return;
    };
    let words = cut(&latest.to_string(), LONGEST);
    let line = format!("[lancet: {words}. Tell the user.]");
    // Without room for the line, the next answer tells.
    if context.has_room(reply, &line) && !told.take_new(all).is_empty() {
        reply.append(&line);
    }
}
