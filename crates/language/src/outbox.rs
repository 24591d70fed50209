//! What is on its way to a server. A thread of its own writes it, because a server that does not read would block the
//! caller; and what may wait is bounded, because such a server would fill the memory.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use crate::frame;

/// The most bytes that may wait. A server that lets more wait is ended.
const MOST_WAITING: usize = 64 << 20;

/// How long a server that was asked to end may take for it.
const FAREWELL: Duration = Duration::from_secs(1);

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
    /// What waits is written, then the server may end by itself for a moment.
    Closing,
    Closed,
}

impl Outbox {
    /// Begins to write to a server.
    pub(crate) fn begin(
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
            .spawn(move || own.write_all(&mut *input))?;
        Ok(outbox)
    }

    /// Puts a message into the queue.
    pub(crate) fn send(&self, message: &Value) {
        let bytes = frame::framed(message);
        let mut queue = self.lock();
        if queue.state != OutboxState::Open {
            return;
        }
        queue.bytes += bytes.len();
        queue.messages.push_back(bytes);
        let overfull = queue.bytes > MOST_WAITING;
        drop(queue);
        self.changed.notify_all();
        if overfull {
            self.end();
        }
    }

    /// Writes what waits, then ends the server.
    pub(crate) fn close(&self) {
        let mut queue = self.lock();
        if queue.state == OutboxState::Open {
            queue.state = OutboxState::Closing;
        }
        drop(queue);
        self.changed.notify_all();
    }

    /// Ends the server at once.
    pub(crate) fn end(&self) {
        let mut queue = self.lock();
        queue.state = OutboxState::Closed;
        queue.messages.clear();
        let alive = queue.alive.take();
        drop(queue);
        self.changed.notify_all();
        // Outside the lock: what it does is the host's.
        drop(alive);
    }

    fn write_all(&self, input: &mut dyn Write) {
        while let Some(bytes) = self.next() {
            if input
                .write_all(&bytes)
                .and_then(|()| input.flush())
                .is_err()
            {
                break;
            }
        }
        self.wait_for_farewell();
        self.end();
    }

    /// Gives a server that was asked to end the time for it.
    fn wait_for_farewell(&self) {
        let queue = self.lock();
        let waits = |queue: &mut Queue| queue.state == OutboxState::Closing;
        // How it went does not matter: the server is ended after it.
        drop(self.changed.wait_timeout_while(queue, FAREWELL, waits));
    }

    /// The next message; none where there will be none.
    fn next(&self) -> Option<Vec<u8>> {
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
