//! `lancet undo`, `redo` and `restore`. Their result is a change like any other: it is shown, and the user is prompted.

use std::ffi::OsStr;
use std::io::IsTerminal as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use lancet::doors::path_text;
use lancet::history::{CallerFilter, History, IdMatch, LogQuery, ReversalDirection};
use lancet::undo::{
    Conflicts, OperationSide, Overlap, Restore, Selection, SharedChanges, UndoRequest,
    UnknownCallers,
};
use lancet::{Reply, Session};

use super::access::{open_engine, open_history, unreadable_failure};
use super::across_projects::{UndoRoots, change_and_its_undo, changes_of_selection, on_own_thread};
use super::recorded_path::{recorded_path, typed_path};
use super::show::check_length;
use super::steps::{self, SelectedChanges};
use super::undo_hunk::undo_hunk;
use super::wide_folder::WideFolder;
use super::wrong_id::hint_for_wrong_id;
use super::{moves, prompt, since_checkpoint, time, unattributed, versions, who};
use crate::answer::{OutputFormat, Presentation, print_reply};
use crate::arguments::{RedoArguments, RestoreArguments, UndoArguments, UndoFlags};
use crate::command::recording::{Reversal, prove_change};
use crate::failure::{Exit, Failure};
use crate::fault::{begin_unlimited_call, caller};
use crate::guard;
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{Consent, ElapsedTimeLine, TerminalApprover, print_error};

/// Runs `lancet undo`.
pub(crate) fn undo(arguments: &UndoArguments, around: &Surroundings) -> Result<Exit, Failure> {
    if let Some(number) = arguments.hunk {
        return undo_hunk(
            arguments.operation.as_deref(),
            number,
            &arguments.flags,
            around,
        );
    }
    let UndoChoice {
        selection,
        heading,
        changes,
        roots,
    } = on_own_thread(|| choose(arguments, around))?;
    let selection = match changes {
        SelectedChanges::Few => selection,
        SelectedChanges::Bounded(ids) => Selection::These(ids),
        SelectedChanges::Many(ids) => {
            return steps::undo_in_steps(ids, arguments, &roots, heading.as_deref(), around);
        }
    };
    let mut asked = UndoRequest::undo(selection)
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
    asked.project.clone_from(&roots.project);
    asked.dry_run = arguments.flags.dry_run;
    if arguments.include_unattributed {
        asked.unknown_callers = UnknownCallers::Include;
    }
    if std::io::stdin().is_terminal() {
        asked.shared = SharedChanges::Include;
    }
    let how = (&arguments.flags, Reversal::Redo);
    run_and_print(
        how,
        RootHint::Roots(&roots.all),
        heading,
        around,
        |session| {
            let mut asked = asked.clone();
            asked.cancel = Some(begin_unlimited_call());
            session.undo_or_redo(asked, caller())
        },
    )
}

/// What an undo is about.
struct UndoChoice {
    selection: Selection,
    /// The heading of the answer, where the changes since a prompt are undone.
    heading: Option<String>,
    changes: SelectedChanges,
    roots: UndoRoots,
}

/// Finds out which changes are meant, and which projects have files of them.
fn choose(arguments: &UndoArguments, around: &Surroundings) -> Result<UndoChoice, Failure> {
    let file = arguments
        .file
        .as_deref()
        .map(|file| typed_path(file, around))
        .transpose()?;
    let reach = match &file {
        Some(file) => RootHint::At(file),
        None if arguments.names_few() => RootHint::Recorded,
        None => RootHint::Project,
    };
    let place = &arguments.flags.place;
    let (selection, heading) = select(arguments, file.as_ref(), reach, around)?;
    let until = arguments
        .until
        .as_deref()
        .map(time::parse_since)
        .transpose()?;
    let changes = steps::select_changes(&selection, until, arguments, around)?;
    if let Some(path) = &arguments.moved_to {
        let path = around.absolute(path)?;
        let history = open_history(place, RootHint::At(&path), around)?;
        moves::follow_to_path(&history, &path, around)?;
    }
    let history = open_history(place, reach, around)?;
    let selected = match steps::query_for_many(&selection, arguments) {
        Some(query) => history.log(&query).map_err(unreadable_failure)?,
        None => {
            let callers = match arguments.include_unattributed {
                true => CallerFilter::All,
                false => CallerFilter::Known,
            };
            changes_of_selection(&selection, callers, &history)?
        }
    };
    Ok(UndoChoice {
        roots: UndoRoots::for_changes(&selected, place, reach, around)?,
        selection,
        heading,
        changes,
    })
}

