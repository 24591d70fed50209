//! Notices from a person to a session: comments on lines of its files, and hunks that were undone. Each is delivered
//! once, by whichever process is first: with the next answer that it fits into, or with the next prompt.

use lancet_history::{Comment, CommentKind, DeliveredWith};
use serde_json::json;

use super::context::CallContext;
use super::notice::Notice;
use crate::wording::{name_lines, on_one_line, quote_path};

/// The most notices that one answer delivers.
const MAX_NOTICES: usize = 10;

/// Returns the notices for the session of a call.
pub(super) fn comment_notices<'c>(context: &'c CallContext<'_>) -> Vec<Notice<'c>> {
    let engine = context.engine();
    // An unnamed session that has changed nothing has nothing that a person could have reviewed, so the database is not
    // opened for it.
    let is_used = || engine.base().pending_recovery.settled.get().is_some();
    if context.session.is_for_host() || !(context.session.name().is_some() || is_used()) {
        return Vec::new();
    }
    let Some(store) = engine.history() else {
        return Vec::new();
    };
    // A comment that cannot be read now waits for the next answer.
    let waiting = store.waiting_comments(context.session.key());
    let waiting = waiting.unwrap_or_default().into_iter().take(MAX_NOTICES);
    let notice = |comment: Comment| {
        Notice::new(&format_comment(&comment), move || {
            store
                .deliver_comment(comment.id, DeliveredWith::Answer)
                .unwrap_or(false)
        })
    };
    waiting.map(notice).collect()
}

/// Returns the text of a comment, on one line. It is a JSON string, so that no text can be mistaken for the end of the
/// notice.
pub(crate) fn format_comment(comment: &Comment) -> String {
    let path = quote_path(&comment.path);
    let lines = match (comment.first, comment.last) {
        (0, _) => String::new(),
        (first, last) => {
            let lines = vec![first as usize, last.max(first) as usize];
            match last > first {
                true => format!(" lines {first}-{last}"),
                false => format!(" {}", name_lines(lines, 1)),
            }
        }
    };
    match comment.kind {
        CommentKind::Interrupted => format!("{}.", comment.words),
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
