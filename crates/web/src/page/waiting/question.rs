//! `/waiting/{id}`: one complete question, with its diff, the possible answers, and its outcome.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use lancet::approval::{FileQuestion, TOO_LONG_TO_SHOW};
use lancet::questions::{QuestionState, RecordedQuestion};
use lancet_rendering::unified;

use super::answer::files_written_together;
use super::editable::reason_not_editable;
use super::find::{find_question, question_not_found};
use super::summary::{QuestionStatus, Summary, kind_label};
use crate::page::WebPage;
use crate::page::diff::{
    Diff, DiffLayout, DiffPart, HighlightingBudget, LINES_PER_PART, LayoutChoice,
    hidden_text_warning, is_hidden_text_notice,
};
use crate::page::fields::Fields;
use crate::page::frame::{Frame, Section};
use crate::page::told::UserMessage;
use crate::page::view;
use crate::page::visitor::Visitor;

/// The number of lines of all diffs together that are shown at once. A link opens the diffs of further files.
const MAX_DIFF_LINES: usize = 1_200;

#[derive(Template)]
#[template(path = "waiting/question.html")]
struct QuestionView {
    frame: Frame,
    summary: Summary,
    layout: DiffLayout,
    choice: LayoutChoice,
    files: Vec<FileView>,
    /// Whether the user can answer.
    is_open: bool,
    /// Whether parts can be picked: the question has several, and does not have to be answered as a whole.
    has_parts: bool,
    is_whole: bool,
    /// How much of the change is shown, if not all of it is: "400 of 8,844 lines shown".
    unseen: Option<String>,
    /// Whether this is a later part of one file's diff.
    is_part: bool,
    session: String,
    always: Vec<String>,
    /// The message of a form that could not be carried out.
    words: String,
}

/// A file of the question.
struct FileView {
    number: usize,
    path: String,
    /// The kind of change, if the file is not changed in place.
    kind: Option<&'static str>,
    moved_from: Option<String>,
    added: usize,
    removed: usize,
    is_protected: bool,
    reason: Option<String>,
    rule: Option<String>,
    notices: Vec<String>,
    /// Text that the change brings in and people cannot see.
    hidden_text: Option<String>,
    /// Whether there is a checkbox for the whole file; a file that belongs to an earlier one has none.
    has_box: bool,
    /// Whether its pieces have separate checkboxes.
    has_pieces: bool,
    /// The names of the other files that are written together with this one.
    goes_with: Vec<String>,
    /// Whether its text can be edited.
    can_edit: bool,
    diff: Diff,
    /// Whether the diff is omitted because the others are long; a link opens it.
    is_left_out: bool,
    /// The checkboxes that were ticked in a form that could not be carried out.
    ticked: Vec<String>,
    /// The comments of that form: the line, and the text.
    comments: Vec<(String, String)>,
}

impl FileView {
    /// Restores the fields that a form has for this file.
    fn restore_fields(&mut self, sent: &Fields) {
        self.ticked = sent.all("pick").map(str::to_owned).collect();
        let number = self.number.to_string();
        let places = sent.all("comment-file").zip(sent.all("comment-line"));
        let comments = places.zip(sent.all("comment"));
        let own = comments.filter(|((file, _), words)| *file == number && !words.trim().is_empty());
        self.comments = own
            .map(|((_, line), words)| (line.to_owned(), words.to_owned()))
            .collect();
    }

    /// Returns whether the checkbox of the whole file was ticked.
    fn is_ticked(&self) -> bool {
        self.ticked.contains(&self.number.to_string())
    }

    /// Returns whether the checkbox of a piece was ticked.
    fn is_piece_ticked(&self, piece: &usize) -> bool {
        self.ticked.contains(&format!("{}.{piece}", self.number))
    }

    /// Returns whether a piece has several hunks.
    fn together(&self, text: &usize) -> bool {
        self.diff
            .hunks
            .iter()
            .filter(|hunk| hunk.text == *text)
            .count()
            > 1
    }
}

/// Shows a question.
pub(super) async fn show_question(
    State(page): State<Arc<WebPage>>,
    Path(id): Path<String>,
    visitor: Visitor,
    choice: LayoutChoice,
    fields: Fields,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let mut frame = Frame::new(page, &visitor, Section::Waiting, "");
        let Some(found) = find_question(page, &id) else {
            return question_not_found();
        };
        let summary = Summary::from_question(&found);
        frame.title = format!("{} {}", summary.tool, summary.subject);
        let part = fields.number("file").zip(fields.number("from"));
        view::html_response(
            StatusCode::OK,
            &question_view(frame, summary, &found, choice, part),
        )
    })
    .await
}

/// Shows a question again whose form could not be carried out: gives the reason, and every field has the user's
/// input.
pub(super) fn show_question_again(
    page: &WebPage,
    visitor: &Visitor,
    found: &RecordedQuestion,
    layout: DiffLayout,
    (sent, trouble): (&Fields, String),
) -> Response {
    let summary = Summary::from_question(found);
    let title = format!("{} {}", summary.tool, summary.subject);
    let mut frame = Frame::new(page, visitor, Section::Waiting, title);
    frame.told.push(UserMessage::refusal(trouble));
    let choice = LayoutChoice::for_path(&format!("/waiting/{}", found.id), layout);
    let mut view = question_view(frame, summary, found, choice, None);
    view.words = sent.first_raw_value("words").unwrap_or_default().to_owned();
    for file in &mut view.files {
        file.restore_fields(sent);
    }
    view::html_response(StatusCode::BAD_REQUEST, &view)
}