/// Returns the selected changes, and the heading of the answer where they are those since a prompt.
fn select(
    arguments: &UndoArguments,
    file: Option<&PathBuf>,
    reach: RootHint<'_>,
    around: &Surroundings,
) -> Result<(Selection, Option<String>), Failure> {
    let mut heading = None;
    let selection = if let Some(number) = arguments.to_prompt {
        let history = open_history(&arguments.flags.place, RootHint::Project, around)?;
        let mark = prompt::nth_newest_prompt(&history, arguments.session.as_deref(), number)?;
        heading = Some(prompt::question_heading(&history, &mark)?);
        match unattributed::since_prompt(&history, &mark, arguments.include_unattributed)? {
            Some(ids) => Selection::These(ids),
            None => Selection::SincePrompt(mark),
        }
    } else if let Some(called) = &arguments.to_checkpoint {
        Selection::These(since_checkpoint::change_ids_since(
            called, arguments, around,
        )?)
    } else if let Some(file) = file {
        let history = open_history(&arguments.flags.place, reach, around)?;
        Selection::File(recorded_path(&history, file.clone())?)
    } else if let Some(id) = &arguments.operation {
        check_length(id)?;
        let history = open_history(&arguments.flags.place, RootHint::Recorded, around)?;
        refuse_wrong_id(id, &history)?;
        if let Some(wide) = WideFolder::detect(&arguments.flags.place.root, around)
            && let Ok(IdMatch::One(operation)) = history.find(id)
        {
            wide.require_own(&operation)?;
        }
        Selection::Operation(id.clone())
    } else if let Some(number) = arguments.number {
        newest_changes(number as usize, arguments, around)?
    } else if let Some(session) = &arguments.session {
        let history = open_history(&arguments.flags.place, RootHint::Project, around)?;
        who::check_session(&history, session)?;
        Selection::Session(session.clone())
    } else if let Some(client) = &arguments.client {
        let history = open_history(&arguments.flags.place, RootHint::Project, around)?;
        who::check_client(&history, client)?;
        Selection::Client(who::client_from_display_name(client))
    } else if let Some(turn) = &arguments.turn {
        Selection::Turn(turn.clone())
    } else if let Some(since) = &arguments.since {
        Selection::Since(time::parse_since(since)?)
    } else {
        newest_changes(1, arguments, around)?
    };
    Ok((selection, heading))
}

/// Refuses an id that no change has, if there is something to say about what is meant instead.
fn refuse_wrong_id(id: &str, history: &History) -> Result<(), Failure> {
    if !matches!(history.find(id), Ok(IdMatch::None)) {
        return Ok(());
    }
    match hint_for_wrong_id(history, id) {
        Some(hint) => Err(Failure::refused(format!("there is no change {id}{hint}"))),
        None => Ok(()),
    }
}

/// Selects the newest changes. In a folder that is too wide to be a project, they are those of the files directly in it.
fn newest_changes(
    number: usize,
    arguments: &UndoArguments,
    around: &Surroundings,
) -> Result<Selection, Failure> {
    let place = &arguments.flags.place;
    if let Some(wide) = WideFolder::detect(&place.root, around) {
        let history = open_history(place, RootHint::Recorded, around)?;
        let direction = ReversalDirection::UndoableOrRedone;
        return Ok(select_ids(wide.newest(&history, direction, number)?));
    }
    Ok(match arguments.number {
        Some(_) => Selection::Last(number),
        None => Selection::Newest,
    })
}

/// Selects changes by their ids. A redo is only undone by itself.
fn select_ids(mut ids: Vec<String>) -> Selection {
    match ids.len() {
        1 => Selection::Operation(ids.remove(0)),
        _ => Selection::These(ids),
    }
}

/// Runs `lancet redo`.
pub(crate) fn redo(arguments: &RedoArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let (selection, roots) = on_own_thread(|| choose_redo(arguments, around))?;
    let mut asked = UndoRequest::redo(selection);
    asked.project.clone_from(&roots.project);
    asked.dry_run = arguments.flags.dry_run;
    run_and_print(
        (&arguments.flags, Reversal::Undo),
        RootHint::Roots(&roots.all),
        None,
        around,
        |session| {
            let mut asked = asked.clone();
            asked.cancel = Some(begin_unlimited_call());
            session.undo_or_redo(asked, caller())
        },
    )
}

