//! examine for Edit and MultiEdit: every edit is found, checked and laid upon the result of the ones before it, file by
//! file. Nothing is written; what comes out is a plan, or the refusal of the first edit that failed.

pub(crate) mod clash;
mod crowd;
pub(super) mod edit_session;
pub(super) mod finish;
mod unseen;

use lancet_history::Seen;
use lancet_text::Document;
use lancet_workspace::FileType;

use self::edit_session::{EditOptions, EditSession, Words};
use self::finish::finish;
use super::credential::refuse_credential;
use super::open::{
    HELD, LARGEST, decode, expected, is_notebook_name, refuse_notebook, require_file,
    snapshot_to_change,
};
use super::read_state::{Need, ReadState, read_state};
use super::{large, new_file};
use crate::engine::EngineView;
use crate::refusal::{Refusal, RefusalKind};
use crate::rooms::CallContext;
use crate::rooms::locate::{Intent, Target, locate};
use crate::rooms::plan::{DryRun, FilePlan, New, Origin, Plan};
use crate::rooms::request::{EditRequest, Insist};
use crate::wording::quote_path;

/// What an answer says about a file besides its path, which it names twice, and its notes: headline, revision, warnings.
pub(in crate::rooms::examine) const WORDS_OF_A_FILE: usize = 400;

