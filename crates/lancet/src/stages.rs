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
pub(crate) mod predict;
mod program_results;
mod proposal;
mod receiving;
pub(crate) mod record;
pub(crate) mod reply;
mod server_text;
pub(crate) mod set_aside;
mod stopped;
mod syntax;
mod taken_hunks;
mod tool_refusals;

use std::time::Instant;

use crate::applied_by::AppliedBy;
use crate::builtin::Tool;
use crate::call::{Caller, Cancel, RawCall};
use crate::dialects::ResponseOptions;
use crate::message::verbatim;
use crate::outcome::Layout;
use crate::receive::{InvalidArguments, Repair};
use crate::refusal::{Refusal, RefusalKind};
use crate::reply::Reply;
use crate::request::{Change, Request, Search, ToolRequest};
use crate::session::Session;
use crate::undo::HunkUndoRequest;

use context::CallContext;
use notice::Effect;
use receiving::{first_path, receive_call, reply_call};
use reply::search::MatchCounting;
use tool_refusals::{require_listed, unusable_refusal};

/// Carries out one call.
pub(crate) fn run(session: &Session, raw: RawCall) -> Reply {
    let path = first_path(&raw.arguments);
    let (recorded, waited_on) = asked_again::recorded_call(session, &raw);
    let mut context = CallContext::new(session, raw.tool, raw.caller, raw.cancel);
    if !context.engine.settings.layered_hooks().is_empty() {
        context.arguments = Some(raw.arguments.clone());
    }
    context.approver = raw.approver.or(context.approver);
    context.applied_by = raw.applied_by;
    context.recorded = recorded;
    context.waited_on = waited_on;
    let reply = respond(&mut context, path, |context| {
        receive_call(context, raw.arguments)
    });
    asked_again::complete_reply(&context, reply)
}

/// Carries out a call of a built-in tool whose arguments are already typed. `path` is the path that a refusal names.
pub(crate) fn run_typed(
    session: &Session,
    tool: &dyn Tool,
    path: Option<String>,
    asked: Result<ToolRequest, InvalidArguments>,
) -> Reply {
    let (caller, cancel) = (Caller::default(), session.cancel());
    let mut context = CallContext::new(session, String::new(), caller, cancel);
    context.set_tool(tool);
    respond(&mut context, path, |context| {
        let asked = asked
            .map_err(|invalid| unusable_refusal(verbatim(invalid.message.clone()), &invalid))?;
        require_listed(context)?;
        Ok((asked, Vec::new()))
    })
}

