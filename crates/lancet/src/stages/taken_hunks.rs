//! After a hunk was undone, stores a notice for the sessions whose changes contained it. `persons_words.rs` delivers
//! it.

use lancet_history::{CommentDraft, CommentKind, IdMatch, OperationStore};
use serde_json::json;

use super::context::CallContext;
use super::record::Recorded;

/// Stores a notice for the sessions whose changes contained an undone hunk.
pub(super) fn notify_authors(context: &CallContext<'_>, recorded: &Recorded) {
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
    for session in authoring_sessions(&**store, recorded) {
        if told.contains(&session) {
            continue;
        }
        let event = json!({ "state": "waiting", "operation": recorded.operation, "path": path.to_string_lossy() });
        // If this fails, the session notices from the file itself that it was changed.
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

/// Returns the sessions whose changes contained an undone hunk.
fn authoring_sessions(store: &dyn OperationStore, recorded: &Recorded) -> Vec<String> {
    let earlier = recorded.plan.origin.takes_part_of.iter();
    let session = |id: &str| match store.find(id, &[]) {
        Ok(IdMatch::One(found)) if !found.is_made_by_person() => Some(found.session),
        _ => None,
    };
    earlier
        .filter_map(|taken| session(&taken.operation))
        .collect()
}
