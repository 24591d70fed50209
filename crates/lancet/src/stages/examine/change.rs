//! The *examine* stage for a change of files: locates every file, locks all of them at once (takes their turn), and
//! examines each file with its changes. The result is one plan, or one refusal that names the first change that failed.

use super::credential::refuse_credential;
use super::edit::edit_session::{SameTextHandling, SharedOptions};
use super::gather::locate_all;
use super::located_file::{
    ChangeNoun, FileChanges, LocatedFile, LocatedMove, LocatedWrite, NumberedEdit,
};
use super::{cell, clash, delete, edit, empty_folder, mode, relocate, write};
use crate::message::{Message, message, verbatim};
use crate::order::Turn;
use crate::reason::Withheld;
use crate::refusal::{Refusal, RefusalKind};
use crate::request::{Request, WrittenNewline};
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::{Intent, Target, locate};
use crate::stages::plan::{FilePlan, Plan, PlanRecord};

/// How many edits that are left out the answer names.
const MAX_NOTICES: usize = 20;

/// Works out the plan for a request, all of it or nothing.
pub(crate) fn examine(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    request: &Request,
) -> Result<Plan, Refusal> {
    let mut examined = examine_files(context, attempt, request)?;
    let failures = std::mem::take(&mut examined.failures);
    let left_out = join_failures(failures, request, examined.files.is_empty())?;
    if let Some(first) = examined.files.first_mut() {
        first.view.notices.extend(left_out);
    }
    Ok(examined.into_plan(request))
}

/// Works out the plan for a request that the caller sent as one change: a refusal does not number its parts.
pub(super) fn examine_as_one(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    request: &Request,
) -> Result<Plan, Refusal> {
    let mut examined = examine_files(context, attempt, request)?;
    let mut failures = std::mem::take(&mut examined.failures).into_iter().flatten();
    let Some(mut first) = failures.next() else {
        return Ok(examined.into_plan(request));
    };
    // If one of the refusals may be shown only after a person's approval, the same applies to the first.
    let withheld = failures.find_map(|refusal| refusal.withheld);
    first.withheld = first.withheld.or(withheld);
    Err(first)
}

/// The result of a request once every file was examined.
pub(super) struct ExaminedRequest {
    /// The plans of the files whose changes can be made.
    pub(super) files: Vec<FilePlan>,
    /// For every change in the order sent, why it was refused; none where it fits.
    pub(super) failures: Vec<Option<Refusal>>,
    pub(super) turn: Option<Turn>,
}

impl ExaminedRequest {
    /// Returns the plan, where no change was refused.
    fn into_plan(self, request: &Request) -> Plan {
        Plan {
            files: self.files,
            dry_run: request.dry_run,
            turn: self.turn,
            origin: PlanRecord::default(),
        }
    }
}

/// Examines every change of a request.
pub(super) fn examine_files(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    request: &Request,
) -> Result<ExaminedRequest, Refusal> {
    let mut failures: Vec<Option<Refusal>> = Vec::new();
    let located = locate_all(context, request, &mut failures);
    let paths = located.iter().flat_map(LocatedFile::changed_paths);
    let turn = context.take_turn(paths).map_err(|mut refusal| {
        refusal.withheld = located.iter().find_map(LocatedFile::withheld_file);
        refusal
    })?;
    clash::refuse_hard_links(&located, &mut failures);
    clash::refuse_file_and_folder(&located, &ChangeNoun::for_request(request), &mut failures);
    let options = SharedOptions {
        insist: request.insist,
        same_text: match request.changes_nothing() {
            true => SameTextHandling::Refuse,
            false => SameTextHandling::LeaveOut,
        },
    };
    let mut files = Vec::new();
    for file in located {
        context.check_time()?;
        files.extend(examine_file(context, attempt, file, options, &mut failures));
    }
    Ok(ExaminedRequest {
        files,
        failures,
        turn,
    })
}

