//! Calls that moved HEAD of a git work tree. An undo changes files alone; it names the git command that moves HEAD back.

use std::collections::HashSet;
use std::path::Path;

use lancet_git::{ObjectId, Repository};
use lancet_history::{HeadMove, LogQuery, Operation, OperationStore};

use super::kept::unreadable_refusal;
use super::nothing::nothing_selected_refusal;
use super::select::FileRow;
use crate::message::{Message, OPERATION_CAPITALIZED, message, verbatim};
use crate::refusal::Refusal;
use crate::stages::context::CallContext;
use crate::stages::plan::Plan;
use crate::undo::{Direction, Selection, UndoRequest};

/// Adds a notice to the first file, so that it is in the question and in the answer, if the changes that are undone also
/// moved HEAD.
pub(super) fn add_notice(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    rows: &[FileRow],
    plan: &mut Plan,
    asked: &UndoRequest,
) -> Result<(), Refusal> {
    let Some(first) = plan.files.first_mut() else {
        return Ok(());
    };
    if asked.direction == Direction::Undo {
        let taken = plan.origin.takes_back.iter();
        let ids: HashSet<&str> = taken.map(|taken| taken.operation.as_str()).collect();
        let notice = notice(context, store, rows, &ids, asked)?;
        first.view.notices.extend(notice);
    }
    Ok(())
}

/// Returns the notice that these operations also moved HEAD; none where they did not.
fn notice(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    rows: &[FileRow],
    ids: &HashSet<&str>,
    asked: &UndoRequest,
) -> Result<Option<Message>, Refusal> {
    let meant = rows.iter().filter(|row| ids.contains(&*row.operation));
    let Some(oldest) = meant.clone().map(|row| row.sequence).min() else {
        return Ok(None);
    };
    let sessions: HashSet<&str> = meant.map(|row| row.session.as_str()).collect();
    let query = LogQuery {
        below: context.engine().roots().to_vec(),
        without: context
            .other_workspaces()
            .map_err(unreadable_refusal)?
            .ids(),
        after: Some(oldest - 1),
        moves_head: true,
        ..LogQuery::default()
    };
    let is_meant = |operation: &Operation| {
        let is_of_session = operation.files.is_empty() && sessions.contains(&*operation.session);
        ids.contains(&*operation.id) || (is_open_ended(&asked.selection) && is_of_session)
    };
    let mut operations = store.query_log(&query).map_err(unreadable_refusal)?;
    operations.retain(is_meant);
    let moves = operations.into_iter().filter_map(|one| one.recorded?.head);
    // The newest comes first.
    let whole = moves.reduce(|newer, older| HeadMove {
        from: older.from,
        to: newer.to,
    });
    let roots = rows.iter().filter_map(|row| row.change.workspace.as_ref());
    let roots = roots.map(|workspace| workspace.root.as_path());
    Ok(whole.filter(|head| head.from != head.to).map(|head| {
        match command_back(context, roots, &head) {
            Some(command) => message!(
                "HEAD was moved, too ({}): `{}` moves it back. Only files are undone here",
                verbatim(&head),
                verbatim(command)
            ),
            None => message!(
                "HEAD was moved, too ({}), and the repository is gone or no longer has that commit. Only files are undone here",
                verbatim(&head)
            ),
        }
    }))
}

/// Returns the git command that moves HEAD back; none where no repository of these roots, or of those of the engine,
/// has the commit any more.
fn command_back<'r>(
    context: &CallContext<'_>,
    mut roots: impl Iterator<Item = &'r Path>,
    head: &HeadMove,
) -> Option<String> {
    let disk = &context.engine().base().disk;
    // The commits of other algorithms cannot be looked for.
    let commit = head.from.commit.as_deref().and_then(parse_commit);
    let has_commit = |root: &Path| {
        let found = Repository::find_for_file(&root.join("any"), disk);
        found
            .ok()
            .flatten()
            .is_some_and(|repository| match &commit {
                Some(commit) => repository
                    .open_objects()
                    .is_ok_and(|mut objects| objects.size(commit).is_ok()),
                None => true,
            })
    };
    let mut own = context.engine().roots().iter();
    let is_there = roots.any(has_commit) || own.any(|root| has_commit(root));
    is_there.then(|| head.command_back())
}

/// Parses the id of a commit of a SHA-1 repository.
fn parse_commit(digits: &str) -> Option<ObjectId> {
    let mut bytes = [0; 20];
    if digits.len() != 2 * bytes.len() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        let pair = digits.get(2 * at..2 * at + 2)?;
        *byte = u8::from_str_radix(pair, 16).ok()?;
    }
    Some(ObjectId::from_array(bytes))
}

/// Returns whether a selection covers everything of a session since some moment.
pub(super) fn is_open_ended(selection: &Selection) -> bool {
    !matches!(
        selection,
        Selection::Newest | Selection::Last(_) | Selection::Operation(_) | Selection::File(_)
    )
}

/// Returns the refusal to undo a call that changed no file and only moved HEAD; none for any other.
pub(super) fn only_moved_refusal(
    context: &CallContext<'_>,
    operation: &Operation,
) -> Option<Refusal> {
    let head = operation.recorded.as_ref()?.head.as_ref()?;
    if !operation.files.is_empty() {
        return None;
    }
    let moved = message!(
        "{} {} changed no file: it moved HEAD ({})",
        OPERATION_CAPITALIZED,
        verbatim(operation),
        verbatim(head)
    );
    Some(nothing_selected_refusal(
        match command_back(context, std::iter::empty(), head) {
            Some(command) => message!("{}, and `{}` moves it back", moved, verbatim(command)),
            None => message!("{}, and no repository here has the commit before it", moved),
        },
    ))
}
