//! Answers the requests of a client: the list of tools, and calls, which the library carries out on the threads of a
//! pool. `handler.rs` contains the requests one by one. This file adds time limits, cancellation, progress reports,
//! protection against panics and the form of answers.

mod handler;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use lancet::{Caller, Cancel, Conversation, RawCall, Refusal, RefusalKind, Reply, Session};
use lancet_serving::Level;
use lancet_serving::conversation::{self, CallToIdentify};
use lancet_serving::deadline::wait_until_overdue;
use lancet_serving::identity::CallerIdentity;
use lancet_serving::pool::{JobError, JobProgress};
use lancet_serving::sub_agents::SubAgentClient;
use lancet_serving::tokens::TokenKind;
use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResponse, Implementation, InputRequiredResult};
use rmcp::service::RequestContext;
use serde_json::Value;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::answer;
use crate::clients::ClientProfile;
use crate::connection::Connection;
use crate::host::HostNotices;
use crate::link::{self, Link};
use crate::message::{OtherArguments, UnreadableArguments};
use crate::notify;
use crate::patience::{self, AskRoute, RepeatOutcome, WaitOutcome};
use crate::process::Process;
use crate::roots::RootsDecision;
use crate::seal::{CallBinding, CallProperties};
use crate::underway::RunningCall;

/// After this time progress is reported, if the client requested it.
const PROGRESS_AFTER: Duration = Duration::from_millis(500);
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// Added to the refusal of an unread file, where the call has no session.
const NO_SESSION: &str = "[lancet: this call came without a session, so what was read before is not known; it needs `revision`, which the last line of Read's answer names]";

/// The request that a call came with.
struct CallRequest<'r> {
    client: ClientProfile,
    /// The call that a question's state is bound to; none in the first generation, which has no states.
    bound: Option<CallBinding>,
    /// Whether the client's dialog was closed without an answer.
    is_dismissed: bool,
    context: &'r RequestContext<RoleServer>,
}

