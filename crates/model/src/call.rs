//! A call before any stage has handled it: tool name, raw arguments, the caller, and the handle that cancels it.

use crate::non_exhaustive::NonExhaustive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lancet_search::SearchProgress;
use serde_json::Value;

use crate::applied_by::AppliedBy;
use crate::approval::Approver;

pub use crate::limit::{AnswerLimit, Measure, PassedOnLimits, Pictures};

/// The longest time that a call may take, not counting waits for a person.
pub const TIME_LIMIT: Duration = Duration::from_secs(60);

/// A tool call as the caller sent it.
#[derive(Clone)]
#[non_exhaustive]
pub struct RawCall {
    /// The name of the tool.
    pub tool: String,
    /// The arguments as the model sent them.
    pub arguments: Value,
    /// The client that calls.
    pub caller: Caller,
    /// The handle that stops the call early.
    pub cancel: Cancel,
    /// The approver for this call; none to use the engine's approver.
    pub approver: Option<Arc<dyn Approver>>,
    /// How the call asks a person.
    pub asks: AskMode,
    /// Who the call is made for, which decides which lines count as seen.
    pub applied_by: AppliedBy,
}

/// How a call asks a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskMode {
    /// The call waits for the approver's answer.
    #[default]
    AtOnce,
    /// The question is recorded in the state folder, and the call is refused as `waiting` until it is sent again after
    /// a person has decided. No thread and no file is held meanwhile.
    Recorded {
        /// Whether the host itself shows recorded questions. Otherwise a question is only recorded while a program that
        /// shows them is running.
        deciders: Deciders,
        /// The question that this call has waited on. If another call has used the decision, this one gets that call's
        /// answer.
        waited_on: Option<String>,
    },
}

/// Whether a viewer of recorded questions is known to exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Deciders {
    /// The host shows the question itself.
    Present,
    /// A viewer exists only while a program that shows questions is running (`Questions::watch`).
    #[default]
    IfWatched,
}

impl RawCall {
    /// Makes a call without information about its caller.
    pub fn new(tool: impl Into<String>, arguments: Value) -> Self {
        Self {
            tool: tool.into(),
            arguments,
            caller: Caller::default(),
            cancel: Cancel::new(),
            approver: None,
            asks: AskMode::AtOnce,
            applied_by: AppliedBy::Model,
        }
    }
}

impl RawCall {
    /// Sets the caller.
    #[must_use]
    pub fn with_caller(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    /// Sets the handle that stops the call, and with it the time limit. The caller keeps a clone.
    #[must_use]
    pub fn with_cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// Sets who the call is made for.
    #[must_use]
    pub fn with_applied_by(mut self, applied_by: AppliedBy) -> Self {
        self.applied_by = applied_by;
        self
    }

    /// Sets how the call asks a person.
    #[must_use]
    pub fn with_ask_mode(mut self, asks: AskMode) -> Self {
        self.asks = asks;
        self
    }

    /// Sets the approver for this call, in place of the engine's.
    #[must_use]
    pub fn with_approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }
}

/// The caller, as far as it is known. Names and ids are only recorded; no decision depends on them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// The client's name, as the client introduced itself.
    pub client: Option<String>,
    /// The client's version.
    pub version: Option<String>,
    /// The conversation's turn, where the caller names one.
    pub turn: Option<String>,
    /// The caller's own id of this call.
    pub call: Option<String>,
    /// How much of the answer the client passes on to the model.
    pub handed_on: PassedOnLimits,
    /// Whether the session of the call is used by a single conversation.
    pub conversation: Conversation,
    #[doc(hidden)]
    pub non_exhaustive: NonExhaustive,
}

/// Whether a session is used by a single conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Conversation {
    /// The calling model has seen everything that the session has read.
    #[default]
    One,
    /// The client runs sub-agents and does not say which of them calls, so another one may have seen what the session
    /// has read. Replacing a whole file then needs its revision.
    MayBeSeveral,
}

impl Caller {
    /// Makes a caller from the client's name and version.
    pub fn client(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            client: Some(name.into()),
            version: Some(version.into()),
            ..Self::default()
        }
    }

    /// Makes a caller from the name and version that a program on the other side of a protocol gives itself. The names
    /// that lancet records for a person's own changes are not accepted from it, so that its changes always need review.
    pub fn from_self_reported(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self::client(lancet_history::disambiguate_client(name.into()), version)
    }

    /// Adds the conversation's turn. All changes of a turn can be undone at once.
    #[must_use]
    pub fn with_turn(mut self, turn: impl Into<String>) -> Self {
        self.turn = Some(turn.into());
        self
    }

    /// Adds the caller's own id of the call.
    #[must_use]
    pub fn with_call(mut self, call: impl Into<String>) -> Self {
        self.call = Some(call.into());
        self
    }
}

