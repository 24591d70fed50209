//! `lancet diff`: the net difference between then and now of the files that changes touched, as one patch.

use std::path::{Path, PathBuf};

use lancet::Lancet;
use lancet::doors::path_text;
use lancet::history::{
    ChangeKind, History, IdMatch, LogQuery, MIN_ACCEPTED_ID_LENGTH, MarkQuery, NetChange,
    NetDifference, NetFile, Omission, Operation,
};
use serde_json::json;

use super::access::{open_engine, project_history, unreadable_failure};
use super::recorded_path::{listed_name, recorded_path, typed_path};
use super::show::find_change;
use super::wide_folder::WideFolder;
use super::wrong_id::hint_for_wrong_id;
use super::{prompt, time, who};
use crate::arguments::DiffArguments;
use crate::failure::{Exit, Failure};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{
    Colour, Style, escape_for_terminal, escape_line_for_terminal, print, print_error, print_paged,
    print_streamed, stdout_is_terminal,
};

/// How far back the difference goes if nothing else is said and there is no prompt: one hour, in milliseconds.
const DEFAULT_SPAN: i64 = 60 * 60 * 1000;

/// The changes that are asked about.
struct SelectedChanges {
    operations: Vec<Operation>,
    /// Which changes they are, for messages: "since 14:02".
    description: String,
}

/// A file whose difference is not shown.
struct LeftOut {
    path: PathBuf,
    why: Omission,
}

/// Runs `lancet diff`.
pub(crate) fn diff(arguments: &DiffArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let lancet = open_engine(&arguments.place, RootHint::Recorded, None, around)?;
    let history = project_history(&lancet)?;
    // A moved file that cannot be followed is compared under its old name.
    let _ = history.follow_moved_files();
    let (id, paths) = split_targets(arguments, &history, around)?;
    let mut selected = select(arguments, id, &lancet, &history)?;
    if let Some(wide) = WideFolder::detect(&arguments.place.root, around) {
        wide.retain_own(&mut selected.operations);
        wide.report_limits();
    }
    let is_wanted = |file: &NetFile| {
        let mut names = std::iter::once(&file.path).chain(&file.moved_from);
        paths.is_empty() || names.any(|name| paths.iter().any(|path| name.starts_with(path)))
    };
    let mut files = history
        .net_files(&selected.operations)
        .map_err(unreadable_failure)?;
    files.retain(is_wanted);
    let left_out = match arguments.json {
        true => print_json(&history, &files)?,
        false if arguments.stat => print_stat(&history, &files, &selected, around)?,
        false => print_patch(&history, &files, &selected, around)?,
    };
    if !arguments.json {
        report_left_out(&history, &left_out);
    }
    Ok(Exit::Done)
}

/// Tells the id of a change and paths apart. What exists as a path is one.
fn split_targets(
    arguments: &DiffArguments,
    history: &History,
    around: &Surroundings,
) -> Result<(Option<Operation>, Vec<PathBuf>), Failure> {
    let mut id = None;
    let mut paths = Vec::new();
    for target in &arguments.targets {
        let path = typed_path(target.as_ref(), around)?;
        let typed = target.to_str().unwrap_or_default();
        let exists = path.symlink_metadata().is_ok();
        if exists || typed.len() < MIN_ACCEPTED_ID_LENGTH {
            paths.push(path);
            continue;
        }
        match history.find(typed).map_err(unreadable_failure)? {
            IdMatch::None if has_changes(history, &path)? => paths.push(path),
            IdMatch::None => {
                return Err(Failure::refused(format!(
                    "{} is neither a change nor a file that was changed{}",
                    escape_for_terminal(typed),
                    hint_for_wrong_id(history, typed).unwrap_or_default()
                )));
            }
            _ if id.is_some() => {
                return Err(Failure::usage(format!(
                    "{typed}: one change is compared at a time; the other arguments are paths"
                )));
            }
            _ => id = Some(find_change(history, typed)?),
        }
    }
    for typed in &arguments.paths {
        let path = typed_path(typed, around)?;
        if path.symlink_metadata().is_err() && !has_changes(history, &path)? {
            return Err(Failure::refused(format!(
                "{} does not exist, and no change of it is recorded",
                escape_line_for_terminal(&typed.to_string_lossy())
            )));
        }
        paths.push(path);
    }
    let paths = paths.into_iter().map(|path| recorded_path(history, path));
    Ok((id, paths.collect::<Result<_, _>>()?))
}

