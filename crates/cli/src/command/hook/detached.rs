//! Processes an event in a process of its own: the agent waits for it a limited time, and it goes on afterwards.
//!
//! The process leaves the agent's session and folder, so that neither the end of the agent nor that of its terminal
//! ends it, and it holds no stream that the agent waits for.

use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::terminal::print_error;

/// The flag of such a process; its value is the agent's process.
pub(super) const FLAG: &str = "--detached";
/// The most bytes of messages that are passed on.
const MESSAGES: u64 = 4_096;

/// Starts this program again with the same arguments for an event.
pub(super) fn start(event: &[u8], agent_process: Option<&str>) -> std::io::Result<Child> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(std::env::args_os().skip(1))
        .args([FLAG, agent_process.unwrap_or_default()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(event)?;
    }
    Ok(child)
}

/// Waits until a process has ended, at most so long. Its messages up to then are passed on.
pub(super) fn wait(mut child: Child, limit: Duration) {
    let (sender, ended) = mpsc::channel();
    let waiting = thread::Builder::new().spawn(move || {
        let mut messages = Vec::new();
        if let Some(output) = child.stderr.take() {
            // A message that cannot be read is lost; nothing depends on it.
            let _ = output.take(MESSAGES).read_to_end(&mut messages);
        }
        let _ = child.wait();
        let _ = sender.send(messages);
    });
    if waiting.is_ok()
        && let Ok(messages) = ended.recv_timeout(limit)
        && !messages.is_empty()
    {
        print_error(&String::from_utf8_lossy(&messages));
    }
}

/// Leaves the agent's session and folder, and closes the handles that the agent left open. It is called before anything
/// is opened.
pub(super) fn leave() {
    lancet_workspace::close_inherited_handles();
    // A process that leads its group cannot leave its session; the agent's end may end it then.
    let _ = rustix::process::setsid();
    let _ = std::env::set_current_dir("/");
}