/// Receives a call, carries it out and answers it; a refusal is an answer, too.
fn respond<'s>(
    context: &mut CallContext<'s>,
    path: Option<String>,
    receive: impl FnOnce(&mut CallContext<'s>) -> Result<(ToolRequest, Vec<Repair>), Refusal>,
) -> Reply {
    let started = Instant::now();
    heal::before_call(context);
    context.session.refresh();
    let done = receive(context).and_then(|received| carry_out(context, received));
    let mut reply = done.unwrap_or_else(|refusal| {
        record::record_refusal(context, &refusal, path.as_deref());
        reply::refusal_reply(context, refusal, path.as_deref())
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
    reply.with_duration(started.elapsed())
}

/// Applies a model's reply.
pub(crate) fn apply_response(session: &Session, text: &str, options: ResponseOptions) -> Reply {
    let (context, change) = reply_call(session, text, options);
    respond_to_change(&context, &change)
}

/// Carries out a change that a person or a host asks for by name, without a tool call.
pub(crate) fn run_change(
    session: &Session,
    name: &str,
    caller: Caller,
    change: &Change<'_>,
) -> Reply {
    let cancel = match change {
        Change::TakeBack(asked, _) => asked.cancel.clone(),
        Change::Restore(asked) => asked.iter().find_map(|one| one.cancel.clone()),
        _ => None,
    };
    let cancel = cancel.unwrap_or_else(|| session.cancel());
    let mut context = CallContext::new(session, name.to_owned(), caller, cancel);
    if let Change::TakeBack(..) = change {
        context.layout = Layout::Files;
    }
    respond_to_change(&context, change)
}

/// Undoes one hunk.
pub(crate) fn run_hunk_undo(session: &Session, caller: Caller, asked: HunkUndoRequest) -> Reply {
    let mut context = CallContext::new(session, "Undo".to_owned(), caller, session.cancel());
    context.layout = Layout::Files;
    context.applied_by = AppliedBy::Person;
    respond_to_change(&context, &Change::TakeHunk(asked))
}

/// Carries out a change of files that a person typed as one command.
pub(crate) fn run_command(
    session: &Session,
    tool: &str,
    request: Request,
    applied_by: AppliedBy,
    caller: Caller,
    cancel: Cancel,
) -> Reply {
    let mut context = CallContext::new(session, tool.to_owned(), caller, cancel);
    context.layout = Layout::Files;
    context.applied_by = applied_by;
    respond_to_change(&context, &Change::Files(request))
}

/// Carries out a change that is no tool call and answers it.
fn respond_to_change(context: &CallContext<'_>, change: &Change<'_>) -> Reply {
    let started = Instant::now();
    heal::before_call(context);
    context.session.refresh();
    let mut reply = change::carry_out(context, change, &[]).unwrap_or_else(|refusal| {
        let refusal = next::add_suggested_calls(context, Some(change), refusal);
        record::record_refusal(context, &refusal, None);
        reply::refusal_reply(context, refusal, None)
    });
    notices::end_answer(context, Effect::Writes, &mut reply);
    reply.with_duration(started.elapsed())
}

fn carry_out(
    context: &CallContext<'_>,
    (asked, repairs): (ToolRequest, Vec<Repair>),
) -> Result<Reply, Refusal> {
    match asked {
        ToolRequest::Change(change) => carry_out_change(context, &change, &repairs)
            .map_err(|refusal| next::add_suggested_calls(context, Some(&change), refusal)),
        other => answer_without_change(context, other)
            .map_err(|refusal| next::add_suggested_calls(context, None, refusal)),
    }
}

/// Answers a call that changes no file.
fn answer_without_change(context: &CallContext<'_>, asked: ToolRequest) -> Result<Reply, Refusal> {
    match asked {
        ToolRequest::Read(arguments) => {
            let page = examine::read::examine(context, &arguments)?;
            record::record_read(context, &page);
            diagnosis::notify_shown(context, &page);
            Ok(reply::page_reply(page))
        }
        ToolRequest::View(arguments) => {
            match examine::folder::examine(context, &arguments.file_path)? {
                Some(folder) => {
                    record::record_folder_view(context, &folder);
                    Ok(reply::folder_reply(folder))
                }
                None => answer_without_change(context, ToolRequest::Read(arguments)),
            }
        }
        ToolRequest::Search(search) => {
            let mut findings = examine::search::examine(context, &search)?;
            findings.forget_seen_if_too_long(context.limit);
            record::record_search(context, &findings);
            let matches = match search {
                Search::Glob(_) => MatchCounting::None,
                Search::Grep(_) => MatchCounting::Counted,
            };
            Ok(reply::search::search_reply(findings, matches))
        }
        ToolRequest::Diagnose { file_path } => {
            diagnosis::list_problems(context, file_path.as_deref())
        }
        ToolRequest::Answer { text, data } => Ok(reply::host_tool_reply(text, data)),
        ToolRequest::Change(change) => carry_out_change(context, &change, &[]),
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
            let before = approve::merge_recorded_seen(context);
            if before.is_empty() {
                return Err(refusal);
            }
            let again = change::carry_out(context, change, repairs);
            if again.is_err() {
                approve::restore_ledger_entries(context, before);
            }
            again
        }
        carried_out => carried_out,
    }
}
