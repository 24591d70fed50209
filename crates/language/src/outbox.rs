//! The queue of messages to a server. A separate thread writes it, because a server that does not read would block the
//! caller. The queue is bounded, because such a server would fill the memory.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use crate::frame;

/// The maximum number of bytes in the queue. A server that lets more accumulate is ended.
const MAX_QUEUED_BYTES: usize = 64 << 20;

/// How long a server may take to shut down after it was requested to.
const SHUTDOWN_TIME: Duration = Duration::from_secs(1);

/// The queue in front of a server.
pub(crate) struct Outbox {
    queue: Mutex<Queue>,
    changed: Condvar,
}

struct Queue {
    messages: VecDeque<Vec<u8>>,
    bytes: usize,
    state: OutboxState,
    /// Dropping it ends the server.
    alive: Option<Box<dyn Send>>,
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum OutboxState {
    Open,
    /// The queue is written, then the server briefly gets the chance to exit by itself.
    Closing,
    Closed,
}

impl Outbox {
    /// Starts to write to a server.
    pub(crate) fn start_writing(
        name: &str,
        mut input: Box<dyn Write + Send>,
        alive: Box<dyn Send>,
    ) -> std::io::Result<Arc<Outbox>> {
        let outbox = Arc::new(Outbox {
            queue: Mutex::new(Queue {
                messages: VecDeque::new(),
                bytes: 0,
                state: OutboxState::Open,
                alive: Some(alive),
            }),
            changed: Condvar::new(),
        });
        let own = outbox.clone();
        std::thread::Builder::new()
            .name(format!("lsp-w-{name}"))
            .spawn(move || own.write_messages(&mut *input))?;
        Ok(outbox)
    }

    /// Puts a message into the queue.
    pub(crate) fn enqueue(&self, message: &Value) {
        let bytes = frame::frame_message(message);
        let mut queue = self.lock();
        if queue.state != OutboxState::Open {
            return;
        }
        queue.bytes += bytes.len();
        queue.messages.push_back(bytes);
        let overfull = queue.bytes > MAX_QUEUED_BYTES;
        drop(queue);
        self.changed.notify_all();
        if overfull {
            self.end_now();
        }
    }

    /// Writes the queue, then ends the server.
    pub(crate) fn flush_and_end(&self) {
        let mut queue = self.lock();
        if queue.state == OutboxState::Open {
            queue.state = OutboxState::Closing;
        }
        drop(queue);
        self.changed.notify_all();
    }

    /// Ends the server at once.
    pub(crate) fn end_now(&self) {
        let mut queue = self.lock();
        queue.state = OutboxState::Closed;
        queue.messages.clear();
        let alive = queue.alive.take();
        drop(queue);
        self.changed.notify_all();
        // Outside the lock, because dropping it runs code of the host.
        drop(alive);
    }

    fn write_messages(&self, input: &mut dyn Write) {
        while let Some(bytes) = self.next_message() {
            if input
                .write_all(&bytes)
                .and_then(|()| input.flush())
                .is_err()
            {
                break;
            }
        }
        self.wait_for_shutdown();
        self.end_now();
    }

    /// Waits for a server that was requested to shut down.
    fn wait_for_shutdown(&self) {
        let queue = self.lock();
        let waits = |queue: &mut Queue| queue.state == OutboxState::Closing;
        // The result does not matter: the server is ended afterwards.
        drop(self.changed.wait_timeout_while(queue, SHUTDOWN_TIME, waits));
    }

    /// Returns the next message; none if there will be no more.
    fn next_message(&self) -> Option<Vec<u8>> {
        let mut queue = self.lock();
        loop {
            if let Some(bytes) = queue.messages.pop_front() {
                queue.bytes -= bytes.len();
                return Some(bytes);
            }
            if queue.state != OutboxState::Open {
                return None;
            }
            queue = self
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
