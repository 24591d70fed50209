//! Answers the requests of a client: the list of tools, and calls, which the library carries out on the threads of a
//! pool. This file adds time limits, cancellation, progress reports, protection against panics and the form of answers.

use std::sync::Arc;
use std::time::Duration;

use lancet::{Caller, Cancel, Lancet, RawCall, Refusal, RefusalKind, Reply, Session, SessionName};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, InputRequiredResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::answer;
use crate::clients::ClientProfile;
use crate::conversation;
use crate::elicit::{self, ElicitApprover, PendingQuestion};
use crate::host::HostNotices;
use crate::identity::{Identity, SESSION};
use crate::idle::Activity;
use crate::limited::LimitedViews;
use crate::listing::ToolList;
use crate::log::Level;
use crate::message::{OtherArguments, Unreadable};
use crate::notices::PendingNotices;
use crate::pool::{JobError, Pool, Progress};
use crate::roots::{self, ClientRoots, RootsDecision};
use crate::underway::{Underway, Waiting, overdue};
use crate::{Answers, Options};

/// After this time progress is reported, where the client asked for it.
const PROGRESS_AFTER: Duration = Duration::from_millis(500);
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// The number of threads for calls. Reading tools run in parallel; more threads would only wait for the same disk.
const THREADS: usize = 4;

/// The server of one connection.
pub(crate) struct Server {
    lancet: Lancet,
    options: Options,
    listed: ToolList,
    instructions: String,
    /// The session of calls that name none; it ends with the process.
    own: Session,
    pool: Arc<Pool>,
    activity: Activity,
    /// Calls that wait for their client to repeat them with an answer.
    waiting: Waiting,
    /// The roots of the client.
    roots: Arc<ClientRoots>,
    /// The engine as calls may use it.
    views: LimitedViews,
    /// What the next answer is to say besides.
    notices: PendingNotices,
}

impl Server {
    pub(crate) fn new(lancet: Lancet, options: Options) -> Self {
        let own = match &options.session {
            Some(name) => lancet.session(name),
            None => lancet.new_session(),
        };
        let pool = Arc::new(Pool::new(THREADS));
        let roots = ClientRoots::new(lancet.clone(), pool.clone(), &options);
        Self {
            listed: ToolList::new(&lancet, &options),
            instructions: answer::instructions(&lancet, &options.roots),
            own,
            pool,
            activity: Activity::default(),
            waiting: Waiting::default(),
            roots: Arc::new(roots),
            views: LimitedViews::default(),
            notices: PendingNotices::default(),
            lancet,
            options,
        }
    }

    pub(crate) fn pool(&self) -> Arc<Pool> {
        self.pool.clone()
    }

    pub(crate) fn activity(&self) -> Activity {
        self.activity.clone()
    }

    pub(crate) fn lancet(&self) -> Lancet {
        self.lancet.clone()
    }

    /// Finds the session that a call belongs to, on the engine that the call uses.
    fn session(&self, identity: &Identity, lancet: &Lancet) -> Result<Session, Refusal> {
        let (None, Some(name)) = (&self.options.session, &identity.session) else {
            return Ok(self.own.within(lancet));
        };
        let name = SessionName::new(name.as_str()).map_err(|error| {
            Refusal::new(
                RefusalKind::Invalid,
                format!("_meta[\"{SESSION}\"] is no name of a session: {error}."),
            )
        })?;
        Ok(lancet.session(&name))
    }

    /// Looks up the client that a request comes from.
    fn manners(&self, context: &RequestContext<RoleServer>) -> ClientProfile {
        let client = context.client_info();
        let name = client.as_ref().map(|client| client.name.as_str());
        ClientProfile::of(name, &context.meta, &self.lancet.settings().read.clients)
    }

    /// Converts a reply to the form that its client takes.
    fn answered(&self, reply: Reply, tool: &str, client: &ClientProfile) -> CallToolResponse {
        answer::result(reply, self.form(tool), client).into()
    }

