//! Many agents at once: no error, no lost write, bounded memory and threads.

use std::time::Instant;

use serde_json::json;

use crate::client::{Client, Server, refusal};

/// How many agents change the same file.
const TEAM: usize = 5;

/// Returns the number of agents, and of calls that they make together. `LANCET_LOAD=AGENTS,CALLS` overrides both.
fn size() -> (usize, usize) {
    let given = std::env::var("LANCET_LOAD").ok();
    let parsed = given.as_deref().and_then(|text| {
        let (agents, calls) = text.split_once(',')?;
        Some((agents.parse().ok()?, calls.parse().ok()?))
    });
    parsed.unwrap_or((50, 2_000))
}

/// Returns a figure of the server in `/proc`, by the name of its line.
fn figure(server: &Server, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).expect("running");
    let line = status
        .lines()
        .find(|line| line.starts_with(name))
        .expect("a line");
    line.split_whitespace()
        .nth(1)
        .expect("a number")
        .parse()
        .expect("a number")
}

/// Runs one agent: it reads and counts in its own file and, every eighth call, in its line of a file that others of its
/// team change at the same time.
fn work(server: &Server, agent: usize, calls: usize) {
    let project = server.folder.join("project");
    let own = server.file(&format!("{agent}.txt"), "count 0\n");
    let (team, place) = (format!("team-{}.txt", agent / TEAM), agent % TEAM);
    let mut client = Client::new(server, server.bearer());
    let (mut count, mut common) = (0, 0);
    for number in 0..calls {
        let result = match number % 8 {
            0 => client.call_on("Read", json!({"file_path": own, "force": true})),
            7 => {
                let path = project.join(&team);
                let line = |number: usize| format!("{place}: {number}\n");
                common += 1;
                loop {
                    client.call_on("Read", json!({"file_path": path, "force": true}));
                    let edit = json!({"file_path": path, "old_string": line(common - 1), "new_string": line(common)});
                    let result = client.call_on("Edit", edit);
                    // Another agent was faster, and this one was informed of it.
                    let is_late = result["isError"] == true
                        && matches!(refusal(&result), "stale" | "conflict" | "busy");
                    if !is_late {
                        break result;
                    }
                }
            }
            _ => {
                count += 1;
                let (before, after) =
                    (format!("count {}\n", count - 1), format!("count {count}\n"));
                client.call_on(
                    "Edit",
                    json!({"file_path": own, "old_string": before, "new_string": after}),
                )
            }
        };
        let is_done = result["content"].is_array() && result["isError"] != true;
        assert!(is_done, "{agent}, {number}: {result}");
    }
    assert_eq!(
        server.text(&format!("{agent}.txt")),
        format!("count {count}\n")
    );
    let line = format!("{place}: {common}");
    assert!(
        server.text(&team).lines().any(|found| found == line),
        "{team} has no {line:?}"
    );
}

#[cfg(target_os = "linux")]
#[test]
#[expect(clippy::print_stdout, reason = "the figures")]
fn many_agents_lose_no_write() {
    let (agents, calls) = size();
    let each = calls / agents;
    let server = Server::start(&[]);
    for team in 0..agents.div_ceil(TEAM) {
        let lines: String = (0..TEAM).map(|place| format!("{place}: 0\n")).collect();
        server.file(&format!("team-{team}.txt"), &lines);
    }
    let began = Instant::now();
    std::thread::scope(|scope| {
        for agent in 0..agents {
            let server = &server;
            scope.spawn(move || work(server, agent, each));
        }
    });
    let seconds = began.elapsed().as_secs_f64();
    let (memory, threads) = (figure(&server, "VmHWM:"), figure(&server, "Threads:"));
    assert!(memory < 400 * 1024, "{memory} KiB");
    assert!(threads <= 40, "{threads} threads");
    println!(
        "{agents} agents, {calls} calls: {seconds:.1} s, {memory} KiB at most, {threads} threads"
    );
}
