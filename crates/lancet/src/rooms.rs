//! The way of one call through the seven rooms: receive, locate, examine, approve, commit, record, reply. Each room
//! takes what the one before it gave, by value; nothing is written without an `Approved`, and there is none without a
//! `Plan`.

pub(crate) mod announce;
mod answer_budget;
pub(crate) mod approve;
mod asked;
mod attempt;
mod change;
pub(crate) mod commit;
mod context;
pub(crate) mod examine;
mod foreign_writes;
mod found_back;
pub(crate) mod heal;
pub(crate) mod injected;
pub(crate) mod late;
pub(crate) mod locate;
mod notices;
mod parted;
pub(crate) mod plan;
mod proposal;
pub(crate) mod record;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod set_aside;
mod tool_refusals;

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use crate::call::{Caller, Cancel, RawCall};
use crate::receive::{Repair, clean, receive};
use crate::refusal::{Numbers, Refusal};
use crate::reply::Reply;
use crate::session::{Check, Session};

pub(crate) use attempt::{Attempt, Freshness};
pub(crate) use context::CallContext;
pub(crate) use injected::note_seen;

use asked::asked;
use notices::Effect;
use reply::search::Matches;
use request::{Asked, Change, Search};
use tool_refusals::{not_listed, tool_names, unusable};

/// Carries out one call.
pub(crate) fn run(session: &Session, raw: RawCall) -> Reply {
    let started = Instant::now();
    let path = first_path(&raw.arguments);
    let mut context = CallContext::new(session, raw.tool, raw.caller, raw.cancel);
    heal::before_call(&context);
    context.approver = raw.approver;
    session.refresh();
    let done = receive_call(&mut context, raw.arguments)
        .and_then(|received| carry_out(&context, received));
    let mut reply = done.unwrap_or_else(|refusal| {
        record::refused(&context, &refusal, path.as_deref());
        reply::refusal(
            &context,
            refusal,
            Numbers::of(&context.tool),
            path.as_deref(),
        )
    });
    let declared = context.engine().declaration(&context.tool);
    let effect = match declared.is_none_or(|tool| tool.read_only) {
        true => Effect::Reads,
        false => Effect::Writes,
    };
    notices::end_answer(&context, effect, &mut reply);
    reply.took(started.elapsed())
}

/// Carries out a change that a person or a host asks for by name, without a tool call.
pub(crate) fn run_change(session: &Session, name: &str, caller: Caller, change: &Change) -> Reply {
    let started = Instant::now();
    let context = CallContext::new(session, name.to_owned(), caller, Cancel::new());
    heal::before_call(&context);
    session.refresh();
    let mut reply = change::carry_out(&context, change, &[]).unwrap_or_else(|refusal| {
        record::refused(&context, &refusal, None);
        reply::refusal(&context, refusal, Numbers::Edit, None)
    });
    notices::end_answer(&context, Effect::Writes, &mut reply);
    reply.took(started.elapsed())
}

fn carry_out(
    context: &CallContext<'_>,
    (asked, repairs): (Asked, Vec<Repair>),
) -> Result<Reply, Refusal> {
    match asked {
        Asked::Read(arguments) => {
            let page = examine::read::examine(context, &arguments)?;
            record::read(context, &page);
            Ok(reply::page(page))
        }
        Asked::Search(search) => {
            let mut findings = examine::search::examine(context, &search)?;
            findings.count_what_fits(context.limit);
            record::search(context, &findings);
            let matches = match search {
                Search::Glob(_) => Matches::None,
                Search::Grep(_) => Matches::Counted,
            };
            Ok(reply::search::found(findings, matches))
        }
        Asked::Answer { text, data } => Ok(reply::host_answer(text, data)),
        Asked::Change(change) => change::carry_out(context, &change, &repairs),
    }
}

/// What a call would come to.
pub(crate) fn check(session: &Session, raw: RawCall) -> Check {
    let mut context = CallContext::new(session, raw.tool, raw.caller, raw.cancel);
    context.approver = raw.approver;
    session.refresh();
    let received = receive_call(&mut context, raw.arguments);
    let checked = received.and_then(|(asked, _)| match asked {
        Asked::Read(arguments) => {
            examine::read::examine(&context, &arguments).map(|_| Check::Passes)
        }
        Asked::Search(search) => examine::search::examine(&context, &search).map(|_| Check::Passes),
        Asked::Answer { .. } => Ok(Check::Passes),
        Asked::Change(change) => change::check(&context, &change),
    });
    checked.unwrap_or_else(|refusal| match &refusal.withheld {
        // What is the case with it is told after a yes.
        Some(withheld) => Check::Asks {
            reason: withheld.reason.told.clone(),
        },
        None => Check::Refused(Box::new(refusal)),
    })
}

/// Reads the call; afterwards the context knows the tool by its own name.
fn receive_call(
    context: &mut CallContext<'_>,
    arguments: Value,
) -> Result<(Asked, Vec<Repair>), Refusal> {
    let session = context.session;
    let engine = Arc::clone(&context.engine);
    let host_tool = engine
        .base()
        .host_tools()
        .iter()
        .find(|tool| tool.declaration().name == context.tool);
    if let Some(tool) = host_tool {
        let Some(declaration) = engine.declaration(&context.tool) else {
            return Err(not_listed(context));
        };
        let (arguments, repairs) = clean(&context.tool, &declaration.input_schema, arguments)
            .map_err(|invalid| unusable(invalid.message.clone(), &invalid))?;
        // What the tool reads for itself the model has not seen.
        let proposal = tool.propose(&session.apart(), &arguments)?;
        return Ok((proposal::host_call(context, proposal)?, repairs));
    }
    let received = receive(&context.tool, arguments);
    let own_name = received
        .as_ref()
        .ok()
        .map(|(arguments, _)| arguments.tool());
    if let Some(name) = own_name.or_else(|| crate::receive::canonical_tool(&context.tool)) {
        context.tool = name.to_owned();
    }
    let (arguments, repairs) = received.map_err(|invalid| {
        let mut text = invalid.message.clone();
        if invalid.suggestion.is_none() && crate::receive::canonical_tool(&context.tool).is_none() {
            text.push_str(&format!(" The tools are {}.", tool_names(context)));
        }
        unusable(text, &invalid)
    })?;
    if engine.declaration(arguments.tool()).is_none() {
        return Err(not_listed(context));
    }
    Ok((asked(arguments), repairs))
}

/// The path that a call names, for answers to calls that got no further.
fn first_path(arguments: &Value) -> Option<String> {
    let path = arguments
        .get("file_path")
        .or_else(|| arguments.get("path"))
        .or_else(|| arguments.get("edits")?.get(0)?.get("file_path"))?;
    Some(path.as_str()?.to_owned())
}
