//! Changes whose process ended in the middle of them: the result of recovery is reported to the interrupted session and
//! to the one that encountered it. A call that is about to write a file of such a change has it settled first.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lancet_history::{CommentDraft, CommentKind, Operation};
use lancet_workspace::{RecoveredFile, RecoveryOutcome};
use serde_json::json;

use super::context::CallContext;
use super::heal;
use crate::engine::{EngineView, LateNotice};
use crate::session::is_unnamed;
use crate::wording::{QuotedPath, join_paths, quote_path};

/// The time for which a call waits for another process that is settling the change.
const MAX_WAIT: Duration = Duration::from_secs(2);
/// The pause between two attempts.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The settling of interrupted changes that a call encountered.
pub(super) struct InterruptedRecovery {
    since: Option<Instant>,
}

impl InterruptedRecovery {
    pub(super) fn new() -> InterruptedRecovery {
        InterruptedRecovery { since: None }
    }

    /// Completes or undoes the unfinished changes of ended processes, and notifies both sessions. Returns false where
    /// the time has run out: another process is settling them, or another program is writing one of the files.
    pub(super) fn recover_once_more(&mut self, context: &CallContext<'_>) -> bool {
        let engine = context.engine();
        let since = *self.since.get_or_insert_with(Instant::now);
        if since.elapsed() > MAX_WAIT {
            return false;
        }
        let recovered = heal::recover(engine);
        if recovered.is_empty() {
            std::thread::sleep(POLL_INTERVAL);
        }
        notify_sessions(engine, &recovered, Some(context.session.key()));
        heal::settle_history(engine);
        true
    }
}

/// Reports the result of recovery to the sessions whose changes were interrupted, and to the session `met` or, where
/// none is given, to the next caller. It must run before the operations are settled, because they identify the
/// sessions.
pub(super) fn notify_sessions(engine: &EngineView, recovered: &[RecoveredFile], met: Option<&str>) {
    let mut rest = recovered;
    while let Some(first) = rest.first() {
        let length = rest.iter().take_while(|one| one.entry == first.entry);
        let (commit, others) = rest.split_at(length.count());
        rest = others;
        let Some(words) = describe_recovery(commit) else {
            continue;
        };
        let whose = find_interrupted_operation(engine, commit);
        let of_session = whose.as_ref().map(|operation| &*operation.session);
        let is_told = of_session
            .is_some_and(|session| notify_interrupted_session(engine, session, commit, &words));
        // A session that was notified of its own change is not notified a second time.
        if is_told && of_session == met {
            continue;
        }
        let who = match of_session.filter(|session| !is_unnamed(session)) {
            Some(session) => format!("another lancet (session {session})"),
            None => "another lancet".to_owned(),
        };
        let notice = LateNotice {
            session: met.map(str::to_owned),
            words: format!("{who} was interrupted while it changed {words}"),
            row: None,
        };
        let mut late = engine.base().pending_recovery.late.lock();
        late.notices.push(notice);
    }
}

/// Stores a notice for the session whose change was interrupted; it is added to the session's next answer, in whichever
/// process.
fn notify_interrupted_session(
    engine: &EngineView,
    session: &str,
    commit: &[RecoveredFile],
    words: &str,
) -> bool {
    let (Some(store), Some(first)) = (engine.history(), commit.first()) else {
        return false;
    };
    if is_unnamed(session) {
        // The session has ended with its process.
        return false;
    }
    let event = json!({
        "state": "waiting", "path": first.path.to_string_lossy(), "first": 0, "last": 0,
    });
    let added = store.add_comment(&CommentDraft {
        kind: CommentKind::Interrupted,
        session,
        path: &first.path,
        first: 0,
        last: 0,
        revision: None,
        words: &format!("this session was interrupted while it changed {words}"),
        operation: None,
        event: &event.to_string(),
    });
    added.is_ok_and(|id| id.is_some())
}

/// Finds the operation that changed these files, if its process announced it and did not finish it.
fn find_interrupted_operation(engine: &EngineView, commit: &[RecoveredFile]) -> Option<Operation> {
    let unfinished = engine.history()?.unfinished_operations().ok()?;
    let has = |operation: &Operation, path: &Path| {
        operation
            .files
            .iter()
            .any(|file| file.path == path || file.moved_from.as_deref() == Some(path))
    };
    let mut fitting = unfinished
        .into_iter()
        .filter(|operation| commit.iter().all(|one| has(operation, &one.path)));
    // Two operations that match were interrupted one after the other; the newest one had the files last.
    fitting.by_ref().max_by_key(|operation| operation.sequence)
}

/// Describes the result of an interrupted commit; none where it had been carried out and there is nothing to report.
fn describe_recovery(commit: &[RecoveredFile]) -> Option<String> {
    let paths = |is_meant: &dyn Fn(&RecoveryOutcome) -> bool| -> Vec<QuotedPath> {
        let mut paths: Vec<&PathBuf> = commit
            .iter()
            .filter(|one| is_meant(&one.outcome))
            .map(|one| &one.path)
            .collect();
        paths.sort();
        paths.into_iter().map(|path| quote_path(path)).collect()
    };
    let all = join_paths(&paths(&|_| true), ", ");
    let changed = paths(&|outcome| *outcome == RecoveryOutcome::Changed);
    let unchanged = paths(&|outcome| *outcome == RecoveryOutcome::Unchanged);
    if !(changed.is_empty() && unchanged.is_empty()) {
        return Some(format!(
            "{all}. The change can be neither completed nor undone, because some of these files were changed since: {} have it, {} have not. Read them before going on, and tell the user",
            join_paths_or_none(&changed),
            join_paths_or_none(&unchanged)
        ));
    }
    let kept: Vec<String> = commit
        .iter()
        .filter_map(|one| match &one.outcome {
            RecoveryOutcome::Kept(kept) => Some(format!(
                "someone else has written {} since; what is there was left alone, and the other version is kept in {}",
                quote_path(&one.path),
                quote_path(kept)
            )),
            _ => None,
        })
        .collect();
    let is = |wanted: RecoveryOutcome| commit.iter().any(|one| one.outcome == wanted);
    let main = if is(RecoveryOutcome::RolledBack) {
        Some("the change has been undone")
    } else if is(RecoveryOutcome::Completed) {
        Some("the change has been completed")
    } else {
        None
    };
    if main.is_none() && kept.is_empty() {
        return None;
    }
    let sentences = main.map(str::to_owned).into_iter().chain(kept);
    Some(format!(
        "{all}; {}",
        sentences.collect::<Vec<_>>().join("; ")
    ))
}

fn join_paths_or_none(paths: &[QuotedPath]) -> String {
    match paths.is_empty() {
        true => "none".to_owned(),
        false => join_paths(paths, ", "),
    }
}
