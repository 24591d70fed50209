//! `lancet undo --hunk`: undoes one hunk of a change.

use lancet::history::{History, LogQuery, Operation, ReversalDirection};
use lancet::review::HunkUndoRequest;

use super::access::{open_engine, open_history, unreadable_failure};
use super::across_projects::{UndoRoots, on_own_thread};
use super::show::find_change;
use super::undo::run_and_print;
use crate::arguments::UndoFlags;
use crate::command::recording::Reversal;
use crate::failure::{Exit, Failure};
use crate::fault::caller;
use crate::surroundings::{RootHint, Surroundings};

/// Undoes one hunk of a change, or of the newest one, by its number over the files of the change.
pub(super) fn undo_hunk(
    id: Option<&str>,
    number: usize,
    flags: &UndoFlags,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let (operation, roots) = on_own_thread(|| {
        let history = open_history(&flags.place, RootHint::Project, around)?;
        let operation = match id {
            Some(id) => find_change(&history, id)?,
            None => newest_not_undone(&history)?,
        };
        let changes = std::slice::from_ref(&operation);
        let roots = UndoRoots::for_changes(changes, &flags.place, RootHint::Project, around)?;
        Ok((operation, roots))
    })?;
    let reach = RootHint::Roots(&roots.all);
    let lancet = open_engine(&flags.place, reach, None, around)?;
    let Some(review) = lancet.review() else {
        return Err(Failure::usage(
            "no state folder: there is neither a home nor --state-dir",
        ));
    };
    let id = operation.id.as_str();
    let hunks = review.hunks(&operation).map_err(unreadable_failure)?;
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
        HunkUndoRequest::new(file.path.clone(), operation.id.clone(), before, hunk.lines)
            .for_operation();
    asked.dry_run = flags.dry_run;
    let how = (flags, Reversal::Redo);
    run_and_print(how, reach, None, around, |session| {
        session.undo_hunk(asked.clone(), caller())
    })
}

fn newest_not_undone(history: &History) -> Result<Operation, Failure> {
    let query = LogQuery {
        reversible: Some(ReversalDirection::Undoable),
        limit: Some(1),
        ..LogQuery::default()
    };
    let newest = history.log(&query).map_err(unreadable_failure)?;
    let none = || Failure::refused("there is nothing to undo in this project");
    newest.into_iter().next().ok_or_else(none)
}
