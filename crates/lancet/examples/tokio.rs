//! Calls from tokio: as a future (`call_async`), and on tokio's pool of blocking threads with a time limit of the host.
//! The library itself does not depend on tokio. Run it with `cargo run -p lancet --example tokio`.

use std::time::Duration;

use lancet::{Lancet, Mode, RawCall};
use serde_json::json;

#[allow(clippy::print_stdout)]
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("greeting.txt");
    std::fs::write(&path, "hello\nworld\n")?;
    let lancet = Lancet::builder()
        .root(folder.path())
        .mode(Mode::AcceptEdits)
        .open()?;
    let session = lancet.new_session();

    // The call runs on a separate thread. Dropping the future, as a timeout does, cancels the call.
    let read = session.call_async(RawCall::new("Read", json!({ "file_path": path })));
    match tokio::time::timeout(Duration::from_secs(5), read).await {
        Ok(reply) => println!("{}", reply.text()),
        Err(_) => println!("The call took too long and was cancelled."),
    }

    // The same on tokio's own threads: a clone of the call's `Cancel` stops it.
    let edit = json!({ "file_path": path, "old_string": "world", "new_string": "reader" });
    let call = RawCall::new("Edit", edit);
    let cancel = call.cancel.clone();
    let worker = session.clone();
    let mut work = tokio::task::spawn_blocking(move || worker.call(call));
    let reply = tokio::select! {
        reply = &mut work => reply?,
        () = tokio::time::sleep(Duration::from_secs(5)) => {
            cancel.cancel();
            work.await? // It comes at once, and says that it was cancelled.
        }
    };
    println!("{}", reply.text());
    Ok(())
}