    /// The form of a tool's answers: structured if its output schema was listed.
    fn form(&self, tool: &str) -> Answers {
        let name = self.lancet.tool_prefix().name(tool);
        let declared = |listed: &Tool| listed.name == name && listed.output_schema.is_some();
        if self.listed.known().iter().any(declared) {
            Answers::Structured
        } else {
            Answers::Text
        }
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Option<CallToolResponse> {
        if let Some(state) = &request.request_state
            && let Some(call) = self.waiting.take(state, &request.name)
        {
            let call = call.answered(request.input_responses.as_ref());
            return self.follow(call, context).await;
        }
        let manners = self.manners(context);
        let refused = |refusal: &Refusal, tool: &str| {
            let reply = answer::refused(refusal, tool);
            Some(self.answered(reply, tool, &manners))
        };
        let client = context.client_info();
        let name = client.as_ref().map(|client| client.name.as_str());
        let mut identity = Identity::read(&context.meta, name);
        if identity.session.is_none() && self.options.session.is_none() {
            let process = self.options.agent_process.as_deref();
            let environment = &self.options.environment;
            identity.session =
                conversation::session(process, environment, &self.lancet, &self.pool, name).await;
        }
        let lancet = match self.roots.decide(&request, context).await? {
            RootsDecision::Go(None) => self.lancet.clone(),
            RootsDecision::Go(Some(narrowed)) => narrowed,
            RootsDecision::Bring(required) => return Some(required.into()),
            RootsDecision::Refuse(refusal) => return refused(&refusal, &request.name),
        };
        let (lancet, notice) = self.views.of(lancet, &context.meta);
        self.notices.keep(notice);
        let session = match self.session(&identity, &lancet) {
            Ok(session) => session,
            Err(refusal) => return refused(&refusal, &request.name),
        };
        if let Some(Unreadable(reason)) = context.extensions.get() {
            let words = format!(
                "The arguments of this call cannot be read: {reason}. Nothing was done; send the call again."
            );
            return refused(&Refusal::new(RefusalKind::Invalid, words), &request.name);
        }
        let arguments = match (
            request.arguments,
            context.extensions.get::<OtherArguments>(),
        ) {
            (Some(arguments), _) => Value::Object(arguments),
            (None, Some(OtherArguments(other))) => other.as_ref().clone(),
            (None, None) => Value::Object(serde_json::Map::new()),
        };
        let handed_on = manners.handed_on(&arguments);
        let mut caller = Caller::default();
        caller.client = client.as_ref().map(|client| client.name.clone());
        caller.version = client.map(|client| client.version);
        caller.turn = identity.turn;
        caller.call = identity.call;
        caller.handed_on = handed_on;
        let cancel = Cancel::within(self.options.time_limit);
        let call = RawCall::new(request.name, arguments)
            .with_caller(caller)
            .with_cancel(cancel);
        let told = HostNotices::read(&context.meta);
        self.run(session, call, told, context).await
    }

    /// Runs a call on the pool and supervises it.
    async fn run(
        &self,
        session: Session,
        mut call: RawCall,
        told: HostNotices,
        context: &RequestContext<RoleServer>,
    ) -> Option<CallToolResponse> {
        let questions = self.line_for(&mut call, context);
        let (tool, cancel) = (call.tool.clone(), call.cancel.clone());
        let progress = Progress::default();
        let (log, pool) = (self.options.log.clone(), self.pool.clone());
        let at_work = progress.clone();
        let work = async move {
            let work = move || {
                told.tell(&session, &log);
                session.call(call)
            };
            pool.run(&at_work, work).await
        };
        let underway = Underway {
            tool,
            cancel,
            progress,
            questions,
            open: None,
            began: Instant::now(),
            work: tokio::spawn(work),
        };
        self.follow(underway, context).await
    }

    /// Waits for a call and passes its questions on. None where it was cancelled, so that no answer is expected.
    async fn follow(
        &self,
        mut call: Underway,
        context: &RequestContext<RoleServer>,
    ) -> Option<CallToolResponse> {
        let token = context.meta.get_progress_token();
        let manners = self.manners(context);
        let mut ticks = interval_at(call.began + PROGRESS_AFTER, PROGRESS_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                outcome = &mut call.work => {
                    let outcome = outcome.unwrap_or(Err(JobError::Panicked));
                    let reply = self.outcome(outcome, &call.tool, &call.cancel);
                    return Some(self.answered(reply, &call.tool, &manners));
                }
                () = context.ct.cancelled() => {
                    call.cancel.cancel();
                    call.work.abort();
                    self.options.log.say(Level::Debug, || format!("{} was cancelled", call.tool));
                    self.replace_if_stuck(call.progress.clone());
                    return None;
                }
                Some(asked) = call.questions.recv() => {
                    if let Some(required) = self.ask(&mut call, asked, context) {
                        self.waiting.keep(call);
                        return Some(required.into());
                    }
                }
                _ = ticks.tick(), if token.is_some() => {
                    if let Some(token) = token.clone() {
                        let seconds = call.began.elapsed().as_secs_f64();
                        let message = match call.cancel.so_far() {
                            Some(so_far) => format!("{}: {so_far}", call.tool),
                            None => format!("{} has been at work for {seconds:.1} s", call.tool),
                        };
                        let progress = ProgressNotificationParam::new(token, seconds).with_message(message);
                        let peer = context.peer.clone();
                        // The notification is sent in a task of its own, so that a client that does not read delays
                        // only its own notifications.
                        tokio::spawn(async move { peer.notify_progress(progress).await });
                    }
                }
                () = overdue(&call.cancel, self.options.grace) => {
                    call.cancel.cancel();
                    self.pool.replace_stuck(&call.progress);
                    self.options.log.say(Level::Error, || format!("{} did not stop at its time limit", call.tool));
                    let reply = answer::timed_out(&call.tool, self.options.time_limit, &call.progress);
                    return Some(self.answered(reply, &call.tool, &manners));
                }
            }
        }
    }

