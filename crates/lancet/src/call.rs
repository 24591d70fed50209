//! A call as it comes in, before any room has looked at it: tool name, raw arguments, who calls, how to stop it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The longest a call may take; waits for a person apart.
pub const TIME_LIMIT: Duration = Duration::from_secs(60);

/// A call in the words of its caller.
#[derive(Clone, Debug)]
pub struct RawCall {
    /// The tool's name.
    pub tool: String,
    /// The arguments as the model sent them.
    pub arguments: Value,
    /// Who calls.
    pub caller: Caller,
    /// How the call is stopped early.
    pub cancel: Cancel,
}

impl RawCall {
    /// A call with nothing known of its caller.
    pub fn new(tool: impl Into<String>, arguments: Value) -> Self {
        Self {
            tool: tool.into(),
            arguments,
            caller: Caller::default(),
            cancel: Cancel::new(),
        }
    }
}

/// What is known of who calls. All of it is for the record; nothing is decided by it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// The client's name, as it introduced itself.
    pub client: Option<String>,
    /// The client's version.
    pub version: Option<String>,
    /// The caller's turn, where it names one.
    pub turn: Option<String>,
    /// The caller's own id of this call.
    pub call: Option<String>,
}

/// Stops a call early: set by whoever no longer wants the answer, or by the time limit. Tells the other way round
/// whether the call has begun to write, for whoever has to answer in its stead. Clones are one handle.
#[derive(Clone, Debug)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    writing: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Default for Cancel {
    fn default() -> Self {
        Self::new()
    }
}

/// Why a call was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
            deadline: Instant::now().checked_add(limit),
        }
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

    /// Whether, and why, the call should stop.
    pub fn stopped(&self) -> Option<Stopped> {
        if self.flag.load(Ordering::Relaxed) {
            return Some(Stopped::Cancelled);
        }
        self.deadline
            .is_some_and(|end| Instant::now() > end)
            .then_some(Stopped::TimedOut)
    }
}
