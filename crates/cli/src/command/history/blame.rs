//! `lancet blame`: who wrote each line of a file, and when.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use lancet::doors::path_text;
use lancet::history::{Attribution, History, Operation};
use serde_json::{Value, json};

use super::access::{open_history, unreadable_failure};
use super::attribution::contributor_kind;
use super::recorded_path::{recorded_path, typed_path};
use super::time;
use super::who::{operation_client, operation_tool};
use crate::arguments::BlameArguments;
use crate::failure::{Exit, Failure};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{
    Colour, Style, escape_for_terminal, escape_line_for_terminal, print, print_paged,
    stdout_is_terminal,
};

/// The mark of a line that no recorded change wrote.
const BEFORE: &str = "before";

/// Runs `lancet blame`.
pub(crate) fn blame(arguments: &BlameArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let path = typed_path(&arguments.file, around)?;
    let history = open_history(&arguments.place, RootHint::At(&path), around)?;
    let _ = history.follow_moved_files();
    let path = recorded_path(&history, path)?;
    let name = || escape_line_for_terminal(&arguments.file.to_string_lossy()).into_owned();
    if !path.is_file() {
        return Err(Failure::refused(format!("{} is no file", name())));
    }
    let found = history.attribution(&path).map_err(unreadable_failure)?;
    let Some(found) = found else {
        return Err(failure_without_lines(&history, &path, &name()));
    };
    if arguments.json {
        print(&format!("{}\n", file_json(&found)))?;
        return Ok(Exit::Done);
    }
    let Some(text) = &found.text else {
        return Err(Failure::refused(format!(
            "{} is not UTF-8 text; `lancet blame --json` has the numbers of its lines",
            name()
        )));
    };
    let colour = around.colour(stdout_is_terminal());
    print_paged(&format_lines(&history, &found, text, colour)?, around)?;
    Ok(Exit::Done)
}

/// Returns why a file has no lines to show.
fn failure_without_lines(history: &History, path: &Path, name: &str) -> Failure {
    match File::open(path) {
        Err(error) if history.may_show(path) => {
            Failure::system(format!("{name} cannot be read: {error}"))
        }
        _ => Failure::denied(format!("the rules deny reading {name}")),
    }
}

/// Returns the change that wrote each line.
fn writers(found: &Attribution) -> Vec<Option<&Operation>> {
    let mut writers = vec![None; found.lines];
    for written in &found.written {
        for line in written.lines.clone() {
            if let Some(writer) = writers.get_mut(line - 1) {
                *writer = Some(&*written.operation);
            }
        }
    }
    writers
}

fn format_lines(
    history: &History,
    found: &Attribution,
    text: &str,
    colour: Colour,
) -> Result<String, Failure> {
    let mut heads: HashMap<&str, String> = HashMap::new();
    let mut width = BEFORE.len();
    for written in &found.written {
        let operation = &*written.operation;
        let short = history.short_ids(std::slice::from_ref(operation));
        let short = short.map_err(unreadable_failure)?;
        let id = short
            .first()
            .map_or(operation.id.as_str(), |short| short.shown);
        let head = format!(
            "{id}  {}  {}",
            time::format_local(operation.time),
            escape_for_terminal(writer_name(operation))
        );
        width = width.max(head.chars().count());
        heads.insert(&operation.id, head);
    }
    let numbers = found.lines.to_string().len();
    let mut out = String::with_capacity(text.len() * 2);
    for (at, (line, writer)) in text.lines().zip(writers(found)).enumerate() {
        let head = writer.and_then(|operation| heads.get(operation.id.as_str()));
        let head = head.map_or(BEFORE, String::as_str);
        let head = format!("{head:<width$}  {:>numbers$}", at + 1);
        out.push_str(&format!(
            "{}  {}\n",
            colour.paint(Style::Dim, &head),
            escape_for_terminal(line)
        ));
    }
    Ok(out)
}

/// Returns who made a change: the client or, if lancet recorded what another program did, its tool.
fn writer_name(operation: &Operation) -> &str {
    match &operation.recorded {
        Some(_) => operation_tool(operation),
        None => operation_client(operation),
    }
}

fn file_json(found: &Attribution) -> Value {
    let lines = writers(found).into_iter().enumerate();
    let lines = lines.map(|(at, writer)| match writer {
        None => json!({ "line": at + 1, "by": BEFORE }),
        Some(operation) => json!({
            "line": at + 1,
            "by": writer_kind(operation),
            "operation": operation.id,
            "client": operation.client,
            "session": operation.session,
            "tool": operation.tool,
            "time": time::format_rfc3339(operation.time),
        }),
    });
    json!({ "file_path": path_text(&found.path), "lines": lines.collect::<Vec<_>>() })
}

/// Returns whether an agent, a person or another program made a change.
fn writer_kind(operation: &Operation) -> &'static str {
    match (&operation.recorded, contributor_kind(operation)) {
        (Some(_), _) => "program",
        (None, "ai") => "agent",
        (None, "human") => "person",
        (None, _) => "unknown",
    }
}
