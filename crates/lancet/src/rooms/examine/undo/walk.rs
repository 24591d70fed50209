//! Takes the changes of one file back, from the newest to the oldest: from the content on the disk to the state before
//! the oldest change.

use std::path::PathBuf;
use std::sync::Arc;

use lancet_history::{OperationStore, RecordedState};
use lancet_text::{Document, difference, unified};
use lancet_workspace::{Expected, FileType, Revision, Snapshot, Stamp};

use super::chain::Chain;
use super::select::Row;
use super::view::Wanted;
use super::{content, merge, unreadable, view};
use crate::engine::Surveyed;
use crate::refusal::{Refusal, RefusalKind};
use crate::rooms::examine::large;
use crate::rooms::examine::open::{HELD, configured, expected, snapshot_to_change};
use crate::rooms::examine::read_state::DIFF_BUDGET;
use crate::rooms::locate::Target;
use crate::rooms::plan::FilePlan;
use crate::rooms::{Attempt, CallContext};
use crate::undo::{Conflicts, Direction, Overlap, Selection, TakeBack};
use crate::wording::{cut, quote_path};

/// The longest diff that a conflict shows, in characters.
const LONGEST_DIFF: usize = 8_000;

/// What is on the disk under a name now.
pub(super) struct Current {
    pub(super) revision: Revision,
    pub(super) stamp: Stamp,
    pub(super) content: Found,
}

/// The content of a file, or the survey of a large one.
pub(super) enum Found {
    /// The whole content, in memory.
    Held(Snapshot),
    /// The survey of a file that is too large for memory.
    Large(Arc<Surveyed>),
}

impl Current {
    /// The content that the disk must still have when the file is written.
    pub(super) fn expected(&self) -> Expected {
        match &self.content {
            Found::Held(snapshot) => expected(snapshot),
            Found::Large(survey) => survey.expected(),
        }
    }
}

/// Reads what is on the disk under a name now; none where there is nothing.
pub(super) fn current(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    target: &Target,
) -> Result<Option<Current>, Refusal> {
    match target.located.kind() {
        FileType::Missing => Ok(None),
        FileType::File if target.located.stat_now().is_some_and(|now| now.size > HELD) => {
            let survey = large::survey(context, target)?;
            Ok(Some(Current {
                revision: survey.revision,
                stamp: survey.stamp,
                content: Found::Large(survey),
            }))
        }
        FileType::File => {
            let snapshot = snapshot_to_change(context, attempt, target)?;
            Ok(Some(Current {
                revision: snapshot.revision,
                stamp: snapshot.stamp,
                content: Found::Held(snapshot),
            }))
        }
        FileType::Directory | FileType::Special(_) => {
            let text = format!(
                "{} is no file any more. Nothing was changed.",
                quote_path(target.path())
            );
            Err(Refusal::new(RefusalKind::Conflict, text)
                .with("file_path", quote_path(target.path())))
        }
    }
}

/// The result of taking the changes of one file back.
pub(super) enum Back {
    /// The file has to be written or removed.
    To(Box<FilePlan>),
    /// The file already has the state that taking back would give it.
    Already,
}

