//! examine for a change of files: locates every file, takes the turn for all of them at once, and examines each file
//! with its changes. The result is one plan, or one refusal that names the first change that failed.

use super::clash;
use super::credential::refuse_credential;
use super::located_file::{LocatedFile, LocatedWrite, Noun, Work};
use super::{edit, write};
use crate::engine::EngineView;
use crate::order::Turn;
use crate::refusal::{Refusal, RefusalKind};
use crate::request::{Action, EditRequest, Insist, Request, WrittenNewline};
use crate::rooms::approve::before_telling;
use crate::rooms::locate::{Intent, Target, locate};
use crate::rooms::plan::{FilePlan, Origin, Plan};
use crate::rooms::{Attempt, CallContext};

/// Works out the plan for a request, all of it or nothing.
pub(crate) fn examine(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    request: &Request,
) -> Result<Plan, Refusal> {
    let examined = examine_files(context, attempt, request)?;
    match join_failures(examined.failures, request) {
        Some(refusal) => Err(refusal),
        None => Ok(Plan {
            files: examined.files,
            dry_run: request.dry_run,
            turn: examined.turn,
            origin: Origin::default(),
        }),
    }
}

/// The changes of a request once every file was examined.
pub(super) struct Examined {
    /// The plans of the files whose changes can be made.
    pub(super) files: Vec<FilePlan>,
    /// For every change in the order sent, why it was refused; none where it fits.
    pub(super) failures: Vec<Option<Refusal>>,
    pub(super) turn: Option<Turn>,
}

/// Examines every change of a request.
pub(super) fn examine_files(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    request: &Request,
) -> Result<Examined, Refusal> {
    let mut failures: Vec<Option<Refusal>> = Vec::new();
    let located = locate_all(context, request, &mut failures);
    let paths = located.iter().map(|file| file.target.path());
    let turn = context.take_turn(paths).map_err(|mut refusal| {
        refusal.withheld = located.iter().find_map(LocatedFile::withheld);
        refusal
    })?;
    clash::refuse_hard_links(&located, &mut failures);
    clash::refuse_file_and_folder(&located, &Noun::of(request), &mut failures);
    let mut files = Vec::new();
    for file in located {
        context.check_time()?;
        let target = file.target;
        files.extend(match file.work {
            Work::Edits(edits) => examine_edits(
                context,
                attempt,
                target,
                &edits,
                request.insist,
                &mut failures,
            ),
            Work::Write(at, _) if failures[at].is_some() => None,
            Work::Write(at, LocatedWrite { write, withheld }) => {
                match write::examine_file(context, attempt, target, write, request.insist) {
                    Ok(file) => Some(file),
                    Err(mut refusal) => {
                        refusal.withheld = withheld;
                        // A whole file of a reply that is there already is a part that changes nothing.
                        refusal.idle = write.final_newline == WrittenNewline::AsFile
                            && refusal.kind() == RefusalKind::NoChange;
                        failures[at] = Some(refusal);
                        None
                    }
                }
            }
        });
    }
    Ok(Examined {
        files,
        failures,
        turn,
    })
}

/// Locates the file of every change. Changes of one file are grouped, whatever names it was given; the files are in the
/// order of their first change.
fn locate_all<'r>(
    context: &CallContext<'_>,
    request: &'r Request,
    failures: &mut Vec<Option<Refusal>>,
) -> Vec<LocatedFile<'r>> {
    let mut files: Vec<LocatedFile<'r>> = Vec::new();
    for file in &request.files {
        match &file.action {
            Action::Edit(edits) => {
                for edit in edits {
                    let at = failures.len();
                    let located = locate_for_edit(context.engine(), &file.path, edit)
                        .and_then(|target| add_edit(&mut files, target, (at, edit)));
                    failures.push(located.err());
                }
            }
            Action::Write(write) => {
                let at = failures.len();
                let located = locate(context.engine(), &file.path, Intent::Replace)
                    .and_then(|target| {
                        let withheld = before_telling(context, &target, request.dry_run)?;
                        let withheld = withheld.map(Box::new);
                        Ok((target, LocatedWrite { write, withheld }))
                    })
                    .and_then(|(target, write)| add_write(&mut files, target, (at, write)));
                failures.push(located.err());
            }
        }
    }
    files
}

