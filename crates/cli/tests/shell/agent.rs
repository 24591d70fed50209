//! An agent that talks to the real program, call by call.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::stage::{LANCET, Stage};

/// An agent with its own server. It answers every question about a write with "always".
pub(crate) struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
    /// The list of roots that it sends, if it offers roots.
    roots: Option<Value>,
}

impl Agent {
    pub(crate) fn new(stage: &Stage, arguments: &[&str]) -> Agent {
        let mut command = stage.command(LANCET);
        command.arg("mcp").args(arguments);
        Self::begin(command, None, "test")
    }

    /// Starts an agent that gives itself a name.
    pub(crate) fn named(stage: &Stage, client: &str) -> Agent {
        let mut command = stage.command(LANCET);
        command.arg("mcp");
        Self::begin(command, None, client)
    }

    /// Starts an agent whose server runs in a folder; the agent may have its own root.
    pub(crate) fn started_in(stage: &Stage, folder: &Path, root: Option<&Path>) -> Agent {
        let mut command = stage.command(LANCET);
        command.arg("mcp").current_dir(folder);
        let uri = root.map(|root| format!("file://{}", root.display()));
        Self::begin(command, uri.map(|uri| json!([{ "uri": uri }])), "test")
    }

    fn begin(mut command: Command, roots: Option<Value>, client: &str) -> Agent {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut agent = Agent {
            child,
            input,
            output,
            next: 0,
            roots,
        };
        let mut capabilities = json!({ "elicitation": {} });
        if agent.roots.is_some() {
            capabilities["roots"] = json!({});
        }
        agent.request("initialize", json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": { "name": client, "version": "1" } }));
        agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("open");
        input
            .write_all(format!("{message}\n").as_bytes())
            .expect("sent");
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        self.send(
            &json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }),
        );
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).expect("an answer");
            let message: Value = serde_json::from_str(&line).expect("JSON");
            if message["method"] == "elicitation/create" {
                let content = json!({ "decision": "always" });
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "action": "accept", "content": content } }));
                continue;
            }
            if message["method"] == "roots/list" {
                let roots = self.roots.clone();
                self.send(
                    &json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "roots": roots } }),
                );
                continue;
            }
            assert_eq!(message["id"], self.next, "{message}");
            return message["result"].clone();
        }
    }

    /// Calls a tool. Returns the refusal's name, or nothing, and the text.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> (String, String) {
        let result = self.request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        );
        let error = &result["_meta"]["lancet/result"]["error"]["name"];
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        (error.as_str().unwrap_or("").to_owned(), text.to_owned())
    }

    /// Calls a tool without waiting for its answer.
    pub(crate) fn ask(&mut self, tool: &str, arguments: Value) {
        let params = json!({ "name": tool, "arguments": arguments });
        self.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": params }));
    }

    /// Kills the server, which can do nothing about it.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("killed");
    }

    pub(crate) fn read(&mut self, path: &Path) -> String {
        self.call("Read", json!({ "file_path": path, "force": true }))
            .0
    }

    pub(crate) fn write(&mut self, path: &Path) -> (String, String) {
        self.call(
            "Write",
            json!({ "file_path": path, "content": "x\n", "mode": "append" }),
        )
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