/// Takes the changes of one file back as one chain, starting at the latest state of the chain that equals the file.
pub(super) fn back(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    store: &dyn OperationStore,
    chain: Chain<'_>,
    all: &[Row],
    asked: &TakeBack,
) -> Result<Back, Refusal> {
    if chain.path != chain.target.path() {
        let text = format!(
            "{} is a link by now, to {}. Nothing was changed.",
            chain.target.given,
            quote_path(chain.target.path())
        );
        let given = chain.target.given.clone();
        return Err(Refusal::new(RefusalKind::Conflict, text).with("file_path", given));
    }
    let found = current(context, attempt, &chain.target)?;
    let mut revision = found.as_ref().map(|found| *found.revision.as_bytes());
    let mut mode = found.as_ref().map(|found| found.stamp.mode);
    let start = start(store, &chain, revision.as_ref(), all)?;
    let mut state = Step::AsFound;
    let mut folders: Vec<PathBuf> = Vec::new();
    for row in chain.rows.iter().skip(start) {
        let (before, after) = (&row.change.before, &row.change.after);
        if revision == after.as_ref().map(|after| after.revision) {
            revision = before.as_ref().map(|before| before.revision);
            state = before.as_ref().map_or(Step::Nothing, Step::Kept);
        } else {
            let now = || state.bytes(store, found.as_ref());
            let merged = match (asked.overlap, before, after) {
                (Overlap::Merge, Some(before), Some(after))
                    if before.size.max(after.size) <= HELD =>
                {
                    match now()? {
                        Now::Bytes(now) => merge::three_ways(
                            &content(store, &after.revision)?,
                            &now,
                            &content(store, &before.revision)?,
                        ),
                        Now::Nothing | Now::Large => None,
                    }
                }
                _ => None,
            };
            let Some(merged) = merged else {
                let alone = all.iter().all(|row| chain.names.contains(&row.change.path));
                let others = if alone { Others::None } else { Others::Some };
                return Err(conflict(
                    context,
                    store,
                    &chain.target,
                    row,
                    &now()?,
                    asked,
                    others,
                ));
            };
            revision = Some(*Revision::of(&merged).as_bytes());
            state = Step::Merged(merged);
        }
        // Permission bits that another program has changed since are left alone.
        mode = match (before, after, mode) {
            (Some(before), None, _) => Some(before.mode),
            (Some(before), Some(after), Some(mode)) if after.mode == mode => Some(before.mode),
            (None, _, _) => None,
            (_, _, mode) => mode,
        };
        if before.is_none() {
            folders = row.change.folders.clone();
        }
    }
    let wanted = match state {
        Step::AsFound => return Ok(Back::Already),
        Step::Nothing => Wanted::Nothing,
        Step::Kept(kept) => Wanted::Kept(kept),
        Step::Merged(bytes) => Wanted::Bytes(bytes),
    };
    let mode = mode.filter(|mode| *mode != 0);
    let plan = view::file_plan(context, store, chain.target, found, wanted, mode, folders)?;
    Ok(plan.map_or(Back::Already, |plan| Back::To(Box::new(plan))))
}

/// How many of the changes are already undone. None counts as undone where a later change that is not part of the
/// request is still in force: then that change gave the file its content.
fn start(
    store: &dyn OperationStore,
    chain: &Chain<'_>,
    revision: Option<&[u8; 32]>,
    all: &[Row],
) -> Result<usize, Refusal> {
    let Some(start) = chain.already_back(revision) else {
        return Ok(0);
    };
    let Some(oldest) = start.checked_sub(1).and_then(|at| chain.rows.get(at)) else {
        return Ok(0);
    };
    let mut selected: Vec<String> = all.iter().map(|row| row.operation.clone()).collect();
    selected.dedup();
    let changed_later = store
        .is_changed_later(&chain.names, &oldest.operation, &selected)
        .map_err(unreadable)?;
    Ok(if changed_later { 0 } else { start })
}

/// The state of the file after some of the changes were taken back.
enum Step<'k> {
    /// The content on the disk.
    AsFound,
    /// No file.
    Nothing,
    /// A state in the history.
    Kept(&'k RecordedState),
    /// The content with one change taken out by a merge.
    Merged(Vec<u8>),
}

/// Whether further files are taken back together with this one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    None,
    Some,
}

/// The bytes of a file at one step.
enum Now {
    Nothing,
    Bytes(Vec<u8>),
    /// The file is too large to be held in memory.
    Large,
}

