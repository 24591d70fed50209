//! Undo, redo and restore: a preview of the resulting files, then the button that carries it out. Exactly what was
//! shown is carried out: the form names the preview by its hash, and if the files have changed since, there is a new
//! preview.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use lancet::approval::{Answer, Approver, Question, Wait};
use lancet::doors::escape_line_for_terminal;
use lancet::history::{History, Operation};
use lancet::outcome::{ChangeOutcome, FileOutcome, Outcome, unified_diff};
use lancet::review::PAGE_CLIENT;
use lancet::undo::{Conflicts, OperationSide, Overlap, Restore, Selection, UndoRequest};
use lancet::{Caller, Reply};

use super::before::FilesBefore;
use super::change_facts::kind_label;
use super::operation::{find_operation, operation_not_found};
use super::summary::Summary;
use crate::page::WebPage;
use crate::page::diff::{Diff, DiffLayout, DiffPart, FileDiff, HighlightingBudget};
use crate::page::fields::{Fields, SentForm};
use crate::page::frame::{Frame, Section};
use crate::page::told::Tone;
use crate::page::visitor::Visitor;
use crate::page::{links, view};

/// The number of lines of diffs after which further files are only named. The diff of a file is shown completely.
const MOST_LINES: usize = 2_000;

/// The action on an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HistoryAction {
    Undo,
    Redo,
    Restore,
}

impl HistoryAction {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "undo" => Some(Self::Undo),
            "redo" => Some(Self::Redo),
            "restore" => Some(Self::Restore),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Undo => "undo",
            Self::Redo => "redo",
            Self::Restore => "restore",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Undo => "Undo",
            Self::Redo => "Redo",
            Self::Restore => "Restore",
        }
    }
}

/// The exact request: the fields of the query and of the form.
struct ActionRequest {
    act: HistoryAction,
    operation: Operation,
    /// The file of a restore, counted from 1.
    file: usize,
    side: OperationSide,
    is_merged: bool,
    leaves_out: bool,
}

impl ActionRequest {
    fn parse(history: &History, id: &str, act: &str, fields: &Fields) -> Option<Self> {
        let operation = find_operation(history, id)?;
        let file = fields.number("file").unwrap_or(1);
        (1..=operation.files.len()).contains(&file).then_some(())?;
        Some(Self {
            act: HistoryAction::parse(act)?,
            operation,
            file,
            side: match fields.first_value("side") {
                Some("before") => OperationSide::Before,
                _ => OperationSide::After,
            },
            is_merged: fields.first_value("merge").is_some(),
            leaves_out: fields.first_value("leave-out").is_some(),
        })
    }

    /// Carries it out, or only computes the resulting files.
    fn run(&self, page: &WebPage, run: RunMode) -> Reply {
        let is_dry = matches!(run, RunMode::Preview);
        let person = PreviewApprover(match run {
            RunMode::Preview => FilesBefore::default(),
            RunMode::Write(before) => before,
        });
        let session = page.lancet.new_session().with_approver(person);
        let caller = Caller::client(PAGE_CLIENT, env!("CARGO_PKG_VERSION"));
        let selection = Selection::Operation(self.operation.id.clone());
        let mut asked = match self.act {
            HistoryAction::Undo => UndoRequest::undo(selection),
            HistoryAction::Redo => UndoRequest::redo(selection),
            HistoryAction::Restore => {
                let path = &self.operation.files[self.file - 1].path;
                let mut one = Restore::new(path, &self.operation.id, self.side);
                one.dry_run = is_dry;
                return session.restore(one, caller);
            }
        };
        asked.dry_run = is_dry;
        if self.is_merged {
            asked = asked.overlap(Overlap::Merge);
        }
        if self.leaves_out {
            asked = asked.conflicts(Conflicts::LeaveOut);
        }
        session.undo_or_redo(asked, caller)
    }

    fn address(&self) -> String {
        format!("/history/{}/{}", self.operation.id, self.act.name())
    }
}

/// Whether the files are written.
enum RunMode {
    Preview,
    /// They are written, if they are still these.
    Write(FilesBefore),
}

