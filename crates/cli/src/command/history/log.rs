//! `lancet log`: lists changes, newest first, one line each.

use std::path::Path;

use lancet::history::{History, LogQuery, Operation};
use serde_json::json;

use super::{attribution, history, object, patch, time, unreadable};
use crate::arguments::{LogArguments, LogFormat};
use crate::failure::{Exit, Failure};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{Colour, Style, page, print, print_error, stdout_is_terminal, visible};

/// How many changes are listed on a terminal by default.
const UNASKED: usize = 1_000;

/// Runs `lancet log`.
pub(crate) fn log(arguments: &LogArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let path = arguments
        .path
        .as_deref()
        .map(|path| around.absolute(path))
        .transpose()?;
    let reach = path.as_deref().map_or(RootHint::Folder, RootHint::At);
    let history = history(&arguments.place, reach, around)?;
    let query = LogQuery {
        // The history has resolved paths, so symbolic links in the given path are resolved, too.
        path: path.map(|path| path.canonicalize().unwrap_or(path)),
        session: arguments.session.clone(),
        turn: arguments.turn.clone(),
        since: arguments.since.as_deref().map(time::since).transpose()?,
        limit: arguments.number.or(Some(UNASKED)).filter(|_| {
            arguments.number.is_some() || (stdout_is_terminal() && arguments.format.is_none())
        }),
        ..LogQuery::default()
    };
    let operations = history.log(&query).map_err(unreadable)?;
    if operations.is_empty() && !arguments.json {
        print_error(&format!("lancet: {}\n", visible(&none(arguments, around))));
    }
    match arguments.format {
        Some(LogFormat::Patch) => return patch::series(&history, &operations),
        Some(LogFormat::Attribution) => return attribution::record(&history, &operations),
        None => {}
    }
    if arguments.json {
        let mut out = String::new();
        let short = history.short(&operations).map_err(unreadable)?;
        for (operation, short) in operations.iter().zip(short) {
            let mut data = object(operation);
            data["short"] = json!(short);
            out.push_str(&format!("{data}\n"));
        }
        out.push_str(&format!("{}\n", json!({ "total": operations.len() })));
        print(&out)?;
        return Ok(Exit::Done);
    }
    let colour = Colour::of(stdout_is_terminal(), around.plain);
    let mut out = String::new();
    let short = history.short(&operations).map_err(unreadable)?;
    for (operation, short) in operations.iter().zip(short) {
        out.push_str(&line(&history, operation, short, colour));
        if arguments.patch {
            out.push_str(&patches(&history, operation, &|_| true, colour)?);
        }
    }
    page(&out, around)?;
    Ok(Exit::Done)
}

/// Says that nothing was found, because empty output would be ambiguous.
fn none(arguments: &LogArguments, around: &Surroundings) -> String {
    let narrowed =
        arguments.session.is_some() || arguments.turn.is_some() || arguments.since.is_some();
    let which = if narrowed { "such change" } else { "change" };
    let Some(path) = &arguments.path else {
        return format!("no {which} of files below the roots is on record");
    };
    let there = around.absolute(path);
    let there = there.is_ok_and(|path| path.symlink_metadata().is_ok());
    let missing = if there { "" } else { ", and it is not there" };
    format!("no {which} of {} is on record{missing}", path.display())
}

/// One operation on one line.
pub(super) fn line(
    history: &History,
    operation: &Operation,
    short: &str,
    colour: Colour,
) -> String {
    let files: Vec<String> = operation
        .files
        .iter()
        .take(3)
        .map(|file| visible(&history.relative(&file.path).display().to_string()).into_owned())
        .collect();
    let more = match operation.files.len() {
        0..=3 => String::new(),
        many => format!(" and {} more", many - 3),
    };
    let (added, removed) = operation
        .files
        .iter()
        .fold((0, 0), |(added, removed), file| {
            (added + file.added, removed + file.removed)
        });
    let mut marks = String::new();
    if operation.is_undone() {
        marks.push_str("  (taken back)");
    }
    if operation.state == lancet::history::OperationState::Unsure {
        marks.push_str("  (interrupted)");
    }
    // The part of the id that is enough to name the operation is highlighted.
    let rest = operation.id.get(short.len()..).unwrap_or_default();
    format!(
        "{}{}  {}  {:<9}  {}{more}  {} {}  {}{}\n",
        colour.paint(Style::Cyan, short),
        colour.paint(Style::Dim, rest),
        time::shown(operation.time),
        operation.tool,
        files.join(", "),
        colour.paint(Style::Green, &format!("+{added}")),
        colour.paint(Style::Red, &format!("-{removed}")),
        colour.paint(Style::Dim, &visible(&operation.session)),
        colour.paint(Style::Dim, &marks),
    )
}

/// The diffs of an operation, for a person. `shown` decides whether the rules of a file's own project allow it to be
/// shown.
pub(super) fn patches(
    history: &History,
    operation: &Operation,
    shown: &dyn Fn(&Path) -> bool,
    colour: Colour,
) -> Result<String, Failure> {
    let mut out = String::new();
    for change in &operation.files {
        let patch = match shown(&change.path) {
            true => history.patch(change).map_err(unreadable)?,
            false => None,
        };
        match patch {
            Some(patch) => out.push_str(&colour.diff(&patch)),
            None => out.push_str("(a file that may not be read: its text is not shown)\n"),
        }
    }
    out.push('\n');
    Ok(out)
}
