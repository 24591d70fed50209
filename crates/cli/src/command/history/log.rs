//! `lancet log`: lists changes, newest first, one line each.

use std::path::PathBuf;

use lancet::doors::path_text;
use lancet::history::{FileChange, History, LogQuery, Operation};
use serde_json::json;

use super::access::{open_history, unreadable_failure};
use super::line::{Columns, LineForm, MAX_SUMMARIES, format_operation, summary};
use super::operation_json::object;
use super::owner::OwnerRules;
use super::prompt::Prompts;
use super::recorded_path::{listed_name, recorded_path, typed_path};
use super::wide_folder::WideFolder;
use super::wrong_id::hint_for_wrong_id;
use super::{attribution, moves, patch, time, who};
use crate::arguments::{LogArguments, LogFormat};
use crate::failure::{Exit, Failure};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{
    Colour, Style, escape_line_for_terminal, print, print_error, print_paged, stdout_is_terminal,
};

/// How many changes are listed on a terminal by default.
const DEFAULT_LIMIT: usize = 1_000;

/// Runs `lancet log`.
pub(crate) fn log(arguments: &LogArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let path = arguments
        .path
        .as_deref()
        .map(|path| typed_path(path, around))
        .transpose()?;
    let reach = match &path {
        _ if arguments.all => RootHint::Nothing,
        Some(path) => RootHint::At(path),
        None => RootHint::Recorded,
    };
    let history = open_history(&arguments.place, reach, around)?;
    if !arguments.all {
        check_names(arguments, &history)?;
    }
    // A moved file that cannot be followed is listed under its old name.
    let _ = history.follow_moved_files();
    let path = path.map(|path| recorded_path(&history, path)).transpose()?;
    let query = build_query(arguments, path)?;
    let mut operations = list_operations(arguments, &history, &query, around)?;
    // The rules of the project that a change belongs to apply, which may be another project.
    let rules = OwnerRules::new(&arguments.place, around);
    for operation in &mut operations {
        if arguments.all || !history.are_files_below_roots(operation) {
            rules.withhold_line_counts(std::slice::from_mut(operation));
        }
    }
    if arguments.format.is_some() && !arguments.all {
        // A patch or a record of attribution is for one project.
        operations.retain(|operation| history.are_files_below_roots(operation));
    }
    if operations.is_empty() && !arguments.json {
        print_error(&format!(
            "lancet: {}\n",
            escape_line_for_terminal(&no_changes_message(&history, arguments, around))
        ));
    }
    match arguments.format {
        Some(LogFormat::Patch) => return patch::print_series(&history, &operations),
        Some(LogFormat::Attribution) => {
            return attribution::print_record(&history, &operations, query.path.as_deref());
        }
        None => {}
    }
    let prompts = Prompts::load_for_operations(&history, &operations, &query.below)?;
    let is_shown = |change: &FileChange| may_show_change(change, &history, &rules);
    if arguments.json {
        print(&json_lines(&history, &operations, &prompts, &is_shown)?)?;
        return Ok(Exit::Done);
    }
    print_paged(
        &format_log(arguments, &history, &operations, &prompts, &rules, around)?,
        around,
    )?;
    Ok(Exit::Done)
}

/// Lists the requested changes, and reports which ones are left out.
fn list_operations(
    arguments: &LogArguments,
    history: &History,
    query: &LogQuery,
    around: &Surroundings,
) -> Result<Vec<Operation>, Failure> {
    let wide = WideFolder::detect(&arguments.place.root, around);
    if let Some(wide) = wide.filter(|_| query.path.is_none() && !arguments.all) {
        let operations = wide.own_changes(history, query)?;
        wide.report_limits();
        return Ok(operations);
    }
    if arguments.other_folders || arguments.all {
        return history.log_all(query).map_err(unreadable_failure);
    }
    let operations = history.log(query).map_err(unreadable_failure)?;
    let others = history.count_left_out(query).map_err(unreadable_failure)?;
    report_omitted_changes(others);
    moves::report_former_names(history, &operations)?;
    Ok(operations)
}

/// Formats the changes for people.
fn format_log(
    arguments: &LogArguments,
    history: &History,
    operations: &[Operation],
    prompts: &Prompts,
    rules: &OwnerRules<'_>,
    around: &Surroundings,
) -> Result<String, Failure> {
    let is_shown = |change: &FileChange| may_show_change(change, history, rules);
    let colour = around.colour(stdout_is_terminal());
    let mut out = String::new();
    let short = history.short_ids(operations).map_err(unreadable_failure)?;
    let lines = if arguments.oneline {
        LineForm::Short
    } else {
        LineForm::Whole
    };
    let columns =
        Columns::for_operations(operations.iter().zip(short.iter().map(|short| short.shown)));
    for (at, (operation, short)) in operations.iter().zip(short).enumerate() {
        let summary = match at {
            0..MAX_SUMMARIES if operation.files.first().is_some_and(&is_shown) => {
                summary(history, operation)
            }
            _ => None,
        };
        out.push_str(&format_operation(
            history,
            operation,
            short,
            columns,
            summary.as_deref(),
            lines,
            prompts.sub_agent(operation),
            colour,
        ));
        // If an operation changed a single file, its line already has the numbers of added and removed lines.
        if arguments.stat && operation.files.len() > 1 {
            out.push_str(&format_file_list(history, operation, colour));
        }
        if arguments.patch {
            out.push_str(&format_diffs(history, operation, &is_shown, colour)?);
        }
        if lines == LineForm::Whole {
            out.push_str(&prompts.prompt_line(operation, colour));
        }
    }
    Ok(out)
}

