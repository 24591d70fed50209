//! Formats a change on one line, as `log` and similar commands list them.

use lancet::history::{History, Operation, OperationState, ShortId, SubAgent};

use super::across_projects::other_projects;
use super::recorded_path::listed_name;
use super::time;
use super::who::{is_unnamed, operation_client, operation_tool};
use crate::terminal::{Colour, Style, escape_for_terminal, escape_line_for_terminal};

/// The longest summary of a change, in characters.
const MAX_SUMMARY_LENGTH: usize = 48;
/// Only so many changes get a summary, which is one of their changed lines, and none of a file with more bytes: each
/// summary needs a diff.
pub(super) const MAX_SUMMARIES: usize = 200;
const MAX_SUMMARIZED_SIZE: u64 = 1 << 18;

/// The widest column of clients, in characters; a longer name moves the rest of its line.
const MAX_CLIENT_WIDTH: usize = 20;

/// How wide the columns of a list are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns {
    id: usize,
    client: usize,
    tool: usize,
}

impl Columns {
    /// Returns the columns that fit these operations, each with the id that is shown for it.
    pub(super) fn for_operations<'o>(
        shown: impl Iterator<Item = (&'o Operation, &'o str)>,
    ) -> Self {
        let mut widest = Self::default();
        for (operation, id) in shown {
            let width = |text: &str| text.chars().count();
            widest.id = widest.id.max(width(id));
            widest.client = widest.client.max(
                width(&escape_for_terminal(operation_client(operation))).min(MAX_CLIENT_WIDTH),
            );
            widest.tool = widest
                .tool
                .max(width(operation_tool(operation)).min(MAX_CLIENT_WIDTH));
        }
        widest
    }
}

/// How much information a line contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineForm {
    /// Includes the time and the session.
    Whole,
    /// Only the author and the changed files.
    Short,
}

/// Formats one operation on one line: id, time, client, tool, files, lines added and removed, and the first changed
/// line.
#[expect(clippy::too_many_arguments, reason = "each is one part of the line")]
pub(super) fn format_operation(
    history: &History,
    operation: &Operation,
    id: ShortId<'_>,
    columns: Columns,
    summary: Option<&str>,
    form: LineForm,
    sub_agent: Option<&SubAgent>,
    colour: Colour,
) -> String {
    let call = operation.recorded.as_ref();
    let mut files = first_file_names(history, operation);
    if files.is_empty()
        && let Some(head) = call.and_then(|call| call.head.as_ref())
    {
        files.push(format!("HEAD {}", escape_for_terminal(&head.to_string())));
    }
    let more = more_files(history, operation, files.is_empty());
    let (added, removed) = operation
        .files
        .iter()
        .fold((0, 0), |(added, removed), file| {
            (added + file.added, removed + file.removed)
        });
    let mut end = String::new();
    let called = call.and_then(|call| call.name.as_deref().or(call.command.as_deref()));
    let called = called.map(shorten_line);
    if let Some(summary) = called.as_deref().or(summary) {
        end.push_str(&format!("  {summary}"));
    }
    // A name that lancet made up for a session is not shown, because users do not type it.
    if form == LineForm::Whole && !is_unnamed(&operation.session) {
        end.push_str(&match sub_agent {
            Some(found) => format!(
                "  [{} > {} {}]",
                escape_for_terminal(&found.parent),
                escape_for_terminal(found.kind.as_deref().unwrap_or("sub-agent")),
                escape_for_terminal(&operation.session)
            ),
            None => format!("  [{}]", escape_for_terminal(&operation.session)),
        });
    }
    end.push_str(&format_other_projects(history, operation));
    if form == LineForm::Whole {
        end.push_str(&format_parent(operation));
    }
    if operation.is_undone() {
        end.push_str("  (undone)");
    } else if operation.files.iter().any(|file| file.undone_by.is_some()) {
        end.push_str("  (undone in part)");
    }
    if operation.state == OperationState::Unsure {
        end.push_str("  (interrupted)");
    }
    // The characters that suffice at present are highlighted, as in jj.
    let rest = id.shown.len() - id.unique.len();
    let mut head = colour.paint(Style::Dim, &id.shown[..rest]);
    head.push_str(&colour.paint(Style::Cyan, id.unique));
    head.push_str(&" ".repeat(columns.id.saturating_sub(id.shown.len())));
    if form == LineForm::Whole {
        head.push_str(&format!("  {}", time::format_local(operation.time)));
    }
    head.push_str(&format!(
        "  {:<client$}  {:<tool$}",
        escape_for_terminal(operation_client(operation)),
        escape_for_terminal(operation_tool(operation)),
        client = columns.client,
        tool = columns.tool,
    ));
    format!(
        "{head}  {}{more}  {} {}{}\n",
        files.join(", "),
        colour.paint(Style::Green, &format!("+{added}")),
        colour.paint(Style::Red, &format!("-{removed}")),
        colour.paint(Style::Dim, &end),
    )
}

/// Returns the change that a change is a part of: an undo of that one undoes this one, too.
fn format_parent(operation: &Operation) -> String {
    let parent = operation.parent.as_deref();
    parent.map_or_else(String::new, |parent| {
        format!("  (part of {})", escape_for_terminal(parent))
    })
}

/// Names the other projects that have files of the operation; empty if there are none.
fn format_other_projects(history: &History, operation: &Operation) -> String {
    let others = other_projects(history, operation);
    if others.is_empty() {
        return String::new();
    }
    let others = others.iter().map(|folder| listed_name(history, folder));
    format!("  (also in {})", others.collect::<Vec<_>>().join(", "))
}

/// Returns the names of the first files, as they were at the time.
fn first_file_names(history: &History, operation: &Operation) -> Vec<String> {
    operation
        .files
        .iter()
        .take(3)
        .map(|file| {
            let name = listed_name(history, &file.path);
            match file
                .former_path
                .as_deref()
                .filter(|then| *then != file.path)
            {
                Some(then) => format!("{name} (then {})", listed_name(history, then)),
                None => name,
            }
        })
        .collect()
}

/// Returns how many files follow the first ones, and those that cannot be restored. `is_first` is whether nothing comes
/// before it in the line.
fn more_files(history: &History, operation: &Operation, is_first: bool) -> String {
    let mut more = match operation.files.len() {
        0..=3 => String::new(),
        many => format!(" and {} more", many - 3),
    };
    let call = operation.recorded.as_ref();
    let not_kept = call.map_or(&[][..], |call| &call.not_kept);
    if let [first, others @ ..] = not_kept {
        let first = listed_name(history, first);
        let others = match others.len() {
            0 => String::new(),
            others => format!(" and {others} more"),
        };
        let separator = if is_first { "" } else { ", " };
        more.push_str(&format!("{separator}not kept: {first}{others}"));
    }
    more
}

/// Returns the first line that an operation added, else the first that it removed.
pub(super) fn summary(history: &History, operation: &Operation) -> Option<String> {
    let change = operation.files.first()?;
    let sizes = [&change.before, &change.after].into_iter().flatten();
    if sizes.map(|state| state.size).sum::<u64>() > MAX_SUMMARIZED_SIZE {
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
    Some(shorten_line(line))
}

/// Returns the beginning of a line.
fn shorten_line(line: &str) -> String {
    let mut text: String = line.chars().take(MAX_SUMMARY_LENGTH).collect();
    if line.chars().count() > MAX_SUMMARY_LENGTH {
        text.push('…');
    }
    escape_line_for_terminal(&text).into_owned()
}