    /// Gives a call an approver, where the client can ask its user.
    fn line_for(
        &self,
        call: &mut RawCall,
        context: &RequestContext<RoleServer>,
    ) -> UnboundedReceiver<PendingQuestion> {
        let (line, questions) = unbounded_channel();
        if elicit::is_asked(
            self.options.ask,
            call.caller.client.as_deref(),
            context.client_capabilities().as_ref(),
        ) {
            call.approver = Some(Arc::new(ElicitApprover(line)));
        }
        questions
    }

    /// Asks the user. A result ends the request: the client has to repeat the call with the answer.
    fn ask(
        &self,
        call: &mut Underway,
        asked: PendingQuestion,
        context: &RequestContext<RoleServer>,
    ) -> Option<InputRequiredResult> {
        // The call's thread is replaced while it waits for a person, so that other calls can run.
        self.pool.replace_stuck(&call.progress);
        if !roots::is_modern(context) {
            tokio::spawn(asked.put_to(context.peer.clone()));
            return None;
        }
        let state = self.waiting.new_state();
        let required = asked.required(&state);
        call.open = Some((state, asked));
        Some(required)
    }

    /// Watches a cancelled call and replaces its thread if it does not stop by itself.
    fn replace_if_stuck(&self, progress: Progress) {
        let (pool, grace) = (self.pool.clone(), self.options.grace);
        tokio::spawn(async move {
            tokio::time::sleep(grace).await;
            pool.replace_stuck(&progress);
        });
    }

    fn outcome(&self, outcome: Result<Reply, JobError>, tool: &str, call: &Cancel) -> Reply {
        match outcome {
            Ok(reply) => reply,
            Err(JobError::Panicked) => {
                self.options
                    .log
                    .say(Level::Error, || format!("{tool} panicked"));
                Reply::internal("it reached a state that should not be possible", call)
            }
            Err(JobError::NoThread) => Reply::internal("the system gave no thread for it", call),
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        answer::about(self.instructions.clone())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.roots.are_news(context.peer);
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.roots.are_news(context.peer);
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.listed.anew(&self.lancet, &self.options);
        let tools = self.manners(&context).tools(&tools);
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tools = self.listed.known();
        tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.lancet.own_tool_name(&request.name);
        request.name = tool.clone().into();
        let began = Instant::now();
        self.activity.note();
        let response = self.call(request, &context).await;
        self.activity.note();
        let Some(response) = response else {
            return Err(ErrorData::internal_error("the call was cancelled", None));
        };
        self.notices.keep(self.roots.take_notice());
        let response = self.notices.added_to(response);
        self.options.log.say(Level::Debug, || {
            let outcome = answer::outcome(&response);
            let milliseconds = began.elapsed().as_secs_f64() * 1000.0;
            format!("{tool}: {outcome} in {milliseconds:.1} ms")
        });
        Ok(response)
    }
}