/// Finds out which undo is meant, and which projects have files of it.
fn choose_redo(
    arguments: &RedoArguments,
    around: &Surroundings,
) -> Result<(Selection, UndoRoots), Failure> {
    let place = &arguments.flags.place;
    let newest_undo = |client: Option<String>| LogQuery {
        client,
        reversible: Some(ReversalDirection::Redoable),
        limit: Some(1),
        ..LogQuery::default()
    };
    let mut query = None;
    let selection = if let Some(id) = &arguments.operation {
        check_length(id)?;
        if let Some(wide) = WideFolder::detect(&place.root, around)
            && let Ok(IdMatch::One(operation)) =
                open_history(place, RootHint::Recorded, around)?.find(id)
        {
            wide.require_own(&operation)?;
        }
        Selection::Operation(id.clone())
    } else if let Some(client) = &arguments.client {
        let history = open_history(place, RootHint::Project, around)?;
        who::check_client(&history, client)?;
        let client = who::client_from_display_name(client);
        query = Some(newest_undo(Some(client.clone())));
        Selection::Client(client)
    } else if let Some(wide) = WideFolder::detect(&place.root, around) {
        let history = open_history(place, RootHint::Recorded, around)?;
        select_ids(wide.newest(&history, ReversalDirection::Redoable, 1)?)
    } else {
        query = Some(newest_undo(None));
        Selection::Newest
    };
    let history = open_history(place, RootHint::Recorded, around)?;
    let selected = match (query, &selection) {
        (Some(query), _) => history.log(&query).map_err(unreadable_failure)?,
        (None, Selection::Operation(id)) => {
            refuse_wrong_id(id, &history)?;
            change_and_its_undo(id, &history)?
        }
        (None, _) => Vec::new(),
    };
    let roots = UndoRoots::for_changes(&selected, place, RootHint::Recorded, around)?;
    Ok((selection, roots))
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
        let Some((file, operation)) = file_and_change(typed) else {
            if let [only] = arguments.states.as_slice() {
                return versions::list_versions(only, arguments, around);
            }
            let typed = path_text(Path::new(typed));
            return Err(Failure::usage(format!(
                "{typed} names no change; of several files each is FILE@ID or FILE@ID^ (`lancet restore {typed}` lists its versions)"
            )));
        };
        let (operation, moment) = match operation.strip_suffix('^') {
            Some(operation) => (operation, OperationSide::Before),
            None => (operation, OperationSide::After),
        };
        let file = typed_path(file, around)?;
        let mut one = Restore::new(file.clone(), operation.to_owned(), moment);
        one.dry_run = arguments.flags.dry_run;
        asked.push(one);
        files.push(file);
    }
    let reach = RootHint::AtAll(&files);
    on_own_thread(|| {
        let history = open_history(&arguments.flags.place, reach, around)?;
        let mut ids = asked.iter().map(|one| one.operation.as_str());
        ids.try_for_each(|id| refuse_wrong_id(id, &history))
    })?;
    let how = (&arguments.flags, Reversal::Undo);
    run_and_print(how, reach, None, around, |session| {
        let cancel = begin_unlimited_call();
        for one in &mut asked {
            one.cancel = Some(cancel.clone());
        }
        session.restore_all(asked.clone(), caller())
    })
}

/// Splits `FILE@ID` at its last `@`; none where there is no file or no id.
fn file_and_change(typed: &OsStr) -> Option<(&Path, &str)> {
    let bytes = typed.as_bytes();
    let at = bytes
        .iter()
        .rposition(|byte| *byte == b'@')
        .filter(|at| *at > 0)?;
    let change = std::str::from_utf8(&bytes[at + 1..]).ok()?;
    Some((Path::new(OsStr::from_bytes(&bytes[..at])), change))
}

/// Opens an engine that prompts at the terminal, makes the change in a new session, and prints the answer. A heading is
/// shown with the question or, if there was none, on standard error.
pub(super) fn run_and_print(
    (flags, reversal): (&UndoFlags, Reversal),
    reach: RootHint<'_>,
    heading: Option<String>,
    around: &Surroundings,
    mut act: impl FnMut(&Session) -> Reply,
) -> Result<Exit, Failure> {
    let consent = guard::consent_from_flags(flags.yes, flags.yes_protected, &flags.place, around)?;
    let approver = TerminalApprover::new(consent, around);
    if let Some(heading) = &heading {
        approver.set_heading(heading);
    }
    let lancet = open_engine(&flags.place, reach, Some(approver.clone()), around)?;
    let working = ElapsedTimeLine::begin("working");
    let mut reply = act(&lancet.new_session());
    drop(working);
    if let Some(history) = lancet.history() {
        let may_ask = consent == Consent::Ask && !flags.json && !flags.dry_run;
        if moves::follow_moved_file(&history, &reply, may_ask, around)? {
            reply = act(&lancet.new_session());
        }
    }
    if let Some(heading) = heading.filter(|_| !flags.json && !approver.has_shown()) {
        print_error(&heading);
    }
    let exit = print_reply(
        &reply,
        OutputFormat::from_json_flag(flags.json),
        Presentation::Change(&approver),
        around,
    )?;
    prove_change(&flags.proof, &reply, reversal, &flags.place, exit, around)
}
