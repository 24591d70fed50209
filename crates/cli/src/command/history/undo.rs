//! `lancet undo`, `redo` and `restore`. Their result is a change like any other: it is shown, and the user is prompted.

use std::io::IsTerminal as _;

use lancet::history::{IdMatch, LogQuery};
use lancet::review::TakeHunk;
use lancet::undo::{Conflicts, Overlap, Restore, Selection, SharedChanges, Side, TakeBack};
use lancet::{Reply, Session};

use super::access::{history, open, unreadable};
use super::log::list;
use super::show::{check_length, find, not_an_id};
use super::steps::{self, MeantChanges};
use super::{moves, prompt, since_checkpoint, time, unattributed, who};
use crate::answer::{OutputFormat, Presentation, put};
use crate::arguments::{RedoArguments, RestoreArguments, UndoArguments, UndoFlags};
use crate::failure::{Exit, Failure};
use crate::fault::{begin_unlimited_call, caller};
use crate::guard;
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{Consent, TerminalApprover, WorkLine, print, print_error};

/// Runs `lancet undo`.
pub(crate) fn undo(arguments: &UndoArguments, around: &Surroundings) -> Result<Exit, Failure> {
    if let (Some(number), Some(id)) = (arguments.hunk, &arguments.operation) {
        return one_hunk(id, number, &arguments.flags, around);
    }
    let file = arguments
        .file
        .as_deref()
        .map(|file| around.absolute(file))
        .transpose()?;
    let reach = file.as_deref().map_or(RootHint::Project, RootHint::At);
    let mut heading = None;
    let selection = if let Some(number) = arguments.to_prompt {
        let history = history(&arguments.flags.place, RootHint::Project, around)?;
        let mark = prompt::nth(&history, arguments.session.as_deref(), number)?;
        heading = Some(prompt::heading(&history, &mark)?);
        match unattributed::since_prompt(&history, &mark, arguments.include_unattributed)? {
            Some(ids) => Selection::These(ids),
            None => Selection::SincePrompt(mark),
        }
    } else if let Some(called) = &arguments.to_checkpoint {
        Selection::These(since_checkpoint::changes(called, arguments, around)?)
    } else if let Some(file) = &file {
        Selection::File(file.canonicalize().unwrap_or_else(|_| file.clone()))
    } else if let Some(id) = &arguments.operation {
        check_length(id)?;
        let history = history(&arguments.flags.place, RootHint::Project, around)?;
        if let (Ok(IdMatch::None), Some(words)) = (history.find(id), not_an_id(&history, id)) {
            return Err(Failure::refused(format!("there is no change {id}{words}")));
        }
        Selection::Operation(id.clone())
    } else if let Some(number) = arguments.number {
        Selection::Last(number as usize)
    } else if let Some(session) = &arguments.session {
        let history = history(&arguments.flags.place, RootHint::Project, around)?;
        who::check_session(&history, session)?;
        Selection::Session(session.clone())
    } else if let Some(client) = &arguments.client {
        let history = history(&arguments.flags.place, RootHint::Project, around)?;
        who::check_client(&history, client)?;
        Selection::Client(who::client(client))
    } else if let Some(turn) = &arguments.turn {
        Selection::Turn(turn.clone())
    } else if let Some(since) = &arguments.since {
        Selection::Since(time::since(since)?)
    } else {
        Selection::Newest
    };
    let until = arguments.until.as_deref().map(time::since).transpose()?;
    let found = steps::found(&selection, until, arguments, around)?;
    let selection = match found {
        MeantChanges::Few => selection,
        MeantChanges::Bounded(ids) => Selection::These(ids),
        MeantChanges::Many(ids) => return steps::undo(ids, arguments, heading.as_deref(), around),
    };
    let mut asked = TakeBack::undo(selection)
        .overlap(if arguments.merge {
            Overlap::Merge
        } else {
            Overlap::Refuse
        })
        .conflicts(if arguments.keep_going {
            Conflicts::LeaveOut
        } else {
            Conflicts::Refuse
        });
    asked.dry_run = arguments.flags.dry_run;
    if std::io::stdin().is_terminal() {
        asked.shared = SharedChanges::Include;
    }
    if let Some(path) = &arguments.moved_to {
        let path = around.absolute(path)?;
        let history = history(&arguments.flags.place, RootHint::At(&path), around)?;
        moves::follow_as(&history, &path, around)?;
    }
    take_back(&arguments.flags, reach, heading, around, |session| {
        let mut asked = asked.clone();
        asked.cancel = Some(begin_unlimited_call());
        session.take_back(asked, caller())
    })
}

/// Undoes one hunk of a change, by its number over the files of the change.
fn one_hunk(
    id: &str,
    number: usize,
    flags: &UndoFlags,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let lancet = open(&flags.place, RootHint::Project, None, around)?;
    let (Some(history), Some(review)) = (lancet.history(), lancet.review()) else {
        return Err(Failure::usage(
            "no state folder: there is neither a home nor --state-dir",
        ));
    };
    let operation = find(&history, id)?;
    let hunks = review.hunks(&operation).map_err(unreadable)?;
    let mut all = operation.files.iter().zip(&hunks);
    let mut all = all.by_ref().flat_map(|(file, hunks)| {
        let hunks = hunks.iter();
        hunks.map(move |hunk| (file, hunk))
    });
    let Some((file, hunk)) = all.nth(number - 1) else {
        let total: usize = hunks.iter().map(Vec::len).sum();
        return Err(Failure::refused(match total {
            0 => format!(
                "no hunk of {id} can be undone alone: it has no lines that can be compared. `lancet undo {id}` undoes all of it"
            ),
            1 => format!("the change {id} has one hunk, not {number}"),
            total => format!("the change {id} has {total} hunks, not {number}"),
        }));
    };
    let before = file.before.as_ref().map(|state| state.revision);
    let mut asked =
        TakeHunk::new(file.path.clone(), operation.id.clone(), before, hunk.lines).of_operation();
    asked.dry_run = flags.dry_run;
    take_back(flags, RootHint::Project, None, around, |session| {
        session.take_hunk(asked.clone(), caller())
    })
}

