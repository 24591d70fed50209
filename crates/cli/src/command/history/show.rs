//! `lancet show`: shows one change with all its details.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use lancet::Lancet;
use lancet::history::{
    ALREADY_UNDONE_MARK, FileChange, History, IdMatch, LogQuery, MIN_ACCEPTED_ID_LENGTH, Operation,
    RecordedState, ShortId,
};
use lancet::outcome::describe_rung;
use lancet::review::ReviewHunk;
use lancet::undo::OperationSide;
use serde_json::{Value, json};

use super::access::{open_engine, project_history, unreadable_failure};
use super::line::{Columns, LineForm, format_operation};
use super::log::format_diffs;
use super::operation_json::object;
use super::owner::{OwnerRules, is_show_allowed};
use super::recorded_path::{listed_name, own_path, recorded_path, typed_path};
use super::wide_folder::WideFolder;
use super::wrong_id::hint_for_wrong_id;
use super::{time, who};
use crate::arguments::{ShowArguments, WorkArguments};
use crate::failure::{Exit, Failure};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{
    Colour, Style, escape_line_for_terminal, print, print_paged, print_streamed, stdout_is_terminal,
};

/// Runs `lancet show`.
pub(crate) fn show(arguments: &ShowArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let lancet = open_engine(&arguments.place, RootHint::Recorded, None, around)?;
    let history = project_history(&lancet)?;
    let _ = history.follow_moved_files();
    let typed = arguments.operation.as_deref();
    if let Some((file, id)) = typed.and_then(|typed| typed.rsplit_once('@'))
        && !file.is_empty()
        && typed.is_some_and(|typed| !Path::new(typed).exists())
    {
        return print_content(&history, file, id, &arguments.place, around);
    }
    let operation = match &arguments.operation {
        Some(typed) => match newest_change_of_file(&history, typed, around)? {
            Some(newest) => newest,
            None => find_change(&history, typed)?,
        },
        None => {
            let newest = LogQuery {
                limit: Some(1),
                ..LogQuery::default()
            };
            let newest = match WideFolder::detect(&arguments.place.root, around) {
                Some(wide) => wide.own_changes(&history, &newest)?,
                None => history.log(&newest).map_err(unreadable_failure)?,
            };
            let none = || Failure::refused("there is no change in this project yet");
            newest.into_iter().next().ok_or_else(none)?
        }
    };
    let rules = OwnerRules::new(&arguments.place, around);
    if arguments.json {
        return print_json(&lancet, &history, &operation, &rules);
    }
    let colour = around.colour(stdout_is_terminal());
    let mut out = format_header(&operation, &history, colour);
    for path in history
        .files_detached_from_hard_links(&operation)
        .map_err(unreadable_failure)?
    {
        out.push_str(&format!(
            "{} was parted from its other names (hard links)\n\n",
            listed_name(&history, path)
        ));
    }
    let is_shown = |change: &FileChange| rules.may_show_change(change);
    let diffs = format_diffs(&history, &operation, &is_shown, Colour::Off)?;
    let diffs = match operation.files.iter().all(is_shown) {
        true => number_hunks(&diffs),
        false => diffs,
    };
    out.push_str(&colour.paint_diff(&diffs));
    print_paged(&out, around)?;
    Ok(Exit::Done)
}

/// Prints a change as JSON, with its patches and hunks.
fn print_json(
    lancet: &Lancet,
    history: &History,
    operation: &Operation,
    rules: &OwnerRules<'_>,
) -> Result<Exit, Failure> {
    let is_shown = |change: &FileChange| rules.may_show_change(change);
    let mut data = object(operation, history, &is_shown);
    let parted = history
        .files_detached_from_hard_links(operation)
        .map_err(unreadable_failure)?;
    for (at, change) in operation.files.iter().enumerate() {
        if parted.contains(&change.path.as_path()) {
            data["files"][at]["linksBroken"] = json!(true);
        }
        let patch = match is_shown(change) {
            true => history.patch(change).map_err(unreadable_failure)?,
            false => None,
        };
        data["files"][at]["patch"] = json!(patch);
    }
    let hunks = lancet.review().map(|review| review.hunks(operation));
    let hunks = hunks.transpose().map_err(unreadable_failure)?;
    let mut hunks = hunks.unwrap_or_default();
    for (change, hunks) in operation.files.iter().zip(&mut hunks) {
        // The rules of the project that the file belongs to apply, which may be another project.
        if !is_shown(change) {
            hunks.clear();
        }
    }
    add_hunks(&mut data, hunks);
    print(&format!("{data}\n"))?;
    Ok(Exit::Done)
}

