//! *Waiting*: the questions that wait for an answer.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use http::StatusCode;
use lancet::questions::RecordedQuestion;

use super::Page;
use super::frame::{Frame, Section};
use super::view;
use super::visitor::Visitor;

/// The paths of this part of the page.
pub(super) fn routes() -> Router<Arc<Page>> {
    Router::new().route("/", get(list))
}

#[derive(Template)]
#[template(path = "waiting/list.html")]
struct ListView {
    frame: Frame,
    questions: Vec<RecordedQuestion>,
}

async fn list(State(page): State<Arc<Page>>, visitor: Visitor) -> Response {
    page.answer(move |page| {
        let frame = Frame::new(page, &visitor, Section::Waiting, "Waiting");
        let open = page.lancet.questions().map(|questions| questions.open());
        let Some(Ok(questions)) = open else {
            return view::broken();
        };
        view::html(StatusCode::OK, &ListView { frame, questions })
    })
    .await
}
