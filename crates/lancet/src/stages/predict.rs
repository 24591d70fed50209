//! Predicts the result of a call: every check is made, and nothing is changed, recorded or asked.

use serde_json::Value;

use super::context::{CallContext, FileLocking};
use super::receiving::{receive_call, reply_call};
use super::{change, examine};
use crate::call::RawCall;
use crate::dialects::{ResponseOptions, ResponsePart};
use crate::refusal::Refusal;
use crate::request::ToolRequest;
use crate::session::{Check, Session};

/// Predicts the result of a call without any effect.
pub(crate) fn check(session: &Session, raw: RawCall) -> Check {
    let mut context = CallContext::new(session, raw.tool, raw.caller, raw.cancel);
    context.approver = raw.approver.or(context.approver);
    context.applied_by = raw.applied_by;
    session.refresh();
    predict(&mut context, raw.arguments)
}

/// Predicts the result of applying a text with edits.
pub(crate) fn check_response(session: &Session, text: &str, options: ResponseOptions) -> Check {
    let (context, change) = reply_call(session, text, options);
    session.refresh();
    check_from_result(change::predict(&context, &change))
}

/// Predicts the result of applying one part of a text with edits to the present files, without waiting for other calls.
pub(crate) fn check_part(
    session: &Session,
    part: &ResponsePart,
    options: ResponseOptions,
) -> Check {
    let (mut context, _) = reply_call(session, "", options);
    context.turns = FileLocking::NotTaken;
    session.refresh();
    check_from_result(change::check_part(&context, part))
}

/// Predicts the result of the call of a context.
pub(super) fn predict(context: &mut CallContext<'_>, arguments: Value) -> Check {
    let received = receive_call(context, arguments);
    let context = &*context;
    let checked = received.and_then(|(asked, _)| match asked {
        ToolRequest::Read(arguments) => {
            examine::read::examine(context, &arguments).map(|_| Check::Passes)
        }
        ToolRequest::View(arguments) => examine::folder::examine(context, &arguments.file_path)
            .and_then(|folder| match folder {
                Some(_) => Ok(Check::Passes),
                None => examine::read::examine(context, &arguments).map(|_| Check::Passes),
            }),
        ToolRequest::Search(search) => {
            examine::search::examine(context, &search).map(|_| Check::Passes)
        }
        ToolRequest::Diagnose { .. } | ToolRequest::Answer { .. } => Ok(Check::Passes),
        ToolRequest::Change(change) => change::predict(context, &change),
    });
    check_from_result(checked)
}

fn check_from_result(checked: Result<Check, Refusal>) -> Check {
    checked.unwrap_or_else(|refusal| match &refusal.withheld {
        // Why the call would be refused may be said only after a yes.
        Some(withheld) => Check::Asks {
            reason: withheld.reason.told.clone(),
        },
        None => Check::Refused(Box::new(refusal)),
    })
}