/// Adds the numbers that `lancet undo --hunk` takes to the heads of the hunks, where there are several.
fn number_hunks(diffs: &str) -> String {
    let is_head = |line: &str| line.starts_with("@@ -");
    if diffs.lines().filter(|line| is_head(line)).count() < 2 {
        return diffs.to_owned();
    }
    let mut numbers = 1..;
    let mut out = String::with_capacity(diffs.len());
    for line in diffs.split_inclusive('\n') {
        match (is_head(line), line.strip_suffix('\n')) {
            (true, Some(head)) => {
                let number = numbers.next().unwrap_or(0);
                out.push_str(&format!("{head} hunk {number}\n"));
            }
            _ => out.push_str(line),
        }
    }
    out
}

/// Prints a file as a change left it, or with `ID^` as it was before, byte for byte.
fn print_content(
    history: &History,
    file: &str,
    id: &str,
    place: &WorkArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let (id, side) = match id.strip_suffix('^') {
        Some(id) => (id, OperationSide::Before),
        None => (id, OperationSide::After),
    };
    let operation = find_change(history, id)?;
    let path = typed_path(Path::new(file), around)?;
    let resolved = path.canonicalize().ok();
    let names = [own_path(&path), resolved, Some(path)];
    let change = names.iter().flatten().find_map(|name| {
        operation.files.iter().find(|change| {
            let earlier = change.moved_from.as_ref();
            change.path == *name || earlier == Some(name)
        })
    });
    let none = || Failure::refused(format!("the change {id} has no file {file}"));
    let change = change.ok_or_else(none)?;
    if !is_show_allowed(&change.path, place, around) || !history.may_show_change(change) {
        return Err(Failure::denied(format!("the rules deny reading {file}")));
    }
    let state = match side {
        OperationSide::Before => change.before.as_ref(),
        OperationSide::After => change.after.as_ref(),
    };
    let bytes = match state {
        // There was no file, so its content is empty.
        None => Some(Vec::new()),
        Some(RecordedState {
            link: Some(target), ..
        }) => Some(target.as_os_str().as_bytes().to_vec()),
        Some(state) => history
            .content(&state.revision)
            .map_err(unreadable_failure)?,
    };
    let gone = || Failure::refused(format!("the content of {file} at {id} is no longer kept"));
    let bytes = bytes.ok_or_else(gone)?;
    print_streamed(|out| out.write_all(&bytes))?;
    Ok(Exit::Done)
}

/// Adds the hunks of each file, numbered over all files as `lancet undo --hunk` takes them.
fn add_hunks(data: &mut Value, hunks: Vec<Vec<ReviewHunk>>) {
    let mut numbers = 1..;
    for (at, hunks) in hunks.into_iter().enumerate() {
        let hunks = hunks.into_iter().zip(numbers.by_ref());
        let hunks = hunks.map(|(ReviewHunk { hunk, .. }, number)| {
            json!({
                "number": number,
                "oldStart": hunk.old_start,
                "oldLines": hunk.old_lines,
                "newStart": hunk.new_start,
                "newLines": hunk.new_lines,
                "lines": hunk.lines,
            })
        });
        data["files"][at]["hunks"] = hunks.collect();
    }
}

/// Returns the newest change of the typed path, if that is a file rather than an id.
fn newest_change_of_file(
    history: &History,
    typed: &str,
    around: &Surroundings,
) -> Result<Option<Operation>, Failure> {
    let path = typed_path(Path::new(typed), around)?;
    let is_id = || {
        Ok(!matches!(
            history.find(typed).map_err(unreadable_failure)?,
            IdMatch::None
        ))
    };
    if path.symlink_metadata().is_err() || is_id()? {
        return Ok(None);
    }
    let query = LogQuery {
        path: Some(recorded_path(history, path)?),
        limit: Some(1),
        ..LogQuery::default()
    };
    let newest = history
        .log(&query)
        .map_err(unreadable_failure)?
        .into_iter()
        .next();
    let none = || Failure::refused(format!("there is no change of {typed} yet"));
    newest.map(Some).ok_or_else(none)
}

/// Refuses a prefix of an id that is too short to search for. A short number may be meant as a number of changes.
pub(in crate::command) fn check_length(typed: &str) -> Result<(), Failure> {
    if typed.len() >= MIN_ACCEPTED_ID_LENGTH {
        return Ok(());
    }
    let number = match typed.parse::<u8>() {
        Ok(number @ 1..) => format!("; for the newest {number} use -n {number} (log, undo)"),
        _ => String::new(),
    };
    Err(Failure::usage(format!(
        "{typed:?} is too short: give at least {MIN_ACCEPTED_ID_LENGTH} characters of the id{number}"
    )))
}

