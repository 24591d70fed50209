//! A real network volume, mounted twice as on two machines, with a server of lancet on each mount: both increment
//! counters in the same file. No edit that was answered with success is lost, and the file is not missing at the end.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use lancet_testing::shared_volume::SharedVolume;
use lancet_testing::{TestFolder, judges};
use serde_json::{Value, json};

use crate::run::{lancet, names};

const FILE: &str = "count.txt";
/// How long a mount may take to show what the other one did.
const BEHIND: Duration = Duration::from_secs(30);

/// A server at a mount, with a separate home and state folder.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    file: PathBuf,
    next: u64,
    _home: TestFolder,
}

impl Server {
    fn start(root: &Path) -> Server {
        let home = TestFolder::new();
        let mut command: Command = lancet(&home);
        command
            .args(["mcp", "--tools", "all"])
            .current_dir(root)
            .env("LANCET_STATE_DIR", home.join("state"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut server = Server {
            child,
            input,
            output,
            file: root.join(FILE),
            next: 0,
            _home: home,
        };
        let client = json!({ "name": "counter", "version": "1" });
        let hello =
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        server.request("initialize", &hello);
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("it reads");
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            let length = self.output.read_line(&mut line).expect("a line");
            assert!(length > 0, "the server ended");
            let message: Value = serde_json::from_str(&line).expect("JSON");
            if message["id"] == id {
                return message["result"].clone();
            }
        }
    }

    /// Calls a tool; returns its text, or the name of the refusal.
    fn call(&mut self, tool: &str, arguments: &Value) -> Result<String, String> {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.request("tools/call", &params);
        if answer["isError"] == true {
            let name = answer["_meta"]["lancet/result"]["error"]["name"].as_str();
            return Err(name.map_or_else(|| answer.to_string(), str::to_owned));
        }
        let text = answer["content"][0]["text"].as_str().expect("a text");
        Ok(text.to_owned())
    }

    /// Adds one to the sum and to its own counter, in one call. The error is the refusal if that was not done.
    fn count(&mut self, own: &str) -> Result<(), String> {
        let path = self.file.clone();
        let text = self.call("Read", &json!({ "file_path": path }))?;
        let numbers = ["sum", own].map(|name| (name, number(&text, name)));
        let edits: Vec<Value> = numbers
            .map(|(name, number)| {
                let number = number.unwrap_or_else(|| panic!("no {name} in {text:?}"));
                json!({ "old_string": format!("{name} {number}!"), "new_string": format!("{name} {}!", number + 1) })
            })
            .into();
        let arguments = json!({ "file_path": path, "edits": edits });
        self.call("MultiEdit", &arguments).map(|_| ())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the number after a name.
fn number(text: &str, name: &str) -> Option<u64> {
    let (_, rest) = text.split_once(&format!("{name} "))?;
    rest.split_once('!')?.0.parse().ok()
}

/// Counts until so many calls succeeded; returns the refusals by name.
fn count_from(root: &Path, own: &str, times: u64) -> BTreeMap<String, u64> {
    let mut server = Server::start(root);
    let mut refusals = BTreeMap::new();
    let (mut done, mut last) = (0, Instant::now());
    while done < times {
        match server.count(own) {
            Ok(()) => {
                done += 1;
                last = Instant::now();
            }
            Err(name) => {
                let is_known = ["busy", "conflict", "stale", "missing", "not_found"];
                assert!(is_known.contains(&&*name), "{own} {done}: {name}");
                *refusals.entry(name).or_default() += 1;
                assert!(
                    last.elapsed() < BEHIND * 2,
                    "{own} got no further: {refusals:?}"
                );
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
    refusals
}

/// Returns the text of the file as soon as this mount has it as expected, or as it is in the end.
fn settled_text(root: &Path, expected: &str) -> String {
    let begun = Instant::now();
    loop {
        let text = fs::read_to_string(root.join(FILE)).unwrap_or_default();
        if text == expected || begun.elapsed() > BEHIND {
            return text;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn two_servers_on_two_mounts_lose_no_edit() {
    let Some(mut volume) = SharedVolume::start() else {
        return;
    };
    let roots = ["one", "two"].map(|name| volume.mount(name));
    let times = if judges::is_torture_run() { 1000 } else { 100 };
    let begin = "sum 0!\none 0!\ntwo 0!\n";
    fs::write(roots[0].join(FILE), begin).expect("written");
    assert_eq!(settled_text(&roots[1], begin), begin);
    let begun = Instant::now();
    let refusals = std::thread::scope(|scope| {
        let counters = [(&roots[0], "one"), (&roots[1], "two")]
            .map(|(root, own)| scope.spawn(move || count_from(root, own, times)));
        counters.map(|counter| counter.join().expect("it counts"))
    });
    let expected = format!("sum {}!\none {times}!\ntwo {times}!\n", 2 * times);
    for root in &roots {
        assert_eq!(settled_text(root, &expected), expected, "{refusals:?}");
        assert_eq!(names(root), [FILE], "nothing else is left");
    }
    judges::tried(&format!(
        "two mounts: {} edits in {} s, refused {refusals:?}",
        2 * times,
        begun.elapsed().as_secs()
    ));
}
