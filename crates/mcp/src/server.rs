//! The requests of a client, answered: the list of tools, and calls handed to the library on threads of their own.
//! What a tool does is the library's; here stand time limits, cancellation, progress, the guard against panics and
//! the form of an answer.

use std::sync::Arc;
use std::time::Duration;

use lancet::{Caller, Cancel, Kind, Lancet, RawCall, Refusal, Reply, Session, SessionName};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until};

use crate::answer;
use crate::host::Told;
use crate::identity::{Identity, SESSION};
use crate::idle::Activity;
use crate::listing::listing;
use crate::log::Level;
use crate::message::{OtherArguments, Unreadable};
use crate::pool::{Failed, Pool, Progress};
use crate::{Answers, Options};

/// Work that lasts longer is reported, where the client asked for that.
const PROGRESS_AFTER: Duration = Duration::from_millis(500);
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// Threads for calls. Reading tools run beside each other; more would only wait for the same disk.
const THREADS: usize = 4;

/// The server of one connection.
pub(crate) struct Server {
    lancet: Lancet,
    options: Options,
    tools: Vec<Tool>,
    instructions: String,
    /// The ledger of calls that name no session: that of the process.
    own: Session,
    pool: Arc<Pool>,
    activity: Activity,
}

impl Server {
    pub(crate) fn new(lancet: Lancet, options: Options) -> Self {
        let own = match &options.session {
            Some(name) => lancet.session(name),
            None => lancet.unnamed_session(),
        };
        Self {
            tools: listing(lancet.tools(), lancet.answer_limit(), options.answers),
            instructions: answer::instructions(&lancet),
            own,
            pool: Arc::new(Pool::new(THREADS)),
            activity: Activity::default(),
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

    /// The session a call belongs to.
    fn session(&self, identity: &Identity) -> Result<Session, Refusal> {
        let (None, Some(name)) = (&self.options.session, &identity.session) else {
            return Ok(self.own.clone());
        };
        let name = SessionName::new(name.as_str()).map_err(|error| {
            Refusal::new(
                Kind::Invalid,
                format!("_meta[\"{SESSION}\"] is no name of a session: {error}."),
            )
        })?;
        Ok(self.lancet.session(&name))
    }

    /// The form of a tool's answers: structured where its schema was listed.
    fn form(&self, tool: &str) -> Answers {
        let declared = |listed: &Tool| listed.name == tool && listed.output_schema.is_some();
        if self.tools.iter().any(declared) {
            Answers::Structured
        } else {
            Answers::Text
        }
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Option<Reply> {
        let client = context.client_info();
        let identity = Identity::read(
            &context.meta,
            client.as_ref().map(|client| client.name.as_str()),
        );
        let session = match self.session(&identity) {
            Ok(session) => session,
            Err(refusal) => return Some(answer::refused(&refusal, &request.name)),
        };
        if let Some(Unreadable(reason)) = context.extensions.get() {
            let words = format!(
                "The arguments of this call cannot be read: {reason}. Nothing was done; send the call again."
            );
            return Some(answer::refused(
                &Refusal::new(Kind::Invalid, words),
                &request.name,
            ));
        }
        let arguments = match (
            request.arguments,
            context.extensions.get::<OtherArguments>(),
        ) {
            (Some(arguments), _) => Value::Object(arguments),
            (None, Some(OtherArguments(other))) => other.as_ref().clone(),
            (None, None) => Value::Object(serde_json::Map::new()),
        };
        let cancel = Cancel::within(self.options.time_limit);
        let call = RawCall {
            tool: request.name.into_owned(),
            arguments,
            caller: Caller {
                client: client.as_ref().map(|client| client.name.clone()),
                version: client.map(|client| client.version),
                turn: identity.turn,
                call: identity.call,
            },
            cancel: cancel.clone(),
            approver: None,
        };
        let told = Told::read(&context.meta);
        self.run(session, call, told, cancel, context).await
    }

    /// Runs a call on the pool and waits for it. None: it was cancelled, and nobody waits for an answer.
    async fn run(
        &self,
        session: Session,
        call: RawCall,
        told: Told,
        cancel: Cancel,
        context: &RequestContext<RoleServer>,
    ) -> Option<Reply> {
        let began = Instant::now();
        let tool = call.tool.clone();
        let progress = Progress::default();
        let log = self.options.log.clone();
        let work = self.pool.run(&progress, move || {
            told.tell(&session, &log);
            session.call(call)
        });
        tokio::pin!(work);
        let token = context.meta.get_progress_token();
        let mut ticks = interval_at(began + PROGRESS_AFTER, PROGRESS_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let end = sleep_until(began + self.options.time_limit + self.options.grace);
        tokio::pin!(end);
        loop {
            tokio::select! {
                biased;
                outcome = &mut work => return Some(self.outcome(outcome, &tool, &cancel)),
                () = context.ct.cancelled() => {
                    cancel.cancel();
                    self.options.log.say(Level::Debug, || format!("{tool} was cancelled"));
                    self.replace_if_stuck(progress.clone());
                    return None;
                }
                _ = ticks.tick(), if token.is_some() => {
                    if let Some(token) = token.clone() {
                        let seconds = began.elapsed().as_secs_f64();
                        let progress = ProgressNotificationParam::new(token, seconds)
                            .with_message(format!("{tool} has been at work for {seconds:.1} s"));
                        let peer = context.peer.clone();
                        // Apart, so that a client that does not read holds up nothing but its own news.
                        tokio::spawn(async move { peer.notify_progress(progress).await });
                    }
                }
                () = &mut end => {
                    cancel.cancel();
                    self.pool.replace_stuck(&progress);
                    self.options.log.say(Level::Error, || format!("{tool} did not stop at its time limit"));
                    return Some(answer::timed_out(&tool, self.options.time_limit, &progress));
                }
            }
        }
    }

    /// Looks after a call that was cancelled: where it does not stop by itself, its thread is made up for.
    fn replace_if_stuck(&self, progress: Progress) {
        let (pool, grace) = (self.pool.clone(), self.options.grace);
        tokio::spawn(async move {
            tokio::time::sleep(grace).await;
            pool.replace_stuck(&progress);
        });
    }

    fn outcome(&self, outcome: Result<Reply, Failed>, tool: &str, call: &Cancel) -> Reply {
        match outcome {
            Ok(reply) => reply,
            Err(Failed::Panicked) => {
                self.options
                    .log
                    .say(Level::Error, || format!("{tool} panicked"));
                Reply::internal("it reached a state that should not be possible", call)
            }
            Err(Failed::NoThread) => Reply::internal("the system gave no thread for it", call),
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(
                Implementation::new("lancet", env!("CARGO_PKG_VERSION")).with_title("lancet"),
            )
            .with_instructions(self.instructions.clone())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = request.name.to_string();
        let began = Instant::now();
        self.activity.note();
        let reply = self.call(request, &context).await;
        self.activity.note();
        let Some(reply) = reply else {
            return Err(ErrorData::internal_error("the call was cancelled", None));
        };
        self.options.log.say(Level::Debug, || {
            let outcome = reply.refusal().map_or("done", Kind::name);
            format!(
                "{tool}: {outcome} in {:.1} ms",
                began.elapsed().as_secs_f64() * 1000.0
            )
        });
        Ok(answer::result(reply, self.form(&tool)).into())
    }
}
