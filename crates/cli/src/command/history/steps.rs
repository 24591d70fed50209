//! An undo of many changes, in steps: newest first, each step all or none and a separate operation, so that it can be
//! interrupted and continued.

use std::path::PathBuf;

use lancet::history::{CallerFilter, LogQuery, ReversalDirection};
use lancet::outcome::Outcome;
use lancet::undo::{Conflicts, Overlap, Selection, UndoRequest};
use lancet::{RefusalKind, Reply};
use serde_json::{Value, json};

use super::access::{open_engine, open_history, unreadable_failure};
use super::across_projects::UndoRoots;
use super::stats::format_count;
use crate::answer::{OutputFormat, Presentation, print_reply};
use crate::arguments::UndoArguments;
use crate::command::recording::{ProvenChange, Reversal, prove_operations};
use crate::failure::{Exit, Failure};
use crate::fault::{begin_unlimited_call, caller};
use crate::guard;
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{
    ProgressLine, TerminalApprover, confirm_at_terminal, escape_line_for_terminal, print,
    print_error,
};

/// How many changes are undone at once.
const CHANGES_PER_STEP: usize = 500;

/// The changes that an undo applies to.
pub(super) enum SelectedChanges {
    /// So few that they are undone at once.
    Few,
    /// Also undone at once, but named by their ids, because the selection has an end.
    Bounded(Vec<String>),
    /// So many that they are undone in steps; newest first.
    Many(Vec<String>),
}

/// Returns the query for the changes of a selection of many; none for one that names changes, or a number of them.
pub(super) fn query_for_many(selection: &Selection, arguments: &UndoArguments) -> Option<LogQuery> {
    let all = LogQuery {
        reversible: Some(ReversalDirection::Undoable),
        ..LogQuery::default()
    };
    Some(match selection {
        Selection::Session(name) => LogQuery {
            tree: Some(name.clone()),
            ..all
        },
        Selection::Client(name) => LogQuery {
            client: Some(name.clone()),
            ..all
        },
        Selection::Turn(turn) => LogQuery {
            turn: Some(turn.clone()),
            ..all
        },
        Selection::Since(time) => LogQuery {
            since: Some(*time),
            callers: match arguments.include_unattributed {
                true => CallerFilter::All,
                false => CallerFilter::Known,
            },
            ..all
        },
        Selection::SincePrompt(mark) => LogQuery {
            tree: Some(mark.session.clone()),
            after: Some(mark.sequence),
            ..all
        },
        _ => return None,
    })
}

/// Finds out which changes a selection contains.
pub(super) fn select_changes(
    selection: &Selection,
    until: Option<i64>,
    arguments: &UndoArguments,
    around: &Surroundings,
) -> Result<SelectedChanges, Failure> {
    let query = match query_for_many(selection, arguments) {
        Some(query) if until.is_some() || !arguments.flags.dry_run => LogQuery { until, ..query },
        _ => return Ok(SelectedChanges::Few),
    };
    let history = open_history(&arguments.flags.place, RootHint::Project, around)?;
    let operations = history.log(&query).map_err(unreadable_failure)?;
    let ids: Vec<String> = operations
        .into_iter()
        .map(|operation| operation.id)
        .collect();
    Ok(match (ids.len(), until) {
        (0, Some(_)) => {
            return Err(Failure::refused(
                "there is nothing to undo between these times".to_owned(),
            ));
        }
        (number, _) if number > CHANGES_PER_STEP && !arguments.flags.dry_run => {
            SelectedChanges::Many(ids)
        }
        (_, Some(_)) => SelectedChanges::Bounded(ids),
        (_, None) => SelectedChanges::Few,
    })
}

