//! Waiting for a decision. A call whose question is recorded waits for a limited time and occupies no thread and no
//! file meanwhile. After a decision, or when a file of the question has changed, the call is carried out again.

use std::sync::Arc;
use std::time::Duration;

use lancet::approval::Answer;
use lancet::call::{Asks, Deciders};
use lancet::questions::{Questions, RecordedQuestion, WaitingCall};
use lancet::{Lancet, RawCall};
use lancet_serving::pool::Progress;
use rmcp::RoleServer;
use rmcp::model::{CreateTaskResult, InputRequiredResult};
use rmcp::service::RequestContext;
use serde_json::Value;
use std::collections::BTreeMap;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until};

use crate::elicit::{self, Dialog, Elicit, Heard, Page};
use crate::link::Link;
use crate::notify;
use crate::process::Process;
use crate::seal::Bound;
use crate::tasks;

/// How long an open dialog of the client is waited for.
const DIALOG: Duration = Duration::from_secs(600);
/// How often a client is informed that its call waits.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);
/// The prefixes of the names under which clients of the second generation send answers; an id follows.
const QUESTION: &str = "question-";
const WORDS: &str = "words-";

/// The recipient of a call's question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AskRoute {
    /// The engine's approver decides.
    Engine,
    /// The question is recorded, and the user of the client is prompted as well.
    Client,
    /// The question is recorded.
    Page,
}

/// How waiting ended.
pub(crate) enum Waited {
    /// The call is to be carried out again.
    Again,
    /// The time is over.
    Over,
    /// The client has to repeat the call with an answer.
    Required(Box<InputRequiredResult>),
    /// The client asks for the state of a task.
    Task(Box<CreateTaskResult>),
    /// The client no longer wants the call.
    Cancelled,
}

/// Records what the user of a client decides.
#[derive(Clone)]
pub(crate) struct Recorder {
    process: Arc<Process>,
    questions: Questions,
    /// The name of the decider, for the record.
    by: String,
}

impl Recorder {
    /// Makes the recorder of a client's decisions; none without a state folder.
    fn new(
        process: &Arc<Process>,
        lancet: &Lancet,
        context: &RequestContext<RoleServer>,
    ) -> Option<Self> {
        let client = context.client_info();
        let client = client.map_or("the client".to_owned(), |client| client.name);
        Some(Self {
            process: Arc::clone(process),
            questions: lancet.questions()?,
            by: format!("a person, in the dialog of {client}"),
        })
    }

    /// Looks a question up.
    async fn get(&self, id: &str) -> Option<RecordedQuestion> {
        let id = id.to_owned();
        self.on_pool(move |questions| questions.get(&id).ok().flatten())
            .await
            .flatten()
    }

    /// Records a decision. A dialog that was not answered decides nothing while another program may decide.
    pub(crate) async fn decide(&self, id: &str, answer: Answer) {
        let (id, by) = (id.to_owned(), self.by.clone());
        let page = self.process.options.ask.page;
        self.on_pool(move |questions| {
            let others = page == Page::Always || questions.is_watched();
            if matches!(answer, Answer::Unanswered(_)) && others {
                return;
            }
            // A decision that comes too late does not count; the call finds the one that was recorded first.
            let _ = questions.decide(&id, &answer, &by);
        })
        .await;
        self.process.decisions.look();
    }

    /// Adds the reason of a no.
    pub(crate) async fn add_words(&self, id: &str, words: String) {
        let id = id.to_owned();
        self.on_pool(move |questions| questions.add_words(&id, &words))
            .await;
    }

    async fn on_pool<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Questions) -> T + Send + 'static,
    ) -> Option<T> {
        let questions = self.questions.clone();
        let pool = self.process.pool.clone();
        pool.run(&Progress::default(), move || work(&questions))
            .await
            .ok()
    }
}

/// Decides how a call prompts a person, and sets this on the call.
pub(crate) fn prepare(
    process: &Process,
    call: &mut RawCall,
    link: Link,
    context: &RequestContext<RoleServer>,
) -> AskRoute {
    let ask = process.options.ask;
    let client = call.caller.client.as_deref();
    let elicit = match (link, ask.elicit) {
        // Over HTTP any holder of the token is a client: its name proves nothing, and it could answer for the user.
        (Link::Http, Elicit::Known) => Elicit::Never,
        (_, elicit) => elicit,
    };
    let elicits = elicit::is_asked(elicit, client, context.client_capabilities().as_ref());
    let (asked, deciders) = match (elicits, ask.page) {
        (true, _) => (AskRoute::Client, Deciders::Present),
        (false, Page::Always) => (AskRoute::Page, Deciders::Present),
        (false, Page::IfWatched) => (AskRoute::Page, Deciders::IfWatched),
        (false, Page::Never) => {
            let approver = process.options.approver.as_ref();
            call.approver = approver.map(|approver| Arc::clone(&approver.0));
            return AskRoute::Engine;
        }
    };
    call.asks = Asks::Recorded {
        deciders,
        waited_on: None,
    };
    asked
}

/// Records that the next run of a call follows a wait for this question.
pub(crate) fn waited_on(call: &mut RawCall, question: &str) {
    if let Asks::Recorded { waited_on, .. } = &mut call.asks {
        *waited_on = Some(question.to_owned());
    }
}

