//! The end: running calls are answered, and every answered change is on the disk.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::client::{Client, Server};

#[test]
fn a_stop_finishes_writes_and_what_was_answered_is_written() {
    let mut server = Server::start(&[]);
    let (written, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    let id = server.id().to_string();
    std::thread::scope(|scope| {
        let server = &server;
        let (written, ended) = (&written, &ended);
        for agent in 0..4 {
            scope.spawn(move || {
                let mut client = Client::new(server, server.bearer());
                for number in 0.. {
                    let path = server
                        .folder
                        .join("project")
                        .join(format!("{agent}-{number}.txt"));
                    let call = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        client.call("Write", json!({"file_path": path, "content": "whole\n"}))
                    }));
                    match call {
                        Ok(result) if result["content"].is_array() => {
                            assert_ne!(result["isError"], true, "{result}");
                            assert_eq!(std::fs::read(&path).expect("it is there"), b"whole\n");
                            written.fetch_add(1, Ordering::Relaxed);
                        }
                        _ => break,
                    }
                }
                ended.store(true, Ordering::Relaxed);
            });
        }
        while written.load(Ordering::Relaxed) < 8 && !ended.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let stopped = std::process::Command::new("kill")
            .args(["-TERM", &id])
            .status();
        assert!(stopped.expect("kill runs").success());
    });
    assert!(written.load(Ordering::Relaxed) >= 8, "{}", server.log());
    assert_eq!(server.end("-0"), 0);
    // No write was left half done: each file is whole, and there are no other files.
    for entry in std::fs::read_dir(server.folder.join("project")).expect("a folder") {
        let path = entry.expect("an entry").path();
        assert_eq!(
            std::fs::read(&path).expect("read"),
            b"whole\n",
            "{}",
            path.display()
        );
    }
}

#[test]
fn an_open_stream_does_not_hold_up_the_end() {
    let mut server = Server::start(&[]);
    let client = Client::new(&server, server.bearer());
    let mut stream = server.connect();
    let head = format!(
        "GET /mcp HTTP/1.1\r\nHost: localhost\r\n{}\r\nMcp-Session-Id: {}\r\nAccept: text/event-stream\r\n\r\n",
        server.bearer(),
        client.session
    );
    std::io::Write::write_all(&mut stream, head.as_bytes()).expect("sent");
    let mut first = [0; 12];
    std::io::Read::read_exact(&mut stream, &mut first).expect("a stream");
    assert_eq!(&first, b"HTTP/1.1 200");
    assert_eq!(server.end("-INT"), 0);
}
