//! One server process and the connection to it. Another thread may kill it at any time.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::project::Project;

/// The place of a server that can be killed.
#[derive(Default)]
pub(crate) struct Slot(Mutex<Option<Child>>);

impl Slot {
    /// Kills the server in this slot; returns false if there is none.
    pub(crate) fn kill(&self) -> bool {
        let mut child = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        child.as_mut().is_some_and(|child| child.kill().is_ok())
    }

    fn put(&self, new: Option<Child>) -> Option<Child> {
        let mut child = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *child, new)
    }
}

/// A server. Its process ends with it.
pub(crate) struct Server<'s> {
    slot: &'s Slot,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl<'s> Server<'s> {
    /// Starts a server; none where it was killed before it could be called.
    pub(crate) fn start(project: &Project, slot: &'s Slot, session: &str) -> Option<Server<'s>> {
        let mut command = project.command();
        command.args(["mcp", "--session", session, "--tools", "all"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut server = Server {
            slot,
            input,
            output,
            next: 0,
        };
        // A server writes nothing before it has answered this, so it is not killed before. Recovery begins with the
        // first call.
        let client = json!({ "name": "crowd", "version": "1" });
        let hello =
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        server.request("initialize", hello).expect("it answers");
        slot.put(Some(child));
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Some(server)
    }

    fn send(&mut self, message: &Value) -> Option<()> {
        let input = self.input.as_mut()?;
        input.write_all(format!("{message}\n").as_bytes()).ok()
    }

    /// Sends a request and waits for its answer; none where the server ended meanwhile.
    fn request(&mut self, method: &str, params: Value) -> Option<Value> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).ok()?;
            // A line that was cut off by the end of the process is not an answer.
            let message: Value = serde_json::from_str(line.strip_suffix('\n')?).expect("JSON");
            if message["id"] == id {
                return Some(message["result"].clone());
            }
        }
    }

    /// Calls a tool; none where the server ended before it answered.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Option<Value> {
        self.request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
    }

    /// Ends the server by closing its input.
    pub(crate) fn close(mut self) {
        self.input = None;
        if let Some(mut child) = self.slot.put(None) {
            let _ = child.wait();
        }
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        if let Some(mut child) = self.slot.put(None) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
