//! Changes by other programs: a file that the session wrote last and that no longer contains what was written is named
//! once, in a notice after the answer to the next call.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use lancet_history::StampRecord;
use lancet_workspace::{KnownContent, Revision};

use super::context::CallContext;
use super::notice::Notice;
use crate::ledger::{stamp_from_record, stamp_record};
use crate::outcome::Outcome;
use crate::wording::{join_paths, quote_path};

/// How many files one answer names.
const MAX_NAMED_FILES: usize = 10;

/// With more files an answer's files are looked up by hash.
const MAX_COMPARED_PATHS: usize = 8;

/// The result of checking one file.
enum FileCheck {
    /// The file contains what was written, and has this stamp.
    Same(StampRecord),
    /// The file contains something else, or is missing.
    Changed,
}

/// Returns the notice about files that the session wrote last and another program has changed since. The files that the
/// answer covers are left out.
pub(super) fn notice<'c>(context: &'c CallContext<'_>, outcome: &Outcome) -> Option<Notice<'c>> {
    let written: Vec<(PathBuf, StampRecord, [u8; 32])> = {
        let ledger = context.session.ledger();
        let entry = |(path, entry): (&Path, &lancet_history::LedgerEntry)| {
            let still = entry.wrote == Some(entry.revision);
            still.then(|| (path.to_path_buf(), entry.stamp, entry.revision))
        };
        ledger.recently_written().filter_map(entry).collect()
    };
    if written.is_empty() {
        return None;
    }
    let own = OwnPaths::new(outcome);
    let mut changed = Vec::new();
    for (path, stamp, revision) in written {
        // A call that is writing the file at this moment is responsible for it; a file outside this client's roots is
        // not this session's concern.
        if !context.engine().covers(&path)
            || own.contains(&path)
            || context.engine().base().order.is_held(&path)
        {
            continue;
        }
        if context.cancel.stopped().is_some() {
            return None;
        }
        match check(context, &path, &stamp, revision) {
            FileCheck::Same(now) if now == stamp => {}
            FileCheck::Same(now) => {
                let same = |entry: &mut lancet_history::LedgerEntry| {
                    if entry.revision == revision {
                        entry.stamp = now;
                    }
                };
                context.session.ledger().update(&path, same);
            }
            FileCheck::Changed => changed.push((path, revision)),
        }
    }
    changed.truncate(MAX_NAMED_FILES);
    if changed.is_empty() {
        return None;
    }
    let names: Vec<_> = changed.iter().map(|(path, _)| quote_path(path)).collect();
    let sentence = format!(
        "someone else has since changed or removed what this session wrote: {}. Read before you rely on it.",
        join_paths(&names, ", ")
    );
    Some(Notice::new(&sentence, move || {
        for (path, revision) in changed {
            mark_reported(context, &path, revision);
        }
        true
    }))
}

/// The files that an answer covers. An answer to a change has one, which is compared; that to a search may have hundreds.
enum OwnPaths<'o> {
    Few(Vec<&'o Path>),
    Many(HashSet<&'o OsStr>),
}

impl<'o> OwnPaths<'o> {
    fn new(outcome: &'o Outcome) -> Self {
        let paths = outcome.paths();
        match paths.len() <= MAX_COMPARED_PATHS {
            true => Self::Few(paths),
            false => Self::Many(paths.into_iter().map(Path::as_os_str).collect()),
        }
    }

    fn contains(&self, path: &Path) -> bool {
        match self {
            Self::Few(paths) => paths.iter().any(|own| own.as_os_str() == path.as_os_str()),
            Self::Many(paths) => paths.contains(path.as_os_str()),
        }
    }
}

/// Records that the session was notified of another program's change, unless it knows another version of the file by
/// now.
fn mark_reported(context: &CallContext<'_>, path: &Path, revision: [u8; 32]) {
    let mut ledger = context.session.ledger();
    let known = ledger.get_without_use(path).map(|entry| entry.revision);
    if known == Some(revision) {
        ledger.mark_notified(path);
        drop(ledger);
        context.session.store_entry(path);
    }
}

fn check(
    context: &CallContext<'_>,
    path: &Path,
    stamp: &StampRecord,
    revision: [u8; 32],
) -> FileCheck {
    let Ok(located) = context.engine().workspace.locate_as_spelled(path) else {
        return FileCheck::Changed;
    };
    let known = stamp_from_record(stamp);
    if located.stat().is_some_and(|now| now.has_same_state(&known)) {
        return FileCheck::Same(*stamp);
    }
    match located.check_unchanged_since(
        &known,
        KnownContent::Revision(Revision::from_bytes(revision)),
    ) {
        Ok(Some(now)) => FileCheck::Same(stamp_record(&now)),
        // The file is being written at this moment; the next call checks it again.
        Err(lancet_workspace::ReadError::Unstable) => FileCheck::Same(*stamp),
        Ok(None) | Err(_) => FileCheck::Changed,
    }
}
