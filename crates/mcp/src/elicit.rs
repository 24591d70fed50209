//! Questions to the user of a client by MCP elicitation, in both generations of the protocol. In the first the server
//! sends a request; in the second the call ends with the question and goes on when the client repeats it with the
//! answer.

mod form;

use std::collections::BTreeMap;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use lancet::approval::{Answer, Approver, Question, WORDS_WAIT, Wait};
use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, ClientResult, ElicitRequest, ElicitResult, GetExtensions, InputRequest,
    InputRequests, InputRequiredResult, RequestId, ServerRequest,
};
use rmcp::service::{OriginatingRequestId, Peer, PeerRequestOptions};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use form::FormAnswer;

/// Who is asked before a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ask {
    /// The approver of the engine is asked; without one no one is asked.
    #[default]
    Engine,
    /// The user of the client is asked, if the client offers elicitation and is known to show questions to a person.
    Known,
    /// The user of the client is asked, if the client offers elicitation.
    Elicit,
}

/// Clients that show an elicitation to a person at a terminal, and decline it if there is no person. docs/asking.md describes
/// them, and the clients that were examined and are not in the list.
const KNOWN: &[&str] = &["claude-code", "codex-mcp-client"];

/// Clients whose dialog leaves out the preset text of a field, so that a form for words cannot be sent with Enter alone, and
/// which keep the form on the screen when it is withdrawn: Codex 0.166.0, November 2026. They are not asked for words.
const WITHOUT_PRESETS: &[&str] = &["codex-mcp-client"];

/// The interval at which a waiting call checks whether it was cancelled.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// A no that arrives sooner was not given by a person, who could not have read the question by then.
const READING: Duration = Duration::from_millis(300);
/// The name of the question in the input requests of a call that has to be repeated.
const NAME: &str = "decision";

/// A question on its way to the person, with the channel for the answer.
pub(crate) struct PendingQuestion {
    request: ElicitRequest,
    /// Receives the result; none if the client gave none.
    answer: Sender<Option<ElicitResult>>,
    wait: Wait,
    /// The deadline of the answer, if it is earlier than that of the question itself.
    until: Option<Instant>,
}

/// The approver of one call: sends its questions to the task of the call, which passes them to the client by MCP elicitation.
pub(crate) struct ElicitApprover {
    line: UnboundedSender<PendingQuestion>,
    /// Whether a no is followed by a form for the reason.
    takes_words: bool,
}

impl ElicitApprover {
    pub(crate) fn new(line: UnboundedSender<PendingQuestion>, client: Option<&str>) -> Self {
        Self {
            line,
            takes_words: client.is_none_or(|name| !WITHOUT_PRESETS.contains(&name)),
        }
    }

    /// Shows one form to the person; none if no one fills it in.
    fn put(
        &self,
        request: Option<ElicitRequest>,
        wait: &Wait,
        until: Option<Instant>,
    ) -> Option<ElicitResult> {
        let (answer, answered) = channel();
        let asked = PendingQuestion {
            request: request?,
            answer,
            wait: wait.clone(),
            until,
        };
        self.line.send(asked).ok()?;
        loop {
            match answered.recv_timeout(LOOK_EVERY) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if is_over(wait, until) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Approver for ElicitApprover {
    fn ask(&self, question: &Question, wait: &Wait) -> Answer {
        let began = Instant::now();
        let Some(result) = self.put(form::decision(question), wait, None) else {
            return Answer::Unanswered(None);
        };
        let no = match began.elapsed() < READING {
            true => Answer::Unanswered,
            false => Answer::No,
        };
        match form::understood(&result, question) {
            FormAnswer::Yes => Answer::Yes,
            FormAnswer::Session => Answer::Session,
            FormAnswer::Always => Answer::Always,
            FormAnswer::Dismissed => Answer::Unanswered(None),
            FormAnswer::Declined => no(None),
            FormAnswer::No if !self.takes_words => no(None),
            FormAnswer::No => {
                // The no is final, whatever becomes of the reason.
                wait.declined();
                let until = Instant::now().checked_add(WORDS_WAIT);
                let result = self.put(form::reason(), wait, until);
                no(result.and_then(|result| form::words(&result)))
            }
        }
    }
}

fn is_over(wait: &Wait, until: Option<Instant>) -> bool {
    wait.is_over() || until.is_some_and(|until| Instant::now() > until)
}

/// Whether the user of a client is asked.
pub(crate) fn is_asked(
    ask: Ask,
    client: Option<&str>,
    capabilities: Option<&ClientCapabilities>,
) -> bool {
    let asks = match ask {
        Ask::Engine => false,
        Ask::Elicit => true,
        Ask::Known => client.is_some_and(|name| KNOWN.contains(&name)),
    };
    // A client that lists no kinds of elicitation supports forms; one that lists only URLs does not.
    asks && capabilities
        .and_then(|capabilities| capabilities.elicitation.as_ref())
        .is_some_and(|offer| offer.form.is_some() || offer.url.is_none())
}

impl PendingQuestion {
    /// Whether no call waits for the answer any more.
    pub(crate) fn is_over(&self) -> bool {
        is_over(&self.wait, self.until)
    }

    /// Asks in the first generation: sends a request to the client, and withdraws it when no call waits for it any
    /// more. The request goes the way of the answer to `call`.
    pub(crate) async fn put_to(self, peer: Peer<RoleServer>, call: RequestId) {
        let mut request = ServerRequest::ElicitRequest(self.request.clone());
        request.extensions_mut().insert(OriginatingRequestId(call));
        let options = PeerRequestOptions::no_options();
        let Ok(mut handle) = peer.send_cancellable_request(request, options).await else {
            return;
        };
        let result = loop {
            tokio::select! {
                response = &mut handle.rx => break match response {
                    Ok(Ok(ClientResult::ElicitResult(result))) => Some(result),
                    _ => None,
                },
                () = tokio::time::sleep(LOOK_EVERY) => {
                    if self.is_over() {
                        let reason = "the question is no longer open".to_owned();
                        let _ = handle.cancel(Some(reason)).await;
                        return;
                    }
                }
            }
        };
        let _ = self.answer.send(result);
    }

    /// Asks in the second generation: makes the result that says what the call needs.
    pub(crate) fn required(&self, state: &str) -> InputRequiredResult {
        let mut requests = InputRequests::new();
        let request = InputRequest::Elicitation(self.request.clone());
        requests.insert(NAME.to_owned(), request);
        InputRequiredResult::new(Some(requests), Some(state.to_owned()))
    }

    /// Takes the answer from a repeated call.
    pub(crate) fn answered(self, responses: Option<&BTreeMap<String, Value>>) {
        let response = responses.and_then(|responses| responses.get(NAME)).cloned();
        let result = response.and_then(|value| serde_json::from_value(value).ok());
        let _ = self.answer.send(result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_known_clients_are_asked_unless_told_otherwise() {
        let offers: ClientCapabilities =
            serde_json::from_value(json!({ "elicitation": {} })).expect("capabilities");
        let asked = |ask, client| is_asked(ask, Some(client), Some(&offers));
        assert!(asked(Ask::Known, "claude-code"));
        assert!(asked(Ask::Known, "codex-mcp-client"));
        assert!(!asked(Ask::Known, "goose"));
        assert!(asked(Ask::Elicit, "goose"));
        assert!(!asked(Ask::Engine, "claude-code"));
        let none = ClientCapabilities::default();
        assert!(!is_asked(Ask::Elicit, Some("claude-code"), Some(&none)));
    }
}
