//! A server in a separate folder, and clients of both generations of the protocol.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lancet_testing::TestFolder;
use lancet_testing::folder::put;
use serde_json::{Value, json};

/// The program under test.
pub(crate) const LANCET: &str = env!("CARGO_BIN_EXE_lancet");
/// The first version without a handshake.
const MODERN: &str = "2026-07-28";

/// A running server.
pub(crate) struct Server {
    pub(crate) folder: TestFolder,
    child: Child,
    pub(crate) port: u16,
    said: Arc<Mutex<String>>,
}

/// An answer over HTTP.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// Returns a command in a folder with an empty home.
pub(crate) fn lancet(folder: &TestFolder, arguments: &[&str]) -> Command {
    let mut command = Command::new(LANCET);
    command
        .env_clear()
        .env("HOME", folder.join("home"))
        .current_dir(folder.join("project"))
        .args(arguments);
    command
}

pub(crate) fn folder() -> TestFolder {
    let folder = TestFolder::new();
    folder.make("project");
    folder.make("home");
    folder
}

impl Server {
    /// Starts a server in mode `accept-edits`, on a port of the system's choice.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_in(folder(), arguments)
    }

    pub(crate) fn start_in(folder: TestFolder, arguments: &[&str]) -> Self {
        Self::start_with(folder, arguments, &[])
    }

    /// Starts a server with these variables in its environment.
    pub(crate) fn start_with(
        folder: TestFolder,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        let fixed = [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--state-dir",
            "../state",
        ];
        let mut all = fixed.to_vec();
        if !arguments.contains(&"--mode") {
            all.extend(["--mode", "accept-edits"]);
        }
        all.extend(arguments);
        let mut command = lancet(&folder, &all);
        command.envs(variables.iter().copied());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let first = lines.next().expect("a line").expect("text");
        let address = first.split("127.0.0.1:").nth(1).expect("an address");
        let port = address.strip_suffix("/mcp").expect("a path").parse();
        let said = Arc::new(Mutex::new(String::new()));
        let kept = said.clone();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                *kept.lock().expect("whole") += &format!("{line}\n");
            }
        });
        let port = port.expect("a port");
        Self {
            folder,
            child,
            port,
            said,
        }
    }

    pub(crate) fn token(&self, name: &str) -> String {
        self.folder
            .text(Path::new("state").join(name))
            .trim()
            .to_owned()
    }

    pub(crate) fn bearer(&self) -> String {
        format!("Authorization: Bearer {}", self.token("serve-token"))
    }

    pub(crate) fn reader(&self) -> String {
        format!("Authorization: Bearer {}", self.token("serve-token-read"))
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        put(&self.folder.join("project").join(name), text)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.folder.text(Path::new("project").join(name))
    }

    /// Returns the log output of the server.
    pub(crate) fn log(&self) -> String {
        self.said.lock().expect("whole").clone()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal, waits for the end, and returns the exit code.
    pub(crate) fn end(&mut self, signal: &str) -> i32 {
        let id = self.id().to_string();
        let sent = Command::new("kill")
            .args([signal, &id])
            .status()
            .expect("kill runs");
        assert!(sent.success());
        self.child.wait().expect("it ends").code().unwrap_or(-1)
    }

    /// Sends bytes and returns the whole response.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A server that answers before it has read everything may close early.
        let _ = stream.write_all(bytes);
        answer(&mut stream)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connected");
        let limit = Some(Duration::from_secs(100));
        stream.set_read_timeout(limit).expect("set");
        stream
    }

    /// Sends a request with these header lines.
    pub(crate) fn request(&self, method: &str, path: &str, lines: &[&str], body: &[u8]) -> Answer {
        self.raw(&request_bytes(self.port, method, path, lines, body))
    }

    /// Posts a message to the endpoint.
    pub(crate) fn post(&self, lines: &[&str], body: &[u8]) -> Answer {
        self.request("POST", "/mcp", lines, body)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn request_bytes(port: u16, method: &str, path: &str, lines: &[&str], body: &[u8]) -> Vec<u8> {
    let mut head = format!(
        "{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n",
        body.len()
    );
    if !lines.iter().any(|line| line.starts_with("Host:")) {
        head += &format!("Host: 127.0.0.1:{port}\r\n");
    }
    if !lines.iter().any(|line| line.starts_with("Accept:")) {
        head += "Accept: application/json, text/event-stream\r\n";
    }
    head += "Content-Type: application/json\r\n";
    for line in lines {
        head += &format!("{line}\r\n");
    }
    [format!("{head}\r\n").as_bytes(), body].concat()
}

/// Reads an answer to its end.
pub(crate) fn answer(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
    let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    Answer {
        status: status.unwrap_or(0),
        head: head.to_owned(),
        body: if is_chunked {
            unchunked(body)
        } else {
            body.to_owned()
        },
    }
}

fn unchunked(mut rest: &str) -> String {
    let mut whole = Vec::new();
    while let Some((length, after)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap_or(0);
        whole.extend_from_slice(&after.as_bytes()[..length.min(after.len())]);
        rest = after.get(length + 2..).unwrap_or("");
    }
    String::from_utf8(whole).expect("UTF-8")
}

impl Answer {
    /// Returns the last message, from JSON or from a stream of events.
    pub(crate) fn message(&self) -> Value {
        let mut data = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        let last = data.rfind(|data| !data.is_empty());
        let text = last.unwrap_or(&self.body);
        serde_json::from_str(text).unwrap_or_else(|_| panic!("no message: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// A client with a handshake and a session.
pub(crate) struct Client<'s> {
    server: &'s Server,
    authorization: String,
    pub(crate) session: String,
    stream: Option<BufReader<TcpStream>>,
    next: i64,
}

impl<'s> Client<'s> {
    pub(crate) fn new(server: &'s Server, authorization: String) -> Self {
        let client = json!({"name": "test-client", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let answer = server.post(&[&authorization], hello.to_string().as_bytes());
        let session = answer
            .header("mcp-session-id")
            .unwrap_or_else(|| panic!("{answer:?}"));
        let session = session.to_owned();
        let ready = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let line = format!("Mcp-Session-Id: {session}");
        assert_eq!(server.post(&[&authorization, &line], ready).status, 202);
        Self {
            server,
            authorization,
            session,
            stream: None,
            next: 0,
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let message =
            json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        let line = format!("Mcp-Session-Id: {}", self.session);
        let lines = [self.authorization.as_str(), &line];
        self.server
            .post(&lines, message.to_string().as_bytes())
            .message()
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        answer["result"].clone()
    }

    /// Calls a tool on a connection that stays open for the next call, as clients do.
    pub(crate) fn call_on(&mut self, tool: &str, arguments: Value) -> Value {
        self.next += 1;
        let params = json!({"name": tool, "arguments": arguments});
        let body =
            json!({"jsonrpc": "2.0", "id": self.next, "method": "tools/call", "params": params})
                .to_string();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {}\r\nAccept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\n{}\r\nMcp-Session-Id: {}\r\n\r\n",
            body.len(),
            self.authorization,
            self.session
        );
        let stream = self
            .stream
            .get_or_insert_with(|| BufReader::new(self.server.connect()));
        let sent = [head.as_bytes(), body.as_bytes()].concat();
        stream.get_mut().write_all(&sent).expect("sent");
        let mut message = Value::Null;
        loop {
            let mut line = String::new();
            assert!(
                stream.read_line(&mut line).expect("read") > 0,
                "the server left"
            );
            if let Some(data) = line.trim_end().strip_prefix("data: {") {
                message = serde_json::from_str(&format!("{{{data}")).expect("JSON");
            }
            // The last chunk has no length.
            if line == "0\r\n" {
                stream.read_line(&mut line).expect("read");
                return message["result"].clone();
            }
        }
    }
}

/// Returns the bytes of a call in the generation without a handshake.
fn alone_bytes(server: &Server, authorization: &str, mut params: Value, meta: Value) -> Vec<u8> {
    let own = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "2"},
    });
    let mut all = own.as_object().expect("an object").clone();
    all.extend(meta.as_object().expect("an object").clone());
    params["_meta"] = Value::Object(all);
    let name = format!("Mcp-Name: {}", params["name"].as_str().unwrap_or_default());
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let version = format!("MCP-Protocol-Version: {MODERN}");
    let lines = [authorization, &version, "Mcp-Method: tools/call", &name];
    let body = message.to_string();
    request_bytes(server.port, "POST", "/mcp", &lines, body.as_bytes())
}

/// Calls a tool in that generation and returns the result.
pub(crate) fn alone(server: &Server, authorization: &str, params: Value, meta: Value) -> Value {
    let bytes = alone_bytes(server, authorization, params, meta);
    server.raw(&bytes).message()["result"].clone()
}

/// Calls a tool that may wait: the client leaves after a moment.
pub(crate) fn attempt(server: &Server, authorization: &str, params: Value, meta: Value) {
    let mut stream = server.connect();
    let moment = Some(Duration::from_millis(500));
    stream.set_read_timeout(moment).expect("set");
    let bytes = alone_bytes(server, authorization, params, meta);
    stream.write_all(&bytes).expect("sent");
    answer(&mut stream);
}

pub(crate) fn text(result: &Value) -> String {
    let blocks = result["content"]
        .as_array()
        .unwrap_or_else(|| panic!("{result}"));
    let texts = blocks.iter().filter_map(|block| block["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns the name of a refusal.
pub(crate) fn refusal(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result}");
    let error = &result["_meta"]["lancet/result"]["error"];
    error["name"].as_str().expect("a name")
}