/// Returns the plan for one file; none where one of its changes failed.
fn examine_file(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    file: LocatedFile<'_>,
    options: SharedOptions,
    failures: &mut [Option<Refusal>],
) -> Option<FilePlan> {
    if file.change_numbers().any(|at| failures[at].is_some())
        && !matches!(file.work, FileChanges::Edits(_))
    {
        return None;
    }
    let (target, executable) = (file.target, file.executable);
    let plan = match file.work {
        FileChanges::Edits(edits) => {
            // Where every edit is left out, the executable permission still changes.
            let again = executable.filter(|_| all_idle(&edits));
            let again = again.and_then(|_| locate_once_more(context, &target, Intent::Edit));
            let plan = examine_edits(context, attempt, target, &edits, options, failures);
            match (plan, again, executable) {
                (Some(plan), ..) => plan,
                (None, Some(target), Some((at, executable)))
                    if are_all_left_out(&edits, failures) =>
                {
                    let plan = mode::examine_file(context, attempt, target, executable);
                    record_failure(idle_if_unchanged(plan), at, None, failures)?
                }
                _ => return None,
            }
        }
        FileChanges::Write(at, LocatedWrite { write, withheld }) => {
            let plan = write::examine_file(context, attempt, target, &write, options.insist)
                .map_err(|mut refusal| {
                    // A whole file of a reply that already exists with this content is a part that changes nothing.
                    refusal.idle = write.final_newline == WrittenNewline::AsFile
                        && refusal.kind() == RefusalKind::NoChange;
                    refusal
                });
            record_failure(plan, at, withheld, failures)?
        }
        FileChanges::Delete(at, request) => {
            let plan = delete::examine_file(context, attempt, target, request);
            record_failure(plan, at, None, failures)?
        }
        FileChanges::Folder(at, change) => {
            let plan = empty_folder::examine_folder(context, target, change);
            record_failure(plan, at, None, failures)?
        }
        FileChanges::Cell(at, request) => {
            let plan = cell::examine_file(context, attempt, target, request);
            record_failure(plan, at, None, failures)?
        }
        FileChanges::Move(moved) => {
            examine_move(context, attempt, target, *moved, options, failures)?
        }
        FileChanges::Mode => {
            let (at, executable) = executable?;
            let plan = mode::examine_file(context, attempt, target, executable);
            record_failure(idle_if_unchanged(plan), at, None, failures)?
        }
    };
    Some(FilePlan {
        executable: executable.map_or(plan.executable, |(_, executable)| executable),
        ..plan
    })
}

/// Returns the plan for a move, with the edits that belong to it.
fn examine_move(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    from: Target,
    moved: LocatedMove<'_>,
    options: SharedOptions,
    failures: &mut [Option<Refusal>],
) -> Option<FilePlan> {
    let LocatedMove {
        at,
        request,
        to,
        edits,
        withheld,
    } = moved;
    let checked = relocate::check_move(context, &from, &to, &edits);
    record_failure(checked, at, withheld.clone(), failures)?;
    if edits.is_empty() {
        let content = relocate::examine_content(context, attempt, &from, &to, request);
        let content = record_failure(content, at, withheld, failures)?;
        return Some(relocate::plan_move(from, to, content));
    }
    // Where every edit is left out, the file is still moved.
    let again = all_idle(&edits).then(|| locate_once_more(context, &from, Intent::Leave));
    let plan = examine_edits(context, attempt, from, &edits, options, failures);
    match (plan, again.flatten()) {
        (Some(plan), _) => Some(relocate::with_edits(plan, to, request.folders.clone())),
        (None, Some(from)) if are_all_left_out(&edits, failures) => {
            let content = relocate::examine_content(context, attempt, &from, &to, request);
            let content = record_failure(content, at, withheld, failures)?;
            Some(relocate::plan_move(from, to, content))
        }
        _ => None,
    }
}

