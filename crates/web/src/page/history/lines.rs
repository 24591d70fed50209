//! The author of each line of a file in its present state: the user or an agent, its session, and the operation.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use lancet::doors::{escape_line_for_terminal, path_text};
use lancet::history::Attribution;

use super::summary::{author_name, shorten_id};
use crate::page::WebPage;
use crate::page::fields::Fields;
use crate::page::frame::{Frame, Section};
use crate::page::moment::Timestamp;
use crate::page::visitor::Visitor;
use crate::page::{links, view};

/// The number of lines on one page.
const LINES_PER_PAGE: usize = 1_000;
/// The length of a line up to which it is shown completely, in characters.
const MAX_SHOWN_LENGTH: usize = 1_000;

#[derive(Template)]
#[template(path = "history/lines.html")]
struct LinesView {
    frame: Frame,
    path: String,
    life: String,
    runs: Vec<AuthoredLines>,
    /// Whether its text can be shown.
    is_text: bool,
    total: usize,
    known: usize,
    next: Option<String>,
}

/// Adjacent lines that have one author.
struct AuthoredLines {
    /// The operation that wrote them: its address, its short id, its author, its session and its time.
    author: Option<Author>,
    lines: Vec<(usize, String)>,
    place: String,
}

struct Author {
    link: String,
    short: String,
    who: String,
    session: String,
    time: Timestamp,
}

/// Shows the author of each line.
pub(super) async fn show_line_authors(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    fields: Fields,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let Some(history) = page.lancet.history() else {
            return view::internal_error_response();
        };
        let path = fields.first_value("path");
        let Some(path) = path.and_then(|path| links::path_from_query(&page.lancet, path)) else {
            return view::not_found_response("There is no such file in this project.");
        };
        let Ok(found) = history.attribution(&path) else {
            return view::internal_error_response();
        };
        let Some(found) = found else {
            return view::not_found_response(
                "The lines of this file cannot be shown: it is not there, or the rules in force forbid it.",
            );
        };
        let shown = links::display_path(&history, &path);
        let from: usize = fields.number("from").unwrap_or(1).max(1);
        let to = from.saturating_add(LINES_PER_PAGE - 1).min(found.lines);
        let next = (to < found.lines).then(|| {
            let from = (to + 1).to_string();
            let path = path_text(&path);
            links::address_with_query("/history/lines", &[("path", &path), ("from", &from)])
        });
        let known = found.written.iter().map(|run| run.lines.clone().count());
        let view = LinesView {
            frame: Frame::new(page, &visitor, Section::History, shown.clone()),
            life: links::file_history_address(&path),
            path: shown,
            known: known.sum(),
            total: found.lines,
            is_text: found.text.is_some(),
            runs: match found.text.is_some() {
                true => group_lines_by_author(&found, from, to),
                false => Vec::new(),
            },
            next: next.filter(|_| found.text.is_some()),
        };
        view::html_response(StatusCode::OK, &view)
    })
    .await
}

/// Returns the lines from `from` to `to`, by author.
fn group_lines_by_author(found: &Attribution, from: usize, to: usize) -> Vec<AuthoredLines> {
    let text = found
        .text
        .as_deref()
        .map(|text| text.lines().skip(from - 1));
    let mut text = text.into_iter().flatten();
    let mut written = found.written.iter().peekable();
    let mut runs: Vec<AuthoredLines> = Vec::new();
    let mut last: Option<Option<&str>> = None;
    for number in from..=to {
        while written.next_if(|run| *run.lines.end() < number).is_some() {}
        let owner = written.peek().filter(|run| run.lines.contains(&number));
        let id = owner.map(|run| run.operation.id.as_str());
        if last != Some(id) {
            last = Some(id);
            runs.push(AuthoredLines {
                author: owner.map(|run| Author {
                    link: format!("/history/{}", run.operation.id),
                    short: shorten_id(&run.operation.id),
                    who: author_name(&run.operation),
                    session: escape_line_for_terminal(&run.operation.session).into_owned(),
                    time: Timestamp(run.operation.time),
                }),
                lines: Vec::new(),
                place: String::new(),
            });
        }
        let line: String = text
            .next()
            .unwrap_or_default()
            .chars()
            .take(MAX_SHOWN_LENGTH)
            .collect();
        if let Some(run) = runs.last_mut() {
            run.lines
                .push((number, escape_line_for_terminal(&line).into_owned()));
        }
    }
    for run in &mut runs {
        run.place = match (run.lines.first(), run.lines.last()) {
            (Some((first, _)), Some((last, _))) if first != last => {
                format!("lines {first} to {last}")
            }
            (Some((only, _)), _) => format!("line {only}"),
            _ => String::new(),
        };
    }
    runs
}