/// Locates the file that an edit means. A file that is to be created is located exactly as spelled.
fn locate_for_edit(engine: &EngineView, path: &str, edit: &EditRequest) -> Result<Target, Refusal> {
    let target = locate(engine, path, Intent::Edit)?;
    if edit.fills() && target.located.respelled() {
        return locate(engine, path, Intent::Replace);
    }
    Ok(target)
}

fn add_edit<'r>(
    files: &mut Vec<LocatedFile<'r>>,
    target: Target,
    edit: (usize, &'r EditRequest),
) -> Result<(), Refusal> {
    let known = files
        .iter_mut()
        .find(|known| known.target.path() == target.path());
    match known.map(|known| &mut known.work) {
        None => files.push(LocatedFile {
            target,
            work: Work::Edits(vec![edit]),
        }),
        Some(Work::Edits(edits)) => edits.push(edit),
        Some(Work::Write(..)) => return Err(written_already(&target)),
    }
    Ok(())
}

fn add_write<'r>(
    files: &mut Vec<LocatedFile<'r>>,
    target: Target,
    (at, write): (usize, LocatedWrite<'r>),
) -> Result<(), Refusal> {
    if files
        .iter()
        .any(|known| known.target.path() == target.path())
    {
        let mut refusal = written_already(&target);
        refusal.withheld = write.withheld;
        return Err(refusal);
    }
    files.push(LocatedFile {
        target,
        work: Work::Write(at, write),
    });
    Ok(())
}

/// The refusal for a file that is written whole and has another change in the same request.
fn written_already(target: &Target) -> Refusal {
    let path = target.told();
    let text = format!(
        "{path} is to be written whole, and another change of the same call is about it, too. Send the content as it is to be in the end, or the edits alone."
    );
    Refusal::new(RefusalKind::Conflict, text).with("file_path", path)
}

/// Works out the plan for the edits of one file; none where one of them failed.
fn examine_edits(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    target: Target,
    edits: &[(usize, &EditRequest)],
    insist: Insist,
    failures: &mut [Option<Refusal>],
) -> Option<FilePlan> {
    let file = edit::examine_file(context, attempt, target, edits, insist, failures)?;
    for (at, edit) in edits {
        if let Err(refusal) = refuse_credential(context, &file.target, &edit.new) {
            failures[*at].get_or_insert(refusal);
        }
    }
    Some(file)
}

/// Joins the refusals of several changes into one: the first in the order sent, naming the others.
fn join_failures(failures: Vec<Option<Refusal>>, request: &Request) -> Option<Refusal> {
    let total = failures.len();
    let mut failed = failures
        .into_iter()
        .enumerate()
        .filter_map(|(at, refusal)| Some((at + 1, refusal?)));
    let (number, mut first) = failed.next()?;
    if total == 1 {
        return Some(first);
    }
    let noun = Noun::of(request);
    let mut others = Vec::new();
    for (number, refusal) in failed {
        others.push(format!(
            "{} {number}: {}",
            noun.small,
            refusal.kind().name()
        ));
        // If one of the refusals may be shown only after a person's yes, so may the joined one.
        first.withheld = first.withheld.or(refusal.withheld);
    }
    let first = first
        .prefixed(&format!(
            "{} {number} of {total} was refused, so no file was changed. ",
            noun.capital
        ))
        .with("edit", number);
    Some(if others.is_empty() {
        first
    } else {
        first.followed_by(&format!("Refused too: {}.", others.join(", ")))
    })
}