/// Returns whether all edits of a file are hunks that change nothing.
fn all_idle(edits: &[NumberedEdit<'_>]) -> bool {
    edits.iter().all(|(_, edit)| edit.is_idle_hunk())
}

/// Returns whether every edit is left out, because it changes nothing and its lines are in the file.
fn are_all_left_out(edits: &[NumberedEdit<'_>], failures: &[Option<Refusal>]) -> bool {
    let is_idle = |at: usize| failures[at].as_ref().is_some_and(|refusal| refusal.idle);
    edits.iter().all(|(at, _)| is_idle(*at))
}

/// Locates a file once more, under the name that it was given.
fn locate_once_more(context: &CallContext<'_>, target: &Target, intent: Intent) -> Option<Target> {
    let given = target.located.given_path().to_str()?;
    locate(context.engine(), given, intent).ok()
}

/// Marks the refusal of a change that is already in the file: in a reply it is a part that changes nothing.
fn idle_if_unchanged<T>(found: Result<T, Refusal>) -> Result<T, Refusal> {
    found.map_err(|mut refusal| {
        refusal.idle = refusal.kind() == RefusalKind::NoChange;
        refusal
    })
}

/// Returns the value, or `None` after recording the failure of the change with this number.
fn record_failure<T>(
    found: Result<T, Refusal>,
    at: usize,
    withheld: Option<Box<Withheld>>,
    failures: &mut [Option<Refusal>],
) -> Option<T> {
    found
        .map_err(|mut refusal| {
            refusal.withheld = withheld;
            failures[at] = Some(refusal);
        })
        .ok()
}

/// Works out the plan for the edits of one file; none where one of them failed.
fn examine_edits(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    target: Target,
    edits: &[NumberedEdit<'_>],
    options: SharedOptions,
    failures: &mut [Option<Refusal>],
) -> Option<FilePlan> {
    let file = edit::examine_file(context, attempt, target, edits, options, failures)?;
    for (at, edit) in edits {
        if let Err(refusal) = refuse_credential(context, &file.target, &edit.new) {
            failures[*at].get_or_insert(refusal);
        }
    }
    Some(file)
}

/// Joins the refusals of several changes into one: the first in the order sent, naming the others. If only edits that
/// change nothing were refused, and others change something, the refusals become sentences of the answer.
fn join_failures(
    failures: Vec<Option<Refusal>>,
    request: &Request,
    changes_nothing: bool,
) -> Result<Vec<Message>, Refusal> {
    let total = failures.len();
    let mut failed: Vec<(usize, Refusal)> = failures
        .into_iter()
        .enumerate()
        .filter_map(|(at, refusal)| Some((at + 1, refusal?)))
        .collect();
    let noun = ChangeNoun::for_request(request);
    if failed.iter().any(|(_, refusal)| !refusal.idle) {
        // An edit that changes nothing is not the reason for the refusal.
        failed.retain(|(_, refusal)| !refusal.idle);
    } else if !changes_nothing {
        let sentence = |(number, _): (usize, Refusal)| {
            message!(
                "{} {} changes nothing, because its old and new text are the same, and was left out",
                noun.small,
                number
            )
        };
        return Ok(failed.into_iter().take(MAX_NOTICES).map(sentence).collect());
    }
    let mut failed = failed.into_iter();
    let Some((number, mut first)) = failed.next() else {
        return Ok(Vec::new());
    };
    if total == 1 {
        return Err(first);
    }
    let mut others = Vec::new();
    for (number, refusal) in failed {
        others.push(format!(
            "{} {number}: {}",
            noun.small,
            refusal.kind().name()
        ));
        // If one of the refusals may be shown only after a person's approval, the same applies to the joined one.
        first.withheld = first.withheld.or(refusal.withheld);
    }
    let first = first
        .with_lead(message!(
            "{} {} of {} was refused, so no file was changed. ",
            noun.capital,
            number,
            total
        ))
        .with_field("edit", number);
    let (remedy, first) = first.take_remedy();
    let first = first.with_remedy(remedy.and_then(|remedy| remedy.for_edit(number - 1)));
    Err(if others.is_empty() {
        first
    } else {
        first.with_paragraph(message!("Refused too: {}.", verbatim(others.join(", "))))
    })
}
