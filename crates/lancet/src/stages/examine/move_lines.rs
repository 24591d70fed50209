//! The *examine* stage for lines that are moved to a place after a marker. In one file that is one edit; between two
//! files the lines are deleted in one and inserted into the other, in one plan.

use super::change;
use super::large::{self, LargeFile};
use crate::refusal::Refusal;
use crate::request::{EditRequest, FileRequest, Insist, LineMove, Place, Request};
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::{Intent, locate};
use crate::stages::open::decode;
use crate::stages::plan::{FilePlan, NewContent, PartialApproval, Plan};
use crate::stages::program_results::Formatting;

/// Works out the plan that moves lines.
pub(crate) fn examine(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    asked: &LineMove,
) -> Result<Plan, Refusal> {
    let mut plan = examine_move(context, attempt, asked)?;
    plan.origin.parts = PartialApproval::Inseparable;
    Ok(plan)
}

fn examine_move(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    asked: &LineMove,
) -> Result<Plan, Refusal> {
    if are_same_file(context, asked) {
        let edit = EditRequest {
            old: asked.marker.clone(),
            place: Place::MovedAfter(asked.lines.clone()),
            ..EditRequest::default()
        };
        let file = FileRequest::edit(&asked.from, vec![edit]);
        return change::examine(context, attempt, &partial_request(asked, vec![file]));
    }
    let deletion = |text: String| {
        let edit = EditRequest {
            old: text,
            place: Place::Lines(asked.lines.clone()),
            ..EditRequest::default()
        };
        FileRequest::edit(&asked.from, vec![edit])
    };
    // The deletion alone passes all checks of the first file and shows which text is moved. Its plan is dropped, and
    // with it the lock (turn) on the file, which the plan for both files takes again.
    let alone = partial_request(asked, vec![deletion(String::new())]);
    let formatting = context.formatting.replace(Formatting::Off);
    let alone = change::examine(context, attempt, &alone);
    context.formatting.set(formatting);
    let alone = alone?;
    let text = alone
        .files
        .first()
        .map(|file| removed_text(context, file))
        .transpose()?;
    drop(alone);
    let text = text.unwrap_or_default();
    let insertion = EditRequest {
        old: asked.marker.clone(),
        new: text.clone(),
        place: Place::After,
        ..EditRequest::default()
    };
    let files = vec![
        deletion(text),
        FileRequest::edit(&asked.to, vec![insertion]),
    ];
    context.budget.reset(context.limit);
    change::examine_as_one(context, attempt, &partial_request(asked, files))
}

/// Returns a request for a part of the move. The lines come from a file, so none of them is display text.
fn partial_request(asked: &LineMove, files: Vec<FileRequest>) -> Request {
    Request {
        insist: Insist::Yes,
        dry_run: asked.dry_run,
        ..Request::new(files)
    }
}

/// Returns whether both paths lead to one file. A path that does not exist is refused later.
fn are_same_file(context: &CallContext<'_>, asked: &LineMove) -> bool {
    let target = |path: &str| locate(context.engine(), path, Intent::Edit).ok();
    match (target(&asked.from), target(&asked.to)) {
        (Some(from), Some(to)) => from.path() == to.path(),
        _ => asked.from == asked.to,
    }
}

/// Returns the text that a plan removes from a file.
fn removed_text(context: &CallContext<'_>, file: &FilePlan) -> Result<String, Refusal> {
    let (NewContent::Changes(changes) | NewContent::Streamed(changes)) = &file.new else {
        return Ok(String::new());
    };
    let Some(range) = changes.first().map(|change| change.range.clone()) else {
        return Ok(String::new());
    };
    let (start, end) = (range.start as usize, range.end as usize);
    if let Some(base) = &file.base {
        let document = decode(context.engine(), &file.target, &base.bytes)?;
        return Ok(document.view()[document.view_range(start..end)].to_owned());
    }
    let survey = large::survey(context, &file.target)?;
    LargeFile::new(context, &file.target, &survey).text_at(range)
}
