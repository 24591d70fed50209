//! What a person has to tell a session: comments on lines of its files, and hunks that were taken back. Each is told once, with
//! the next answer that has room for it or with the next prompt, whichever process gives it.

use lancet_history::{Comment, CommentDraft, CommentKind, DeliveredWith, OperationStore};
use serde_json::json;

use super::CallContext;
use super::notices::Notice;
use super::record::Recorded;
use crate::wording::{lines_named, on_one_line, quote_path};

/// How many of them one answer tells.
const AT_ONCE: usize = 10;

/// The notices for the session of a call.
pub(super) fn notices<'c>(context: &'c CallContext<'_>) -> Vec<Notice<'c>> {
    let engine = context.engine();
    // A session without a name that has changed nothing has nothing that a person could have looked at, and the database is not
    // opened for it.
    let is_used = || engine.base().pending_recovery.settled.get().is_some();
    if context.session.is_apart() || !(context.session.name().is_some() || is_used()) {
        return Vec::new();
    }
    let Some(store) = engine.history() else {
        return Vec::new();
    };
    // A comment that cannot be read now waits for the next answer.
    let waiting = store.waiting_comments(context.session.key());
    let waiting = waiting.unwrap_or_default().into_iter().take(AT_ONCE);
    let notice = |comment: Comment| {
        Notice::new(&words(&comment), move || {
            store
                .deliver_comment(comment.id, DeliveredWith::Answer)
                .unwrap_or(false)
        })
    };
    waiting.map(notice).collect()
}

/// What a comment says, on one line. The words are a JSON string, so that no words can look like the end of the notice.
pub(crate) fn words(comment: &Comment) -> String {
    let path = quote_path(&comment.path);
    let lines = match (comment.first, comment.last) {
        (0, _) => String::new(),
        (first, last) => {
            let lines = vec![first as usize, last.max(first) as usize];
            match last > first {
                true => format!(" lines {first}-{last}"),
                false => format!(" {}", lines_named(lines, 1)),
            }
        }
    };
    match comment.kind {
        CommentKind::TakenBack => format!(
            "a person took back some of what this session changed in {path}:{lines} {}. Read the file before you change it, and do not put the lines back without being asked to.",
            comment.words
        ),
        _ => {
            let said = json!(comment.words).to_string();
            format!(
                "a person's comment on {path}{lines}: {}",
                on_one_line(&said)
            )
        }
    }
}

/// Leaves word for the sessions whose changes a hunk was taken back of.
pub(super) fn note_taken_back(context: &CallContext<'_>, recorded: &Recorded) {
    let Some(store) = context.engine().history() else {
        return;
    };
    let Some(file) = recorded.plan.files.first() else {
        return;
    };
    let path = file.target.path();
    let lines = file.view.lines.iter().filter(|lines| !lines.is_empty());
    let first = lines.clone().map(|lines| lines.start).min().unwrap_or(0);
    let last = lines.map(|lines| lines.end - 1).max().unwrap_or(first);
    let words = match (file.removes(), first) {
        (true, _) => "the file, which it had made, is gone",
        (_, 0) => "lines that it had added are gone",
        _ => "the text is as it was before",
    };
    let mut told: Vec<String> = Vec::new();
    for session in sessions(&**store, recorded) {
        if told.contains(&session) {
            continue;
        }
        let event = json!({ "state": "waiting", "operation": recorded.operation, "path": path.to_string_lossy() });
        // If this fails, the session learns by the file itself that somebody has changed it.
        let _ = store.add_comment(&CommentDraft {
            kind: CommentKind::TakenBack,
            session: &session,
            path,
            first: first as u64,
            last: last as u64,
            revision: None,
            words,
            operation: Some(&recorded.operation),
            event: &event.to_string(),
        });
        told.push(session);
    }
}

/// The sessions whose changes a hunk was taken back of.
fn sessions(store: &dyn OperationStore, recorded: &Recorded) -> Vec<String> {
    let earlier = recorded.plan.origin.takes_part_of.iter();
    let session = |id: &str| match store.find(id, &[]) {
        Ok(lancet_history::IdMatch::One(found)) if !found.is_a_persons() => Some(found.session),
        _ => None,
    };
    earlier
        .filter_map(|taken| session(&taken.operation))
        .collect()
}
