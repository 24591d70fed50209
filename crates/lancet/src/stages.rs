//! The path of a call through the seven stages: receive, locate, examine, approve, commit, record, reply. Each stage
//! takes the value of the one before it, so the compiler keeps the order: nothing is written without an `Approved`, and
//! there is no `Approved` without a `Plan`.

pub(crate) mod announce;
mod answer_budget;
pub(crate) mod approve;
mod asked_again;
pub(crate) mod attempt;
mod change;
pub(crate) mod commit;
pub(crate) mod context;
mod diagnosis;
mod empty_folders;
pub(crate) mod examine;
mod flawed_settings;
mod foreign_writes;
mod found_back;
pub(crate) mod heal;
pub(crate) mod hooks;
pub(crate) mod injected;
mod interrupted;
pub(crate) mod late;
pub(crate) mod locate;
mod next;
mod notice;
mod notices;
pub(crate) mod omitted;
pub(crate) mod open;
mod parted;
pub(crate) mod persons_words;
pub(crate) mod plan;
mod program_results;
mod proposal;
pub(crate) mod record;
pub(crate) mod reply;
mod server_text;
pub(crate) mod set_aside;
mod stopped;
mod syntax;
mod taken_hunks;
mod tool_refusals;

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use crate::applied_by::AppliedBy;
use crate::approval::Approver;
use crate::builtin::{self, Tool};
use crate::call::{Caller, Cancel, RawCall};
use crate::dialects::{ReplyOptions, ReplyPart};
use crate::message::verbatim;
use crate::outcome::Layout;
use crate::receive::{InvalidArguments, Repair, canonical_tool, clean, receive};
use crate::refusal::{Refusal, RefusalKind};
use crate::reply::Reply;
use crate::request::{Asked, Change, ReplyRequest, Request, Search};
use crate::session::{Check, Session};
use crate::undo::TakeHunk;

use context::{CallContext, Turns};
use notice::Effect;
use reply::search::Matches;
use tool_refusals::{not_listed, require_listed, tool_names, unusable};

/// Carries out one call.
pub(crate) fn run(session: &Session, raw: RawCall) -> Reply {
    let path = first_path(&raw.arguments);
    let (recorded, waited_on) = asked_again::recorded(session, &raw);
    let mut context = CallContext::new(session, raw.tool, raw.caller, raw.cancel);
    if !context.engine.settings.layered_hooks().is_empty() {
        context.arguments = Some(raw.arguments.clone());
    }
    context.approver = raw.approver;
    context.applied_by = raw.applied_by;
    context.recorded = recorded;
    context.waited_on = waited_on;
    let reply = respond(&mut context, path, |context| {
        receive_call(context, raw.arguments)
    });
    asked_again::answer(&context, reply)
}

/// Carries out a call of a built-in tool whose arguments are already typed. `path` is the path that a refusal names.
pub(crate) fn run_typed(
    session: &Session,
    tool: &dyn Tool,
    path: Option<String>,
    asked: Result<Asked, InvalidArguments>,
) -> Reply {
    let (caller, cancel) = (Caller::default(), Cancel::new());
    let mut context = CallContext::new(session, String::new(), caller, cancel);
    context.set_tool(tool);
    respond(&mut context, path, |context| {
        let asked =
            asked.map_err(|invalid| unusable(verbatim(invalid.message.clone()), &invalid))?;
        require_listed(context)?;
        Ok((asked, Vec::new()))
    })
}

/// Receives a call, carries it out and answers it; a refusal is an answer, too.
fn respond<'s>(
    context: &mut CallContext<'s>,
    path: Option<String>,
    receive: impl FnOnce(&mut CallContext<'s>) -> Result<(Asked, Vec<Repair>), Refusal>,
) -> Reply {
    let started = Instant::now();
    heal::before_call(context);
    context.session.refresh();
    let done = receive(context).and_then(|received| carry_out(context, received));
    let mut reply = done.unwrap_or_else(|refusal| {
        record::refused(context, &refusal, path.as_deref());
        reply::refusal(context, refusal, path.as_deref())
    });
    let declared = context.engine().declaration(&context.tool);
    let effect = match declared.is_none_or(|tool| tool.read_only) {
        true => Effect::Reads,
        false => Effect::Writes,
    };
    // Notices are reported once, and the answer of a call that waits may never reach the model.
    if reply.refusal() != Some(RefusalKind::Waiting) {
        notices::end_answer(context, effect, &mut reply);
    }
    reply.took(started.elapsed())
}