/// Works out a plan for edits of one or several files, all or none.
pub(crate) fn examine(
    context: &CallContext<'_>,
    edits: &[EditRequest],
    insist: Insist,
    dry_run: DryRun,
) -> Result<Plan, Refusal> {
    let engine = context.engine();
    let mut failures: Vec<Option<Refusal>> = Vec::new();
    let mut groups: Vec<(Target, Vec<usize>)> = Vec::new();
    for (at, edit) in edits.iter().enumerate() {
        match locate_for(engine, edit) {
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
    let turn = context.take_turn(groups.iter().map(|(target, _)| target.path()))?;
    refuse_twins(&groups, &mut failures);
    clash::refuse_file_and_folder(&groups, &mut failures);
    let mut files = Vec::new();
    for (target, members) in groups {
        context.check_time()?;
        let group: Vec<(usize, &EditRequest)> =
            members.iter().map(|&at| (at, &edits[at])).collect();
        let Some(file) = examine_file(context, target, &group, insist, &mut failures) else {
            continue;
        };
        for (at, edit) in group {
            if let Err(refusal) = refuse_credential(context, &file.target, &edit.new) {
                failures[at].get_or_insert(refusal);
            }
        }
        files.push(file);
    }
    match join_failures(failures, edits.len()) {
        Some(refusal) => Err(refusal),
        None => Ok(Plan {
            tool: context.tool.clone(),
            files,
            dry_run,
            turn: Some(turn),
            origin: Origin::default(),
        }),
    }
}

/// The file that an edit means. One that is to be made is taken as it is spelled.
fn locate_for(engine: &EngineView, edit: &EditRequest) -> Result<Target, Refusal> {
    let target = locate(engine, &edit.file_path, Intent::Edit)?;
    if edit.old.is_empty() && target.located.respelled() {
        return locate(engine, &edit.file_path, Intent::Replace);
    }
    Ok(target)
}

/// Refuses edits of one file under two names: neither order of them is what was seen.
fn refuse_twins(groups: &[(Target, Vec<usize>)], failures: &mut [Option<Refusal>]) {
    let inode = |target: &Target| {
        let stamp = target.located.stat()?;
        (stamp.links > 1).then_some((stamp.device, stamp.inode))
    };
    for (at, (target, members)) in groups.iter().enumerate() {
        let hard_link = inode(target).and_then(|wanted| {
            let mut earlier = groups[..at].iter();
            earlier.find(|(other, _)| inode(other) == Some(wanted))
        });
        let Some((other, _)) = hard_link else {
            continue;
        };
        let text = format!(
            "{} and {} are one file under two names that are both to be written. Send the edits under one of the names.",
            quote_path(other.path()),
            quote_path(target.path())
        );
        for &member in members {
            failures[member] = Some(
                Refusal::new(RefusalKind::Conflict, text.clone())
                    .with("file_path", quote_path(target.path())),
            );
        }
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
    context: &CallContext<'_>,
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
    context.say(2 * context.length(&quote_path(target.path()).to_string()) + WORDS_OF_A_FILE);
    let is_missing = matches!(target.located.kind(), FileType::Missing);
    if is_missing
        && edits
            .first()
            .is_some_and(|(_, edit)| edit.old.is_empty() && edit.revision.is_none())
    {
        return new_file::from_edits(context, target, edits, insist, failures);
    }
    if let Err(refusal) = require_file(context.engine(), &target) {
        fail_all(failures, refusal);
        return None;
    }
    let size = target.located.stat().map_or(0, |stamp| stamp.size);
    if size > 0 && !is_bare_mark(&target, size) {
        // The first edit meets the file itself; the others meet what is left of it by then.
        if let Some((at, _)) = edits.first().filter(|(_, edit)| edit.old.is_empty()) {
            failures[*at] = Some(not_empty(&target));
        }
        if edits.iter().all(|(at, _)| failures[*at].is_some()) {
            return None;
        }
    }
    if size > HELD
        && size <= LARGEST
        && !is_notebook_name(&target)
        && let [(at, edit)] = edits
    {
        match large::examine(context, target, edit, insist) {
            Ok(large::Outcome::Plan(plan)) => return Some(*plan),
            Ok(large::Outcome::NotSuited(back)) => {
                return examine_held(context, *back, edits, insist, failures);
            }
            Err(refusal) => {
                failures[*at] = Some(refusal);
                return None;
            }
        }
    }
    examine_held(context, target, edits, insist, failures)
}

/// Whether a file is nothing but a byte order mark: its text is empty.
fn is_bare_mark(target: &Target, size: u64) -> bool {
    const MARKS: [&[u8]; 3] = [b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];
    let bytes = (size <= 3).then(|| target.located.read_at(0, 3));
    matches!(bytes, Some(Ok((bytes, _))) if MARKS.contains(&bytes.as_slice()))
}

/// The refusal for an empty old text and a file that has content.
pub(super) fn not_empty(target: &Target) -> Refusal {
    let text = format!(
        "{} is there and not empty, and old_string is empty. Read it and send the text to replace, or use Write to replace it whole.",
        quote_path(target.path())
    );
    Refusal::new(RefusalKind::Exists, text).with("file_path", quote_path(target.path()))
}

/// Whether the edit fills an empty file that the session does not know: it has no line that could be unseen.
fn fills_unknown(
    context: &CallContext<'_>,
    target: &Target,
    document: &Document<'_>,
    edit: &EditRequest,
) -> bool {
    edit.old.is_empty()
        && edit.revision.is_none()
        && document.view().is_empty()
        && context.session.ledger().peek(target.path()).is_none()
}

/// A file that is held in memory.
fn examine_held(
    context: &CallContext<'_>,
    target: Target,
    edits: &[(usize, &EditRequest)],
    insist: Insist,
    failures: &mut [Option<Refusal>],
) -> Option<FilePlan> {
    let fail_all = |failures: &mut [Option<Refusal>], refusal: Refusal| {
        for (at, _) in edits
            .iter()
            .filter(|(at, _)| failures[*at].is_none())
            .collect::<Vec<_>>()
        {
            failures[*at] = Some(refusal.clone());
        }
        None
    };
    let opened = snapshot_to_change(context, &target)
        .and_then(|base| refuse_notebook(&target, &base.bytes).map(|()| base));
    let base = match opened {
        Ok(base) => base,
        Err(refusal) => return fail_all(failures, refusal),
    };
    let document = match decode(context.engine(), &target, &base.bytes) {
        Ok(document) => document,
        Err(refusal) => return fail_all(failures, refusal),
    };
    let mut edit_session = EditSession::new(&document, edits.len());
    let mut read_states: Vec<(Option<&str>, Result<ReadState, Refusal>)> = Vec::new();
    let mut seen = None;
    for &(at, edit) in edits {
        if failures[at].is_some() {
            continue;
        }
        if let Err(refusal) = context.check_time() {
            return fail_all(failures, refusal);
        }
        let named = edit.revision.as_deref();
        if !read_states.iter().any(|(known, _)| *known == named) {
            let found = if fills_unknown(context, &target, &document, edit) {
                Ok(ReadState::of(Seen::whole(base.bytes.len() as u64)))
            } else {
                read_state(
                    context,
                    target.path(),
                    &base,
                    &document,
                    named,
                    Need::Places,
                )
            };
            read_states.push((named, found));
        }
        let Some((_, read_state)) = read_states.iter().find(|(known, _)| *known == named) else {
            continue;
        };
        // Only the first refusal is told with all its words.
        let words = if failures.iter().any(Option::is_some) {
            Words::Few
        } else {
            Words::All
        };
        match edit_session.apply(
            context,
            &target,
            read_state,
            edit,
            EditOptions { insist, words },
        ) {
            Ok(known) => seen = Some(known),
            Err(refusal) => failures[at] = Some(refusal),
        }
    }
    if edits.iter().any(|(at, _)| failures[*at].is_some()) {
        return None;
    }
    match finish(
        edit_session,
        &target,
        &base,
        seen.unwrap_or_default(),
        context,
    ) {
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