/// Waits until the call is to be carried out again, or its time is over.
pub(crate) async fn wait(
    process: &Arc<Process>,
    call: &WaitingCall,
    asked: AskRoute,
    bound: Option<Bound>,
    began: Instant,
    context: &RequestContext<RoleServer>,
) -> Waited {
    let Some(recorder) = Recorder::new(process, &process.lancet, context) else {
        return Waited::Over;
    };
    let id = call.question();
    if call.is_new()
        && let Some(notify) = &process.options.notify
        && let Some(question) = recorder.get(id).await
    {
        notify.begins_to_wait(&question);
    }
    if asked == AskRoute::Page
        && tasks::are_offered(context)
        && bound.is_some()
        && let Some(question) = recorder.get(id).await
    {
        return Waited::Task(Box::new(tasks::created(&question)));
    }
    let mut dialog = None;
    if asked == AskRoute::Client
        && let Some(question) = recorder.get(id).await
    {
        if let Some(bound) = bound {
            let Some(form) = elicit::decision_form(&question.question) else {
                return Waited::Over;
            };
            let state = process.seal.close(&format!("{QUESTION}{id}"), bound);
            return Waited::Required(Box::new(elicit::required(form, state)));
        }
        let (peer, request) = (context.peer.clone(), context.id.clone());
        dialog = Some(Dialog::open(peer, request, question, recorder.clone()));
    }
    let patience = Duration::from_secs(process.lancet.settings().ask.patience);
    let mut ended = process
        .decisions
        .wait(call.clone(), recorder.questions.clone());
    let token = context.meta.get_progress_token();
    let mut ticks = interval_at(Instant::now(), PROGRESS_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut input_ended = process.input_ended.subscribe();
    loop {
        let until = match dialog {
            Some(_) => began + DIALOG,
            None => began + patience,
        };
        tokio::select! {
            biased;
            outcome = &mut ended => {
                if let Some(dialog) = dialog {
                    dialog.finish_words().await;
                }
                return match outcome {
                    Ok(()) => Waited::Again,
                    // Decisions are no longer looked for, because the system gave no thread.
                    Err(_) => Waited::Over,
                };
            }
            () = context.ct.cancelled() => return Waited::Cancelled,
            // The client can neither answer nor send the call again over this connection.
            () = is_set(&mut input_ended) => return Waited::Over,
            // A dialog that was closed without a decision leaves the question to others.
            () = ended_dialog(&mut dialog), if dialog.is_some() => dialog = None,
            () = sleep_until(until) => return Waited::Over,
            _ = ticks.tick(), if token.is_some() => {
                if let Some(token) = token.clone() {
                    let message = format!("waits for a person's decision: `lancet pending show {id}`");
                    notify::send_progress(context, token, began.elapsed(), message);
                }
            }
        }
    }
}

async fn is_set(told: &mut watch::Receiver<bool>) {
    // The sender is part of the process and outlives its calls.
    let _ = told.wait_for(|told| *told).await;
}

async fn ended_dialog(dialog: &mut Option<Dialog>) {
    if let Some(dialog) = dialog {
        dialog.ended().await;
    }
}

/// The outcome of a repeated call's answer, for a client of the second generation.
pub(crate) enum Brought {
    /// The call is to be carried out.
    Decided,
    /// The dialog was closed without a decision, and other programs may decide. It is not opened again.
    Dismissed,
    /// The user of the client is prompted for the reason of a no.
    Required(Box<InputRequiredResult>),
}

/// Takes the answer with which a client of the second generation repeats a call.
pub(crate) async fn take_answer(
    process: &Arc<Process>,
    state: &str,
    responses: Option<&BTreeMap<String, Value>>,
    bound: Bound,
    context: &RequestContext<RoleServer>,
) -> Brought {
    let Some(recorder) = Recorder::new(process, &process.lancet, context) else {
        return Brought::Decided;
    };
    let result = elicit::brought(responses);
    if let Some(id) = state.strip_prefix(WORDS) {
        if let Some(words) = result.and_then(|result| elicit::words_of(&result)) {
            recorder.add_words(id, words).await;
        }
        return Brought::Decided;
    }
    let Some(id) = state.strip_prefix(QUESTION) else {
        return Brought::Decided;
    };
    let Some(question) = recorder.get(id).await else {
        return Brought::Decided;
    };
    let asked = now_in_milliseconds().saturating_sub(question.time);
    let asked = Duration::from_millis(asked.unsigned_abs());
    match elicit::heard(result.as_ref(), &question.question, asked) {
        Heard::Answer(answer) => {
            let is_dismissed = matches!(answer, Answer::Unanswered(_));
            recorder.decide(id, answer).await;
            match is_dismissed {
                true => Brought::Dismissed,
                false => Brought::Decided,
            }
        }
        Heard::NoWithReason(no) => {
            recorder.decide(id, no).await;
            let state = process.seal.close(&format!("{WORDS}{id}"), bound);
            match elicit::reason_form() {
                Some(form) => Brought::Required(Box::new(elicit::required(form, state))),
                None => Brought::Decided,
            }
        }
    }
}

fn now_in_milliseconds() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as i64)
}