/// Applies a model's reply.
pub(crate) fn apply_reply(session: &Session, text: &str, options: ReplyOptions) -> Reply {
    let (context, change) = reply_call(session, text, options);
    respond_to_change(&context, &change)
}

/// What applying a reply would come to.
pub(crate) fn check_reply(session: &Session, text: &str, options: ReplyOptions) -> Check {
    let (context, change) = reply_call(session, text, options);
    session.refresh();
    checked(change::check(&context, &change))
}

/// What applying one part of a reply would come to, from the files as they stand and without waiting for other calls.
pub(crate) fn would_fit(session: &Session, part: &ReplyPart, options: ReplyOptions) -> Check {
    let (mut context, _) = reply_call(session, "", options);
    context.turns = Turns::NotTaken;
    session.refresh();
    checked(change::check_part(&context, part))
}

fn reply_call<'s, 'r>(
    session: &'s Session,
    text: &'r str,
    options: ReplyOptions,
) -> (CallContext<'s>, Change<'r>) {
    let mut context = CallContext::new(
        session,
        "ApplyPatch".to_owned(),
        options.caller,
        options.cancel.unwrap_or_default(),
    );
    context.layout = Layout::Files;
    context.applied_by = options.applied_by;
    let request = ReplyRequest {
        text: text.into(),
        format: options.format,
        insist: options.insist,
        dry_run: options.dry_run,
    };
    (context, Change::Reply(request))
}

/// Carries out a change that a person or a host asks for by name, without a tool call. Where an approver is given it is asked in
/// place of the engine's.
pub(crate) fn run_change(
    session: &Session,
    name: &str,
    caller: Caller,
    approver: Option<Arc<dyn Approver>>,
    change: &Change<'_>,
) -> Reply {
    let cancel = match change {
        Change::TakeBack(asked, _) => asked.cancel.clone(),
        Change::Restore(asked) => asked.iter().find_map(|one| one.cancel.clone()),
        _ => None,
    };
    let cancel = cancel.unwrap_or_default();
    let mut context = CallContext::new(session, name.to_owned(), caller, cancel);
    if let Change::TakeBack(..) = change {
        context.layout = Layout::Files;
    }
    context.approver = approver;
    respond_to_change(&context, change)
}

/// Takes back one hunk. Where the person who asks for it has said yes to it, `approver` says what that yes does not cover; without
/// one the engine's approver is asked.
pub(crate) fn run_hunk(
    session: &Session,
    caller: Caller,
    approver: Option<Arc<dyn Approver>>,
    asked: TakeHunk,
) -> Reply {
    let mut context = CallContext::new(session, "Undo".to_owned(), caller, Cancel::new());
    context.layout = Layout::Files;
    context.applied_by = AppliedBy::Person;
    context.approver = approver;
    respond_to_change(&context, &Change::TakeHunk(asked))
}

/// Carries out a change of files that a person typed as one command.
pub(crate) fn run_command(
    session: &Session,
    tool: &str,
    request: Request,
    caller: Caller,
    cancel: Cancel,
) -> Reply {
    let mut context = CallContext::new(session, tool.to_owned(), caller, cancel);
    context.layout = Layout::Files;
    context.applied_by = AppliedBy::Person;
    respond_to_change(&context, &Change::Files(request))
}

/// Carries out a change that is no tool call and answers it.
fn respond_to_change(context: &CallContext<'_>, change: &Change<'_>) -> Reply {
    let started = Instant::now();
    heal::before_call(context);
    context.session.refresh();
    let mut reply = change::carry_out(context, change, &[]).unwrap_or_else(|refusal| {
        let refusal = next::name_calls(context, Some(change), refusal);
        record::refused(context, &refusal, None);
        reply::refusal(context, refusal, None)
    });
    notices::end_answer(context, Effect::Writes, &mut reply);
    reply.took(started.elapsed())
}

fn carry_out(
    context: &CallContext<'_>,
    (asked, repairs): (Asked, Vec<Repair>),
) -> Result<Reply, Refusal> {
    match asked {
        Asked::Change(change) => carry_out_change(context, &change, &repairs)
            .map_err(|refusal| next::name_calls(context, Some(&change), refusal)),
        other => answer(context, other).map_err(|refusal| next::name_calls(context, None, refusal)),
    }
}

