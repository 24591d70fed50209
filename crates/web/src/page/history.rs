//! *History*: operations by session, file and time, one operation with its diffs, the history of a file, the author
//! of each line, and undo, redo and restore with a preview.

mod before;
mod change_facts;
mod file;
mod lines;
mod list;
mod operation;
mod recorded_call;
mod summary;
mod take_back;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use lancet::history::{FileChange, History, HistoryError};

use super::WebPage;
use super::diff::{Diff, DiffLayout, DiffPart, FileDiff};

/// Returns the paths of this part of the page.
pub(super) fn routes() -> Router<Arc<WebPage>> {
    Router::new()
        .route("/history", get(list::list_operations))
        .route("/history/file", get(file::show_file_history))
        .route("/history/lines", get(lines::show_line_authors))
        .route("/history/{id}", get(operation::show_operation))
        .route(
            "/history/{id}/{act}",
            get(take_back::show_preview).post(take_back::carry_out),
        )
}

/// Returns the change of an operation to a file, as rows; none if the rules forbid showing the file's text.
fn file_diff(
    history: &History,
    change: &FileChange,
    shown: &DiffPart<'_>,
    layout: DiffLayout,
    (name, more): (&str, String),
) -> Result<Option<FileDiff>, HistoryError> {
    let Some(patch) = history.patch(change)? else {
        return Ok(None);
    };
    Ok(Some(FileDiff {
        caption: format!("Changes of {name}"),
        layout,
        diff: Diff::from_unified(&change.path, &[&patch], shown),
        more,
    }))
}
