//! A server that runs on a project serves the hooks of agents as its recorder.

use std::fs;
use std::process::{Child, Stdio};

use crate::hooks::Claude;
use crate::log;
use crate::stage::{LANCET, Stage};
use crate::watch::{Recording, large_project, names, recorder, until};

/// The most calls after which a server answers the hooks.
const MAX_CALLS: usize = 100;

/// A running server, which is killed at the end.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Server {
    fn start(stage: &Stage, arguments: &[&str]) -> Server {
        let mut command = stage.command(LANCET);
        // A server over standard input ends with its input.
        command.args(arguments).stdin(Stdio::piped());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Server(command.spawn().expect("it starts"))
    }

    /// Returns the number of folders that it watches.
    fn watches(&self) -> usize {
        let handles = fs::read_dir(format!("/proc/{}/fdinfo", self.0.id())).expect("listed");
        let texts = handles.flatten().map(|handle| {
            // A handle may be closed meanwhile.
            fs::read_to_string(handle.path()).unwrap_or_default()
        });
        texts
            .map(|text| {
                text.lines()
                    .filter(|line| line.starts_with("inotify wd:"))
                    .count()
            })
            .sum()
    }
}

#[test]
fn a_server_tells_hooks_what_changed() {
    for arguments in [&["mcp"][..], &["serve", "--listen", "127.0.0.1:0"]] {
        let stage = Stage::new();
        large_project(&stage);
        // The kernel does not report writes through a name outside the project.
        let outside = stage.home().join("outside.txt");
        fs::hard_link(stage.project().join("many/0/1.txt"), &outside).expect("linked");
        let server = Server::start(&stage, arguments);
        until(|| recorder(&stage) == Some(server.0.id()));
        assert_eq!(server.watches(), 0, "{arguments:?}: at rest");
        let claude = Claude {
            stage: &stage,
            session: "s1",
        };
        claude.prompt("Go.");
        until(|| server.watches() > 30);
        // The first calls may be looked at before the server has read the project.
        let script = format!("echo more | tee -a {} >> seen.txt", outside.display());
        let is_answered = (0..MAX_CALLS).any(|number| {
            claude.bash(&format!("toolu_{number}"), &script);
            names(&stage, &log(&stage)[0]) == ["seen.txt"]
        });
        assert!(is_answered, "{arguments:?}");
        claude.bash("toolu_last", "rm -r many/3; mkdir -p new/deep");
        assert_eq!(names(&stage, &log(&stage)[0]).len(), 71);
        assert_eq!(recorder(&stage), Some(server.0.id()), "{arguments:?}");

        // Without the server a hook starts a recorder of its own.
        let process = server.0.id();
        drop(server);
        claude.prompt("Go on.");
        until(|| recorder(&stage).is_some_and(|now| now != process));
    }
}

#[test]
fn small_project_is_not_watched_by_a_server() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let server = Server::start(&stage, &["mcp"]);
    until(|| recorder(&stage) == Some(server.0.id()));
    let claude = Claude {
        stage: &stage,
        session: "s1",
    };
    claude.prompt("Go.");
    claude.bash("toolu_1", "echo two > a.txt");
    assert_eq!(names(&stage, &log(&stage)[0]), ["a.txt"]);
    assert_eq!(server.watches(), 0);
}

#[test]
fn another_server_takes_over_and_a_person_comes_first() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let first = Server::start(&stage, &["mcp"]);
    until(|| recorder(&stage) == Some(first.0.id()));
    let second = Server::start(&stage, &["mcp"]);
    drop(first);
    until(|| recorder(&stage) == Some(second.0.id()));
    let recording = Recording::start(&stage, &[]);
    assert_eq!(recorder(&stage), Some(recording.0.id()));
    recording.end(&stage);
    until(|| recorder(&stage) == Some(second.0.id()));
}