/// Reports whether the history has a change of a file, or below a folder, that does not exist any more.
fn has_changes(history: &History, path: &Path) -> Result<bool, Failure> {
    let query = LogQuery {
        path: Some(path.to_path_buf()),
        limit: Some(1),
        ..LogQuery::default()
    };
    let found = history.log(&query).map_err(unreadable_failure)?;
    Ok(!found.is_empty())
}

fn select(
    arguments: &DiffArguments,
    id: Option<Operation>,
    lancet: &Lancet,
    history: &History,
) -> Result<SelectedChanges, Failure> {
    let all = LogQuery::default();
    let (query, description) = if let Some(operation) = id {
        if arguments.has_selection() {
            return Err(Failure::usage(
                "give the id of a change, or an option that selects changes, not both",
            ));
        }
        let description = format!("by the change {}", operation.id);
        return Ok(SelectedChanges {
            operations: vec![operation],
            description,
        });
    } else if let Some(number) = arguments.to_prompt {
        let mark = prompt::nth_newest_prompt(history, arguments.session.as_deref(), number)?;
        let query = LogQuery {
            tree: Some(mark.session.clone()),
            after: Some(mark.sequence),
            ..all
        };
        (query, describe_prompt(mark.time, &mark.prompt))
    } else if let Some(called) = &arguments.to_checkpoint {
        let without = || Failure::usage("no state folder: there is neither a home nor --state-dir");
        let recording = lancet.recording().ok_or_else(without)?;
        let found = recording.find(called).map_err(unreadable_failure)?;
        let none = || {
            Failure::refused(format!(
                "there is no checkpoint {}; `lancet log --checkpoints` lists them",
                escape_for_terminal(called)
            ))
        };
        let after = Some(found.ok_or_else(none)?.sequence);
        let query = LogQuery { after, ..all };
        (query, format!("since the checkpoint {called}"))
    } else if let Some(session) = &arguments.session {
        who::check_session(history, session)?;
        let tree = Some(session.clone());
        (LogQuery { tree, ..all }, format!("of {session}"))
    } else if let Some(client) = &arguments.client {
        who::check_client(history, client)?;
        let name = Some(who::client_from_display_name(client));
        let query = LogQuery {
            client: name,
            ..all
        };
        (query, format!("of {client}"))
    } else if let Some(turn) = &arguments.turn {
        let query = LogQuery {
            turn: Some(turn.clone()),
            ..all
        };
        (query, format!("of turn {turn}"))
    } else if let Some(since) = &arguments.since {
        let since = time::parse_since(since)?;
        let query = LogQuery {
            since: Some(since),
            ..all
        };
        (query, format!("since {}", time::format_local(since)))
    } else {
        default_query(history)?
    };
    Ok(SelectedChanges {
        operations: history.log(&query).map_err(unreadable_failure)?,
        description,
    })
}

/// Returns the changes since the newest prompt, else those of the last hour.
pub(in crate::command) fn default_query(history: &History) -> Result<(LogQuery, String), Failure> {
    let newest = MarkQuery {
        limit: Some(1),
        ..MarkQuery::default()
    };
    let marks = history
        .recorded_prompts(&newest)
        .map_err(unreadable_failure)?;
    Ok(match marks.into_iter().next() {
        Some(mark) => {
            let query = LogQuery {
                after: Some(mark.sequence),
                ..LogQuery::default()
            };
            (query, describe_prompt(mark.time, &mark.prompt))
        }
        None => {
            let query = LogQuery {
                since: Some(time::now_in_milliseconds() - DEFAULT_SPAN),
                ..LogQuery::default()
            };
            let description = "in the last hour (--since takes another time)";
            (query, description.to_owned())
        }
    })
}

fn describe_prompt(prompt_time: i64, prompt: &str) -> String {
    format!(
        "since the prompt of {}, {prompt}",
        time::format_local(prompt_time)
    )
}

/// Compares each file with the disk and passes those that differ on; returns those that cannot be shown.
fn compare(
    history: &History,
    files: &[NetFile],
    mut show: impl FnMut(NetChange) -> Result<(), Failure>,
) -> Result<Vec<LeftOut>, Failure> {
    let mut left_out = Vec::new();
    for file in files {
        match history.net_difference(file).map_err(unreadable_failure)? {
            NetDifference::Changed(change) => show(change)?,
            NetDifference::Omitted(why) => left_out.push(LeftOut {
                path: file.path.clone(),
                why,
            }),
            _ => {}
        }
    }
    Ok(left_out)
}

