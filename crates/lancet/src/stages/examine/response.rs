//! The *examine* stage for a model's response: parses the whole response, makes one request of its parts, and examines
//! that like any other. A refusal numbers every part that failed.

mod as_edits;
mod compose;
mod refuse;
mod suggest;

use lancet_dialects::{ParseOptions, ResponsePart, parse};

pub(crate) use self::as_edits::as_edits;
use self::compose::{ComposedRequest, compose_request};
use self::refuse::{join_refusals, unparsable_refusal};
use self::suggest::add_suggested_files;
use super::change::{ExaminedRequest, examine_files};
use crate::refusal::{Refusal, RefusalKind};
use crate::request::{DryRun, Insist, ResponseRequest};
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::exists;
use crate::stages::plan::{Plan, PlanRecord};

/// Works out the plan for a response, all of it or nothing.
pub(crate) fn examine(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    response: &ResponseRequest<'_>,
) -> Result<Plan, Refusal> {
    let parts = parse_parts(context, response)?;
    examine_parts(context, attempt, parts, (response.insist, response.dry_run))
}

fn parse_parts(
    context: &CallContext<'_>,
    response: &ResponseRequest<'_>,
) -> Result<Vec<ResponsePart>, Refusal> {
    let engine = context.engine();
    let options = ParseOptions {
        format: response.format,
        is_known: &|name| exists(engine, name),
    };
    parse(&response.text, &options).map_err(|error| unparsable_refusal(&error))
}

/// Works out the plan for one part of a response, applied to the files as they are now.
pub(crate) fn examine_part(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    part: &ResponsePart,
) -> Result<Plan, Refusal> {
    let parts = vec![part.clone()];
    examine_parts(context, attempt, parts, (Insist::No, DryRun::No))
}

fn examine_parts(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    mut parts: Vec<ResponsePart>,
    (insist, dry_run): (Insist, DryRun),
) -> Result<Plan, Refusal> {
    let ComposedRequest {
        mut request,
        part_of,
    } = compose_request(&mut parts)?;
    (request.insist, request.dry_run) = (insist, dry_run);
    let ExaminedRequest {
        mut files,
        mut failures,
        turn,
    } = examine_files(context, attempt, &request)?;
    for (failure, part) in failures.iter_mut().zip(&part_of) {
        if failure.as_ref().map(Refusal::kind) == Some(RefusalKind::Missing) {
            let path = &parts[*part].path;
            *failure = failure
                .take()
                .map(|missing| add_suggested_files(context, missing, path));
            // One search of the roots per call is enough.
            break;
        }
    }
    let idle = join_refusals(failures, &parts, &part_of, files.is_empty())?;
    if let Some(first) = files.first_mut() {
        first.view.notices.extend(idle);
    }
    Ok(Plan {
        files,
        dry_run,
        turn,
        origin: PlanRecord::default(),
    })
}
