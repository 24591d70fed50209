//! The dialog of a client of the first generation: the server sends requests while the call waits, and withdraws them
//! when the question was decided elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lancet::approval::{Answer, WORDS_WAIT};
use lancet::questions::RecordedQuestion;
use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitResult, GetExtensions as _, RequestId, ServerRequest,
};
use rmcp::service::{OriginatingRequestId, Peer, PeerRequestOptions};
use tokio::sync::oneshot::{Receiver, Sender, channel};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::{Heard, decision_form, heard, reason_form, words_of};
use crate::patience::Recorder;

/// A dialog that is open. Dropping it withdraws the question from the client.
pub(crate) struct Dialog {
    /// Dropped with the dialog, which ends the task.
    _open: Sender<()>,
    /// Set when the no is recorded and the person is prompted for the reason.
    asks_for_words: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

/// The destination of a dialog's requests.
struct DialogLine {
    peer: Peer<RoleServer>,
    /// The call that the question is about. The requests are sent in the same stream as its answer.
    call: RequestId,
    withdrawn: Receiver<()>,
}

impl Dialog {
    /// Prompts the user of the client and records the decision.
    pub(crate) fn open(
        peer: Peer<RoleServer>,
        call: RequestId,
        question: RecordedQuestion,
        recorder: Recorder,
    ) -> Self {
        let (open, withdrawn) = channel();
        let asks_for_words = Arc::new(AtomicBool::new(false));
        let line = DialogLine {
            peer,
            call,
            withdrawn,
        };
        let task = tokio::spawn(ask(line, question, recorder, asks_for_words.clone()));
        Self {
            _open: open,
            asks_for_words,
            task,
        }
    }

    /// Waits until the dialog is over.
    pub(crate) async fn ended(&mut self) {
        let _ = (&mut self.task).await;
    }

    /// Waits for the reason of a no, where the person is being prompted for it. The decision is already final and is
    /// reported with the reason.
    pub(crate) async fn finish_words(self) {
        if self.asks_for_words.load(Ordering::SeqCst) {
            let _ = timeout(WORDS_WAIT + Duration::from_secs(1), self.task).await;
        }
    }
}

async fn ask(
    mut line: DialogLine,
    recorded: RecordedQuestion,
    recorder: Recorder,
    asks_for_words: Arc<AtomicBool>,
) {
    let Some(form) = decision_form(&recorded.question) else {
        return recorder
            .decide(&recorded.id, Answer::Unanswered(None))
            .await;
    };
    let began = Instant::now();
    let Put::Answered(result) = line.put(form).await else {
        return;
    };
    match heard(result.as_ref(), &recorded.question, began.elapsed()) {
        Heard::Answer(answer) => recorder.decide(&recorded.id, answer).await,
        Heard::NoWithReason(no) => {
            asks_for_words.store(true, Ordering::SeqCst);
            recorder.decide(&recorded.id, no).await;
            let Some(form) = reason_form() else {
                return;
            };
            if let Ok(Put::Answered(Some(result))) = timeout(WORDS_WAIT, line.put(form)).await
                && let Some(words) = words_of(&result)
            {
                recorder.add_words(&recorded.id, words).await;
            }
        }
    }
}

impl DialogLine {
    /// Shows one form.
    async fn put(&mut self, form: ElicitRequest) -> Put {
        let mut request = ServerRequest::ElicitRequest(form);
        request
            .extensions_mut()
            .insert(OriginatingRequestId(self.call.clone()));
        let options = PeerRequestOptions::no_options();
        let sent = self.peer.send_cancellable_request(request, options).await;
        let Ok(mut handle) = sent else {
            return Put::Answered(None);
        };
        tokio::select! {
            response = &mut handle.rx => Put::Answered(match response {
                Ok(Ok(ClientResult::ElicitResult(result))) => Some(result),
                _ => None,
            }),
            // The other end is dropped when the call no longer waits for the answer.
            _ = &mut self.withdrawn => {
                let reason = "the question is no longer open".to_owned();
                let _ = handle.cancel(Some(reason)).await;
                Put::Withdrawn
            }
        }
    }
}

/// The outcome of a form.
enum Put {
    /// The client has answered; none if the form was not filled in.
    Answered(Option<ElicitResult>),
    /// The form was withdrawn, and any answer to it is ignored.
    Withdrawn,
}
