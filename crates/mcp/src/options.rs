//! The options of a server.

use std::sync::Arc;
use std::time::Duration;

use lancet::SessionName;
use lancet::approval::Approver;
use lancet::questions::RecordedQuestion;
use lancet_serving::Log;

use crate::elicit::Ask;
use crate::roots::RootsOrigin;

/// The longest message a client may send, in bytes.
pub const MESSAGE_LIMIT: usize = 64 * 1024 * 1024;

/// The form of answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerFormat {
    /// Text for the model; data for programs in `_meta["lancet/result"]`.
    #[default]
    Text,
    /// Like `Text`, plus `structuredContent` with an output schema for every tool but Read.
    Structured,
}

/// How much of an answer's data `_meta["lancet/result"]` contains. A request's `_meta["lancet/data"]` takes precedence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataExtent {
    /// All of it for clients that are known to keep it from their model; for others only what the text does not say.
    #[default]
    ByClient,
    /// All of it, except for clients that are known to forward it to their model.
    Full,
    /// Only what the text does not say.
    Brief,
}

/// Notifies the host that a question begins to wait.
#[derive(Clone)]
pub struct QuestionNotifier(Arc<dyn Fn(&RecordedQuestion) + Send + Sync>);

impl QuestionNotifier {
    /// Makes a notifier. It is called on the thread that serves the connection, and must not wait.
    pub fn new(tell: impl Fn(&RecordedQuestion) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    pub(crate) fn notify(&self, question: &RecordedQuestion) {
        (self.0)(question);
    }
}

impl std::fmt::Debug for QuestionNotifier {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Notify")
    }
}

/// An approver of calls.
#[derive(Clone)]
pub struct CallApprover(pub(crate) Arc<dyn Approver>);

impl CallApprover {
    /// Wraps an approver.
    pub fn new(approver: impl Approver + 'static) -> Self {
        Self(Arc::new(approver))
    }
}

impl std::fmt::Debug for CallApprover {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("CallApprover")
    }
}

/// The options of a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The session of all calls, whatever they name themselves. If there is none, each call's own session is used.
    pub session: Option<SessionName>,
    /// The environment variables that may name the session of calls that name none
    /// ([`SESSION_VARIABLES`](lancet_serving::conversation::SESSION_VARIABLES)), with their values.
    pub environment: Vec<(String, String)>,
    /// The process of the agent, by its id and start time. The session that the agent's hooks last reported for it
    /// takes precedence over the environment.
    pub agent_process: Option<String>,
    /// The form of answers.
    pub answers: AnswerFormat,
    /// How much data answers have for programs.
    pub data: DataExtent,
    /// Who is prompted before a write.
    pub ask: Ask,
    /// The approver of calls for which neither the client is prompted nor a question recorded. If there is none, the
    /// engine's approver is used.
    pub approver: Option<CallApprover>,
    /// The notifier that is called when something begins to wait for a decision.
    pub notify: Option<QuestionNotifier>,
    /// The log of the server's own messages.
    pub log: Log,
    /// The longest time that a call may take.
    pub time_limit: Duration,
    /// How long a call may take to stop after a request to do so, before its thread is replaced.
    pub grace: Duration,
    /// Where the roots come from, which decides how the roots of a client may change them.
    pub roots: RootsOrigin,
    /// How long a call waits for the roots of a client that offers them.
    pub roots_wait: Duration,
    /// The longest message, in bytes.
    pub message_limit: usize,
    /// How long no call must arrive before the history is maintained.
    pub quiet: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            session: None,
            environment: Vec::new(),
            agent_process: None,
            answers: AnswerFormat::Text,
            data: DataExtent::ByClient,
            ask: Ask::default(),
            approver: None,
            notify: None,
            log: Log::discard(),
            time_limit: lancet::call::TIME_LIMIT,
            grace: Duration::from_secs(5),
            roots: RootsOrigin::Named,
            roots_wait: Duration::from_secs(5),
            message_limit: MESSAGE_LIMIT,
            quiet: Duration::from_secs(20),
        }
    }
}
