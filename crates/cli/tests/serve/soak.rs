//! A server that runs for a long time: memory, descriptors and threads do not grow after the first hundred calls.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, Server};

/// How often a session reads, edits, searches and undoes its change.
const ROUNDS: usize = 25;

/// How many calls are made before the first measurement.
const FIRST: usize = 4 * ROUNDS;

/// How much memory may exceed the first measurement at the end, in KiB: SQLite's pages, and free memory of the
/// allocator. 10,000 calls that each leak a kilobyte are far above.
const MORE_MEMORY: u64 = 4 * 1024;

/// How many more threads there may be at the end: the pool makes one if a call comes before the last thread is idle.
const MORE_THREADS: usize = 2;

/// How often, and after which pause, the server is measured until nothing changes any more.
const LOOKS: usize = 50;
const PAUSE: Duration = Duration::from_millis(200);

/// Returns the number of sessions. `LANCET_SOAK=SESSIONS` overrides it; memory is checked only then.
fn sessions() -> Option<usize> {
    std::env::var("LANCET_SOAK").ok()?.parse().ok()
}

/// The resources of the server's process.
#[derive(Debug, PartialEq, Eq)]
struct Footprint {
    /// In KiB.
    memory: u64,
    descriptors: usize,
    threads: usize,
}

impl Footprint {
    fn measure(server: &Server) -> Footprint {
        let process = format!("/proc/{}", server.id());
        let count = |folder: &str| {
            let entries = fs::read_dir(format!("{process}/{folder}"));
            entries.expect("running").count()
        };
        let status = fs::read_to_string(format!("{process}/status")).expect("running");
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let memory = line.and_then(|line| line.split_whitespace().nth(1));
        Footprint {
            memory: memory.expect("a line").parse().expect("a number"),
            descriptors: count("fd"),
            threads: count("task"),
        }
    }
}

/// Returns the server's resources after it has closed the connections that its clients closed.
fn at_rest(server: &Server) -> Footprint {
    let mut found = Footprint::measure(server);
    for _ in 0..LOOKS {
        sleep(PAUSE);
        let next = Footprint::measure(server);
        if next == found {
            break;
        }
        found = next;
    }
    found
}

/// Runs one session to its end.
fn work(server: &Server, session: usize) {
    let name = format!("{}.txt", session % 7);
    let path = server.file(&name, "first\nsecond\nthird\n");
    let mut client = Client::new(server, server.bearer());
    for round in 0..ROUNDS {
        let edit = json!({"file_path": path, "old_string": "second", "new_string": format!("now {round}")});
        let calls: [(&str, Value); 4] = [
            ("Read", json!({"file_path": path, "force": true})),
            ("Edit", edit),
            (
                "Grep",
                json!({"pattern": "now \\d+", "output_mode": "content"}),
            ),
            ("Undo", json!({})),
        ];
        for (tool, arguments) in calls {
            let result = client.call(tool, arguments);
            let is_done = result["content"].is_array() && result["isError"] != true;
            assert!(
                is_done,
                "session {session}, round {round}, {tool}: {result}"
            );
        }
    }
    assert_eq!(server.text(&name), "first\nsecond\nthird\n");
    let authorization = server.bearer();
    let id = format!("Mcp-Session-Id: {}", client.session);
    server.request("DELETE", "/mcp", &[&authorization, &id], b"");
}

#[cfg(target_os = "linux")]
#[test]
#[expect(clippy::print_stdout, reason = "the figures")]
fn a_server_has_at_the_end_what_it_had_after_the_first_calls() {
    let long = sessions();
    let server = Server::start(&["--tools", "all"]);
    work(&server, 0);
    let first = at_rest(&server);
    let sessions = long.unwrap_or(3);
    for session in 1..sessions {
        work(&server, session);
    }
    let last = at_rest(&server);
    let calls = sessions * FIRST;
    println!("after {FIRST} calls {first:?}, after {calls} {last:?}");
    assert!(last.descriptors <= first.descriptors, "{first:?}, {last:?}");
    let most_threads = first.threads + MORE_THREADS;
    assert!(last.threads <= most_threads, "{first:?}, {last:?}");
    if long.is_some() {
        let most = first.memory + MORE_MEMORY;
        assert!(last.memory <= most, "{first:?}, {last:?}");
    }
}
