//! The recorder of a project: a server that runs on it, or else a process that the first hook starts. It watches the
//! files, so that later hooks need not list them. The process ends with the agent, or after ten minutes without a hook.

use std::path::Path;
use std::process::{Command, Stdio};

use lancet::recording::{RecorderOffice, RecorderWork, Recording};

use super::detached;
use crate::arguments::{DiagnosticsOption, WorkArguments};
use crate::opening::{Lifetime, OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings};

/// The flag of the recorder; its value is the agent's process.
const FLAG: &str = "--recorder";
/// A smaller project is listed in a few milliseconds.
const MIN_FILES: u64 = 2_000;

/// Sees to it that a project that is worth it has a recorder: a server that runs on it, or else this program, started
/// again.
pub(super) fn ensure(recording: &Recording, files: u64, agent_process: Option<&str>) {
    if files < MIN_FILES {
        return;
    }
    match recording.running_recorder() {
        None => start(recording.root(), agent_process),
        Some(running) if running.work == RecorderWork::Server => recording.ask_to_watch(),
        Some(_) => {}
    }
}

/// Starts this program again as the recorder.
fn start(root: &Path, agent_process: Option<&str>) {
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    let mut arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if let Some(at) = arguments.iter().position(|word| word == detached::FLAG) {
        arguments.truncate(at);
    }
    // Without a recorder every hook looks itself, so a failure is no reason for a message.
    let _ = Command::new(program)
        .args(arguments)
        .args([FLAG, agent_process.unwrap_or_default()])
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}

/// Runs the recorder to its end.
pub(super) fn run(agent_process: &str, place: &WorkArguments, around: &Surroundings) {
    detached::leave();
    let request = OpenRequest {
        // Changed settings apply at once, and nothing else of a long life is wanted.
        lifetime: Lifetime::OneClient,
        diagnostics: Some(DiagnosticsOption::Off),
        ..OpenRequest::for_command(place, RootHint::Project, WriteAuthor::Person)
    };
    let Ok(opened) = request.open(around) else {
        return;
    };
    let agent = Some(agent_process).filter(|process| !process.is_empty());
    if let Ok(RecorderOffice::Ours(recorder)) = opened.lancet.become_recorder(RecorderWork::Hooks) {
        // Where the project cannot be watched, every hook looks itself.
        let _ = recorder.serve_hooks(agent);
    }
}
