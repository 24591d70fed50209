//! Settings that somebody changes while an agent is served: the next call goes by them. With the real program, and another
//! process or thread that changes the files.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::stage::{LANCET, Stage, word};

/// A served agent.
struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Agent {
    fn new(stage: &Stage, arguments: &[&str]) -> Agent {
        let mut command = stage.command(LANCET);
        command.arg("mcp").args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut agent = Agent {
            child,
            input,
            output,
            next: 0,
        };
        agent.request("initialize", json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } }));
        agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("open");
        input
            .write_all(format!("{message}\n").as_bytes())
            .expect("sent");
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        self.send(
            &json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }),
        );
        let mut line = String::new();
        self.output.read_line(&mut line).expect("an answer");
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(answer["id"], self.next, "{answer}");
        answer["result"].clone()
    }

    /// Calls a tool: the refusal's name, or nothing; and the text.
    fn call(&mut self, tool: &str, arguments: Value) -> (String, String) {
        let result = self.request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        );
        let error = &result["_meta"]["lancet/result"]["error"]["name"];
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        (error.as_str().unwrap_or("").to_owned(), text.to_owned())
    }

    fn read(&mut self, path: &Path) -> String {
        self.call("Read", json!({ "file_path": path, "force": true }))
            .0
    }

    fn write(&mut self, path: &Path) -> (String, String) {
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

fn user_settings(stage: &Stage) -> PathBuf {
    let path = stage.home().join(".config/lancet/lancet.toml");
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    path
}

#[test]
fn a_rule_counts_from_the_next_call_on_and_goes_with_the_next() {
    let stage = Stage::new();
    let (a, b) = (stage.file("a.txt", "one\n"), stage.file("b.txt", "two\n"));
    let settings = user_settings(&stage);
    let mut agent = Agent::new(&stage, &[]);
    assert_eq!(agent.read(&a), "");
    for _ in 0..3 {
        fs::write(&settings, "permissions.deny = [\"Read(a.txt)\"]\n").expect("written");
        assert_eq!(
            (agent.read(&a), agent.read(&b)),
            ("denied".into(), "".into())
        );
        // The same length, and the time put back: the change shows all the same.
        let stamp = fs::metadata(&settings)
            .expect("there")
            .modified()
            .expect("a time");
        let file = fs::OpenOptions::new()
            .write(true)
            .open(&settings)
            .expect("opened");
        (&file)
            .write_all(b"permissions.deny = [\"Read(b.txt)\"]\n")
            .expect("written");
        file.set_modified(stamp).expect("set");
        drop(file);
        assert_eq!(
            (agent.read(&a), agent.read(&b)),
            ("".into(), "denied".into())
        );
        fs::remove_file(&settings).expect("removed");
        assert_eq!((agent.read(&a), agent.read(&b)), ("".into(), "".into()));
    }
    // Pages of a search that were kept under other rules are not shown.
    let search = |offset: u64| json!({ "pattern": "*.txt", "limit": 1, "offset": offset });
    agent.call("Glob", search(0));
    fs::write(&settings, "permissions.deny = [\"Read(*.txt)\"]\n").expect("written");
    let (_, text) = agent.call("Glob", search(1));
    assert!(!text.contains("a.txt") && !text.contains("b.txt"), "{text}");
}

#[test]
fn a_projects_file_tightens_at_once_and_loosens_only_when_trusted() {
    let stage = Stage::new();
    let (a, made) = (
        stage.file("a.txt", "one\n"),
        stage.project().join("made.txt"),
    );
    fs::write(user_settings(&stage), "mode = \"ask\"\n").expect("written");
    let mut agent = Agent::new(&stage, &[]);
    assert_eq!(agent.read(&a), "");
    stage.file(
        "lancet.toml",
        "permissions.deny = [\"Read(a.txt)\"]\npermissions.allow = [\"Edit(made.txt)\"]\n",
    );
    assert_eq!(agent.read(&a), "denied");
    assert_eq!(agent.write(&made).0, "declined");
    let trusted = stage.run(&["trust", "--yes"]);
    assert_eq!(trusted.code, 0, "{trusted:?}");
    assert_eq!(agent.write(&made).0, "");
    // Trust is by hash: any other text has to be trusted again.
    stage.file(
        "lancet.toml",
        "permissions.allow = [\"Edit(made.txt)\", \"Edit(a.txt)\"]\n",
    );
    assert_eq!(agent.write(&made).0, "declined");
    assert_eq!(agent.read(&a), "");
}

#[test]
fn settings_that_do_not_load_leave_the_last_good_ones_and_are_told() {
    let stage = Stage::new();
    let (a, made) = (
        stage.file("a.txt", "one\n"),
        stage.project().join("made.txt"),
    );
    let settings = user_settings(&stage);
    fs::write(&settings, "permissions.deny = [\"Read(a.txt)\"]\n").expect("written");
    let mut agent = Agent::new(&stage, &[]);
    for broken in [
        "permissions.denied = []\n",
        "permissions.deny = [\n",
        "permissions.deny = [\"Read()\"]\n",
    ] {
        fs::write(&settings, broken).expect("written");
        assert_eq!(agent.read(&a), "denied");
        for _ in 0..2 {
            let (error, text) = agent.write(&made);
            assert_eq!(error, "", "{text}");
            assert!(
                text.contains("do not load") && text.contains("lancet.toml:1:"),
                "{text}"
            );
        }
        let (_, text) = agent.write(&stage.project().join(".git/config"));
        assert!(
            text.contains("do not load"),
            "a refusal says so as well: {text}"
        );
        let (_, text) = agent.call("Read", json!({ "file_path": made, "force": true }));
        assert!(!text.contains("do not load"), "{text}");
    }
    // Not readable at all: a folder in its place.
    fs::remove_file(&settings).expect("removed");
    fs::create_dir(&settings).expect("made");
    assert_eq!(agent.read(&a), "denied");
    assert!(agent.write(&made).1.contains("do not load"));
    fs::remove_dir(&settings).expect("removed");
    assert_eq!(agent.read(&a), "");
    assert!(!agent.write(&made).1.contains("do not load"));
}

#[test]
fn files_that_were_named_count_as_well() {
    let stage = Stage::new();
    let (a, made) = (
        stage.file("a.txt", "one\n"),
        stage.project().join("made.txt"),
    );
    let (config, claude) = (
        stage.home().join("more.toml"),
        stage.home().join("claude.json"),
    );
    fs::write(&config, "").expect("written");
    fs::write(&claude, "{}").expect("written");
    let mut agent = Agent::new(
        &stage,
        &["--config", word(&config), "--settings", word(&claude)],
    );
    assert_eq!(agent.read(&a), "");
    fs::write(&claude, "{\"permissions\": {\"deny\": [\"Read(a.txt)\"]}}").expect("written");
    assert_eq!(agent.read(&a), "denied");
    fs::write(&claude, "{}").expect("written");
    fs::write(&config, "mode = \"plan\"\n").expect("written");
    assert_eq!(
        (agent.read(&a), agent.write(&made).0),
        ("".into(), "declined".into())
    );
    let tools = agent.request("tools/list", json!({}))["tools"].clone();
    assert_eq!(tools.as_array().map(Vec::len), Some(3), "{tools}");
    fs::remove_file(&config).expect("removed");
    assert_eq!(
        agent.write(&made).0,
        "declined",
        "what was named and is gone loosens nothing"
    );
}

#[test]
fn a_file_in_the_middle_of_being_written_opens_no_gap() {
    let stage = Stage::new();
    let a = stage.file("a.txt", "hush\n");
    let settings = user_settings(&stage);
    let text = "# long enough\n[permissions]\ndeny = [\"Read(a.txt)\"]\n";
    fs::write(&settings, text).expect("written");
    let mut agent = Agent::new(&stage, &[]);
    let over = AtomicBool::new(false);
    let mut calls = 0;
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..12 {
                // As editors do that empty a file first, and take their time.
                let mut file = fs::File::create(&settings).expect("emptied");
                std::thread::sleep(Duration::from_millis(2));
                writeln!(file, "# {round}").expect("written");
                std::thread::sleep(Duration::from_millis(2));
                file.write_all(text.as_bytes()).expect("written");
                drop(file);
                std::thread::sleep(Duration::from_millis(90));
            }
            over.store(true, Ordering::SeqCst);
        });
        while !over.load(Ordering::SeqCst) {
            assert_eq!(agent.read(&a), "denied", "call {calls}");
            calls += 1;
        }
        writer.join().expect("not panicked");
    });
    assert!(
        calls > 12,
        "only {calls} calls while the settings were rewritten"
    );
}