/// Finds the change that was typed.
pub(super) fn find_change(history: &History, typed: &str) -> Result<Operation, Failure> {
    check_length(typed)?;
    match history.find(typed).map_err(unreadable_failure)? {
        IdMatch::One(operation) => Ok(*operation),
        IdMatch::None => Err(Failure::refused(format!(
            "there is no change {typed}{}",
            hint_for_wrong_id(history, typed).unwrap_or_default()
        ))),
        IdMatch::Several(found) => {
            let columns =
                Columns::for_operations(found.iter().map(|found| (found, found.id.as_str())));
            let listed = |operation: &Operation| {
                let (id, form) = (ShortId::unshortened(&operation.id), LineForm::Whole);
                format_operation(
                    history,
                    operation,
                    id,
                    columns,
                    None,
                    form,
                    None,
                    Colour::Off,
                )
            };
            let lines: String = found.iter().map(listed).collect();
            Err(Failure::refused(format!(
                "{typed} is the ending or beginning of several ids; give more of one of these:\n{}",
                lines.trim_end()
            )))
        }
    }
}

/// Returns what undid a change, and which of its files that left out; none where the change is still in effect.
fn describe_undo(operation: &Operation, history: &History) -> Option<String> {
    let mut by: Vec<&str> = Vec::new();
    let mut left_out = Vec::new();
    for file in &operation.files {
        match file.undone_by.as_deref() {
            Some(ALREADY_UNDONE_MARK) => by.push("no change: found as it was before"),
            Some(id) => by.push(id),
            None => left_out.push(listed_name(history, &file.path)),
        }
    }
    by.dedup();
    let by = by.join(", ");
    match (by.is_empty(), left_out.as_slice()) {
        (true, _) => None,
        (false, []) => Some(by),
        (false, files) => Some(format!("{by}, but for {}", files.join(", "))),
    }
}

fn format_header(operation: &Operation, history: &History, colour: Colour) -> String {
    let mut out = format!(
        "{}\n",
        colour.paint(Style::Bold, &format!("change {}", operation.id))
    );
    let mut line = |name: &str, value: Option<&str>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            out.push_str(&format!("{name:<12}{}\n", escape_line_for_terminal(value)));
        }
    };
    let client = match (&operation.client, &operation.version) {
        (Some(client), Some(version)) => Some(format!("{client} {version}")),
        (client, _) => client.clone(),
    };
    // The log has another term for the client of a command typed at a shell; both are shown.
    let client = client.map(|client| match who::operation_client(operation) {
        word if client.starts_with(word) => client,
        word => format!("{word} ({client})"),
    });
    // The reason that would otherwise have required a question is of no interest afterwards.
    let approved = operation.approved.as_deref().map(|words| {
        let (by, _) = words
            .split_once(", given beforehand")
            .unwrap_or((words, ""));
        match by.starts_with("--") {
            true => format!("by {by}"),
            false => by.to_owned(),
        }
    });
    let undone = describe_undo(operation, history);
    line("time", Some(&time::format_local_with_zone(operation.time)));
    line("tool", Some(&operation.tool));
    if let Some(call) = &operation.recorded {
        line("name", call.name.as_deref());
        line("command", call.command.as_deref());
        line(
            "exit code",
            call.exit_code.map(|code| code.to_string()).as_deref(),
        );
        line("took", Some(&format!("{} ms", call.duration)));
        line("part of", operation.parent.as_deref());
        let not_kept = call.not_kept.iter();
        let not_kept = not_kept.map(|path| listed_name(history, path));
        line("not kept", Some(&not_kept.collect::<Vec<_>>().join(", ")));
        let shared = call.shared.iter();
        let shared = shared.map(|path| listed_name(history, path));
        line("shared", Some(&shared.collect::<Vec<_>>().join(", ")));
        line("shared with", Some(&call.shared_with.join(", ")));
        let as_in_git = match call.as_in_git {
            0 => String::new(),
            files => format!("{files} more files, which are as git has them"),
        };
        line("left to git", Some(&as_in_git));
        let head = call.head.as_ref();
        let head = head.map(|head| format!("{head} (`{}` moves it back)", head.command_back()));
        line("HEAD", head.as_deref());
    }
    line("session", Some(&operation.session));
    line("client", client.as_deref());
    line("turn", operation.turn.as_deref());
    line("call", operation.call.as_deref());
    let mut matched: Vec<&str> = Vec::new();
    for rung in operation.rungs.iter().map(|rung| describe_rung(rung)) {
        if !matched.contains(&rung) {
            matched.push(rung);
        }
    }
    line("matched", Some(&matched.join(", ")));
    line("approved", approved.as_deref());
    line("undoes", Some(&operation.takes_back.join(", ")));
    line("undone by", undone.as_deref());
    out.push('\n');
    out
}
