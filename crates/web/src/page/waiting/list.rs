//! `/`: the waiting questions, newest first. The newest are shown with their diff if it is short; the others are
//! reached by a link.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use lancet::approval::{FileQuestion, Piece};
use lancet::questions::{Questions, RecordedQuestion};
use lancet_rendering::{DiffLine, Role, parse_lines};

use super::find::find_question;
use super::summary::{QuestionStatus, Summary, kind_label};
use crate::page::WebPage;
use crate::page::diff::{
    Diff, DiffLayout, DiffPart, FileDiff, HighlightingBudget, LayoutChoice, hidden_text_warning,
    is_hidden_text_notice,
};
use crate::page::fields::Fields;
use crate::page::frame::{Frame, Section};
use crate::page::view;
use crate::page::visitor::Visitor;

/// The number of questions on one page.
const QUESTIONS_PER_PAGE: usize = 25;
/// The number of them that are shown with their diff.
const QUESTIONS_WITH_DIFF: usize = 4;
/// The longest diffs of a question that the list shows, in lines over all its files.
const MOST_LINES: usize = 60;
/// The same in bytes.
const MOST_BYTES: usize = 6_000;

#[derive(Template)]
#[template(path = "waiting/list.html")]
struct ListView {
    frame: Frame,
    choice: LayoutChoice,
    entries: Vec<ListEntry>,
    total: usize,
    /// The positions of the questions before and after these.
    newer: Option<usize>,
    older: Option<usize>,
    lately: Vec<Summary>,
}

/// A question of the list.
struct ListEntry {
    summary: Summary,
    /// The diffs of its files; none if they are too long for the list.
    diffs: Option<Vec<EntryDiff>>,
}

/// The diff of a file of a question in the list.
struct EntryDiff {
    path: String,
    kind: Option<&'static str>,
    notices: Vec<String>,
    /// Text that the change brings in and people cannot see.
    hidden_text: Option<String>,
    diff: FileDiff,
}

/// Shows the waiting questions.
pub(super) async fn list_questions(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    choice: LayoutChoice,
    fields: Fields,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let layout = choice.layout;
        let Some(questions) = page.lancet.questions() else {
            return view::internal_error_response();
        };
        let frame = Frame::new(page, &visitor, Section::Waiting, "Waiting");
        let Ok(ids) = questions.open_ids() else {
            return view::internal_error_response();
        };
        let from = fields.number("from").unwrap_or(0).min(ids.len());
        let end = (from + QUESTIONS_PER_PAGE).min(ids.len());
        let view = ListView {
            frame,
            choice,
            entries: list_entries(&questions, &ids[from..end], layout),
            total: ids.len(),
            newer: (from > 0).then(|| from.saturating_sub(QUESTIONS_PER_PAGE)),
            older: (end < ids.len()).then_some(end),
            lately: recent_decisions(page),
        };
        view::html_response(StatusCode::OK, &view)
    })
    .await
}

fn list_entries(questions: &Questions, ids: &[String], layout: DiffLayout) -> Vec<ListEntry> {
    let budget = HighlightingBudget::for_page();
    let found = ids.iter().filter_map(|id| questions.get(id).ok().flatten());
    let entry = |(at, one): (usize, RecordedQuestion)| ListEntry {
        summary: Summary::from_question(&one),
        diffs: match at < QUESTIONS_WITH_DIFF && fits_into_list(&one) {
            true => Some(entry_diffs(&one, layout, &budget)),
            false => None,
        },
    };
    found.enumerate().map(entry).collect()
}

/// Returns whether the whole question fits into the list, so that it can be answered there: every change consists of
/// lines, and the list shows all of them. A question that moves, empties or removes a file without showing lines has
/// to be opened first.
fn fits_into_list(one: &RecordedQuestion) -> bool {
    let files = &one.question.files;
    let says_all = |file: &FileQuestion| {
        file.moved_from.is_none() && file.pieces.iter().all(has_changed_lines)
    };
    if !files.iter().all(says_all) {
        return false;
    }
    let pieces = || files.iter().flat_map(|file| &file.pieces);
    let bytes: usize = pieces().map(|piece| piece.diff.len()).sum();
    let lines: usize = pieces().map(|piece| piece.diff.lines().count()).sum();
    let notices = files.iter().flat_map(|file| &file.notices);
    let said: usize = notices.map(String::len).sum();
    bytes + said <= MOST_BYTES && lines <= MOST_LINES
}

/// Returns whether a piece shows lines. The diff of a file that is not text, or too large to compare, has none.
fn has_changed_lines(piece: &Piece) -> bool {
    let is_change = |line: &DiffLine| matches!(line.role, Role::Added | Role::Removed);
    parse_lines(&piece.diff).iter().any(is_change)
}

fn entry_diffs(
    one: &RecordedQuestion,
    layout: DiffLayout,
    budget: &HighlightingBudget,
) -> Vec<EntryDiff> {
    let files = &one.question.files;
    let of_file = |file: &FileQuestion| {
        let texts: Vec<&str> = file
            .pieces
            .iter()
            .map(|piece| piece.diff.as_str())
            .collect();
        let hidden_text = hidden_text_warning(&texts);
        let mut notices = file.notices.clone();
        notices.retain(|notice| hidden_text.is_none() || !is_hidden_text_notice(notice));
        EntryDiff {
            path: file.escaped_relative_path(),
            kind: kind_label(file),
            notices,
            hidden_text,
            diff: FileDiff {
                caption: format!("Changes of {}", file.escaped_relative_path()),
                layout,
                diff: Diff::from_unified(&file.path, &texts, &DiffPart::first_part(layout, budget)),
                more: String::new(),
            },
        }
    };
    files.iter().map(of_file).collect()
}

/// Returns the outcome of the questions that were recently decided here.
fn recent_decisions(page: &WebPage) -> Vec<Summary> {
    let ids = page.lately.ids();
    let found = ids.iter().filter_map(|id| find_question(page, id));
    found.map(|found| Summary::from_question(&found)).collect()
}
