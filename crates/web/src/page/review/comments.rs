//! The comments that wait for their session or have been delivered to it.

use lancet::doors::escape_line_for_terminal;
use lancet::review::{DeliveredWith, HistoryError, Reviews};

use crate::page::moment::Timestamp;

/// The number of comments that are listed.
const MAX_COMMENTS: usize = 30;

/// A comment.
pub(super) struct CommentEntry {
    pub(super) id: i64,
    pub(super) place: String,
    pub(super) session: String,
    pub(super) words: String,
    pub(super) time: Timestamp,
    /// The time of its delivery, and the kind of message.
    pub(super) delivered: Option<(Timestamp, &'static str)>,
}

/// Returns the newest comments.
pub(super) fn newest_comments(
    review: &Reviews,
    roots: &[std::path::PathBuf],
) -> Result<Vec<CommentEntry>, HistoryError> {
    let comments = review.comments(MAX_COMMENTS)?.into_iter().map(|comment| {
        let relative = roots
            .iter()
            .filter_map(|root| comment.path.strip_prefix(root).ok())
            .next()
            .unwrap_or(&comment.path);
        let path = escape_line_for_terminal(&relative.display().to_string()).into_owned();
        CommentEntry {
            id: comment.id,
            place: match (comment.first, comment.last) {
                (0, _) => path,
                (first, last) if first == last => format!("{path}:{first}"),
                (first, last) => format!("{path}:{first}-{last}"),
            },
            session: escape_line_for_terminal(&comment.session).into_owned(),
            words: comment.words,
            time: Timestamp(comment.time),
            delivered: comment.delivered.map(|(time, with)| {
                let with = match with {
                    DeliveredWith::Prompt => "with your prompt",
                    _ => "with an answer",
                };
                (Timestamp(time), with)
            }),
        }
    });
    Ok(comments.collect())
}