fn question_view(
    frame: Frame,
    summary: Summary,
    found: &RecordedQuestion,
    choice: LayoutChoice,
    part: Option<(usize, usize)>,
) -> QuestionView {
    let layout = choice.layout;
    let question = &found.question;
    let budget = HighlightingBudget::for_page();
    let mut left = MAX_DIFF_LINES;
    let mut files = Vec::new();
    for (number, file) in question.files.iter().enumerate() {
        let shown = DiffPart {
            from: 0,
            most: LINES_PER_PART.min(left),
            ..DiffPart::first_part(layout, &budget)
        };
        let shown = match part {
            Some((wanted, _)) if wanted != number => continue,
            Some((_, from)) => DiffPart {
                from,
                most: LINES_PER_PART,
                ..shown
            },
            None => shown,
        };
        let made = file_view(found, number, file, &shown);
        left -= made.diff.line_count().min(left);
        files.push(made);
    }
    let pieces: usize = question.files.iter().map(|file| file.pieces.len()).sum();
    let is_open = found.state == QuestionState::Open;
    QuestionView {
        frame,
        summary,
        layout,
        choice,
        unseen: unseen_label(&files, part.is_some()),
        files,
        is_open,
        has_parts: is_open && !question.is_whole && pieces > 1,
        is_whole: question.is_whole,
        is_part: part.is_some(),
        session: question.offers.session.clone(),
        always: question.offers.always.clone(),
        words: String::new(),
    }
}

/// Returns whether the question's page shows all lines of the change without a further part.
pub(super) fn is_shown_at_once(found: &RecordedQuestion) -> bool {
    let budget = HighlightingBudget::none();
    let mut left = MAX_DIFF_LINES;
    found
        .question
        .files
        .iter()
        .enumerate()
        .all(|(number, file)| {
            let shown = DiffPart {
                most: LINES_PER_PART.min(left),
                ..DiffPart::first_part(DiffLayout::Unified, &budget)
            };
            let diff = file_view(found, number, file, &shown).diff;
            left -= diff.line_count().min(left);
            diff.line_count() == diff.total
        })
}

/// Returns how much of the change is shown, if not all of it is.
fn unseen_label(files: &[FileView], is_part: bool) -> Option<String> {
    if is_part {
        return Some("a part of it shown".to_owned());
    }
    let shown: usize = files.iter().map(|file| file.diff.line_count()).sum();
    let total: usize = files.iter().map(|file| file.diff.total).sum();
    (shown < total).then(|| format!("{} of {} lines shown", grouped(shown), grouped(total)))
}

/// Returns a number with a comma before each group of three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn file_view(
    found: &RecordedQuestion,
    number: usize,
    file: &FileQuestion,
    shown: &DiffPart<'_>,
) -> FileView {
    let question = &found.question;
    let pieces = file.pieces.iter().map(|piece| piece.diff.as_str());
    let whole = complete_diff(file);
    let texts: Vec<&str> = match &whole {
        Some(whole) => vec![whole],
        None => pieces.collect(),
    };
    let mut notices = file.notices.clone();
    notices.retain(|notice| whole.is_none() || notice != TOO_LONG_TO_SHOW);
    let hidden_text = hidden_text_warning(&texts);
    notices.retain(|notice| hidden_text.is_none() || !is_hidden_text_notice(notice));
    let members = files_written_together(question, number);
    let is_open = found.state == QuestionState::Open;
    let can_pick = is_open && !question.is_whole;
    let diff = Diff::from_unified(&file.path, &texts, shown);
    FileView {
        number,
        path: file.escaped_relative_path(),
        kind: kind_label(file),
        moved_from: file.escaped_old_path(),
        added: file.lines.0,
        removed: file.lines.1,
        is_protected: file.protected,
        reason: file.reason.clone(),
        rule: file.rule.clone(),
        notices,
        hidden_text,
        has_box: can_pick && file.goes_with.is_none() && question.files.len() > 1,
        has_pieces: can_pick && members.len() == 1 && file.pieces.len() > 1,
        goes_with: members
            .into_iter()
            .filter(|member| *member != number)
            .map(|member| question.files[member].escaped_relative_path())
            .collect(),
        can_edit: is_open && reason_not_editable(found, file).is_none(),
        is_left_out: diff.hunks.is_empty() && diff.total > 0,
        ticked: Vec::new(),
        comments: Vec::new(),
        diff,
    }
}

/// Returns the complete diff of a change that is too long for the question's own diff, computed from the texts. Such
/// a change is one piece.
fn complete_diff(file: &FileQuestion) -> Option<String> {
    let is_cut = file.notices.iter().any(|notice| notice == TOO_LONG_TO_SHOW);
    is_cut.then_some(())?;
    Some(unified(file.old_text.as_deref()?, file.text.as_deref()?, 3))
}
