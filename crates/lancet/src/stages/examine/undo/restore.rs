//! The *examine* stage for restore: the plan that restores files to states in the history.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use lancet_history::{Operation, OperationStore, RecordedState};
use lancet_workspace::FileType;

use super::kept::unreadable_refusal;
use super::view::{self, WantedState};
use super::withheld::withhold_texts;
use super::{at_checkpoint, by_id, current_file, require_store};
use crate::message::{Message, OPERATION, OPERATION_CAPITALIZED, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::{Intent, Target, locate, locate_recorded};
use crate::stages::plan::{DryRun, FilePlan, Plan, PlanRecord};
use crate::undo::{OperationSide, Restore};
use crate::wording::{QuotedPath, format_count, quote_path};

/// The longest list of paths in an answer, in characters.
const MAX_LIST_LENGTH: usize = 4_000;

/// Works out the plan that restores files to states in the history.
pub(crate) fn plan_restore(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    asked: &[Restore],
) -> Result<Plan, Refusal> {
    let store = require_store(context)?;
    context.follow_moved_files().map_err(unreadable_refusal)?;
    let mut located: Vec<(&Restore, Target)> = Vec::with_capacity(asked.len());
    for asked in asked {
        located.push((asked, located_for(context, store, asked)?));
    }
    refuse_one_file_twice(&located)?;
    let turn = context.take_turn(located.iter().map(|(_, target)| target.path()))?;
    let mut files = Vec::new();
    let (mut new_inodes, mut owners) = (HashSet::new(), HashMap::new());
    let mut told = Vec::new();
    let mut unchanged: Vec<QuotedPath> = Vec::new();
    for (asked, target) in located {
        context.check_time()?;
        let path = quote_path(target.path());
        if let Some(found) =
            at_checkpoint::find_checkpoint(context, store, target.path(), &asked.operation)?
        {
            new_inodes.insert(target.path().to_path_buf());
            let owner = at_checkpoint::owner_at_checkpoint(store, target.path(), &found)?;
            owners.extend(owner.map(|owner| (target.path().to_path_buf(), owner)));
            let called = found.name.as_deref().unwrap_or(&found.id);
            told.push(message!(
                "{} as it was at the checkpoint {}",
                &path,
                verbatim(called)
            ));
            let kept = at_checkpoint::state_at_checkpoint(context, store, target.path(), &found)?;
            match plan_state(context, attempt, store, target, kept.as_ref())? {
                Some(file) => files.push(file),
                None => unchanged.push(path),
            }
            continue;
        }
        let operation = by_id::find_by_partial_id(context, store, &asked.operation)?;
        told.push(message!(
            "{} as {}",
            &path,
            describe_moment(&operation, asked.moment)
        ));
        match plan_file(context, attempt, store, target, &operation, asked.moment)? {
            Some(file) => files.push(file),
            None => unchanged.push(path),
        }
    }
    if files.is_empty() {
        return Err(in_that_state_refusal(&unchanged));
    }
    let mut lead = message!("{}.", Message::joined(told, "; ").truncate(MAX_LIST_LENGTH));
    if !unchanged.is_empty() {
        let names = Message::joined(&unchanged, ", ").truncate(MAX_LIST_LENGTH);
        lead.push(message!(" In that state already: {}.", names));
    }
    withhold_texts(&mut files);
    Ok(Plan {
        files,
        dry_run: DryRun::from(asked.iter().any(|asked| asked.dry_run)),
        turn,
        origin: PlanRecord {
            lead: Some(lead),
            new_inodes,
            owners,
            ..PlanRecord::default()
        },
    })
}

/// Locates a file that is to be restored. A symbolic link or a folder that has the name now is meant itself where the state to restore
/// was recorded under this very name; otherwise the file that it leads to is meant.
fn located_for(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    asked: &Restore,
) -> Result<Target, Refusal> {
    let own = located(context, asked, Intent::Folder);
    if let Ok(own) = own
        && (own.located.is_link() || own.located.kind() == FileType::Directory)
        && is_recorded(context, store, own.path(), &asked.operation)?
    {
        return Ok(own);
    }
    located(context, asked, Intent::Replace)
}

/// Locates the name that was requested, which may not be UTF-8.
fn located(context: &CallContext<'_>, asked: &Restore, intent: Intent) -> Result<Target, Refusal> {
    match asked.file.to_str() {
        Some(text) => locate(context.engine(), text, intent),
        None => locate_recorded(context.engine(), &asked.file, intent),
    }
}

/// Returns whether an operation or checkpoint has a state of this very name.
fn is_recorded(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    path: &Path,
    called: &str,
) -> Result<bool, Refusal> {
    if let Some(checkpoint) = at_checkpoint::find_checkpoint(context, store, path, called)? {
        return at_checkpoint::has_entry(store, path, &checkpoint);
    }
    let operation = by_id::find_by_partial_id(context, store, called)?;
    Ok(operation.files.iter().any(|change| change.path == *path))
}

/// Works out one file; none where it already is in the wanted state.
fn plan_file(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    store: &dyn OperationStore,
    target: Target,
    operation: &Operation,
    moment: OperationSide,
) -> Result<Option<FilePlan>, Refusal> {
    let mut changes = operation.files.iter();
    let Some(change) = changes.find(|change| change.path == target.path()) else {
        let touched = operation.files.iter().map(|file| quote_path(&file.path));
        let touched: Vec<QuotedPath> = touched.collect();
        let text = message!(
            "{} {} did not touch {}. It changed {}.",
            OPERATION_CAPITALIZED,
            verbatim(operation),
            quote_path(target.path()),
            Message::joined(&touched, ", ").truncate(MAX_LIST_LENGTH)
        );
        return Err(Refusal::from_message(RefusalKind::NotFound, text));
    };
    let wanted = match moment {
        OperationSide::Before => &change.before,
        OperationSide::After => &change.after,
    };
    plan_state(context, attempt, store, target, wanted.as_ref())
}

/// Works out one file from the state that it is to have.
fn plan_state(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    store: &dyn OperationStore,
    target: Target,
    wanted: Option<&RecordedState>,
) -> Result<Option<FilePlan>, Refusal> {
    let current = current_file::read_current(context, attempt, &target)?;
    let mode = wanted.map(|kept| kept.mode);
    let mode = mode.filter(|mode| *mode != 0);
    let wanted = wanted.map_or(WantedState::Nothing, WantedState::Kept);
    view::file_plan(context, store, target, current, wanted, mode, Vec::new())
}

fn describe_moment(operation: &Operation, moment: OperationSide) -> Message {
    match moment {
        OperationSide::Before => message!("it was before {} {}", OPERATION, verbatim(operation)),
        OperationSide::After => message!("{} {} left it", OPERATION, verbatim(operation)),
    }
}

/// Refuses two states of one file, by its path or by its hard links.
fn refuse_one_file_twice(located: &[(&Restore, Target)]) -> Result<(), Refusal> {
    let mut paths: HashSet<PathBuf> = HashSet::new();
    let mut inodes = HashSet::new();
    for (_, target) in located {
        let stat = target.located.stat();
        let inode = stat.map(|stat| (stat.device, stat.inode));
        let is_known = inode.is_some_and(|inode| !inodes.insert(inode));
        if !paths.insert(target.path().to_path_buf()) || is_known {
            let path = quote_path(target.path());
            let text = message!(
                "{} is named twice, and a file is restored to one state. Nothing was changed; name it once.",
                &path
            );
            return Err(
                Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", path)
            );
        }
    }
    Ok(())
}

/// Returns the refusal where every file is in the wanted state already.
fn in_that_state_refusal(unchanged: &[QuotedPath]) -> Refusal {
    let (names, verb) = match unchanged {
        [path] => (message!("{}", path), "is"),
        paths => (
            message!("{}", verbatim(format_count(paths.len(), "file"))),
            "are",
        ),
    };
    let text = message!(
        "{} {} in that state already. Nothing was changed.",
        names,
        verb
    );
    let first = unchanged.first().cloned().unwrap_or_default();
    Refusal::from_message(RefusalKind::NoChange, text).with_field("file_path", first)
}
