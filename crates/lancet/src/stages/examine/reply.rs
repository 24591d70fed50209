//! The *examine* stage for a model's reply: parses the whole reply, makes one request of its parts, and examines that
//! like any other. A refusal numbers every part that failed.

mod as_edits;
mod compose;
mod refuse;
mod suggest;

use lancet_dialects::{ParseOptions, ReplyPart, parse};

pub(crate) use self::as_edits::as_edits;
use self::compose::{ComposedRequest, compose_request};
use self::refuse::{join_refusals, unparsable_refusal};
use self::suggest::add_suggested_files;
use super::change::{ExaminedRequest, examine_files};
use crate::refusal::{Refusal, RefusalKind};
use crate::request::{DryRun, Insist, ReplyRequest};
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::exists;
use crate::stages::plan::{Plan, PlanRecord};

/// Works out the plan for a reply, all of it or nothing.
pub(crate) fn examine(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    reply: &ReplyRequest<'_>,
) -> Result<Plan, Refusal> {
    let parts = parse_parts(context, reply)?;
    examine_parts(context, attempt, parts, (reply.insist, reply.dry_run))
}

fn parse_parts(
    context: &CallContext<'_>,
    reply: &ReplyRequest<'_>,
) -> Result<Vec<ReplyPart>, Refusal> {
    let engine = context.engine();
    let options = ParseOptions {
        format: reply.format,
        is_known: &|name| exists(engine, name),
    };
    parse(&reply.text, &options).map_err(|error| unparsable_refusal(&error))
}

/// Works out the plan for one part of a reply, applied to the files as they are now.
pub(crate) fn examine_part(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    part: &ReplyPart,
) -> Result<Plan, Refusal> {
    let parts = vec![part.clone()];
    examine_parts(context, attempt, parts, (Insist::No, DryRun::No))
}

fn examine_parts(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    mut parts: Vec<ReplyPart>,
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