/// Approves as the user who has seen the preview of these files and pressed the button.
struct PreviewApprover(FilesBefore);

impl Approver for PreviewApprover {
    fn ask(&self, question: &Question, _: &Wait) -> Answer {
        match question
            .files
            .iter()
            .all(|file| self.0.is_unchanged_in(file))
        {
            true => Answer::Yes,
            false => Answer::No(Some(
                "the files have changed since the preview; look at it again".to_owned(),
            )),
        }
    }

    fn consent_given_in_advance(&self, _: bool) -> Option<String> {
        Some("a person on the page".to_owned())
    }
}

#[derive(Template)]
#[template(path = "history/preview.html")]
struct PreviewView {
    frame: Frame,
    title: &'static str,
    word: &'static str,
    action: String,
    operation: Summary,
    /// The fields that the form repeats.
    fields: Vec<(&'static str, String)>,
    /// The hash of what is shown.
    shown: String,
    /// The text of the preview besides the diffs.
    lead: Option<String>,
    notes: Vec<String>,
    files: Vec<FileView>,
    /// The reason why nothing can be done.
    refusal: Option<String>,
    can_merge: bool,
    can_leave_out: bool,
}

struct FileView {
    path: String,
    kind: Option<&'static str>,
    added: usize,
    removed: usize,
    warnings: Vec<String>,
    is_shown: bool,
    diff: Option<FileDiff>,
}

/// Shows the preview of the resulting files.
pub(super) async fn show_preview(
    State(page): State<Arc<WebPage>>,
    Path((id, act)): Path<(String, String)>,
    visitor: Visitor,
    layout: DiffLayout,
    fields: Fields,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let Some(history) = page.lancet.history() else {
            return view::internal_error_response();
        };
        let Some(wish) = ActionRequest::parse(&history, &id, &act, &fields) else {
            return operation_not_found();
        };
        let before = FilesBefore::read(&history, &wish.operation);
        let reply = wish.run(page, RunMode::Preview);
        let frame = Frame::new(page, &visitor, Section::History, wish.act.title());
        let mut view = preview_view(&history, &wish, &reply, frame, layout);
        view.shown = before.digest(&reply);
        view::html_response(StatusCode::OK, &view)
    })
    .await
}

/// Carries out the change that was shown.
pub(super) async fn carry_out(
    State(page): State<Arc<WebPage>>,
    Path((id, act)): Path<(String, String)>,
    visitor: Visitor,
    form: SentForm,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let Some(history) = page.lancet.history() else {
            return view::internal_error_response();
        };
        let Some(wish) = ActionRequest::parse(&history, &id, &act, &form.0) else {
            return operation_not_found();
        };
        let seen = form.0.first_value("shown").unwrap_or_default();
        let before = FilesBefore::read(&history, &wish.operation);
        if before.digest(&wish.run(page, RunMode::Preview)) != seen {
            let words = "The files have changed since you looked. Nothing was written; this is what would become of them now.";
            page.told.add_message(&visitor, Tone::Refused, words);
            return view::redirect_to(&links::address_with_query(&wish.address(), &borrow_fields(&form_fields(&wish))));
        }
        let reply = wish.run(page, RunMode::Write(before));
        match reply.outcome() {
            Outcome::Changed(change) => {
                page.told.add_message(&visitor, Tone::Done, outcome_message(&wish, change));
                view::redirect_to(&match &change.operation {
                    Some(id) => format!("/history/{id}"),
                    None => format!("/history/{}", wish.operation.id),
                })
            }
            _ => {
                let words = format!("Nothing was written. {}", visible_lines(reply.text()));
                page.told.add_message(&visitor, Tone::Refused, words);
                view::redirect_to(&format!("/history/{}", wish.operation.id))
            }
        }
    })
    .await
}

