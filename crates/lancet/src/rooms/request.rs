//! What a person or a host asks for by name, not through a tool: it takes the same way as any change.

use std::time::Instant;

use super::examine::undo::Reach;
use super::{CallContext, Change, Effect, carry_out_change, heal, record, reply, tell_news};
use crate::call::{Caller, Cancel};
use crate::refusal::Numbers;
use crate::reply::Reply;
use crate::session::Session;
use crate::undo::{Direction, Restore, TakeBack};

/// Takes changes back, or does them again.
pub(crate) fn take_back(session: &Session, asked: TakeBack, caller: Caller) -> Reply {
    let name = match asked.direction {
        Direction::Undo => "Undo",
        Direction::Redo => "Redo",
    };
    let change = Change::TakeBack(asked, Reach::Everyone);
    run(session, name, caller, &change)
}

/// Brings one file back to a state that the history has.
pub(crate) fn restore(session: &Session, asked: Restore, caller: Caller) -> Reply {
    run(session, "Restore", caller, &Change::Restore(asked))
}

fn run(session: &Session, tool: &str, caller: Caller, change: &Change) -> Reply {
    let started = Instant::now();
    let context = CallContext::new(session, tool.to_owned(), caller, Cancel::new());
    heal::before_call(&context);
    session.refresh();
    let mut reply = carry_out_change(&context, change, &[]).unwrap_or_else(|refusal| {
        record::refused(&context, &refusal, None);
        reply::refusal(&context, &refusal, Numbers::Edit, None)
    });
    tell_news(&context, Effect::Writes, &mut reply);
    reply.timed(started)
}
