//! What these tests ask of a project, on which engines are opened that represent processes.

use std::path::Path;

use lancet::review::{HunkUndoRequest, ReviewText, ReviewedFile, Reviews};
use lancet::{Lancet, Mode, Reply, Session, SessionName};
pub(crate) use lancet_testing::project::call;
use lancet_testing::project::{self, SharedProject};
use lancet_testing::replies::done;
use serde_json::json;

/// Makes an empty project.
pub(crate) fn project() -> SharedProject {
    SharedProject::new(&[])
}

/// Opens an engine, which represents a process.
pub(crate) fn engine(project: &SharedProject) -> Lancet {
    project.engine(Mode::AcceptEdits)
}

/// Opens the database of the state folder.
pub(crate) fn database(project: &SharedProject) -> rusqlite::Connection {
    rusqlite::Connection::open(project.state.join("lancet.db")).expect("opened")
}

pub(crate) fn reviews(project: &SharedProject) -> Reviews {
    engine(project).review().expect("a state folder")
}

/// Returns the one file that is to be reviewed.
pub(crate) fn only(project: &SharedProject) -> ReviewedFile {
    let mut list = reviews(project).list(10).expect("read");
    assert_eq!(list.files.len(), 1, "{list:?}");
    list.files.remove(0)
}

pub(crate) fn is_all_seen(project: &SharedProject) -> bool {
    let list = reviews(project).list(10).expect("read");
    list.files.is_empty() && list.others.is_empty()
}

pub(crate) fn named(lancet: &Lancet, name: &str) -> Session {
    lancet.session(&SessionName::new(name).expect("a name"))
}

pub(crate) fn read(session: &Session, path: &Path) -> Reply {
    let reply = project::read(session, path);
    done(&reply);
    reply
}

/// Reads a file and replaces a text in it.
pub(crate) fn edit(session: &Session, path: &Path, old: &str, new: &str) -> Reply {
    read(session, path);
    let reply = project::edit(session, path, old, new);
    done(&reply);
    reply
}

pub(crate) fn write(session: &Session, path: &Path, text: &str) -> Reply {
    let reply = call(
        session,
        "Write",
        json!({ "file_path": path, "content": text }),
    );
    done(&reply);
    reply
}

/// Returns the request to undo one hunk of a file, as it is shown.
pub(crate) fn hunk(file: &ReviewedFile, number: usize) -> HunkUndoRequest {
    let ReviewText::Lines { hunks, .. } = &file.text else {
        panic!("{:?}", file.text);
    };
    HunkUndoRequest::new(
        &file.path,
        &file.operation,
        file.before,
        hunks[number].lines,
    )
}

pub(crate) fn hunks(file: &ReviewedFile) -> usize {
    match &file.text {
        ReviewText::Lines { hunks, .. } => hunks.len(),
        other => panic!("{other:?}"),
    }
}

/// Forty lines.
pub(crate) fn lines() -> String {
    (1..=40).map(|line| format!("line {line}.\n")).collect()
}
