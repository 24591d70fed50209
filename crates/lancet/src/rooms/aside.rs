//! A damaged database that was set aside is told, whoever met it: to observers as soon as there is nothing held that they
//! could wait for, and to every session once, after its next answer.

use std::sync::atomic::{AtomicUsize, Ordering};

use lancet_history::SetAside;

use super::CallContext;
use crate::engine::EngineView;
use crate::observe::Event;
use crate::reply::Reply;
use crate::wording::cut;

/// The longest words about one, in characters.
const LONGEST: usize = 1_000;

/// How many of the databases that the engine has set aside somebody has been told of.
#[derive(Debug, Default)]
pub(crate) struct Told(AtomicUsize);

impl Told {
    /// For a conversation that goes on from another one.
    pub(crate) fn like(other: &Told) -> Told {
        Told(AtomicUsize::new(other.0.load(Ordering::Relaxed)))
    }

    /// Whether some are news.
    fn has_news(&self, all: &[SetAside]) -> bool {
        all.len() > self.0.load(Ordering::Relaxed)
    }

    /// Those that are news, which they no longer are.
    fn take(&self, all: Vec<SetAside>) -> Vec<SetAside> {
        let told = self.0.fetch_max(all.len(), Ordering::Relaxed);
        all.into_iter().skip(told).collect()
    }
}

/// Tells the observers.
pub(crate) fn observe(engine: &EngineView) {
    let Some(store) = engine.history() else {
        return;
    };
    for aside in engine.base().pending_recovery.aside.take(store.set_aside()) {
        engine.tell(&Event::SetAside {
            moved_to: aside.moved_to.clone(),
            words: aside.to_string(),
        });
    }
}

/// Tells observers and the session, after the answer.
pub(crate) fn tell(context: &CallContext<'_>, reply: &mut Reply) {
    observe(context.engine());
    let Some(store) = context.engine().history() else {
        return;
    };
    let (told, all) = (&context.session.inner.told, store.set_aside());
    // The last one has what is left: more than one in the life of a process says no more.
    let Some(aside) = all.last().filter(|_| told.has_news(&all)) else {
        return;
    };
    let words = cut(&aside.to_string(), LONGEST);
    let line = format!("[lancet: {words}. Tell the user.]");
    // Where there is no room the next answer tells.
    if context.has_room(reply, &line) && !told.take(all).is_empty() {
        reply.append(&line);
    }
}
