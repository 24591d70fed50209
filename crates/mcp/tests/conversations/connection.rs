//! A server in a separate folder and a client that speaks raw lines, so that the bytes on the wire are what is tested.

use std::path::{Path, PathBuf};

use lancet::{Builder, Lancet, Mode};
use lancet_mcp::{DataExtent, Options, ServeError, serve};
use lancet_testing::TestFolder;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, split,
};
use tokio::task::JoinHandle;

/// The version of the first generation that clients open with.
pub(crate) const HANDSHAKE: &str = "2025-11-25";
/// The first version without a handshake.
pub(crate) const MODERN: &str = "2026-07-28";

/// A client's connection to a server in this process, and the folder that the server works in.
pub(crate) struct Connection {
    pub(crate) folder: TestFolder,
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    server: JoinHandle<Result<(), ServeError>>,
    next: i64,
}

/// Starts a server in mode `accept-edits` with its default options, but for its data, and connects to it.
pub(crate) fn connect() -> Connection {
    connect_with(|builder| builder, Options::default())
}

/// Starts a server and connects to it; `change` may change the builder of the engine last.
pub(crate) fn connect_with(
    change: impl FnOnce(Builder) -> Builder,
    options: Options,
) -> Connection {
    let folder = TestFolder::new();
    folder.make("root");
    connect_again(folder, change, options)
}

/// Starts another server on the folder of one that has ended. Its data is complete, because the tests check it.
pub(crate) fn connect_again(
    folder: TestFolder,
    change: impl FnOnce(Builder) -> Builder,
    options: Options,
) -> Connection {
    let options = Options {
        data: DataExtent::Full,
        ..options
    };
    connect_exactly(folder, change, options)
}

/// Starts another server on the folder with exactly these options.
pub(crate) fn connect_exactly(
    folder: TestFolder,
    change: impl FnOnce(Builder) -> Builder,
    options: Options,
) -> Connection {
    let root = folder.path().join("root");
    let builder = Lancet::builder()
        .root(&root)
        .state_dir(folder.path().join("state"))
        .mode(Mode::AcceptEdits)
        .answer_limit(32_000);
    let lancet = change(builder).open().expect("opens");
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = split(theirs);
    let server = tokio::spawn(serve(lancet, options, reader, writer));
    let (reader, writer) = split(ours);
    Connection {
        folder,
        reader: BufReader::new(reader),
        writer,
        server,
        next: 0,
    }
}

impl Connection {
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.join("root")
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        lancet_testing::folder::put(&self.path(name), text)
    }

    /// Sends bytes as they are.
    pub(crate) async fn send_raw(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.expect("sent");
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.send_raw(format!("{message}\n").as_bytes()).await;
    }

    /// Returns the next message of the server.
    pub(crate) async fn receive(&mut self) -> Value {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line).await.expect("read");
        assert!(read > 0, "the server left");
        serde_json::from_str(&line).expect("one JSON object a line")
    }

    /// Sends a request and returns its id.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
        id
    }

    /// Sends a request and returns its answer, which must be the next message.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        let answer = self.receive().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Opens the conversation with a handshake.
    pub(crate) async fn shake_hands(&mut self) -> Value {
        self.shake_hands_offering(json!({})).await
    }

    /// Opens the conversation with a handshake that offers capabilities.
    pub(crate) async fn shake_hands_offering(&mut self, capabilities: Value) -> Value {
        self.shake_hands_as("test-client", capabilities).await
    }

    /// Opens the conversation with a handshake under a client's name.
    pub(crate) async fn shake_hands_as(&mut self, name: &str, capabilities: Value) -> Value {
        let client = json!({"name": name, "version": "1"});
        let params = json!({"protocolVersion": HANDSHAKE, "capabilities": capabilities, "clientInfo": client});
        let answer = self.request("initialize", params).await;
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        answer["result"].clone()
    }

    /// Calls a tool and returns the result, which may be a refusal.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.call_with(tool, arguments, json!({})).await
    }

    pub(crate) async fn call_with(&mut self, tool: &str, arguments: Value, meta: Value) -> Value {
        let answer = self
            .request(
                "tools/call",
                json!({"name": tool, "arguments": arguments, "_meta": meta}),
            )
            .await;
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// Reads a file and expects success.
    pub(crate) async fn read(&mut self, path: &Path) -> String {
        let result = self.call("Read", json!({"file_path": path})).await;
        assert_ne!(result["isError"], true, "{result}");
        text(&result).to_owned()
    }

    /// Closes the connection and waits until the server has ended. The folder is removed when the result is dropped.
    pub(crate) async fn leave(self) -> Result<TestFolder, ServeError> {
        drop(self.writer);
        drop(self.reader);
        let ended = self.server.await.expect("the server does not panic");
        ended.map(|()| self.folder)
    }
}

/// Returns the `_meta` that every request of the second generation carries.
pub(crate) fn modern_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test-client", "version": "2"},
    })
}

pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("text")
}

pub(crate) fn data(result: &Value) -> &Value {
    &result["_meta"]["lancet/result"]
}

/// Returns the name of a refusal.
pub(crate) fn refusal(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result}");
    data(result)["error"]["name"].as_str().expect("a name")
}
