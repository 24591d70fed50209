//! Questions to the user of a client by MCP elicitation, in both generations of the protocol. In the first the server
//! sends a request. In the second the call ends with the question and goes on when the client repeats it with the
//! answer. A question is recorded before it is shown, and another program may decide it meanwhile.

mod dialog;
mod form;

use std::collections::BTreeMap;
use std::time::Duration;

use lancet::approval::{Answer, Question};
use rmcp::model::{
    ClientCapabilities, ElicitRequest, ElicitResult, InputRequest, InputRequests,
    InputRequiredResult,
};
use serde_json::Value;

pub(crate) use dialog::Dialog;
use form::FormAnswer;
pub(crate) use form::{decision_form, extract_reason as words_of, reason_form};

/// Who is prompted before a write. If neither the client nor a record is used, the engine's approver decides; without
/// an approver there is no prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// Whether the user of the client is prompted.
    pub elicit: Elicitation,
    /// Whether questions are recorded for other programs that show them.
    pub page: QuestionRecording,
}

/// Whether the user of the client is prompted, in the client's own dialog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Elicitation {
    /// Never.
    #[default]
    Never,
    /// If the client offers elicitation and is known to show questions to a person.
    Known,
    /// If the client offers elicitation.
    Always,
}

/// Whether questions are recorded for `lancet pending` and other programs that show them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuestionRecording {
    /// Never.
    #[default]
    Never,
    /// While such a program is running.
    IfWatched,
    /// Always.
    Always,
}

impl Ask {
    /// Prompts the user of a client that is known to show questions, and records them while a program that shows them
    /// is running.
    pub const fn known_clients() -> Self {
        Self {
            elicit: Elicitation::Known,
            page: QuestionRecording::IfWatched,
        }
    }

    /// Prompts the user of any client that offers elicitation, and records no question for other programs.
    pub const fn any_client() -> Self {
        Self {
            elicit: Elicitation::Always,
            page: QuestionRecording::Never,
        }
    }

    /// Records every question.
    pub const fn always_recorded() -> Self {
        Self {
            elicit: Elicitation::Never,
            page: QuestionRecording::Always,
        }
    }
}

/// Clients that show an elicitation to a person at a terminal, and decline it if there is no person. docs/asking.md
/// describes them, and the clients that were examined and are not in the list.
const KNOWN_CLIENTS: &[&str] = &["claude-code", "codex-mcp-client"];

/// Clients whose dialog leaves out the preset text of a field, so that a text form cannot be sent with Enter alone, and
/// which leave the form on the screen when it is withdrawn: Codex 0.166.0, November 2026. They are not prompted for a
/// reason.
const CLIENTS_WITHOUT_PRESETS: &[&str] = &["codex-mcp-client"];

/// A no that arrives sooner was not given by a person, who could not have read the question by then.
const MIN_READING_TIME: Duration = Duration::from_millis(300);
/// The name of the question in the input requests of a call that has to be repeated.
const REQUEST_NAME: &str = "decision";

/// The meaning of a form's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FormResult {
    /// This is the answer.
    Answer(Answer),
    /// This no is the answer, and the person may be prompted for the reason.
    NoWithReason(Answer),
}

/// Interprets the result of the form for the decision. `result` is none if the client gave no result; `asked` is the
/// time since the question was shown.
pub(crate) fn interpret_result(
    result: Option<&ElicitResult>,
    question: &Question,
    asked: Duration,
) -> FormResult {
    let Some(result) = result else {
        return FormResult::Answer(Answer::Unanswered(None));
    };
    let no = match asked < MIN_READING_TIME {
        true => Answer::Unanswered(None),
        false => Answer::No(None),
    };
    let client = question.client.as_deref();
    let takes_words = client.is_none_or(|name| !CLIENTS_WITHOUT_PRESETS.contains(&name));
    let given = form::interpret_answer(result, question);
    if let (FormAnswer::No, Some(by)) = (given, form::deciding_program(result)) {
        let words = form::extract_reason(result);
        return FormResult::Answer(Answer::NoByProgram { by, words });
    }
    FormResult::Answer(match given {
        FormAnswer::Yes => Answer::Yes,
        FormAnswer::Session => Answer::Session,
        FormAnswer::Always => Answer::Always,
        FormAnswer::Dismissed => Answer::Unanswered(None),
        FormAnswer::No if !takes_words => no,
        FormAnswer::No => return FormResult::NoWithReason(no),
        FormAnswer::Declined => no,
    })
}

/// Reports whether the user of a client is prompted.
pub(crate) fn is_user_prompted(
    ask: Elicitation,
    client: Option<&str>,
    capabilities: Option<&ClientCapabilities>,
) -> bool {
    let asks = match ask {
        Elicitation::Never => false,
        Elicitation::Always => true,
        Elicitation::Known => client.is_some_and(|name| KNOWN_CLIENTS.contains(&name)),
    };
    // A client that lists no kinds of elicitation supports forms; one that lists only URLs does not.
    asks && capabilities
        .and_then(|capabilities| capabilities.elicitation.as_ref())
        .is_some_and(|offer| offer.form.is_some() || offer.url.is_none())
}

/// Prompts in the second generation: makes the result that says which input the call needs.
pub(crate) fn input_required_result(form: ElicitRequest, state: String) -> InputRequiredResult {
    let mut requests = InputRequests::new();
    requests.insert(REQUEST_NAME.to_owned(), InputRequest::Elicitation(form));
    InputRequiredResult::new(Some(requests), Some(state))
}

/// Takes the result from a repeated call of the second generation.
pub(crate) fn take_result(responses: Option<&BTreeMap<String, Value>>) -> Option<ElicitResult> {
    let response = responses
        .and_then(|responses| responses.get(REQUEST_NAME))
        .cloned();
    response.and_then(|value| serde_json::from_value(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn prompts_only_known_clients_by_default() {
        let offers: ClientCapabilities =
            serde_json::from_value(json!({ "elicitation": {} })).expect("capabilities");
        let asked = |ask, client| is_user_prompted(ask, Some(client), Some(&offers));
        assert!(asked(Elicitation::Known, "claude-code"));
        assert!(asked(Elicitation::Known, "codex-mcp-client"));
        assert!(!asked(Elicitation::Known, "goose"));
        assert!(asked(Elicitation::Always, "goose"));
        assert!(!asked(Elicitation::Never, "claude-code"));
        let none = ClientCapabilities::default();
        assert!(!is_user_prompted(
            Elicitation::Always,
            Some("claude-code"),
            Some(&none)
        ));
    }
}