/// Undoes the changes in steps.
pub(super) fn undo_in_steps(
    ids: Vec<String>,
    arguments: &UndoArguments,
    roots: &UndoRoots,
    heading: Option<&str>,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let flags = &arguments.flags;
    if let Some(heading) = heading.filter(|_| !flags.json) {
        print_error(heading);
    }
    let all = ids.len() as u64;
    if !(flags.yes || flags.yes_protected) {
        confirm_undo_of_all(all)?;
    }
    let consent = guard::consent_from_flags(true, flags.yes_protected, &flags.place, around)?;
    let approver = TerminalApprover::new(consent, around);
    let lancet = open_engine(
        &flags.place,
        RootHint::Roots(&roots.all),
        Some(approver.clone()),
        around,
    )?;
    let session = lancet.new_session();
    let mut line = ProgressLine::new();
    let mut left_out: Vec<PathBuf> = Vec::new();
    let mut operations: Vec<String> = Vec::new();
    let (mut done, mut steps) = (0, 0);
    for step in ids.chunks(CHANGES_PER_STEP) {
        line.show(&format!("{done} of {} undone", format_count(all, "change")));
        let mut asked = UndoRequest::undo(Selection::These(step.to_vec()))
            .overlap(match arguments.merge {
                true => Overlap::Merge,
                false => Overlap::Refuse,
            })
            .conflicts(match arguments.keep_going {
                true => Conflicts::LeaveOut,
                false => Conflicts::Refuse,
            });
        asked.cancel = Some(begin_unlimited_call());
        let reply = session.undo_or_redo(asked, caller());
        if can_continue(&reply, arguments.keep_going) {
            left_out.extend(left_out_files(&reply));
            if let Outcome::Changed(change) = reply.outcome() {
                operations.extend(change.operation.clone());
            }
            done += step.len() as u64;
            steps += 1;
            continue;
        }
        drop(line);
        if done > 0 && !flags.json {
            print_error(&format!(
                "lancet: {} of {} undone; this stopped the rest:\n",
                done,
                format_count(all, "change")
            ));
        }
        return print_reply(
            &reply,
            OutputFormat::from_json_flag(flags.json),
            Presentation::Change(&approver),
            around,
        );
    }
    drop(line);
    left_out.sort();
    left_out.dedup();
    print_report(all, steps, &left_out, flags.json, around)?;
    let exit = match left_out.is_empty() {
        true => Exit::Done,
        false => Exit::Refused,
    };
    let proven = ProvenChange {
        operations,
        reach: RootHint::Project,
        reversal: Reversal::Redo,
    };
    prove_operations(&flags.proof, &proven, &flags.place, exit, around)
}

/// Asks for confirmation that all the changes are to be undone.
fn confirm_undo_of_all(all: u64) -> Result<(), Failure> {
    let question = format!(
        "Undo {}, newest first, in steps of {CHANGES_PER_STEP}? `--dry-run` shows the diff. [y/N]",
        format_count(all, "change")
    );
    match confirm_at_terminal(&question) {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::refused("declined; nothing was changed".to_owned())),
        None => Err(Failure::refused(format!(
            "{} would be undone, and there is no terminal to ask on: `--yes` undoes them without asking. Nothing was changed",
            format_count(all, "change")
        ))),
    }
}

/// Reports whether the next step may follow: the step was made, found nothing left to do, or left out what is in
/// conflict.
fn can_continue(reply: &Reply, keep_going: bool) -> bool {
    match reply.refusal() {
        None => true,
        // All of it is undone by now, or cancels out.
        Some(RefusalKind::NotFound | RefusalKind::NoChange) => true,
        Some(RefusalKind::Conflict) => keep_going,
        Some(_) => false,
    }
}

/// Returns the files that a step has left out.
fn left_out_files(reply: &Reply) -> Vec<PathBuf> {
    let path = |value: &Value| {
        let named = value.get("file_path").unwrap_or(value);
        named.as_str().map(PathBuf::from)
    };
    let listed = |data: Option<&Value>| -> Vec<PathBuf> {
        let files = data.and_then(Value::as_array);
        files.into_iter().flatten().filter_map(path).collect()
    };
    match reply.outcome() {
        Outcome::Refused(refused) if refused.kind == RefusalKind::Conflict => {
            let several = listed(refused.data.get("leftOut"));
            match several.is_empty() {
                true => refused.path.clone().into_iter().collect(),
                false => several,
            }
        }
        _ => listed(reply.data().get("leftOut")),
    }
}

fn print_report(
    all: u64,
    steps: u64,
    left_out: &[PathBuf],
    json: bool,
    around: &Surroundings,
) -> Result<(), Failure> {
    if json {
        let paths: Vec<String> = left_out
            .iter()
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        let data = json!({ "undone": all, "steps": steps, "leftOut": paths });
        return print(&format!("{data}\n"));
    }
    let mut words = match left_out.len() as u64 {
        0 => format!(
            "Undid {} in {}.\n",
            format_count(all, "change"),
            format_count(steps, "step")
        ),
        files => format!(
            "Undid {} in {}, but for {} that someone has changed since:\n",
            format_count(all, "change"),
            format_count(steps, "step"),
            format_count(files, "file")
        ),
    };
    for path in left_out {
        words.push_str(&format!(
            "  {}\n",
            escape_line_for_terminal(&around.relative(path))
        ));
    }
    print(&words)
}