/// Runs `lancet redo`.
pub(crate) fn redo(arguments: &RedoArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let selection = if let Some(id) = &arguments.operation {
        check_length(id)?;
        Selection::Operation(id.clone())
    } else if let Some(client) = &arguments.client {
        let history = history(&arguments.flags.place, RootHint::Project, around)?;
        who::check_client(&history, client)?;
        Selection::Client(who::client(client))
    } else {
        Selection::Newest
    };
    let mut asked = TakeBack::redo(selection);
    asked.dry_run = arguments.flags.dry_run;
    take_back(
        &arguments.flags,
        RootHint::Project,
        None,
        around,
        |session| {
            let mut asked = asked.clone();
            asked.cancel = Some(begin_unlimited_call());
            session.take_back(asked, caller())
        },
    )
}

/// Runs `lancet restore FILE@ID…`, which restores each file as it was after that operation, or before it (`FILE@ID^`), as
/// one change. `FILE` alone lists its versions.
pub(crate) fn restore(
    arguments: &RestoreArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let mut asked = Vec::with_capacity(arguments.states.len());
    let mut files = Vec::with_capacity(arguments.states.len());
    for typed in &arguments.states {
        let parts = typed.rsplit_once('@').filter(|(file, _)| !file.is_empty());
        let Some((file, operation)) = parts else {
            if let [only] = arguments.states.as_slice() {
                return versions(only, arguments, around);
            }
            return Err(Failure::usage(format!(
                "{typed} names no change; of several files each is FILE@ID or FILE@ID^ (`lancet restore {typed}` lists its versions)"
            )));
        };
        let (operation, moment) = match operation.strip_suffix('^') {
            Some(operation) => (operation, Side::Before),
            None => (operation, Side::After),
        };
        let file = around.absolute(file.as_ref())?;
        let mut one = Restore::new(file.clone(), operation.to_owned(), moment);
        one.dry_run = arguments.flags.dry_run;
        asked.push(one);
        files.push(file);
    }
    let reach = RootHint::AtAll(&files);
    take_back(&arguments.flags, reach, None, around, |session| {
        let cancel = begin_unlimited_call();
        for one in &mut asked {
            one.cancel = Some(cancel.clone());
        }
        session.restore_all(asked.clone(), caller())
    })
}

/// Lists the changes of a file that a restore could name.
fn versions(
    typed: &str,
    arguments: &RestoreArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let file = around.absolute(typed.as_ref())?;
    let place = &arguments.flags.place;
    let history = history(place, RootHint::At(&file), around)?;
    let _ = history.follow_moved_files();
    let query = LogQuery {
        path: Some(file.canonicalize().unwrap_or(file)),
        ..LogQuery::default()
    };
    let operations = history.log(&query).map_err(unreadable)?;
    if operations.is_empty() {
        return Err(Failure::refused(format!(
            "there is no version of {typed} in the history"
        )));
    }
    list(&history, &operations, around)?;
    if let Some(first) = operations.last() {
        let short = history.short(std::slice::from_ref(first));
        let short = short.map_err(unreadable)?;
        let short = short.first().map_or(first.id.as_str(), |short| short.shown);
        print(&format!(
            "{short}^  as it was before all of these changes\n"
        ))?;
    }
    print_error(&format!(
        "lancet: restore one of these with `lancet restore {typed}@ID`, or with ID^ as it was before that change\n"
    ));
    Ok(Exit::Done)
}

/// Opens an engine that prompts at the terminal, makes the change in a new session, and prints the answer. A heading is
/// shown with the question or, if there was none, on standard error.
fn take_back(
    flags: &UndoFlags,
    reach: RootHint<'_>,
    heading: Option<String>,
    around: &Surroundings,
    mut act: impl FnMut(&Session) -> Reply,
) -> Result<Exit, Failure> {
    let consent = guard::consent(flags.yes, flags.yes_protected, &flags.place, around)?;
    let approver = TerminalApprover::new(consent, around);
    if let Some(heading) = &heading {
        approver.begin_with(heading);
    }
    let lancet = open(&flags.place, reach, Some(approver.clone()), around)?;
    let working = WorkLine::begin("working");
    let mut reply = act(&lancet.new_session());
    drop(working);
    if let Some(history) = lancet.history() {
        let may_ask = consent == Consent::Ask && !flags.json && !flags.dry_run;
        if moves::is_followed(&history, &reply, may_ask, around)? {
            reply = act(&lancet.new_session());
        }
    }
    if let Some(heading) = heading.filter(|_| !flags.json && !approver.has_shown()) {
        print_error(&heading);
    }
    put(
        &reply,
        OutputFormat::from_json_flag(flags.json),
        Presentation::Change(&approver),
        around,
    )
}
