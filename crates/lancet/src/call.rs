//! A call as it comes in, before any room has looked at it: tool name, raw arguments, who calls, how to stop it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lancet_search::SearchProgress;
use serde_json::Value;

use crate::approval::Approver;

pub use crate::limit::{AnswerLimit, HandedOn, Measure};

/// The longest a call may take; waits for a person apart.
pub const TIME_LIMIT: Duration = Duration::from_secs(60);

/// A call in the words of its caller.
#[derive(Clone)]
#[non_exhaustive]
pub struct RawCall {
    /// The tool's name.
    pub tool: String,
    /// The arguments as the model sent them.
    pub arguments: Value,
    /// Who calls.
    pub caller: Caller,
    /// How the call is stopped early.
    pub cancel: Cancel,
    /// Who is asked about it, where it is not whom the engine asks.
    pub approver: Option<Arc<dyn Approver>>,
}

impl RawCall {
    /// A call with nothing known of its caller.
    pub fn new(tool: impl Into<String>, arguments: Value) -> Self {
        Self {
            tool: tool.into(),
            arguments,
            caller: Caller::default(),
            cancel: Cancel::new(),
            approver: None,
        }
    }
}

impl RawCall {
    /// Says who calls.
    #[must_use]
    pub fn with_caller(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    /// Hands in the handle by which the call is stopped, and its time limit. The caller keeps a clone.
    #[must_use]
    pub fn with_cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// Says who is asked about this call, instead of the engine's approver.
    #[must_use]
    pub fn with_approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }
}

/// What is known of who calls. Names and ids are for the record; nothing is decided by them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Caller {
    /// The client's name, as it introduced itself.
    pub client: Option<String>,
    /// The client's version.
    pub version: Option<String>,
    /// The caller's turn, where it names one.
    pub turn: Option<String>,
    /// The caller's own id of this call.
    pub call: Option<String>,
    /// How much of the answer reaches the model.
    pub handed_on: HandedOn,
}

impl Caller {
    /// A client by its name and version.
    pub fn client(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            client: Some(name.into()),
            version: Some(version.into()),
            ..Self::default()
        }
    }

    /// Adds the caller's turn. All changes of a turn can be taken back at once.
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

/// What text that a host put before the model counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SeenAs {
    /// Whole lines of the file: they count as read and may be edited.
    WholeLines,
    /// Something else than whole lines: an edit is refused until the model reads the file.
    PartialView,
    /// Something else than whole lines, of a file that this session had seen before: what counted as read stays so.
    NothingNew,
}

/// Stops a call early: set by whoever no longer wants the answer, or by the time limit. Tells the other way round
/// whether the call has begun to write, for whoever has to answer in its stead. Clones are one handle.
#[derive(Clone, Debug)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    writing: Arc<AtomicBool>,
    /// Whether the call waits for a person just now.
    waiting: Arc<AtomicBool>,
    /// Milliseconds that it has waited: they do not count.
    waited: Arc<AtomicU64>,
    /// How far its search has come.
    so_far: Arc<SearchProgress>,
    limit: Duration,
    deadline: Option<Instant>,
}

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
    /// A handle whose time limit, [`TIME_LIMIT`], starts now.
    pub fn new() -> Self {
        Self::within(TIME_LIMIT)
    }

    /// A handle with another time limit, which starts now.
    pub fn within(limit: Duration) -> Self {
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

    /// The time limit.
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// Stops the call at the next point where that is safe. A write that has begun is finished.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether the call has begun to write. A fault after that leaves files that nobody knows the state of.
    pub fn may_have_written(&self) -> bool {
        self.writing.load(Ordering::SeqCst)
    }

    /// The write begins.
    pub(crate) fn begin_writing(&self) {
        self.writing.store(true, Ordering::SeqCst);
    }

    /// The write ended and left every file as it was.
    pub(crate) fn wrote_nothing(&self) {
        self.writing.store(false, Ordering::SeqCst);
    }

    /// How far the search of the call has come; none where it does not search, or has not begun.
    pub fn so_far(&self) -> Option<String> {
        let (looked_at, found) = (self.so_far.visited(), self.so_far.found());
        (looked_at > 0).then(|| {
            let files = |number| if number == 1 { "file" } else { "files" };
            format!("{looked_at} {} looked at, {found} found", files(looked_at))
        })
    }

    /// Where a search tells how far it has come.
    pub(crate) fn progress(&self) -> &SearchProgress {
        &self.so_far
    }

    /// Whether the caller no longer wants the answer.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Whether, and why, the call should stop.
    pub fn stopped(&self) -> Option<Stopped> {
        if self.is_cancelled() {
            return Some(Stopped::Cancelled);
        }
        let late = !self.is_waiting() && self.end().is_some_and(|end| Instant::now() > end);
        late.then_some(Stopped::TimedOut)
    }

    /// Whether the call waits for a person: its time stands still then.
    pub fn is_waiting(&self) -> bool {
        self.waiting.load(Ordering::SeqCst)
    }

    /// When the call's time is over, as far as is known: what it waits for a person comes on top.
    pub fn end(&self) -> Option<Instant> {
        let waited = Duration::from_millis(self.waited.load(Ordering::SeqCst));
        self.deadline?.checked_add(waited)
    }

    /// A wait for a person begins.
    pub(crate) fn begin_waiting(&self) {
        self.waiting.store(true, Ordering::SeqCst);
    }

    /// It has lasted that long.
    pub(crate) fn end_waiting(&self, lasted: Duration) {
        let lasted = u64::try_from(lasted.as_millis()).unwrap_or(u64::MAX);
        self.waited.fetch_add(lasted, Ordering::SeqCst);
        self.waiting.store(false, Ordering::SeqCst);
    }
}