/// How the ledger counts text that a host showed the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SeenAs {
    /// The text is whole lines of the file: they count as read and may be edited.
    WholeLines,
    /// The text is not whole lines of the file: an edit is refused until the model reads the file.
    PartialView,
    /// The text is not whole lines of the file, but this session had seen the file before: the lines that counted as
    /// read still do.
    NothingNew,
}

/// A handle that stops a call early, used by a caller that no longer wants the answer or by the time limit. It also
/// shows whether the call has begun to write, for a host that has to answer in the call's place. Clones share one
/// state.
#[derive(Clone, Debug)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    writing: Arc<AtomicBool>,
    /// Whether the call is waiting for a person at this moment.
    waiting: Arc<AtomicBool>,
    /// The milliseconds that the call has waited for a person; they do not count towards the limit.
    waited: Arc<AtomicU64>,
    /// How far the search of the call has come.
    so_far: Arc<SearchProgress>,
    limit: Duration,
    deadline: Option<Instant>,
}

/// Two handles are equal if they stop the same call.
impl PartialEq for Cancel {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.flag, &other.flag)
    }
}

impl Eq for Cancel {}

impl Default for Cancel {
    fn default() -> Self {
        Self::new()
    }
}

/// Why a call was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stopped {
    /// The caller no longer wants the answer.
    Cancelled,
    /// The time limit was reached.
    TimedOut,
}

impl Cancel {
    /// Makes a handle with the time limit [`TIME_LIMIT`], which starts now.
    pub fn new() -> Self {
        Self::with_time_limit(TIME_LIMIT)
    }

    /// Makes a handle with another time limit, which starts now.
    pub fn with_time_limit(limit: Duration) -> Self {
        Self {
            flag: Arc::default(),
            writing: Arc::default(),
            waiting: Arc::default(),
            waited: Arc::default(),
            so_far: Arc::default(),
            limit,
            deadline: Instant::now().checked_add(limit),
        }
    }

    /// Returns the time limit.
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// Stops the call at the next point where that is safe. A write that has begun is finished.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Returns whether the call has begun to write. If the call fails after that, the state of its files is unknown.
    pub fn may_have_written(&self) -> bool {
        self.writing.load(Ordering::SeqCst)
    }

    /// Records that the write begins.
    #[doc(hidden)]
    pub fn begin_writing(&self) {
        self.writing.store(true, Ordering::SeqCst);
    }

    /// Records that the write ended and left every file as it was.
    #[doc(hidden)]
    pub fn wrote_nothing(&self) {
        self.writing.store(false, Ordering::SeqCst);
    }

    /// Describes how far the search of the call has come; none if the call does not search, or has not begun to.
    pub fn describe_progress(&self) -> Option<String> {
        let (looked_at, found) = (self.so_far.visited_count(), self.so_far.found_count());
        (looked_at > 0).then(|| {
            let files = |number| if number == 1 { "file" } else { "files" };
            format!("{looked_at} {} looked at, {found} found", files(looked_at))
        })
    }

    /// Returns the counters that a search updates while it runs.
    #[doc(hidden)]
    pub fn progress(&self) -> &SearchProgress {
        &self.so_far
    }

    /// Returns whether the caller no longer wants the answer.
    #[doc(hidden)]
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Returns whether the call should stop, and why.
    pub fn stopped(&self) -> Option<Stopped> {
        if self.is_cancelled() {
            return Some(Stopped::Cancelled);
        }
        let late = !self.is_waiting() && self.deadline().is_some_and(|end| Instant::now() > end);
        late.then_some(Stopped::TimedOut)
    }

    /// Returns whether the call is waiting for a person; its time limit is suspended meanwhile.
    pub fn is_waiting(&self) -> bool {
        self.waiting.load(Ordering::SeqCst)
    }

    /// Returns when the call's time is over, as far as is known now: later waits for a person extend it.
    pub fn deadline(&self) -> Option<Instant> {
        let waited = Duration::from_millis(self.waited.load(Ordering::SeqCst));
        self.deadline?.checked_add(waited)
    }

    /// Records that a wait for a person begins.
    #[doc(hidden)]
    pub fn begin_waiting(&self) {
        self.waiting.store(true, Ordering::SeqCst);
    }

    /// Records that the wait for a person is over, and how long it lasted.
    #[doc(hidden)]
    pub fn end_waiting(&self, lasted: Duration) {
        let lasted = u64::try_from(lasted.as_millis()).unwrap_or(u64::MAX);
        self.waited.fetch_add(lasted, Ordering::SeqCst);
        self.waiting.store(false, Ordering::SeqCst);
    }
}
