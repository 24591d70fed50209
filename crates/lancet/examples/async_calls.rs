//! Two calls at once from async code, without a runtime: a call is a plain future. Under tokio the body of `main` would
//! be the same. Run it with `cargo run -p lancet --example async_calls`.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use lancet::{Lancet, Mode, RawCall};
use serde_json::json;

/// Wakes the thread that waits for a future.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future on this thread; an async runtime does this for many at once.
fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("greeting.txt");
    std::fs::write(&path, "hello\nworld\n")?;
    let lancet = Lancet::builder()
        .root(folder.path())
        .mode(Mode::AcceptEdits)
        .open()?;
    let session = lancet.new_session();
    block_on(async {
        let read = session.call_async(RawCall::new("Read", json!({ "file_path": path })));
        println!("{}", read.await.text());
        let edit = json!({ "file_path": path, "old_string": "world", "new_string": "reader" });
        let reply = session.call_async(RawCall::new("Edit", edit)).await;
        println!("{}", reply.text());
    });
    Ok(())
}
