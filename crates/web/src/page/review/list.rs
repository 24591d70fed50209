//! `/review` and `/review/file`: the files to be reviewed, and a single one of them.

use std::path::PathBuf;
use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use lancet::doors::{escape_line_for_terminal, path_text};
use lancet::review::{ReviewGroup, ReviewedFile, Reviews, UnseenFile, group_files};

use super::comments::{self, CommentEntry};
use super::entry::FileEntry;
use crate::page::WebPage;
use crate::page::diff::{DiffLayout, DiffPart, HighlightingBudget, LINES_PER_PART, LayoutChoice};
use crate::page::fields::Fields;
use crate::page::frame::{Frame, Section};
use crate::page::moment::Timestamp;
use crate::page::view;
use crate::page::visitor::Visitor;

/// The number of files that are shown with their diffs.
const MAX_FILES_WITH_DIFF: usize = 10;
/// The number of lines of all diffs together that are shown at once; a link opens the diffs of further files.
const MAX_DIFF_LINES: usize = 1_200;
/// The number of further files that are named.
const MAX_NAMED_FILES: usize = 200;

#[derive(Template)]
#[template(path = "review/list.html")]
struct ListView {
    frame: Frame,
    layout: DiffLayout,
    choice: LayoutChoice,
    groups: Vec<GroupEntry>,
    /// Further files: a name for the address, and the path.
    others: Vec<(String, String)>,
    /// The number of further files that are not even named.
    unnamed: usize,
    /// The total number of files.
    total: usize,
    upto: i64,
    comments: Vec<CommentEntry>,
    /// What was marked as seen lately: the mark, its time, and the number of its files.
    marks: Vec<(u64, Timestamp, usize)>,
    /// Whether this is a single file.
    is_one: bool,
}

/// The files of one session and prompt.
struct GroupEntry {
    session: String,
    client: String,
    prompt: Option<(String, Timestamp)>,
    files: Vec<FileEntry>,
}

/// Shows the files to be reviewed.
pub(super) async fn list_files_to_review(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    choice: LayoutChoice,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let frame = Frame::new(page, &visitor, Section::Review, "Review");
        match build_view(page, frame, choice) {
            Some(view) => view::html_response(StatusCode::OK, &view),
            None => view::internal_error_response(),
        }
    })
    .await
}

fn build_view(page: &WebPage, frame: Frame, choice: LayoutChoice) -> Option<ListView> {
    let layout = choice.layout;
    let review = page.lancet.review()?;
    let list = review.list(MAX_FILES_WITH_DIFF).ok()?;
    let roots = page.lancet.roots();
    let budget = HighlightingBudget::for_page();
    let mut left = MAX_DIFF_LINES;
    let mut entry = |file: &ReviewedFile| {
        let shown = DiffPart {
            most: LINES_PER_PART.min(left),
            ..DiffPart::first_part(layout, &budget)
        };
        let made = FileEntry::from_reviewed(file, &shown);
        left -= made.diff.line_count().min(left);
        made
    };
    let groups = group_files(&list.files);
    let groups = groups.iter().map(|group| group_entry(group, &mut entry));
    let named = list.others.iter().take(MAX_NAMED_FILES);
    Some(ListView {
        groups: groups.collect(),
        others: named.map(|file| unseen_file_labels(file, &roots)).collect(),
        unnamed: list.others.len().saturating_sub(MAX_NAMED_FILES),
        total: list.files.len() + list.others.len(),
        upto: list.upto,
        comments: comments::newest_comments(&review, &roots).ok()?,
        marks: page
            .seen_marks
            .list()
            .into_iter()
            .map(|(number, time, files)| (number, Timestamp(time), files))
            .collect(),
        is_one: false,
        choice,
        frame,
        layout,
    })
}

fn group_entry(
    group: &ReviewGroup<'_>,
    entry: &mut impl FnMut(&ReviewedFile) -> FileEntry,
) -> GroupEntry {
    let prompt = group.prompt.map(|mark| {
        let words = escape_line_for_terminal(&mark.prompt).into_owned();
        (words, Timestamp(mark.time))
    });
    GroupEntry {
        session: escape_line_for_terminal(group.session).into_owned(),
        client: escape_line_for_terminal(group.client.unwrap_or("an unknown program")).into_owned(),
        prompt,
        files: group.files.iter().map(|file| entry(file)).collect(),
    }
}

fn unseen_file_labels(file: &UnseenFile, roots: &[PathBuf]) -> (String, String) {
    let mut below = roots
        .iter()
        .filter_map(|root| file.path.strip_prefix(root).ok());
    let relative = below.next().unwrap_or(&file.path);
    (
        format!("{}.{}", file.operation, file.at),
        escape_line_for_terminal(&path_text(relative)).into_owned(),
    )
}

/// Shows one file, or a part of its diff.
pub(super) async fn show_file(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    choice: LayoutChoice,
    fields: Fields,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let layout = choice.layout;
        let Some(review) = page.lancet.review() else {
            return view::internal_error_response();
        };
        let found = fields
            .first_value("id")
            .and_then(|id| path_from_id(&review, id));
        let found = found.and_then(|path| review.file(&path).ok()?);
        let Some(found) = found else {
            return view::not_found_response(
                "Nothing is to be reviewed of this file any more; /review shows what is.",
            );
        };
        let budget = HighlightingBudget::for_page();
        let shown = DiffPart {
            from: fields.number("from").unwrap_or(0),
            ..DiffPart::first_part(layout, &budget)
        };
        let files = [found];
        let groups = group_files(&files);
        let groups = groups
            .iter()
            .map(|group| group_entry(group, &mut |file| FileEntry::from_reviewed(file, &shown)));
        let view = ListView {
            frame: Frame::new(page, &visitor, Section::Review, "Review"),
            groups: groups.collect(),
            others: Vec::new(),
            unnamed: 0,
            total: 1,
            upto: 0,
            comments: Vec::new(),
            marks: Vec::new(),
            is_one: true,
            choice,
            layout,
        };
        view::html_response(StatusCode::OK, &view)
    })
    .await
}

/// Returns the file of a name, which consists of an operation and the index of the file in it.
pub(super) fn path_from_id(review: &Reviews, id: &str) -> Option<PathBuf> {
    let (operation, at) = id.split_once('.')?;
    review.path_of(operation, at.parse().ok()?).ok()?
}
