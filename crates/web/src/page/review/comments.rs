//! The comments that wait for their session or have been delivered to it.

use lancet::doors::visible_line;
use lancet::review::{DeliveredWith, HistoryError, Reviews};

use crate::page::moment::Moment;

/// The number of comments that are listed.
const MOST: usize = 30;

/// A comment.
pub(super) struct CommentEntry {
    pub(super) id: i64,
    pub(super) place: String,
    pub(super) session: String,
    pub(super) words: String,
    pub(super) time: Moment,
    /// The time of its delivery, and the kind of message.
    pub(super) delivered: Option<(Moment, &'static str)>,
}

/// Returns the newest comments.
pub(super) fn newest(
    review: &Reviews,
    roots: &[std::path::PathBuf],
) -> Result<Vec<CommentEntry>, HistoryError> {
    let comments = review.comments(MOST)?.into_iter().map(|comment| {
        let relative = roots
            .iter()
            .filter_map(|root| comment.path.strip_prefix(root).ok())
            .next()
            .unwrap_or(&comment.path);
        let path = visible_line(&relative.display().to_string()).into_owned();
        CommentEntry {
            id: comment.id,
            place: match (comment.first, comment.last) {
                (0, _) => path,
                (first, last) if first == last => format!("{path}:{first}"),
                (first, last) => format!("{path}:{first}-{last}"),
            },
            session: visible_line(&comment.session).into_owned(),
            words: comment.words,
            time: Moment(comment.time),
            delivered: comment.delivered.map(|(time, with)| {
                let with = match with {
                    DeliveredWith::Prompt => "with your prompt",
                    _ => "with an answer",
                };
                (Moment(time), with)
            }),
        }
    });
    Ok(comments.collect())
}