fn outcome_message(wish: &ActionRequest, change: &ChangeOutcome) -> String {
    let done = match wish.act {
        HistoryAction::Undo => "The change is undone.",
        HistoryAction::Redo => "The change is made again.",
        HistoryAction::Restore => "The file is restored.",
    };
    let files = change.files.iter().flat_map(|file| &file.warnings);
    let more = change
        .notes
        .iter()
        .chain(files)
        .map(|note| visible_lines(note));
    let more: Vec<String> = std::iter::once(done.to_owned()).chain(more).collect();
    more.join("\n")
}

/// Returns the form fields that lead to the same preview.
fn form_fields(wish: &ActionRequest) -> Vec<(&'static str, String)> {
    let mut fields = Vec::new();
    if wish.act == HistoryAction::Restore {
        fields.push(("file", wish.file.to_string()));
        if wish.side == OperationSide::Before {
            fields.push(("side", "before".to_owned()));
        }
    }
    if wish.is_merged {
        fields.push(("merge", "1".to_owned()));
    }
    if wish.leaves_out {
        fields.push(("leave-out", "1".to_owned()));
    }
    fields
}

fn borrow_fields<'f>(fields: &'f [(&'static str, String)]) -> Vec<(&'f str, &'f str)> {
    let fields = fields.iter();
    fields
        .map(|(name, value)| (*name, value.as_str()))
        .collect()
}

fn preview_view(
    history: &History,
    wish: &ActionRequest,
    reply: &Reply,
    frame: Frame,
    layout: DiffLayout,
) -> PreviewView {
    let mut view = PreviewView {
        frame,
        title: wish.act.title(),
        word: wish.act.name(),
        action: wish.address(),
        operation: Summary::from_operation(&wish.operation, history),
        fields: form_fields(wish),
        shown: String::new(),
        lead: None,
        notes: Vec::new(),
        files: Vec::new(),
        refusal: None,
        can_merge: false,
        can_leave_out: false,
    };
    let Outcome::Changed(change) = reply.outcome() else {
        view.refusal = Some(visible_lines(reply.text()));
        view.can_merge = wish.act == HistoryAction::Undo && !wish.is_merged;
        view.can_leave_out = wish.act != HistoryAction::Restore
            && !wish.leaves_out
            && wish.operation.files.len() > 1;
        return view;
    };
    view.lead = change.lead.as_deref().map(visible_lines);
    view.notes = change
        .notes
        .iter()
        .map(|note| visible_lines(note))
        .collect();
    for path in &change.found_back {
        let path = links::display_path(history, path);
        view.notes
            .push(format!("{path} is so already and stays as it is."));
    }
    for left in &change.left_out {
        let path = links::display_path(history, &left.path);
        view.notes
            .push(format!("{path} is left as it is: it was changed since."));
    }
    let mut left = MOST_LINES;
    let budget = HighlightingBudget::for_page();
    for file in &change.files {
        let shown = DiffPart {
            layout,
            from: 0,
            // All lines of a file, since it is approved as a whole.
            most: usize::MAX,
            budget: &budget,
        };
        let file = file_view(history, file, &shown, left > 0);
        left = left.saturating_sub(file.diff.as_ref().map_or(0, |diff| diff.diff.line_count()));
        view.files.push(file);
    }
    view
}

fn file_view(
    history: &History,
    file: &FileOutcome,
    shown: &DiffPart<'_>,
    has_room: bool,
) -> FileView {
    let path = links::display_path(history, &file.path);
    let mut names = std::iter::once(&file.path).chain(&file.from_path);
    let is_shown = names.all(|name| history.may_show(name));
    let diff = (is_shown && has_room).then(|| {
        let patch = unified_diff(&file.patch);
        FileDiff {
            caption: format!("What would become of {path}"),
            layout: shown.layout,
            diff: Diff::from_unified(&file.path, &[&patch], shown),
            more: String::new(),
        }
    });
    FileView {
        path,
        kind: kind_label(file.kind),
        added: file.added,
        removed: file.removed,
        warnings: file
            .warnings
            .iter()
            .map(|words| visible_lines(words))
            .collect(),
        is_shown,
        diff,
    }
}

/// Returns a text of several lines with deceptive characters made visible.
fn visible_lines(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(escape_line_for_terminal).collect();
    lines.join("\n")
}
