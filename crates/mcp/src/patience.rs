//! Waiting for a decision. A call whose question is recorded waits for a limited time and occupies no thread and no
//! file meanwhile. After a decision, or when a file of the question has changed, the call is carried out again.

use std::sync::Arc;
use std::time::Duration;

use lancet::approval::Answer;
use lancet::call::{AskMode, Deciders};
use lancet::questions::{Questions, RecordedQuestion, WaitingCall};
use lancet::{Lancet, RawCall};
use lancet_serving::pool::JobProgress;
use rmcp::RoleServer;
use rmcp::model::{CreateTaskResult, InputRequiredResult};
use rmcp::service::RequestContext;
use serde_json::Value;
use std::collections::BTreeMap;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until};

use crate::elicit::{self, Dialog, Elicitation, FormResult, QuestionRecording};
use crate::link::Link;
use crate::notify;
use crate::process::Process;
use crate::seal::CallBinding;
use crate::tasks;

/// How long an open dialog of the client is waited for.
const DIALOG_TIMEOUT: Duration = Duration::from_secs(600);
/// How often a client is informed that its call waits.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);
/// The prefixes of the names under which clients of the second generation send answers; an id follows.
const QUESTION_PREFIX: &str = "question-";
const REASON_PREFIX: &str = "words-";

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
pub(crate) enum WaitOutcome {
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
pub(crate) struct DecisionRecorder {
    process: Arc<Process>,
    questions: Questions,
    /// The name of the decider, for the record.
    by: String,
}

impl DecisionRecorder {
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
        self.run_on_pool(move |questions| questions.get(&id).ok().flatten())
            .await
            .flatten()
    }

    /// Records a decision. A dialog that was not answered decides nothing while another program may decide.
    pub(crate) async fn record_decision(&self, id: &str, answer: Answer) {
        let by = match &answer {
            Answer::NoByProgram { by, .. } => format!("the program {by}"),
            _ => self.by.clone(),
        };
        let id = id.to_owned();
        let page = self.process.options.ask.page;
        self.run_on_pool(move |questions| {
            let others = page == QuestionRecording::Always || questions.is_watched();
            if matches!(answer, Answer::Unanswered(_)) && others {
                return;
            }
            // A decision that comes too late does not count; the call finds the one that was recorded first.
            let _ = questions.decide(&id, &answer, &by);
        })
        .await;
        self.process.decisions.check_now();
    }

    /// Adds the reason of a no.
    pub(crate) async fn record_reason(&self, id: &str, words: String) {
        let id = id.to_owned();
        self.run_on_pool(move |questions| questions.add_message(&id, &words))
            .await;
    }

    async fn run_on_pool<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Questions) -> T + Send + 'static,
    ) -> Option<T> {
        let questions = self.questions.clone();
        let pool = self.process.pool.clone();
        pool.run(&JobProgress::default(), move || work(&questions))
            .await
            .ok()
    }
}

/// Decides how a call prompts a person, and sets this on the call.
pub(crate) fn choose_ask_route(
    process: &Process,
    call: &mut RawCall,
    link: Link,
    context: &RequestContext<RoleServer>,
) -> AskRoute {
    let ask = process.options.ask;
    let client = call.caller.client.as_deref();
    let elicit = match (link, ask.elicit) {
        // Over HTTP any holder of the token is a client: its name proves nothing, and it could answer for the user.
        (Link::Http, Elicitation::Known) => Elicitation::Never,
        (_, elicit) => elicit,
    };
    let elicits = elicit::is_user_prompted(elicit, client, context.client_capabilities().as_ref());
    let (asked, deciders) = match (elicits, ask.page) {
        (true, _) => (AskRoute::Client, Deciders::Present),
        (false, QuestionRecording::Always) => (AskRoute::Page, Deciders::Present),
        (false, QuestionRecording::IfWatched) => (AskRoute::Page, Deciders::IfWatched),
        (false, QuestionRecording::Never) => {
            let approver = process.options.approver.as_ref();
            call.approver = approver.map(|approver| Arc::clone(&approver.0));
            return AskRoute::Engine;
        }
    };
    call.asks = AskMode::Recorded {
        deciders,
        waited_on: None,
    };
    asked
}

/// Records that the next run of a call follows a wait for this question.
pub(crate) fn record_waited_question(call: &mut RawCall, question: &str) {
    if let AskMode::Recorded { waited_on, .. } = &mut call.asks {
        *waited_on = Some(question.to_owned());
    }
}

