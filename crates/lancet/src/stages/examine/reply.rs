//! The *examine* stage for a model's reply: parses the whole reply, makes one request of its parts, and examines that
//! like any other. A refusal numbers every part that failed.

mod compose;
mod refuse;
mod suggest;

use lancet_dialects::{Options, ReplyPart, parse};

use self::compose::{Composed, compose};
use self::refuse::{join, unparsable};
use self::suggest::suggest;
use super::change::{Examined, examine_files};
use crate::refusal::{Refusal, RefusalKind};
use crate::request::{DryRun, Insist, ReplyRequest};
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::is_there;
use crate::stages::plan::{Plan, PlanRecord};

/// Works out the plan for a reply, all of it or nothing.
pub(crate) fn examine(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    reply: &ReplyRequest<'_>,
) -> Result<Plan, Refusal> {
    let engine = context.engine();
    let parts = parse(
        &reply.text,
        &Options {
            format: reply.format,
            is_known: &|name| is_there(engine, name),
        },
    )
    .map_err(|error| unparsable(&error))?;
    examine_parts(context, attempt, parts, (reply.insist, reply.dry_run))
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
    let Composed {
        mut request,
        part_of,
    } = compose(&mut parts)?;
    (request.insist, request.dry_run) = (insist, dry_run);
    let Examined {
        mut files,
        mut failures,
        turn,
    } = examine_files(context, attempt, &request)?;
    for (failure, part) in failures.iter_mut().zip(&part_of) {
        if failure.as_ref().map(Refusal::kind) == Some(RefusalKind::Missing) {
            let path = &parts[*part].path;
            *failure = failure
                .take()
                .map(|missing| suggest(context, missing, path));
            // One search of the roots per call is enough.
            break;
        }
    }
    let idle = join(failures, &parts, &part_of, files.is_empty())?;
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