impl Step<'_> {
    fn bytes(&self, store: &dyn OperationStore, found: Option<&Current>) -> Result<Now, Refusal> {
        Ok(match (self, found.map(|found| &found.content)) {
            (Self::AsFound, Some(Found::Held(found))) => Now::Bytes(found.bytes.to_vec()),
            (Self::AsFound, Some(Found::Large(_))) => Now::Large,
            (Self::AsFound, None) | (Self::Nothing, _) => Now::Nothing,
            (Self::Kept(kept), _) if kept.size > HELD => Now::Large,
            (Self::Kept(kept), _) => Now::Bytes(content(store, &kept.revision)?),
            (Self::Merged(bytes), _) => Now::Bytes(bytes.clone()),
        })
    }
}

/// Says what can be done about a change whose file has changed since.
fn advice(path: &impl std::fmt::Display, row: &Row, now: &Now, asked: &TakeBack) -> String {
    let id = &row.operation;
    let before =
        format!("a person gets the file as it was before with `lancet restore {path}@{id}^`");
    let mut advice = match (&row.change.before, &row.change.after, now) {
        // The file is gone, so there is nothing to take the change out of.
        (Some(_), Some(_), Now::Nothing) => format!("There is nothing to take it out of; {before}."),
        (None, Some(_), Now::Nothing) => "What it made is gone already.".to_owned(),
        (Some(_), Some(_), Now::Large) => format!("The file is too large for one change to be taken out of it; {before}."),
        (Some(_), Some(_), Now::Bytes(_)) if asked.overlap == Overlap::Refuse => {
            "Taking it back would take that along; a person can take out this change alone with `lancet undo --merge`.".to_owned()
        }
        (Some(_), Some(_), Now::Bytes(_)) => format!(
            "That change and the later one touch the same or neighbouring lines, so it cannot be taken out alone; {before}, which takes the later one along."
        ),
        (Some(_), None, _) => format!("Taking it back would replace that file; {before}."),
        (None, _, Now::Bytes(_) | Now::Large) => {
            "Taking it back would remove that file along with what was changed since.".to_owned()
        }
        (None, None, Now::Nothing) => String::new(),
    };
    if asked.selection == Selection::Newest && asked.direction == Direction::Undo {
        advice.push_str(" Without an argument undo comes to this change again; an earlier one is taken back by its id, which `lancet log` has.");
    }
    advice
}

/// The refusal for a file that has changed since, with the diff of that change.
fn conflict(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    target: &Target,
    row: &Row,
    now: &Now,
    asked: &TakeBack,
    others: Others,
) -> Refusal {
    let path = quote_path(target.path());
    let left = row
        .change
        .after
        .as_ref()
        .filter(|after| after.size <= HELD)
        .and_then(|after| content(store, &after.revision).ok());
    let how = match (&row.change.after, now) {
        (Some(_), Now::Nothing) => "it was removed since",
        (None, Now::Bytes(_) | Now::Large) => "a file was put there since",
        _ => "it was changed since",
    };
    let mut advice = advice(&path, row, now, asked);
    if others == Others::Some && asked.conflicts == Conflicts::Refuse {
        advice.push_str(" A person can take back the other files and leave this one out with `lancet undo --keep-going`.");
    }
    let mut text = format!(
        "{path} is not what operation {} left: {how}. Nothing was changed. {advice}",
        row.operation
    );
    let shown = match (&left, now) {
        (Some(left), Now::Bytes(now)) if !target.is_withheld() => diff(context, target, left, now),
        _ => None,
    };
    if let Some(diff) = shown {
        let diff = diff.strip_suffix('\n').unwrap_or(&diff);
        text.push_str(&format!("\nChanged since:\n{}", cut(diff, LONGEST_DIFF)));
    }
    Refusal::new(RefusalKind::Conflict, text)
        .with("file_path", path)
        .with("operation", row.operation.clone())
}

fn diff(context: &CallContext<'_>, target: &Target, old: &[u8], new: &[u8]) -> Option<String> {
    let encoding = configured(context.engine(), target);
    let old = Document::decode(old, encoding).ok()?;
    let new = Document::decode(new, encoding).ok()?;
    let difference = difference(old.view(), new.view(), 3, DIFF_BUDGET);
    (!difference.coarse).then(|| unified(&difference.hunks))
}