/// Prints the patch: to a program byte for byte, to a person in colours and through the pager.
fn print_patch(
    history: &History,
    files: &[NetFile],
    selected: &SelectedChanges,
    around: &Surroundings,
) -> Result<Vec<LeftOut>, Failure> {
    let mut is_empty = true;
    let mut shown = String::new();
    let is_for_person = stdout_is_terminal();
    let colour = around.colour(is_for_person);
    let left_out = compare(history, files, |change| {
        is_empty = false;
        if is_for_person || colour == Colour::On {
            shown.push_str(&colour.paint_diff(&readable_patch(&change.patch)));
            return Ok(());
        }
        print_streamed(|out| out.write_all(&change.patch))
    })?;
    if !shown.is_empty() {
        print_paged(&shown, around)?;
    }
    if is_empty {
        report_no_difference(selected, &left_out);
    }
    Ok(left_out)
}

/// Returns a patch as text. The lines of a file that is not UTF-8 text are left out.
fn readable_patch(patch: &[u8]) -> String {
    match std::str::from_utf8(patch) {
        Ok(text) if !text.contains('\0') => text.to_owned(),
        _ => {
            let hunks = patch.windows(4).position(|at| at == b"\n@@ ");
            let head = &patch[..hunks.unwrap_or(patch.len())];
            let head = String::from_utf8_lossy(head);
            format!("{head}\n(not UTF-8 text: the lines are not shown)\n")
        }
    }
}

fn print_stat(
    history: &History,
    files: &[NetFile],
    selected: &SelectedChanges,
    around: &Surroundings,
) -> Result<Vec<LeftOut>, Failure> {
    let colour = around.colour(stdout_is_terminal());
    let (mut out, mut number, mut added, mut removed) = (String::new(), 0, 0, 0);
    let left_out = compare(history, files, |change| {
        number += 1;
        added += change.added;
        removed += change.removed;
        let name = |path: &Path| listed_name(history, path);
        let name = match &change.moved_from {
            Some(from) => format!("{} => {}", name(from), name(&change.path)),
            None => name(&change.path),
        };
        let what = match change.kind {
            ChangeKind::Create => "  new",
            ChangeKind::Delete => "  removed",
            ChangeKind::Mode => "  permission bits",
            _ => "",
        };
        out.push_str(&format!(
            "{name}  {} {}{what}\n",
            colour.paint(Style::Green, &format!("+{}", change.added)),
            colour.paint(Style::Red, &format!("-{}", change.removed)),
        ));
        Ok(())
    })?;
    match number {
        0 => report_no_difference(selected, &left_out),
        1 => out.push_str(&format!("1 file, +{added} -{removed}\n")),
        _ => out.push_str(&format!("{number} files, +{added} -{removed}\n")),
    }
    print_paged(&out, around)?;
    Ok(left_out)
}

fn print_json(history: &History, files: &[NetFile]) -> Result<Vec<LeftOut>, Failure> {
    let mut objects = Vec::new();
    let mut text = String::new();
    let left_out = compare(history, files, |change| {
        let patch = String::from_utf8_lossy(&change.patch);
        text.push_str(&patch);
        let mut object = json!({
            "file_path": path_text(&change.path),
            "type": change.kind.as_str(),
            "added": change.added,
            "removed": change.removed,
            "patch": patch,
        });
        if let Some(from) = &change.moved_from {
            object["movedFrom"] = json!(path_text(from));
        }
        objects.push(object);
        Ok(())
    })?;
    let named = left_out.iter().map(|left_out| {
        json!({ "file_path": path_text(&left_out.path), "reason": left_out.why.as_str() })
    });
    let named: Vec<_> = named.collect();
    let data = json!({ "files": objects, "leftOut": named, "text": text });
    print(&format!("{data}\n"))?;
    Ok(left_out)
}

/// Reports that nothing differs, because empty output would be ambiguous.
fn report_no_difference(selected: &SelectedChanges, left_out: &[LeftOut]) {
    let description = escape_for_terminal(&selected.description);
    let sentence = match (selected.operations.is_empty(), left_out) {
        (true, _) => format!("no change {description}"),
        (false, []) => format!("the files that were changed {description} are as they were before"),
        (false, _) => return,
    };
    print_error(&format!("lancet: {sentence}\n"));
}

/// Names the files that differ and are not part of the output.
fn report_left_out(history: &History, left_out: &[LeftOut]) {
    for LeftOut { path, why } in left_out {
        let why = match why {
            Omission::Hidden => "the rules forbid showing its text",
            Omission::NotStored => "its content from before is no longer stored",
            Omission::TooLarge => "it is too large to be compared",
            _ => "it is not a file that can be read",
        };
        print_error(&format!(
            "lancet: left out: {}: {why}\n",
            listed_name(history, path)
        ));
    }
}
