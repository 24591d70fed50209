//! Calls as futures: a call runs on a separate thread and wakes the task when it is answered. No async runtime is
//! needed.

mod typed;

use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::call::{Cancel, RawCall};
use crate::reply::Reply;
use crate::session::Session;

/// The answer of a call that runs on another thread; made by [`Session::call_async`], [`Session::edit_async`] and the
/// like. The call starts at the first poll. Dropping the future before the answer cancels the call, but a write that has
/// begun is finished.
#[must_use = "a future does nothing unless it is awaited"]
pub struct CallFuture {
    /// The call, taken at the first poll.
    unstarted: Option<BlockingCall>,
    cancel: Cancel,
    shared: Arc<Mutex<SharedState>>,
    progress: CallProgress,
}

/// A call that blocks its thread.
type BlockingCall = Box<dyn FnOnce() -> Reply + Send>;

/// The state that the future and the thread share.
#[derive(Default)]
struct SharedState {
    reply: Option<Reply>,
    waker: Option<Waker>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallProgress {
    Unstarted,
    Running,
    Answered,
}

impl Session {
    /// Carries out one call on a separate thread. The future works under any async runtime; dropping it cancels the
    /// call.
    ///
    /// ```
    /// # use std::{future::Future, pin::pin, sync::Arc, task::{Context, Poll, Wake}, thread::Thread};
    /// # struct Unpark(Thread);
    /// # impl Wake for Unpark { fn wake(self: Arc<Self>) { self.0.unpark() } }
    /// # fn block_on<F: Future>(future: F) -> F::Output {
    /// #     let waker = Arc::new(Unpark(std::thread::current())).into();
    /// #     let mut future = pin!(future);
    /// #     loop {
    /// #         match future.as_mut().poll(&mut Context::from_waker(&waker)) {
    /// #             Poll::Ready(output) => return output,
    /// #             Poll::Pending => std::thread::park(),
    /// #         }
    /// #     }
    /// # }
    /// use lancet::{Lancet, RawCall};
    /// use serde_json::json;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # std::fs::write(folder.path().join("a.txt"), "hello\n")?;
    /// let lancet = Lancet::builder().root(folder.path()).open()?;
    /// let session = lancet.new_session();
    /// let path = folder.path().join("a.txt");
    /// let answer = async {
    ///     let call = RawCall::new("Read", json!({ "file_path": path }));
    ///     session.call_async(call).await
    /// };
    /// assert!(block_on(answer).text().starts_with("1→hello\n"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn call_async(&self, call: RawCall) -> CallFuture {
        let session = self.clone();
        CallFuture::new(call.cancel.clone(), move || session.call(call))
    }
}

impl CallFuture {
    fn new(cancel: Cancel, call: impl FnOnce() -> Reply + Send + 'static) -> Self {
        CallFuture {
            unstarted: Some(Box::new(call)),
            cancel,
            shared: Arc::default(),
            progress: CallProgress::Unstarted,
        }
    }
}

impl Future for CallFuture {
    type Output = Reply;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Reply> {
        let answered = {
            let mut shared = lock(&self.shared);
            shared.waker = Some(task.waker().clone());
            shared.reply.take()
        };
        if let Some(reply) = answered {
            self.progress = CallProgress::Answered;
            return Poll::Ready(reply);
        }
        if let Some(call) = self.unstarted.take() {
            self.progress = CallProgress::Running;
            let shared = Arc::clone(&self.shared);
            let cancel = self.cancel.clone();
            let thread = std::thread::Builder::new().name("lancet-call".into());
            if let Err(error) = thread.spawn(move || run_and_wake(call, &cancel, &shared)) {
                self.progress = CallProgress::Answered;
                let words = format!("no thread could be started for it ({error})");
                return Poll::Ready(Reply::from_internal_failure(&words, &self.cancel));
            }
        }
        Poll::Pending
    }
}

/// Carries out the call and wakes the task that awaits the answer.
fn run_and_wake(call: BlockingCall, cancel: &Cancel, shared: &Mutex<SharedState>) {
    let reply = catch_unwind(AssertUnwindSafe(call))
        .unwrap_or_else(|_| Reply::from_internal_failure("its thread panicked", cancel));
    let waker = {
        let mut shared = lock(shared);
        shared.reply = Some(reply);
        shared.waker.take()
    };
    if let Some(waker) = waker {
        waker.wake();
    }
}

fn lock(shared: &Mutex<SharedState>) -> MutexGuard<'_, SharedState> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for CallFuture {
    fn drop(&mut self) {
        if self.progress == CallProgress::Running {
            self.cancel.cancel();
        }
    }
}

impl fmt::Debug for CallFuture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("CallFuture");
        shown.field("progress", &self.progress).finish()
    }
}
