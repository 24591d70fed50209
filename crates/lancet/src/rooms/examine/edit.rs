//! examine for Edit and MultiEdit: every edit is found, checked and laid upon the result of the ones before it, file by
//! file. Nothing is written; what comes out is a plan, or the refusal of the first edit that failed.

mod sheet;

use lancet_workspace::Kind as FileKind;

use self::sheet::{Sheet, finish};
use super::open::{HELD, LARGEST, decode, expected, refuse_notebook, require_file, snapshot};
use super::{large, new_file};
use crate::refusal::{Kind, Refusal};
use crate::rooms::locate::{Intent, Target, locate};
use crate::rooms::plan::{DryRun, FilePlan, New, Plan};
use crate::rooms::{Desk, EditRequest};
use crate::wording::quote_path;

/// Works out a plan for edits of one or several files, all or none.
pub(crate) fn examine(
    desk: &Desk<'_>,
    edits: &[EditRequest],
    insist: Insist,
    dry_run: DryRun,
) -> Result<Plan, Refusal> {
    let engine = desk.engine();
    let mut failures: Vec<Option<Refusal>> = Vec::new();
    let mut groups: Vec<(Target, Vec<usize>)> = Vec::new();
    for (at, edit) in edits.iter().enumerate() {
        match locate(engine, &edit.file_path, Intent::Show) {
            Ok(target) => {
                failures.push(None);
                match groups
                    .iter_mut()
                    .find(|(known, _)| known.path() == target.path())
                {
                    Some((_, members)) => members.push(at),
                    None => groups.push((target, vec![at])),
                }
            }
            Err(refusal) => failures.push(Some(refusal)),
        }
    }
    let turn = engine
        .order
        .take(groups.iter().map(|(target, _)| target.path()));
    refuse_twins(&groups, &mut failures);
    let mut files = Vec::new();
    for (target, members) in groups {
        desk.check_time()?;
        let group: Vec<(usize, &EditRequest)> =
            members.iter().map(|&at| (at, &edits[at])).collect();
        files.extend(examine_file(desk, target, &group, insist, &mut failures));
    }
    match join_failures(failures, edits.len()) {
        Some(refusal) => Err(refusal),
        None => Ok(Plan {
            tool: desk.tool.clone(),
            files,
            dry_run,
            turn: Some(turn),
        }),
    }
}

/// Refuses edits of one file under two names: neither order of them is what was seen.
fn refuse_twins(groups: &[(Target, Vec<usize>)], failures: &mut [Option<Refusal>]) {
    let inode = |target: &Target| {
        let stamp = target.located.stat()?;
        (stamp.links > 1).then_some((stamp.device, stamp.inode))
    };
    for (at, (target, members)) in groups.iter().enumerate() {
        let twin = inode(target).and_then(|wanted| {
            let mut earlier = groups[..at].iter();
            earlier.find(|(other, _)| inode(other) == Some(wanted))
        });
        let Some((other, _)) = twin else {
            continue;
        };
        let text = format!(
            "{} and {} are one file under two names that are both to be written. Send the edits under one of the names.",
            quote_path(other.path()),
            quote_path(target.path())
        );
        for &member in members {
            failures[member] = Some(
                Refusal::new(Kind::Conflict, text.clone())
                    .with("file_path", quote_path(target.path())),
            );
        }
    }
}

/// Whether text that looks like display text is let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Insist {
    Yes,
    No,
}

impl From<bool> for Insist {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

/// One refusal for a call of several edits: the first in the order sent, naming the others.
fn join_failures(failures: Vec<Option<Refusal>>, total: usize) -> Option<Refusal> {
    let mut failed = failures
        .into_iter()
        .enumerate()
        .filter_map(|(at, refusal)| Some((at + 1, refusal?)));
    let (number, first) = failed.next()?;
    if total == 1 {
        return Some(first);
    }
    let others: Vec<String> = failed
        .map(|(number, refusal)| format!("edit {number}: {}", refusal.kind().name()))
        .collect();
    let first = first
        .prefixed(&format!(
            "Edit {number} of {total} was refused, so no file was changed. "
        ))
        .with("edit", number);
    Some(if others.is_empty() {
        first
    } else {
        first.followed_by(&format!("Refused too: {}.", others.join(", ")))
    })
}

fn examine_file(
    desk: &Desk<'_>,
    target: Target,
    edits: &[(usize, &EditRequest)],
    insist: Insist,
    failures: &mut [Option<Refusal>],
) -> Option<FilePlan> {
    let fail_all = |failures: &mut [Option<Refusal>], refusal: Refusal| {
        for (at, _) in edits {
            failures[*at] = Some(refusal.clone());
        }
    };
    let is_missing = matches!(target.located.kind(), FileKind::Missing);
    if is_missing
        && edits
            .first()
            .is_some_and(|(_, edit)| edit.old.is_empty() && edit.revision.is_none())
    {
        return new_file::from_edits(desk, target, edits, insist, failures);
    }
    if let Err(refusal) = require_file(desk.engine(), &target) {
        fail_all(failures, refusal);
        return None;
    }
    let size = target.located.stat().map_or(0, |stamp| stamp.size);
    if size > HELD
        && size <= LARGEST
        && let [(at, edit)] = edits
    {
        match large::examine(desk, target, edit, insist) {
            Ok(large::Outcome::Plan(plan)) => return Some(*plan),
            Ok(large::Outcome::NotSuited(back)) => {
                return examine_held(desk, *back, edits, insist, failures);
            }
            Err(refusal) => {
                failures[*at] = Some(refusal);
                return None;
            }
        }
    }
    examine_held(desk, target, edits, insist, failures)
}

/// A file that is held in memory.
fn examine_held(
    desk: &Desk<'_>,
    target: Target,
    edits: &[(usize, &EditRequest)],
    insist: Insist,
    failures: &mut [Option<Refusal>],
) -> Option<FilePlan> {
    let opened = snapshot(desk.session, &target)
        .and_then(|base| refuse_notebook(&target, &base.bytes).map(|()| base));
    let base = match opened {
        Ok(base) => base,
        Err(refusal) => {
            for (at, _) in edits {
                failures[*at] = Some(refusal.clone());
            }
            return None;
        }
    };
    let document = match decode(desk.engine(), &target, &base.bytes) {
        Ok(document) => document,
        Err(refusal) => {
            for (at, _) in edits {
                failures[*at] = Some(refusal.clone());
            }
            return None;
        }
    };
    let mut sheet = Sheet::new(&document, edits.len());
    let mut seen = None;
    for &(at, edit) in edits {
        match sheet.lay(desk, &target, &base, edit, insist) {
            Ok(known) => seen = Some(known),
            Err(refusal) => failures[at] = Some(refusal),
        }
    }
    if edits.iter().any(|(at, _)| failures[*at].is_some()) {
        return None;
    }
    match finish(sheet, &target, &base, seen.unwrap_or_default(), desk) {
        Ok((view, changes, seen)) => {
            let (encoding, endings) = (document.encoding(), document.endings());
            let base_expected = expected(&base);
            drop(document);
            Some(FilePlan {
                target,
                expected: base_expected,
                base: Some(base),
                new: New::Changes(changes),
                view,
                encoding,
                endings,
                seen,
            })
        }
        Err(refusal) => {
            // The result as a whole is refused: it is told of the last edit, which completed it.
            if let Some((at, _)) = edits.last() {
                failures[*at] = Some(refusal);
            }
            None
        }
    }
}
