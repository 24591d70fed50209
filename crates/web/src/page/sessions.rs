//! *Sessions*: the active agents, what each has read and changed, the calls that wait, files that two of them work
//! on, and the button that stops the writes of one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use http::StatusCode;
use lancet::doors::escape_line_for_terminal;
use lancet::history::History;
use lancet::sessions::{Overlap, SessionConnection, SessionOverview, Sessions};

use super::WebPage;
use super::fields::{Fields, SentForm};
use super::frame::{Frame, Section};
use super::links;
use super::moment::Timestamp;
use super::told::Tone;
use super::view;
use super::visitor::Visitor;

/// The originator of stops and resumptions, as it is recorded.
const ORIGINATOR: &str = "a person on the page";
/// The number of sessions on one page.
const SESSIONS_PER_PAGE: usize = 25;
/// The number of files that are named in each list of a session.
const MOST_FILES: usize = 12;
/// The number of shared files of several sessions that are named.
const MOST_OVERLAPS: usize = 50;

/// Returns the paths of this part of the page.
pub(super) fn routes() -> Router<Arc<WebPage>> {
    Router::new()
        .route("/sessions", get(list_sessions))
        .route("/sessions/stop", post(stop_session))
        .route("/sessions/resume", post(resume_session))
}

#[derive(Template)]
#[template(path = "sessions/list.html")]
struct ListView {
    frame: Frame,
    sessions: Vec<SessionView>,
    overlaps: Vec<OverlapView>,
    more_overlaps: usize,
    total: usize,
    /// The positions of the sessions before and after these.
    newer: Option<usize>,
    older: Option<usize>,
}

/// A session in the form of the template.
struct SessionView {
    key: String,
    /// Its name; for a session without one, the program's name.
    name: String,
    /// The key that lancet generated for a session without a name.
    quiet: Option<String>,
    /// The kind of sub-agent, and the session that it belongs to.
    sub_agent: Option<(String, String)>,
    is_named: bool,
    history: String,
    clients: Vec<ClientView>,
    known_files: Option<u64>,
    read: Vec<FileView>,
    more_read: usize,
    operations: u64,
    changed_files: u64,
    changed: Vec<FileView>,
    more_changed: usize,
    waiting: Vec<WaitingView>,
    stop: Option<StopView>,
}

/// A process that serves a session.
struct ClientView {
    name: String,
    since: Option<Timestamp>,
    roots: String,
    pid: Option<u64>,
}

/// A file, with the link to its history.
struct FileView {
    path: String,
    link: String,
}

struct WaitingView {
    id: String,
    tool: String,
    files: String,
    time: Timestamp,
}

struct StopView {
    time: Timestamp,
    by: String,
    words: Option<String>,
}

/// A file that several sessions work on.
struct OverlapView {
    file: FileView,
    sessions: Vec<(String, Option<Timestamp>)>,
}

async fn list_sessions(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    fields: Fields,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let frame = Frame::new(page, &visitor, Section::Sessions, "Sessions");
        let (Some(sessions), Some(history)) = (page.lancet.sessions(), page.lancet.history())
        else {
            return view::internal_error_response();
        };
        let Ok((found, overlaps)) = build_list_view(&sessions) else {
            return view::internal_error_response();
        };
        let shown = overlaps.iter().take(MOST_OVERLAPS);
        let from = fields.number("from").unwrap_or(0).min(found.len());
        let end = (from + SESSIONS_PER_PAGE).min(found.len());
        let view = ListView {
            frame,
            total: found.len(),
            newer: (from > 0).then(|| from.saturating_sub(SESSIONS_PER_PAGE)),
            older: (end < found.len()).then_some(end),
            sessions: found[from..end]
                .iter()
                .map(|one| session_view(one, &history))
                .collect(),
            more_overlaps: overlaps.len().saturating_sub(MOST_OVERLAPS),
            overlaps: shown.map(|one| overlap_view(one, &history)).collect(),
        };
        view::html_response(StatusCode::OK, &view)
    })
    .await
}

fn build_list_view(
    sessions: &Sessions,
) -> Result<(Vec<SessionOverview>, Vec<Overlap>), lancet::sessions::HistoryError> {
    let found = sessions.list()?;
    let overlaps = sessions.overlaps(&found)?;
    Ok((found, overlaps))
}

