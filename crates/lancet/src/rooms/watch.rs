//! Watches the files that the session wrote last: one that no longer holds what was written is told once, after the
//! answer to whatever was asked.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use lancet_history::StampRecord;
use lancet_workspace::{KnownContent, Revision};

use super::CallContext;
use crate::ledger::{record_of, stamp_of};
use crate::reply::Reply;
use crate::wording::{joined, quote_path};

/// How many files one answer names.
const NAMED: usize = 10;

/// What a look at a file came to.
enum Look {
    /// It holds what was written, under this stamp.
    Holds(StampRecord),
    /// It does not, or is not there.
    Changed,
}

/// Looks at the stamps of the files that the session wrote last. The call's own files are left out: its answer is about
/// them already.
pub(crate) fn tell_foreign_writes(context: &CallContext<'_>, reply: &mut Reply) {
    let written: Vec<(PathBuf, StampRecord, [u8; 32])> = {
        let ledger = context.session.ledger();
        let entry = |(path, entry): (&Path, &lancet_history::Entry)| {
            let still = entry.wrote == Some(entry.revision);
            still.then(|| (path.to_path_buf(), entry.stamp, entry.revision))
        };
        ledger.recently_written().filter_map(entry).collect()
    };
    if written.is_empty() {
        return;
    }
    let own: HashSet<&Path> = reply.outcome().paths().into_iter().collect();
    let mut changed = Vec::new();
    for (path, stamp, revision) in written {
        // A file that another call is just writing is that call's to tell, one that this client has no part in nobody's.
        if !context.engine().covers(&path)
            || own.contains(path.as_path())
            || context.engine().base().order.is_held(&path)
        {
            continue;
        }
        if context.cancel.stopped().is_some() {
            return;
        }
        match look(context, &path, &stamp, revision) {
            Look::Holds(now) if now == stamp => {}
            Look::Holds(now) => {
                let same = |entry: &mut lancet_history::Entry| {
                    if entry.revision == revision {
                        entry.stamp = now;
                    }
                };
                context.session.ledger().update(&path, same);
            }
            Look::Changed => changed.push((path, revision)),
        }
    }
    changed.truncate(NAMED);
    if changed.is_empty() {
        return;
    }
    let names: Vec<_> = changed.iter().map(|(path, _)| quote_path(path)).collect();
    let line = format!(
        "[lancet: someone else has since changed or removed what this session wrote: {}. Read before you rely on it.]",
        joined(&names, ", ")
    );
    if !context.has_room(reply, &line) {
        // There is no room: the next answer tells.
        return;
    }
    reply.append(&line);
    for (path, revision) in changed {
        let mut ledger = context.session.ledger();
        if ledger
            .peek(&path)
            .is_none_or(|entry| entry.revision != revision)
        {
            continue;
        }
        ledger.told(&path);
        drop(ledger);
        context.session.keep(&path);
    }
}

fn look(context: &CallContext<'_>, path: &Path, stamp: &StampRecord, revision: [u8; 32]) -> Look {
    let Ok(located) = context.engine().workspace.locate_as_spelled(path) else {
        return Look::Changed;
    };
    let known = stamp_of(stamp);
    if located
        .stat()
        .is_some_and(|now| now.same_file_state(&known))
    {
        return Look::Holds(*stamp);
    }
    match located.unchanged_since(
        &known,
        KnownContent::Revision(Revision::from_bytes(revision)),
    ) {
        Ok(Some(now)) => Look::Holds(record_of(&now)),
        // Written just now, faster than it could be read: the next call looks again.
        Err(lancet_workspace::ReadError::Unstable) => Look::Holds(*stamp),
        Ok(None) | Err(_) => Look::Changed,
    }
}
