//! Finds a question by its id.

use axum::response::Response;
use lancet::approval::FileQuestion;
use lancet::questions::RecordedQuestion;

use crate::page::{WebPage, view};

/// Returns the question with this id, if it concerns the roots of this server.
pub(super) fn find_question(page: &WebPage, id: &str) -> Option<RecordedQuestion> {
    let found = page.lancet.questions()?.get(id).ok()??;
    let roots = page.lancet.roots();
    let is_below = |file: &FileQuestion| roots.iter().any(|root| file.path.starts_with(root));
    found.question.files.iter().any(is_below).then_some(found)
}

pub(super) fn question_not_found() -> Response {
    view::not_found_response(
        "There is no such question. It was removed, or belongs to another project; / shows what waits.",
    )
}
