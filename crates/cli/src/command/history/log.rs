//! `lancet log`: lists changes, newest first, one line each.

use std::path::Path;

use lancet::history::{History, LogQuery, Operation};
use serde_json::json;

use super::access::{history, unreadable};
use super::operation_json::object;
use super::show::not_an_id;
use super::{attribution, patch, time};
use crate::arguments::{LogArguments, LogFormat};
use crate::failure::{Exit, Failure};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{Colour, Style, page, print, print_error, stdout_is_terminal, visible};

/// How many changes are listed on a terminal by default.
const UNASKED: usize = 1_000;

/// The longest summary of a change, in characters.
const SUMMARY: usize = 48;
/// Only so many changes are summed up by a line of theirs, and none of a file with more bytes: each takes a diff.
const SUMMARIES: usize = 200;
const MOST_SUMMARISED: u64 = 1 << 18;

/// Runs `lancet log`.
pub(crate) fn log(arguments: &LogArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let path = arguments
        .path
        .as_deref()
        .map(|path| around.absolute(path))
        .transpose()?;
    let reach = path.as_deref().map_or(RootHint::Project, RootHint::At);
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
        print_error(&format!(
            "lancet: {}\n",
            visible(&none(&history, arguments, around))
        ));
    }
    match arguments.format {
        Some(LogFormat::Patch) => return patch::series(&history, &operations),
        Some(LogFormat::Attribution) => return attribution::print_record(&history, &operations),
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
    let colour = around.colour(stdout_is_terminal());
    let mut out = String::new();
    let short = history.short(&operations).map_err(unreadable)?;
    let lines = if arguments.oneline {
        LineForm::Short
    } else {
        LineForm::Whole
    };
    for (at, (operation, short)) in operations.iter().zip(short).enumerate() {
        let summary = match at {
            0..SUMMARIES => summary(&history, operation),
            _ => None,
        };
        out.push_str(&line(
            &history,
            operation,
            short,
            summary.as_deref(),
            lines,
            colour,
        ));
        if arguments.stat {
            out.push_str(&stat(&history, operation, colour));
        }
        if arguments.patch {
            out.push_str(&patches(&history, operation, &|_| true, colour)?);
        }
    }
    page(&out, around)?;
    Ok(Exit::Done)
}

/// Says that nothing was found, because empty output would be ambiguous.
fn none(history: &History, arguments: &LogArguments, around: &Surroundings) -> String {
    let narrowed =
        arguments.session.is_some() || arguments.turn.is_some() || arguments.since.is_some();
    let which = if narrowed { "such change" } else { "change" };
    let Some(path) = &arguments.path else {
        return format!("no {which} in this project yet");
    };
    let there = around.absolute(path);
    let there = there.is_ok_and(|path| path.symlink_metadata().is_ok());
    let missing = match there {
        true => String::new(),
        false => {
            let words = not_an_id(history, &path.to_string_lossy());
            format!(", and it does not exist{}", words.unwrap_or_default())
        }
    };
    format!("no {which} of {} yet{missing}", path.display())
}

/// Prints operations, one line each.
pub(super) fn list(
    history: &History,
    operations: &[Operation],
    around: &Surroundings,
) -> Result<(), Failure> {
    let colour = around.colour(stdout_is_terminal());
    let short = history.short(operations).map_err(unreadable)?;
    let mut out = String::new();
    for (operation, short) in operations.iter().zip(short).take(SUMMARIES) {
        let summary = summary(history, operation);
        let summary = summary.as_deref();
        out.push_str(&line(
            history,
            operation,
            short,
            summary,
            LineForm::Whole,
            colour,
        ));
    }
    page(&out, around)
}

/// How much a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineForm {
    /// The time and the session, too.
    Whole,
    /// Only what was changed.
    Short,
}

/// One operation on one line: id, time, tool, files, lines added and removed, and the first changed line.
pub(super) fn line(
    history: &History,
    operation: &Operation,
    short: &str,
    summary: Option<&str>,
    form: LineForm,
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
    let mut end = String::new();
    if let Some(summary) = summary {
        end.push_str(&format!("  {summary}"));
    }
    // A session without a name has none that could be typed.
    if form == LineForm::Whole && !operation.session.starts_with("unnamed-") {
        end.push_str(&format!("  [{}]", visible(&operation.session)));
    }
    if operation.is_undone() {
        end.push_str("  (undone)");
    }
    if operation.state == lancet::history::OperationState::Unsure {
        end.push_str("  (interrupted)");
    }
    let head = match form {
        LineForm::Whole => format!(
            "{}  {}  {:<9}",
            colour.paint(Style::Cyan, short),
            time::local(operation.time),
            operation.tool
        ),
        LineForm::Short => format!("{}  {}", colour.paint(Style::Cyan, short), operation.tool),
    };
    format!(
        "{head}  {}{more}  {} {}{}\n",
        files.join(", "),
        colour.paint(Style::Green, &format!("+{added}")),
        colour.paint(Style::Red, &format!("-{removed}")),
        colour.paint(Style::Dim, &end),
    )
}

/// The first line that an operation added, else the first that it removed.
fn summary(history: &History, operation: &Operation) -> Option<String> {
    let change = operation.files.first()?;
    let sizes = [&change.before, &change.after].into_iter().flatten();
    if sizes.map(|state| state.size).sum::<u64>() > MOST_SUMMARISED {
        return None;
    }
    let patch = history.patch(change).ok()??;
    let changed = |mark: char| {
        let lines = patch
            .lines()
            .filter(|line| !line.starts_with("+++") && !line.starts_with("---"));
        let mut lines = lines
            .filter_map(|line| line.strip_prefix(mark))
            .map(str::trim);
        lines.find(|line| !line.is_empty())
    };
    let line = changed('+').or_else(|| changed('-'))?;
    let mut text: String = line.chars().take(SUMMARY).collect();
    if line.chars().count() > SUMMARY {
        text.push('…');
    }
    Some(visible(&text).into_owned())
}

/// The files of an operation, one a line.
fn stat(history: &History, operation: &Operation, colour: Colour) -> String {
    let mut out = String::new();
    for file in &operation.files {
        let path = history.relative(&file.path).display().to_string();
        out.push_str(&format!(
            "    {}  {} {}\n",
            visible(&path),
            colour.paint(Style::Green, &format!("+{}", file.added)),
            colour.paint(Style::Red, &format!("-{}", file.removed)),
        ));
    }
    out
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