/// Takes the arguments of a call, which need not be an object.
fn sent_arguments(
    request: &mut CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Value {
    match (request.arguments.take(), link::other_arguments(context)) {
        (Some(arguments), _) => Value::Object(arguments),
        (None, Some(OtherArguments(other))) => other.as_ref().clone(),
        (None, None) => Value::Object(serde_json::Map::new()),
    }
}

fn unreadable_arguments_refusal(reason: &str) -> Refusal {
    let words = format!(
        "The arguments of this call cannot be read: {reason}. Nothing was done; send the call again."
    );
    Refusal::new(RefusalKind::Invalid, words)
}

/// Returns what the states of a call are bound to; none in the first generation, which has no states.
fn binding_for_states(
    identity: &CallerIdentity,
    client: Option<&str>,
    tool: &str,
    arguments: &Value,
    context: &RequestContext<RoleServer>,
) -> Option<CallBinding> {
    let properties = CallProperties {
        session: identity.session.as_deref(),
        client,
        tool,
        arguments,
    };
    link::is_modern(context).then(|| properties.hash())
}

/// Returns the caller, by the client's own name for itself.
fn caller_of_request(
    client: Option<Implementation>,
    identity: CallerIdentity,
    shared_by: Option<&'static SubAgentClient>,
) -> Caller {
    let mut caller = client.map_or_else(Caller::default, |client| {
        Caller::from_self_reported(client.name, client.version)
    });
    caller.turn = identity.turn;
    caller.call = identity.call;
    if shared_by.is_some() {
        caller.conversation = Conversation::MayBeSeveral;
    }
    caller
}

/// The server of one connection.
pub(crate) struct Server {
    process: Arc<Process>,
    link: Link,
    /// Made when it is first needed: over HTTP many requests need no connection state.
    connection: OnceLock<Connection>,
}

impl Server {
    pub(crate) fn new(process: Arc<Process>, link: Link) -> Self {
        Self {
            process,
            link,
            connection: OnceLock::new(),
        }
    }

    /// Reports whether a call has no session that lasts beyond it: it is an independent request and names no session.
    fn is_without_session(&self, context: &RequestContext<RoleServer>) -> bool {
        let client = context.client_info();
        let name = client.as_ref().map(|client| client.name.as_str());
        self.link == Link::Http
            && link::is_modern(context)
            && CallerIdentity::from_meta(&context.meta, name)
                .session
                .is_none()
    }

    fn connection(&self) -> &Connection {
        let new = || Connection::new(&self.process, self.link);
        self.connection.get_or_init(new)
    }

    /// Looks up the profile of the client that sent a request.
    fn client_profile(&self, context: &RequestContext<RoleServer>) -> ClientProfile {
        let client = context.client_info();
        let name = client.as_ref().map(|client| client.name.as_str());
        ClientProfile::for_client(
            name,
            &context.meta,
            &self.process.lancet.settings().read.clients,
            self.process.options.data,
        )
    }

    /// Converts a reply to the form that its client accepts.
    fn build_response(&self, reply: Reply, tool: &str, client: &ClientProfile) -> CallToolResponse {
        answer::into_mcp_result(reply, self.process.answer_format(tool), client).into()
    }

    async fn call(
        &self,
        mut request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Option<CallToolResponse> {
        let manners = self.client_profile(context);
        let refused = |refusal: &Refusal, tool: &str| {
            let reply = answer::refusal_reply(refusal, tool);
            Some(self.build_response(reply, tool, &manners))
        };
        let token = link::token_kind(context);
        if token == TokenKind::Read && !self.process.only_reads(&request.name) {
            return refused(&answer::read_only_refusal(&request.name), &request.name);
        }
        let client = context.client_info();
        let name = client.as_ref().map(|client| client.name.as_str());
        let mut identity = CallerIdentity::from_meta(&context.meta, name);
        let arguments = sent_arguments(&mut request, context);
        let bound = binding_for_states(&identity, name, &request.name, &arguments, context);
        let state = request.request_state.take();
        let state = state
            .as_deref()
            .and_then(|state| self.process.seal.open(state, bound?));
        let mut is_dismissed = false;
        if let (Some(state), Some(bound)) = (state, bound) {
            let responses = request.input_responses.as_ref();
            let taken = patience::take_answer(&self.process, state, responses, bound, context);
            match taken.await {
                RepeatOutcome::Decided => {}
                RepeatOutcome::Dismissed => is_dismissed = true,
                RepeatOutcome::Required(required) => return Some((*required).into()),
            }
        }
        let joined = self.join_conversation(&mut identity, name, &request.name, &arguments);
        let shared_by = joined.await;
        let connection = self.connection();
        let decision = connection.roots.decide_for_call(&request, state, context);
        let lancet = match decision.await? {
            RootsDecision::Go(None) => self.process.lancet.clone(),
            RootsDecision::Go(Some(narrowed)) => narrowed,
            RootsDecision::Bring(requests, name) => {
                let state = bound.map(|bound| self.process.seal.seal(&name, bound));
                return Some(InputRequiredResult::new(Some(requests), state).into());
            }
            RootsDecision::Refuse(refusal) => return refused(&refusal, &request.name),
        };
        let (lancet, notice) = connection.views.view_for(lancet, &context.meta);
        connection.notices.add(notice);
        let session = match connection.find_session(&identity, &lancet, token) {
            Ok(session) => session,
            Err(refusal) => return refused(&refusal, &request.name),
        };
        if let Some(UnreadableArguments(reason)) = link::unreadable_arguments(context) {
            return refused(&unreadable_arguments_refusal(&reason), &request.name);
        }
        // A call without a session has no record that could be shared.
        if let Some(client) = shared_by.filter(|_| !self.is_without_session(context)) {
            connection.notify_once_of_shared_session(session.key(), client);
        }
        let mut caller = caller_of_request(client, identity, shared_by);
        caller.handed_on = manners.forwarded_answer(&arguments);
        let cancel = Cancel::with_time_limit(self.process.options.time_limit);
        let call = RawCall::new(request.name, arguments)
            .with_caller(caller)
            .with_cancel(cancel);
        let request = CallRequest {
            client: manners,
            bound,
            is_dismissed,
            context,
        };
        let notices = HostNotices::from_meta(&context.meta);
        self.run_and_supervise(session, call, notices, &request)
            .await
    }

    /// Gives a call that names no session the session of its conversation. Returns the client whose sub-agents may use
    /// the same one.
    async fn join_conversation(
        &self,
        identity: &mut CallerIdentity,
        client: Option<&str>,
        tool: &str,
        arguments: &Value,
    ) -> Option<&'static SubAgentClient> {
        if identity.session.is_some() || !self.connection().accepts_session_names() {
            return None;
        }
        let process = self.process.options.agent_process.as_deref();
        let environment = &self.process.options.environment;
        let (lancet, pool) = (&self.process.lancet, &self.process.pool);
        let asked = CallToIdentify {
            client,
            id: identity.call.as_deref(),
            tool,
            arguments,
        };
        let found =
            conversation::conversation_of_call(process, environment, lancet, pool, &asked).await;
        identity.session = found.session;
        found.shared_by
    }

    /// Runs a call on the pool and supervises it. A call that waits for a person runs again after the decision.
    async fn run_and_supervise(
        &self,
        session: Session,
        mut call: RawCall,
        told: HostNotices,
        request: &CallRequest<'_>,
    ) -> Option<CallToolResponse> {
        let (client, bound, context) = (&request.client, request.bound, request.context);
        let asked = match patience::choose_ask_route(&self.process, &mut call, self.link, context) {
            AskRoute::Client if request.is_dismissed => AskRoute::Page,
            asked => asked,
        };
        let began = Instant::now();
        let log = self.process.options.log.clone();
        let mut told = Some(told);
        // Over HTTP each request of the second generation is a separate connection, and begins no session.
        let lasts = self.link == Link::Streams || !link::is_modern(context);
        loop {
            let (session, told, log) = (session.clone(), told.take(), log.clone());
            let again = call.clone();
            let announced = lasts.then(|| self.connection().announced.clone());
            let work = move || {
                if let Some(told) = told {
                    told.apply_to_session(&session, &log);
                }
                if let Some(announced) = announced {
                    announced.announce(&session, &again.caller);
                }
                session.call(again)
            };
            let reply = self
                .wait_for_call(self.start_on_pool(&call, work), context)
                .await?;
            let Some(waiting) = reply.waiting_call() else {
                return Some(self.build_response(reply, &call.tool, client));
            };
            let waited =
                patience::wait_for_decision(&self.process, waiting, asked, bound, began, context);
            match waited.await {
                WaitOutcome::Again => {
                    patience::record_waited_question(&mut call, waiting.question());
                    call.cancel = Cancel::with_time_limit(self.process.options.time_limit);
                }
                WaitOutcome::Over => return Some(self.build_response(reply, &call.tool, client)),
                WaitOutcome::Required(required) => return Some((*required).into()),
                WaitOutcome::Task(task) => return Some(CallToolResponse::Task(*task)),
                WaitOutcome::Cancelled => return None,
            }
        }
    }

    /// Starts a call on the pool.
    fn start_on_pool(
        &self,
        call: &RawCall,
        work: impl FnOnce() -> Reply + Send + 'static,
    ) -> RunningCall {
        let progress = JobProgress::default();
        let (pool, at_work) = (self.process.pool.clone(), progress.clone());
        RunningCall {
            tool: call.tool.clone(),
            cancel: call.cancel.clone(),
            progress,
            began: Instant::now(),
            work: Box::pin(async move { pool.run(&at_work, work).await }),
        }
    }

    /// Waits for a call. None where it was cancelled, so that no answer is expected.
    async fn wait_for_call(
        &self,
        mut call: RunningCall,
        context: &RequestContext<RoleServer>,
    ) -> Option<Reply> {
        let token = context.meta.get_progress_token();
        let mut ticks = interval_at(call.began + PROGRESS_AFTER, PROGRESS_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                outcome = &mut call.work => {
                    return Some(self.reply_for_outcome(outcome, &call.tool, &call.cancel));
                }
                () = context.ct.cancelled() => {
                    call.cancel.cancel();
                    self.process.options.log.log(Level::Debug, || format!("{} was cancelled", call.tool));
                    self.process.replace_if_stuck(call.progress.clone());
                    return None;
                }
                _ = ticks.tick(), if token.is_some() => {
                    if let Some(token) = token.clone() {
                        let elapsed = call.began.elapsed();
                        let message = match call.cancel.describe_progress() {
                            Some(so_far) => format!("{}: {so_far}", call.tool),
                            None => format!("{} has been at work for {:.1} s", call.tool, elapsed.as_secs_f64()),
                        };
                        notify::send_progress(context, token, elapsed, message);
                    }
                }
                () = wait_until_overdue(&call.cancel, self.process.options.grace) => {
                    call.cancel.cancel();
                    self.process.pool.replace_stuck(&call.progress);
                    self.process.options.log.log(Level::Error, || format!("{} did not stop at its time limit", call.tool));
                    return Some(answer::timeout_reply(&call.tool, self.process.options.time_limit, &call.progress));
                }
            }
        }
    }

    fn reply_for_outcome(
        &self,
        outcome: Result<Reply, JobError>,
        tool: &str,
        call: &Cancel,
    ) -> Reply {
        match outcome {
            Ok(reply) => reply,
            Err(JobError::Panicked) => {
                self.process
                    .options
                    .log
                    .log(Level::Error, || format!("{tool} panicked"));
                Reply::from_internal_failure("it reached a state that should not be possible", call)
            }
            Err(JobError::NoThread) => {
                Reply::from_internal_failure("the system gave no thread for it", call)
            }
        }
    }
}
