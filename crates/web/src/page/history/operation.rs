//! One operation: who made it and why, its diffs, and the actions on it.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use lancet::doors::escape_line_for_terminal;
use lancet::history::{
    ALREADY_UNDONE_MARK, FileChange, History, IdMatch, Operation, OperationKind,
};

use super::change_facts::change_facts;
use super::file_diff;
use super::recorded_call::CallView;
use super::summary::{FileSummary, Summary, prompts_of_operations, shorten_id};
use crate::page::WebPage;
use crate::page::diff::{DiffPart, FileDiff, HighlightingBudget, LINES_PER_PART, LayoutChoice};
use crate::page::fields::Fields;
use crate::page::frame::{Frame, Section};
use crate::page::visitor::Visitor;
use crate::page::{links, view};

/// The largest number of files with diffs on the page at once.
const MOST_FILES: usize = 50;
/// The largest number of lines of diffs on the page, over all files.
const MOST_LINES: usize = 1_200;

#[derive(Template)]
#[template(path = "history/operation.html")]
struct OperationView {
    frame: Frame,
    choice: LayoutChoice,
    operation: Summary,
    prompt: Option<String>,
    approved: Option<String>,
    turn: Option<String>,
    call: Option<String>,
    /// The call of another program that made the change.
    recorded: Option<CallView>,
    rungs: String,
    takes_back: Vec<(String, String)>,
    can_undo: bool,
    can_redo: bool,
    files: Vec<FileView>,
    more_files: usize,
    /// Whether this is a part of one file's diff.
    is_part: bool,
}

/// A file with its diff.
struct FileView {
    number: usize,
    file: FileSummary,
    lines: String,
    /// Whether the rules allow showing its text.
    is_shown: bool,
    /// What was changed besides lines.
    facts: Vec<String>,
    /// None if the rules forbid it, or if the page is long enough.
    diff: Option<FileDiff>,
    has_before: bool,
    has_after: bool,
    undone_by: Option<(String, String)>,
}

/// Shows an operation.
pub(super) async fn show_operation(
    State(page): State<Arc<WebPage>>,
    Path(id): Path<String>,
    visitor: Visitor,
    choice: LayoutChoice,
    fields: Fields,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let Some(history) = page.lancet.history() else {
            return view::internal_error_response();
        };
        let Some(found) = find_operation(&history, &id) else {
            return operation_not_found();
        };
        let title = format!(
            "{} {}",
            escape_line_for_terminal(&found.tool),
            shorten_id(&found.id)
        );
        let frame = Frame::new(page, &visitor, Section::History, title);
        match operation_view(&history, &found, frame, choice, &fields) {
            Ok(view) => view::html_response(StatusCode::OK, &view),
            Err(_) => view::internal_error_response(),
        }
    })
    .await
}

/// Returns the operation of this id if all its files are below the roots.
pub(super) fn find_operation(history: &History, id: &str) -> Option<Operation> {
    let is_one =
        (8..=32).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_one {
        return None;
    }
    match history.find(id) {
        Ok(IdMatch::One(found)) if found.id == id && history.are_files_below_roots(&found) => {
            Some(*found)
        }
        _ => None,
    }
}

/// Returns the answer for an operation that does not exist.
pub(super) fn operation_not_found() -> Response {
    view::not_found_response(
        "There is no such operation on this project's files. It may be too old to be kept.",
    )
}

fn operation_view(
    history: &History,
    found: &Operation,
    frame: Frame,
    choice: LayoutChoice,
    fields: &Fields,
) -> Result<OperationView, lancet::history::HistoryError> {
    let layout = choice.layout;
    let part: Option<usize> = fields.number("file");
    let budget = HighlightingBudget::for_page();
    let mut left = MOST_LINES;
    let mut files = Vec::new();
    for (at, change) in found.files.iter().enumerate().take(MOST_FILES) {
        let number = at + 1;
        if part.is_some_and(|part| part != number) {
            continue;
        }
        let shown = DiffPart {
            layout,
            from: fields
                .number("from")
                .filter(|_| part.is_some())
                .unwrap_or(0),
            most: LINES_PER_PART.min(left.max(1)),
            budget: &budget,
        };
        let summary = FileSummary::from_change(change, history);
        let more = format!("/history/{}?file={number}&from=", found.id);
        let diff = match left {
            0 => None,
            _ => file_diff(history, change, &shown, layout, (&summary.path, more))?,
        };
        left = left.saturating_sub(diff.as_ref().map_or(0, |diff| diff.diff.line_count()));
        files.push(file_view(number, change, summary, diff, history));
    }
    let link = |id: &String| (format!("/history/{id}"), shorten_id(id));
    let is_undone = found.files.iter().all(|file| file.undone_by.is_some());
    let is_change = matches!(found.kind, OperationKind::Change | OperationKind::Redo);
    let text = |text: &Option<String>| {
        text.as_deref()
            .map(|text| escape_line_for_terminal(text).into_owned())
    };
    Ok(OperationView {
        frame,
        choice,
        operation: Summary::from_operation(found, history),
        prompt: prompts_of_operations(history, std::slice::from_ref(found))
            .pop()
            .flatten(),
        approved: text(&found.approved),
        turn: text(&found.turn),
        call: text(&found.call),
        recorded: found
            .recorded
            .as_ref()
            .map(|call| CallView::from_call(call, history)),
        rungs: escape_line_for_terminal(&found.rungs.join(", ")).into_owned(),
        takes_back: found.takes_back.iter().map(link).collect(),
        can_undo: is_change && !is_undone,
        can_redo: found.kind == OperationKind::Undo && !is_undone,
        more_files: found.files.len().saturating_sub(MOST_FILES),
        files,
        is_part: part.is_some(),
    })
}

fn file_view(
    number: usize,
    change: &FileChange,
    file: FileSummary,
    diff: Option<FileDiff>,
    history: &History,
) -> FileView {
    let undone = change.undone_by.as_deref();
    let is_shown = history.may_show_change(change);
    FileView {
        number,
        file,
        lines: links::line_authors_address(&change.path),
        is_shown,
        facts: match is_shown {
            true => change_facts(change),
            false => Vec::new(),
        },
        diff,
        has_before: change.before.is_some(),
        has_after: change.after.is_some(),
        undone_by: undone.map(|by| match by {
            ALREADY_UNDONE_MARK => (
                String::new(),
                "the file itself, which was so already".to_owned(),
            ),
            by => (format!("/history/{by}"), shorten_id(by)),
        }),
    }
}