/// Answers a call that changes no file.
fn answer(context: &CallContext<'_>, asked: Asked) -> Result<Reply, Refusal> {
    match asked {
        Asked::Read(arguments) => {
            let page = examine::read::examine(context, &arguments)?;
            record::read(context, &page);
            diagnosis::notify_shown(context, &page);
            Ok(reply::page(page))
        }
        Asked::View(arguments) => match examine::folder::examine(context, &arguments.file_path)? {
            Some(folder) => {
                record::folder(context, &folder);
                Ok(reply::folder(folder))
            }
            None => answer(context, Asked::Read(arguments)),
        },
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
        Asked::Diagnose { file_path } => diagnosis::current(context, file_path.as_deref()),
        Asked::Answer { text, data } => Ok(reply::host_answer(text, data)),
        Asked::Change(change) => carry_out_change(context, &change, &[]),
    }
}

fn carry_out_change(
    context: &CallContext<'_>,
    change: &Change<'_>,
    repairs: &[Repair],
) -> Result<Reply, Refusal> {
    match change::carry_out(context, change, repairs) {
        // The call may have been asked about by a process that has ended, and that had read the file.
        Err(refusal) if refusal.kind() == RefusalKind::NotRead => {
            let before = approve::recall_seen(context);
            if before.is_empty() {
                return Err(refusal);
            }
            let again = change::carry_out(context, change, repairs);
            if again.is_err() {
                approve::forget_recalled(context, before);
            }
            again
        }
        carried_out => carried_out,
    }
}

/// Predicts the result of a call without any effect.
pub(crate) fn check(session: &Session, raw: RawCall) -> Check {
    let mut context = CallContext::new(session, raw.tool, raw.caller, raw.cancel);
    context.approver = raw.approver;
    context.applied_by = raw.applied_by;
    session.refresh();
    predict(&mut context, raw.arguments)
}

/// Predicts the result of the call of a context.
fn predict(context: &mut CallContext<'_>, arguments: Value) -> Check {
    let received = receive_call(context, arguments);
    let context = &*context;
    let checked = received.and_then(|(asked, _)| match asked {
        Asked::Read(arguments) => {
            examine::read::examine(context, &arguments).map(|_| Check::Passes)
        }
        Asked::View(arguments) => examine::folder::examine(context, &arguments.file_path).and_then(
            |folder| match folder {
                Some(_) => Ok(Check::Passes),
                None => examine::read::examine(context, &arguments).map(|_| Check::Passes),
            },
        ),
        Asked::Search(search) => examine::search::examine(context, &search).map(|_| Check::Passes),
        Asked::Diagnose { .. } | Asked::Answer { .. } => Ok(Check::Passes),
        Asked::Change(change) => change::check(context, &change),
    });
    self::checked(checked)
}

fn checked(checked: Result<Check, Refusal>) -> Check {
    checked.unwrap_or_else(|refusal| match &refusal.withheld {
        // Why the call would be refused may be said only after a yes.
        Some(withheld) => Check::Asks {
            reason: withheld.reason.told.clone(),
        },
        None => Check::Refused(Box::new(refusal)),
    })
}

/// Receives the call; afterwards the context has the tool's own name.
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
            .map_err(|invalid| unusable(verbatim(invalid.message.clone()), &invalid))?;
        // The model does not see what the tool reads for itself.
        let proposal = tool.propose(&session.apart(), &arguments)?;
        return Ok((proposal::host_call(context, proposal)?, repairs));
    }
    let received = receive(&context.tool, arguments);
    let own_name = match &received {
        Ok(received) => Some(received.tool()),
        Err(_) => canonical_tool(&context.tool),
    };
    if let Some(tool) = own_name.and_then(builtin::by_name) {
        context.set_tool(tool);
    }
    let received = received.map_err(|invalid| {
        let mut text = invalid.message.clone();
        if invalid.suggestion.is_none() && own_name.is_none() {
            text.push_str(&format!(" The tools are {}.", tool_names(context)));
        }
        unusable(verbatim(text), &invalid)
    })?;
    require_listed(context)?;
    Ok((received.asked, received.repairs))
}

/// Finds the path that a call names, for the answer to a call that could not be parsed.
fn first_path(arguments: &Value) -> Option<String> {
    let path = arguments
        .get("file_path")
        .or_else(|| arguments.get("path"))
        .or_else(|| arguments.get("from_path"))
        .or_else(|| arguments.get("edits")?.get(0)?.get("file_path"))?;
    Some(path.as_str()?.to_owned())
}