fn session_view(one: &SessionOverview, history: &History) -> SessionView {
    let activity = &one.activity;
    let read = activity.latest.iter().take(MOST_FILES);
    let changed = activity.changed.iter().take(MOST_FILES);
    let read: Vec<FileView> = read.map(|path| file_view(path, history)).collect();
    let changed: Vec<FileView> = changed.map(|one| file_view(&one.path, history)).collect();
    let clients: Vec<ClientView> = one.connections.iter().map(client_view).collect();
    SessionView {
        key: one.key.clone(),
        name: match clients.first().filter(|_| !one.is_named) {
            Some(client) => client.name.clone(),
            None => escape_line_for_terminal(&one.key).into_owned(),
        },
        quiet: (!one.is_named && !clients.is_empty())
            .then(|| escape_line_for_terminal(&one.key).into_owned()),
        sub_agent: one.sub_agent.as_ref().map(|found| {
            let kind = found.kind.as_deref().unwrap_or("sub-agent");
            let words =
                [kind, &found.parent].map(|text| escape_line_for_terminal(text).into_owned());
            words.into()
        }),
        is_named: one.is_named,
        history: links::address_with_query("/history", &[("session", &one.key)]),
        clients,
        known_files: activity.known_files,
        more_read: count_not_shown(activity.known_files.unwrap_or(0), read.len()),
        read,
        operations: activity.operations,
        changed_files: activity.changed_files,
        more_changed: count_not_shown(activity.changed_files, changed.len()),
        changed,
        waiting: one
            .waiting
            .iter()
            .map(|question| WaitingView {
                id: question.id.clone(),
                tool: escape_line_for_terminal(&question.tool).into_owned(),
                files: join_file_names(&question.files, history),
                time: Timestamp(question.time),
            })
            .collect(),
        stop: one.stop.as_ref().map(|stop| StopView {
            time: Timestamp(stop.time),
            by: escape_line_for_terminal(&stop.by).into_owned(),
            words: stop
                .words
                .as_deref()
                .map(|words| escape_line_for_terminal(words).into_owned()),
        }),
    }
}

fn client_view(one: &SessionConnection) -> ClientView {
    let name = one.client.as_deref().unwrap_or("an agent without a name");
    let name = match &one.version {
        Some(version) => format!("{name} {version}"),
        None => name.to_owned(),
    };
    let roots = one.roots.iter().map(|root| root.to_string_lossy());
    let roots: Vec<_> = roots
        .map(|root| escape_line_for_terminal(&root).into_owned())
        .collect();
    ClientView {
        name: escape_line_for_terminal(&name).into_owned(),
        since: one.since.map(Timestamp),
        roots: roots.join(", "),
        pid: one.pid,
    }
}

fn file_view(path: &Path, history: &History) -> FileView {
    FileView {
        path: links::display_path(history, path),
        link: links::file_history_address(path),
    }
}

fn join_file_names(files: &[PathBuf], history: &History) -> String {
    let shown = files
        .iter()
        .take(3)
        .map(|path| links::display_path(history, path));
    let shown: Vec<String> = shown.collect();
    match files.len().saturating_sub(3) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn overlap_view(one: &Overlap, history: &History) -> OverlapView {
    let sessions = one.sessions.iter();
    OverlapView {
        file: file_view(&one.path, history),
        sessions: sessions
            .map(|one| {
                (
                    escape_line_for_terminal(&one.key).into_owned(),
                    one.changed.map(Timestamp),
                )
            })
            .collect(),
    }
}

fn count_not_shown(all: u64, shown: usize) -> usize {
    usize::try_from(all)
        .unwrap_or(usize::MAX)
        .saturating_sub(shown)
}

async fn stop_session(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    form: SentForm,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let words = form.0.first_value("words");
        carry_out_action(page, &visitor, &form, |sessions, key| {
            let is_new = sessions.stop(key, ORIGINATOR, words)?;
            let shown = escape_line_for_terminal(key);
            Ok(match is_new {
                true => format!("{shown} is stopped. It goes on reading; nothing more is written by it until you resume it here."),
                false => format!("{shown} was stopped already."),
            })
        })
    })
    .await
}

async fn resume_session(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    form: SentForm,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        carry_out_action(page, &visitor, &form, |sessions, key| {
            let is_new = sessions.resume(key, ORIGINATOR)?;
            let shown = escape_line_for_terminal(key);
            Ok(match is_new {
                true => format!("{shown} may write again."),
                false => format!("{shown} was not stopped."),
            })
        })
    })
    .await
}

/// Carries out the action of a button, and returns to the list.
fn carry_out_action(
    page: &WebPage,
    visitor: &Visitor,
    form: &SentForm,
    act: impl FnOnce(&Sessions, &str) -> Result<String, lancet::sessions::HistoryError>,
) -> Response {
    let (Some(key), Some(sessions)) = (form.0.first_value("session"), page.lancet.sessions())
    else {
        return view::not_found_response("This form names no session.");
    };
    // Only a known session can be stopped: a form must not be able to fill the state folder with names.
    let is_known = sessions.clone().in_all_projects().find(key);
    match is_known.map(|found| found.iter().any(|one| one == key)) {
        Ok(true) => {}
        Ok(false) => return view::not_found_response("There is no such session any more."),
        Err(_) => return view::internal_error_response(),
    }
    match act(&sessions, key) {
        Ok(words) => page.told.add_message(visitor, Tone::Done, words),
        Err(error) => page.told.add_message(
            visitor,
            Tone::Refused,
            format!("The state folder cannot be written: {error}. `lancet doctor` says more."),
        ),
    }
    view::redirect_to("/sessions")
}