/// Reports whether the rules allow the text of a change to be shown. The history checks those of its own project.
fn may_show_change(change: &FileChange, history: &History, rules: &OwnerRules<'_>) -> bool {
    let mut names = std::iter::once(&change.path).chain(&change.moved_from);
    names.all(|name| history.is_below_roots(name)) || rules.may_show_change(change)
}

/// Refuses a session or client that the history does not have.
fn check_names(arguments: &LogArguments, history: &History) -> Result<(), Failure> {
    if let Some(session) = &arguments.session {
        who::check_session(history, session)?;
    }
    if let Some(client) = &arguments.client {
        who::check_client(history, client)?;
    }
    Ok(())
}

/// Builds the query for the requested changes.
fn build_query(arguments: &LogArguments, path: Option<PathBuf>) -> Result<LogQuery, Failure> {
    let below = match arguments.all {
        true => vec![PathBuf::from("/")],
        false => Vec::new(),
    };
    Ok(LogQuery {
        below,
        path,
        tree: arguments.session.clone(),
        client: arguments
            .client
            .as_deref()
            .map(who::client_from_display_name),
        turn: arguments.turn.clone(),
        since: arguments
            .since
            .as_deref()
            .map(time::parse_since)
            .transpose()?,
        limit: arguments.number.or(Some(DEFAULT_LIMIT)).filter(|_| {
            arguments.number.is_some() || (stdout_is_terminal() && arguments.format.is_none())
        }),
        ..LogQuery::default()
    })
}

/// Prints one object a line, and the total.
fn json_lines(
    history: &History,
    operations: &[Operation],
    prompts: &Prompts,
    is_shown: &dyn Fn(&FileChange) -> bool,
) -> Result<String, Failure> {
    let mut out = String::new();
    let short = history.short_ids(operations).map_err(unreadable_failure)?;
    for (operation, short) in operations.iter().zip(short) {
        let mut data = object(operation, history, is_shown);
        data["short"] = json!(short.shown);
        if let Some(mark) = prompts.prompt_of(operation) {
            data["prompt"] = json!(mark.prompt);
        }
        if let Some(found) = prompts.sub_agent(operation) {
            data["sub_agent"] = json!({ "kind": found.kind, "parent": found.parent });
        }
        out.push_str(&format!("{data}\n"));
    }
    out.push_str(&format!("{}\n", json!({ "total": operations.len() })));
    Ok(out)
}

/// Reports how many changes are not listed because they were made in another folder.
fn report_omitted_changes(number: usize) {
    let changes = match number {
        0 => return,
        1 => "1 change".to_owned(),
        more => format!("{more} changes"),
    };
    print_error(&format!(
        "lancet: {changes} in another folder that had the same path left out (in another container, or before the folder was made again); `lancet log --other-folders` lists them, too\n"
    ));
}

/// Reports that nothing was found, because empty output would be ambiguous.
fn no_changes_message(
    history: &History,
    arguments: &LogArguments,
    around: &Surroundings,
) -> String {
    let given = [
        &arguments.session,
        &arguments.client,
        &arguments.turn,
        &arguments.since,
    ];
    let narrowed = given.iter().any(|given| given.is_some());
    let which = if narrowed { "such change" } else { "change" };
    let Some(path) = &arguments.path else {
        if arguments.all {
            return format!("no {which} in any project yet");
        }
        return format!("no {which} in this project yet");
    };
    let there = around.absolute(path);
    let there = there.is_ok_and(|path| path.symlink_metadata().is_ok());
    let missing = match there {
        true => String::new(),
        false => {
            let words = hint_for_wrong_id(history, &path.to_string_lossy());
            format!(", and it does not exist{}", words.unwrap_or_default())
        }
    };
    format!("no {which} of {} yet{missing}", path_text(path))
}

/// Prints operations, one line each.
pub(super) fn print_operations(
    history: &History,
    operations: &[Operation],
    around: &Surroundings,
) -> Result<(), Failure> {
    let colour = around.colour(stdout_is_terminal());
    let short = history.short_ids(operations).map_err(unreadable_failure)?;
    let columns =
        Columns::for_operations(operations.iter().zip(short.iter().map(|short| short.shown)));
    let mut out = String::new();
    for (operation, short) in operations.iter().zip(short).take(MAX_SUMMARIES) {
        let summary = summary(history, operation);
        let summary = summary.as_deref();
        out.push_str(&format_operation(
            history,
            operation,
            short,
            columns,
            summary,
            LineForm::Whole,
            None,
            colour,
        ));
    }
    print_paged(&out, around)
}

/// Lists the files of an operation, one a line.
fn format_file_list(history: &History, operation: &Operation, colour: Colour) -> String {
    let mut out = String::new();
    for file in &operation.files {
        out.push_str(&format!(
            "    {}  {} {}\n",
            listed_name(history, &file.path),
            colour.paint(Style::Green, &format!("+{}", file.added)),
            colour.paint(Style::Red, &format!("-{}", file.removed)),
        ));
    }
    out
}

/// Returns the diffs of an operation, for a person. `is_shown` decides whether the rules of a file's own project allow
/// it to be shown.
pub(super) fn format_diffs(
    history: &History,
    operation: &Operation,
    is_shown: &dyn Fn(&FileChange) -> bool,
    colour: Colour,
) -> Result<String, Failure> {
    let mut out = String::new();
    for change in &operation.files {
        let patch = match is_shown(change) {
            true => history.patch(change).map_err(unreadable_failure)?,
            false => None,
        };
        match patch {
            Some(patch) => out.push_str(&colour.paint_diff(&patch)),
            None => out.push_str("(a file that may not be read: its text is not shown)\n"),
        }
    }
    out.push('\n');
    Ok(out)
}
