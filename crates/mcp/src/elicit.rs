//! Questions to the person behind a client, as MCP elicitation: in the words of the protocol, in both its generations. The
//! first asks with a request of the server's own; the second ends the call with what it needs and goes on when it is
//! called again.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use lancet::{Answer, Approver, Question, Wait};
use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, InputRequest, InputRequests, InputRequiredResult, Request, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

/// Who is asked before a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ask {
    /// Whom the engine asks; without an approver nobody.
    #[default]
    Engine,
    /// The person behind the client, where the client offers elicitation.
    Elicit,
}

/// How often whoever waits for an answer looks whether it is still wanted.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The longest diff that a question shows, in characters.
const LONGEST_DIFF: usize = 8_000;
/// The name of the question in a call that is to be sent again.
const NAME: &str = "decision";

/// A question on its way to the person, and where the answer goes.
pub(crate) struct Asked {
    question: Question,
    answer: Sender<Answer>,
    wait: Wait,
}

/// The approver of one call: hands its questions to the task that looks after the call.
pub(crate) struct Line(pub(crate) UnboundedSender<Asked>);

impl Approver for Line {
    fn ask(&self, question: &Question, wait: &Wait) -> Answer {
        let (answer, answered) = channel();
        let asked = Asked {
            question: question.clone(),
            answer,
            wait: wait.clone(),
        };
        if self.0.send(asked).is_err() {
            return Answer::No(None);
        }
        loop {
            match answered.recv_timeout(LOOK_EVERY) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => return Answer::No(None),
                Err(RecvTimeoutError::Timeout) if wait.is_over() => return Answer::No(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Whether a client shows its user forms.
pub(crate) fn is_offered(capabilities: Option<&ClientCapabilities>) -> bool {
    capabilities
        .and_then(|capabilities| capabilities.elicitation.as_ref())
        .is_some_and(|offer| offer.form.is_some() || offer.url.is_none())
}

impl Asked {
    /// Whether nobody waits for the answer any more.
    pub(crate) fn is_over(&self) -> bool {
        self.wait.is_over()
    }

    /// Asks in the first generation: a request to the client, withdrawn where nobody waits for it any more.
    pub(crate) async fn put_to(self, peer: Peer<RoleServer>) {
        let Some(request) = request(&self.question) else {
            return;
        };
        let request = ServerRequest::ElicitRequest(request);
        let options = PeerRequestOptions::no_options();
        let Ok(mut handle) = peer.send_cancellable_request(request, options).await else {
            return;
        };
        let answer = loop {
            tokio::select! {
                response = &mut handle.rx => break match response {
                    Ok(Ok(ClientResult::ElicitResult(result))) => understood(&result),
                    _ => Answer::No(None),
                },
                () = tokio::time::sleep(LOOK_EVERY) => {
                    if self.wait.is_over() {
                        let reason = "the question is no longer open".to_owned();
                        let _ = handle.cancel(Some(reason)).await;
                        return;
                    }
                }
            }
        };
        let _ = self.answer.send(answer);
    }

    /// Asks in the second generation: what the call needs before it can go on.
    pub(crate) fn required(&self, state: &str) -> Option<InputRequiredResult> {
        let mut requests = InputRequests::new();
        let request = InputRequest::Elicitation(request(&self.question)?);
        requests.insert(NAME.to_owned(), request);
        Some(InputRequiredResult::new(
            Some(requests),
            Some(state.to_owned()),
        ))
    }

    /// Takes the answer of a call that was sent again.
    pub(crate) fn answered(self, responses: Option<&std::collections::BTreeMap<String, Value>>) {
        let response = responses.and_then(|responses| responses.get(NAME)).cloned();
        let result = response.and_then(|value| serde_json::from_value(value).ok());
        let answer = result.map_or(Answer::No(None), |result| understood(&result));
        let _ = self.answer.send(answer);
    }
}

/// The request for an answer: a message and a form.
fn request(question: &Question) -> Option<ElicitRequest> {
    let mut decisions = vec!["yes", "no", "session"];
    let mut meanings = format!(
        "yes: write it; no: do not; session: yes, and ask no more in this session about {}",
        question.offers.session
    );
    if let Some(rule) = &question.offers.always {
        decisions.push("always");
        meanings.push_str(&format!(
            "; always: yes, and add the rule {rule} to your settings"
        ));
    }
    let schema = json!({
        "type": "object",
        "properties": {
            "decision": { "type": "string", "title": "Decision", "description": meanings, "enum": decisions, "default": "yes" },
            "reason": { "type": "string", "title": "Reason", "description": "Words for the model where the answer is no" },
        },
    });
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: worded(question),
        requested_schema: serde_json::from_value(schema).ok()?,
    };
    Some(Request::new(params))
}

/// The question in words: path, reason, rule and diff.
fn worded(question: &Question) -> String {
    let (added, removed) = question.lines;
    let deed = match question.deed {
        "create" => "create",
        "delete" => "remove",
        _ => "change",
    };
    let mut words = format!(
        "{} wants to {deed} {} (+{added} -{removed}).\nAsked because {}.\n",
        question.tool,
        question.path.display(),
        question.reason
    );
    if let Some(rule) = &question.rule {
        words.push_str(&format!("Rule: {rule}\n"));
    }
    for notice in &question.notices {
        words.push_str(&format!("Note: {notice}\n"));
    }
    let total = question.diff.chars().count();
    words.push('\n');
    words.extend(question.diff.chars().take(LONGEST_DIFF));
    if total > LONGEST_DIFF {
        words.push_str(&format!("\n… {} characters more", total - LONGEST_DIFF));
    }
    words
}

/// What an answer means. A plain accept is yes; whatever is not understood is no.
fn understood(result: &ElicitResult) -> Answer {
    if result.action != ElicitationAction::Accept {
        return Answer::No(None);
    }
    let field = |name: &str| {
        let content = result.content.as_ref()?;
        Some(content.get(name)?.as_str()?.trim().to_owned()).filter(|text| !text.is_empty())
    };
    match field("decision").as_deref() {
        None | Some("yes") => Answer::Yes,
        Some("session") => Answer::Session,
        Some("always") => Answer::Always,
        Some(_) => Answer::No(field("reason")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(result: Value) -> Answer {
        understood(&serde_json::from_value(result).expect("a result"))
    }

    #[test]
    fn answers_mean_what_they_say_and_anything_else_is_no() {
        let accept = |content: Value| answer(json!({ "action": "accept", "content": content }));
        assert_eq!(answer(json!({ "action": "accept" })), Answer::Yes);
        assert_eq!(accept(json!({})), Answer::Yes);
        assert_eq!(accept(json!({ "decision": "yes" })), Answer::Yes);
        assert_eq!(accept(json!({ "decision": "session" })), Answer::Session);
        assert_eq!(accept(json!({ "decision": "always" })), Answer::Always);
        assert_eq!(
            accept(json!({ "decision": "no", "reason": "not here" })),
            Answer::No(Some("not here".into()))
        );
        assert_eq!(accept(json!({ "decision": "maybe" })), Answer::No(None));
        assert_eq!(answer(json!({ "action": "decline" })), Answer::No(None));
        assert_eq!(answer(json!({ "action": "cancel" })), Answer::No(None));
    }

    #[test]
    fn a_question_offers_always_only_where_it_is_one() {
        let mut question = Question::default();
        let asked = |question: &Question| {
            serde_json::to_value(request(question).expect("a request")).expect("JSON")
        };
        let decisions = |question: &Question| {
            asked(question)["params"]["requestedSchema"]["properties"]["decision"]["enum"].clone()
        };
        assert_eq!(decisions(&question), json!(["yes", "no", "session"]));
        question.offers.always = Some("Edit(//a)".into());
        assert_eq!(
            decisions(&question),
            json!(["yes", "no", "session", "always"])
        );
    }
}