/// Waits until the call is to be carried out again, or its time is over.
pub(crate) async fn wait_for_decision(
    process: &Arc<Process>,
    call: &WaitingCall,
    asked: AskRoute,
    bound: Option<CallBinding>,
    began: Instant,
    context: &RequestContext<RoleServer>,
) -> WaitOutcome {
    let Some(recorder) = DecisionRecorder::new(process, &process.lancet, context) else {
        return WaitOutcome::Over;
    };
    let id = call.question();
    if call.is_new()
        && let Some(notify) = &process.options.notify
        && let Some(question) = recorder.get(id).await
    {
        notify.notify(&question);
    }
    if asked == AskRoute::Page
        && tasks::are_tasks_accepted(context)
        && bound.is_some()
        && let Some(question) = recorder.get(id).await
    {
        return WaitOutcome::Task(Box::new(tasks::new_task(&question)));
    }
    let mut dialog = None;
    if asked == AskRoute::Client
        && let Some(question) = recorder.get(id).await
    {
        if let Some(bound) = bound {
            let Some(form) = elicit::decision_form(&question.question) else {
                return WaitOutcome::Over;
            };
            let state = process.seal.seal(&format!("{QUESTION_PREFIX}{id}"), bound);
            return WaitOutcome::Required(Box::new(elicit::input_required_result(form, state)));
        }
        let (peer, request) = (context.peer.clone(), context.id.clone());
        dialog = Some(Dialog::open_dialog(
            peer,
            request,
            question,
            recorder.clone(),
        ));
    }
    wait_with_dialog(process, call, &recorder, dialog, began, context).await
}

/// Waits for the decision on a recorded question. The user of the client may answer in `dialog` meanwhile, if it is
/// open.
async fn wait_with_dialog(
    process: &Process,
    call: &WaitingCall,
    recorder: &DecisionRecorder,
    mut dialog: Option<Dialog>,
    began: Instant,
    context: &RequestContext<RoleServer>,
) -> WaitOutcome {
    let id = call.question();
    let patience = Duration::from_secs(process.lancet.settings().ask.patience);
    let mut ended = process
        .decisions
        .watch_call(call.clone(), recorder.questions.clone());
    let token = context.meta.get_progress_token();
    let mut ticks = interval_at(Instant::now(), PROGRESS_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut input_ended = process.input_ended.subscribe();
    loop {
        let until = match dialog {
            Some(_) => began + DIALOG_TIMEOUT,
            None => began + patience,
        };
        tokio::select! {
            biased;
            outcome = &mut ended => {
                if let Some(dialog) = dialog {
                    dialog.wait_for_reason().await;
                }
                return match outcome {
                    Ok(()) => WaitOutcome::Again,
                    // Decisions are no longer looked for, because the system gave no thread.
                    Err(_) => WaitOutcome::Over,
                };
            }
            () = context.ct.cancelled() => return WaitOutcome::Cancelled,
            // The client can neither answer nor send the call again over this connection.
            () = wait_until_set(&mut input_ended) => return WaitOutcome::Over,
            // A dialog that was closed without a decision leaves the question to others.
            () = wait_for_dialog(&mut dialog), if dialog.is_some() => dialog = None,
            () = sleep_until(until) => return WaitOutcome::Over,
            _ = ticks.tick(), if token.is_some() => {
                if let Some(token) = token.clone() {
                    let message = format!("waits for a person's decision: `lancet pending show {id}`");
                    notify::send_progress(context, token, began.elapsed(), message);
                }
            }
        }
    }
}

async fn wait_until_set(told: &mut watch::Receiver<bool>) {
    // The sender is part of the process and outlives its calls.
    let _ = told.wait_for(|told| *told).await;
}

async fn wait_for_dialog(dialog: &mut Option<Dialog>) {
    if let Some(dialog) = dialog {
        dialog.wait_until_ended().await;
    }
}

/// The outcome of a repeated call's answer, for a client of the second generation.
pub(crate) enum RepeatOutcome {
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
    bound: CallBinding,
    context: &RequestContext<RoleServer>,
) -> RepeatOutcome {
    let Some(recorder) = DecisionRecorder::new(process, &process.lancet, context) else {
        return RepeatOutcome::Decided;
    };
    let result = elicit::take_result(responses);
    if let Some(id) = state.strip_prefix(REASON_PREFIX) {
        if let Some(words) = result.and_then(|result| elicit::words_of(&result)) {
            recorder.record_reason(id, words).await;
        }
        return RepeatOutcome::Decided;
    }
    let Some(id) = state.strip_prefix(QUESTION_PREFIX) else {
        return RepeatOutcome::Decided;
    };
    let Some(question) = recorder.get(id).await else {
        return RepeatOutcome::Decided;
    };
    let asked = now_in_milliseconds().saturating_sub(question.time);
    let asked = Duration::from_millis(asked.unsigned_abs());
    match elicit::interpret_result(result.as_ref(), &question.question, asked) {
        FormResult::Answer(answer) => {
            let is_dismissed = matches!(answer, Answer::Unanswered(_));
            recorder.record_decision(id, answer).await;
            match is_dismissed {
                true => RepeatOutcome::Dismissed,
                false => RepeatOutcome::Decided,
            }
        }
        FormResult::NoWithReason(no) => {
            recorder.record_decision(id, no).await;
            let state = process.seal.seal(&format!("{REASON_PREFIX}{id}"), bound);
            match elicit::reason_form() {
                Some(form) => {
                    RepeatOutcome::Required(Box::new(elicit::input_required_result(form, state)))
                }
                None => RepeatOutcome::Decided,
            }
        }
    }
}

fn now_in_milliseconds() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as i64)
}
