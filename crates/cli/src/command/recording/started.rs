//! A command that runs in the caller's place: with its streams, its terminal and its process group.

use std::ffi::OsString;
use std::fmt;
use std::io::Read as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/// Why a command did not run to its end. The program is named as it was typed.
#[derive(Debug)]
pub(in crate::command) enum StartError {
    /// There is no such program.
    NotFound { program: String },
    /// The system does not start it, or its end cannot be learned.
    System {
        program: String,
        source: std::io::Error,
    },
}

impl fmt::Display for StartError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::NotFound { program } => write!(out, "{program}: command not found"),
            StartError::System { program, source } => write!(out, "{program}: {source}"),
        }
    }
}

impl StartError {
    /// Returns the exit code that a shell would give.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            StartError::NotFound { .. } => 127,
            StartError::System { .. } => 126,
        }
    }
}

/// Runs a command; returns its exit code, 128+n where signal n ended it. A child that it leaves behind is not waited for.
///
/// The terminal's own signals reach the command directly, and this process outlives them. Those that are sent to this
/// process alone are passed on. Handlers are reset when the command starts, so it treats signals as the caller does.
pub(in crate::command) fn run_to_end(words: &[OsString]) -> Result<u8, StartError> {
    let Some((program, arguments)) = words.split_first() else {
        return Ok(0);
    };
    let shown = || program.to_string_lossy().into_owned();
    let system = |source| StartError::System {
        program: shown(),
        source,
    };
    for signal in [SIGINT, SIGQUIT] {
        signal_hook::flag::register(signal, Arc::default()).map_err(system)?;
    }
    // Registered before the command starts, so that a signal that comes while it starts is not lost.
    let terminations = signal_pipe(SIGTERM).map_err(system)?;
    let hangups = signal_pipe(SIGHUP).map_err(system)?;
    let started = Command::new(program).args(arguments).spawn();
    let mut child = started.map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => StartError::NotFound { program: shown() },
        _ => system(source),
    })?;
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let has_ended = Arc::new(AtomicBool::new(false));
    for (signals, signal) in [(terminations, Signal::TERM), (hangups, Signal::HUP)] {
        forward_signals(signals, signal, process, Arc::clone(&has_ended));
    }
    let ended = child.wait();
    has_ended.store(true, Ordering::Relaxed);
    let status = ended.map_err(system)?;
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(126))
}

/// Returns a stream that gets a byte for each signal of this kind, which then no longer ends this process.
fn signal_pipe(signal: i32) -> std::io::Result<UnixStream> {
    let (reads, writes) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(signal, writes)?;
    Ok(reads)
}

/// Passes signals on to a process until it has ended. The thread ends with this program.
fn forward_signals(
    mut signals: UnixStream,
    signal: Signal,
    process: Option<Pid>,
    has_ended: Arc<AtomicBool>,
) {
    thread::spawn(move || {
        while signals.read_exact(&mut [0]).is_ok() {
            if let Some(process) = process.filter(|_| !has_ended.load(Ordering::Relaxed)) {
                // It may have ended just now.
                let _ = kill_process(process, signal);
            }
        }
    });
}
