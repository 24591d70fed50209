//! The history of a file: its changes with their diffs, newest first, through the names that it had.

use std::path::Path;
use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use lancet::doors::path_text;
use lancet::history::{History, LifeCursor, LifeEvent};

use super::file_diff;
use super::summary::{FileSummary, Summary, prompts_of_operations};
use crate::page::WebPage;
use crate::page::diff::{DiffLayout, DiffPart, FileDiff, HighlightingBudget};
use crate::page::fields::Fields;
use crate::page::frame::{Frame, Section};
use crate::page::visitor::Visitor;
use crate::page::{links, view};

/// The number of changes on one page.
const CHANGES_PER_PAGE: usize = 20;
/// The number of lines of each diff that are shown; the rest is on the operation's page.
const MOST_LINES: usize = 80;

#[derive(Template)]
#[template(path = "history/file.html")]
struct FileHistoryView {
    frame: Frame,
    path: String,
    lines: String,
    is_shown: bool,
    events: Vec<EventView>,
    older: Option<String>,
    is_first_page: bool,
}

/// One change in the history of the file.
struct EventView {
    operation: Summary,
    prompt: Option<String>,
    file: FileSummary,
    /// The number of the file in its operation, counted from 1.
    number: usize,
    is_undone: bool,
    can_restore: bool,
    diff: Option<FileDiff>,
}

/// Shows the history of a file.
pub(super) async fn show_file_history(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    layout: DiffLayout,
    fields: Fields,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let Some(history) = page.lancet.history() else {
            return view::internal_error_response();
        };
        let named = |name| links::path_from_query(&page.lancet, fields.first_value(name)?);
        let Some(path) = named("path") else {
            return view::not_found_response("There is no such file in this project.");
        };
        let cursor = fields.number("before").map(|before| LifeCursor {
            path: named("as").unwrap_or_else(|| path.clone()),
            before,
        });
        let shown = links::display_path(&history, &path);
        let frame = Frame::new(page, &visitor, Section::History, shown.clone());
        let Ok(life) = history.life(&path, cursor.as_ref(), CHANGES_PER_PAGE) else {
            return view::internal_error_response();
        };
        let Ok(events) = events(&history, &life.events, layout) else {
            return view::internal_error_response();
        };
        let older = life.older.map(|older| {
            links::address_with_query(
                "/history/file",
                &[
                    ("path", &path_text(&path)),
                    ("as", &path_text(&older.path)),
                    ("before", &older.before.to_string()),
                ],
            )
        });
        let view = FileHistoryView {
            frame,
            lines: links::line_authors_address(&path),
            is_shown: history.may_show(&path),
            path: shown,
            events,
            older,
            is_first_page: cursor.is_none(),
        };
        view::html_response(StatusCode::OK, &view)
    })
    .await
}

fn events(
    history: &History,
    found: &[LifeEvent],
    layout: DiffLayout,
) -> Result<Vec<EventView>, lancet::history::HistoryError> {
    let operations: Vec<_> = found.iter().map(|event| event.operation.clone()).collect();
    let budget = HighlightingBudget::for_page();
    let mut events = Vec::new();
    for (event, prompt) in found
        .iter()
        .zip(prompts_of_operations(history, &operations))
    {
        let Some(change) = event.operation.files.get(event.file) else {
            continue;
        };
        let shown = DiffPart {
            layout,
            from: 0,
            most: MOST_LINES,
            budget: &budget,
        };
        let file = FileSummary::from_change(change, history);
        let number = event.file + 1;
        let more = format!("/history/{}?file={number}&from=", event.operation.id);
        events.push(EventView {
            diff: file_diff(history, change, &shown, layout, (&file.path, more))?,
            operation: Summary::from_operation(&event.operation, history),
            prompt,
            file,
            number,
            is_undone: change.undone_by.is_some(),
            can_restore: change.after.is_some() && is_name_expressible(&change.path),
        });
    }
    Ok(events)
}

/// Returns whether the page can express the path in an address.
fn is_name_expressible(path: &Path) -> bool {
    path.to_str().is_some()
}
