//! The dialog of a client of the first generation: the server sends requests while the call waits, and withdraws them
//! when the question was decided elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lancet::approval::{Answer, REASON_WAIT};
use lancet::questions::RecordedQuestion;
use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitResult, GetExtensions as _, RequestId, ServerRequest,
};
use rmcp::service::{OriginatingRequestId, Peer, PeerRequestOptions};
use tokio::sync::oneshot::{Receiver, Sender, channel};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::{FormResult, decision_form, interpret_result, reason_form, words_of};
use crate::patience::DecisionRecorder;

/// A dialog that is open. Dropping it withdraws the question from the client.
pub(crate) struct Dialog {
    /// Dropped with the dialog, which ends the task.
    _open: Sender<()>,
    /// Set when the no is recorded and the person is prompted for the reason.
    asks_for_words: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

/// The destination of a dialog's requests.
struct DialogConnection {
    peer: Peer<RoleServer>,
    /// The call that the question is about. The requests are sent in the same stream as its answer.
    call: RequestId,
    withdrawn: Receiver<()>,
}

impl Dialog {
    /// Prompts the user of the client and records the decision.
    pub(crate) fn open_dialog(
        peer: Peer<RoleServer>,
        call: RequestId,
        question: RecordedQuestion,
        recorder: DecisionRecorder,
    ) -> Self {
        let (open, withdrawn) = channel();
        let asks_for_words = Arc::new(AtomicBool::new(false));
        let line = DialogConnection {
            peer,
            call,
            withdrawn,
        };
        let task = tokio::spawn(ask_user(line, question, recorder, asks_for_words.clone()));
        Self {
            _open: open,
            asks_for_words,
            task,
        }
    }

    /// Waits until the dialog is over.
    pub(crate) async fn wait_until_ended(&mut self) {
        let _ = (&mut self.task).await;
    }

    /// Waits for the reason of a no, where the person is being prompted for it. The decision is already final and is
    /// reported with the reason.
    pub(crate) async fn wait_for_reason(self) {
        if self.asks_for_words.load(Ordering::SeqCst) {
            let _ = timeout(REASON_WAIT + Duration::from_secs(1), self.task).await;
        }
    }
}

async fn ask_user(
    mut line: DialogConnection,
    recorded: RecordedQuestion,
    recorder: DecisionRecorder,
    asks_for_words: Arc<AtomicBool>,
) {
    let Some(form) = decision_form(&recorded.question) else {
        return recorder
            .record_decision(&recorded.id, Answer::Unanswered(None))
            .await;
    };
    let began = Instant::now();
    let FormOutcome::Answered(result) = line.show_form(form).await else {
        return;
    };
    match interpret_result(result.as_ref(), &recorded.question, began.elapsed()) {
        FormResult::Answer(answer) => recorder.record_decision(&recorded.id, answer).await,
        FormResult::NoWithReason(no) => {
            asks_for_words.store(true, Ordering::SeqCst);
            recorder.record_decision(&recorded.id, no).await;
            let Some(form) = reason_form() else {
                return;
            };
            if let Ok(FormOutcome::Answered(Some(result))) =
                timeout(REASON_WAIT, line.show_form(form)).await
                && let Some(words) = words_of(&result)
            {
                recorder.record_reason(&recorded.id, words).await;
            }
        }
    }
}

impl DialogConnection {
    /// Shows one form.
    async fn show_form(&mut self, form: ElicitRequest) -> FormOutcome {
        let mut request = ServerRequest::ElicitRequest(form);
        request
            .extensions_mut()
            .insert(OriginatingRequestId(self.call.clone()));
        let options = PeerRequestOptions::no_options();
        let sent = self.peer.send_cancellable_request(request, options).await;
        let Ok(mut handle) = sent else {
            return FormOutcome::Answered(None);
        };
        tokio::select! {
            response = &mut handle.rx => FormOutcome::Answered(match response {
                Ok(Ok(ClientResult::ElicitResult(result))) => Some(result),
                _ => None,
            }),
            // The other end is dropped when the call no longer waits for the answer.
            _ = &mut self.withdrawn => {
                let reason = "the question is no longer open".to_owned();
                let _ = handle.cancel(Some(reason)).await;
                FormOutcome::Withdrawn
            }
        }
    }
}

/// The outcome of a form.
enum FormOutcome {
    /// The client has answered; none if the form was not filled in.
    Answered(Option<ElicitResult>),
    /// The form was withdrawn, and any answer to it is ignored.
    Withdrawn,
}
