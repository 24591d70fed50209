//! Starts programs for a person: pager and editor. Children of a process that is confined by Landlock are confined,
//! too, so a small process of our own (the launcher) is started before the confinement and starts programs on request.
//! Without a confinement they are started directly.

mod wire;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;

use wire::Connection;

/// The argument that makes this program the launcher.
pub(crate) const WORD: &str = "--launcher";

/// The connection to the launcher; unset where there is none.
static LAUNCHER: OnceLock<Connection> = OnceLock::new();

/// A program to be started, with what it reads and writes.
#[derive(Debug)]
pub(crate) struct Launch {
    /// The program, found in `PATH` as a shell would.
    pub(crate) program: OsString,
    /// The arguments of the program.
    pub(crate) arguments: Vec<OsString>,
    /// Environment variables that the program gets besides ours.
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// Its standard input.
    pub(crate) input: OwnedFd,
    /// Its standard output.
    pub(crate) output: OwnedFd,
    /// Its standard error.
    pub(crate) error: OwnedFd,
}

/// A program that was started.
#[derive(Debug)]
pub(crate) enum Running {
    /// The program is a child of this process.
    Here(Child),
    /// The launcher started the program and reports its exit status on this connection.
    There(Connection),
}

impl Launch {
    /// Prepares a program that uses the terminal itself, such as an editor.
    pub(crate) fn at_terminal(
        program: impl Into<OsString>,
        arguments: Vec<OsString>,
    ) -> io::Result<Self> {
        let terminal = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/tty")?;
        Ok(Self {
            program: program.into(),
            arguments,
            variables: Vec::new(),
            input: terminal.try_clone()?.into(),
            output: terminal.try_clone()?.into(),
            error: terminal.into(),
        })
    }

    /// Starts the program.
    pub(crate) fn start(self) -> io::Result<Running> {
        match LAUNCHER.get() {
            Some(launcher) => launcher.ask(self).map(Running::There),
            None => self.start_here().map(Running::Here),
        }
    }

    fn start_here(self) -> io::Result<Child> {
        Command::new(&self.program)
            .args(&self.arguments)
            .envs(self.variables)
            .stdin(Stdio::from(self.input))
            .stdout(Stdio::from(self.output))
            .stderr(Stdio::from(self.error))
            .spawn()
    }
}

impl Running {
    /// Waits for the program to end.
    pub(crate) fn wait(self) -> io::Result<ExitStatus> {
        match self {
            Self::Here(mut child) => child.wait(),
            Self::There(line) => line.hear("ended").map(ExitStatus::from_raw),
        }
    }
}

/// Starts the launcher, once. If that fails, programs are started directly and are confined like this process.
pub(crate) fn begin() {
    if LAUNCHER.get().is_none()
        && let Ok(line) = start_launcher()
    {
        // If another thread was faster, its launcher serves as well, and ours ends by itself.
        let _ = LAUNCHER.set(line);
    }
}

fn start_launcher() -> io::Result<Connection> {
    let (ours, its) = wire::pair()?;
    let mut command = Command::new("/proc/self/exe");
    command.arg(WORD).stdin(Stdio::from(its));
    // The launcher ends when our end of the connection is closed, which no child of ours inherits.
    command.spawn()?;
    Ok(Connection::new(ours))
}

/// The main loop of the launcher: starts requested programs until the connection is closed.
pub(crate) fn serve(line: OwnedFd) -> io::Result<()> {
    let line = Connection::new(line);
    while let Some((launch, report)) = line.next()? {
        // A thread waits for each program, because an editor may be open for hours.
        std::thread::spawn(move || {
            let ended = launch.start_here().and_then(|mut child| {
                report.tell("started", 0)?;
                child.wait()
            });
            // If the requesting process has ended, the report is lost without harm.
            let _ = match ended {
                Ok(status) => report.tell("ended", status.into_raw()),
                Err(error) => report.tell("failed", error.raw_os_error().unwrap_or(0)),
            };
        });
    }
    Ok(())
}

/// Whether this program was started to be the launcher.
pub(crate) fn is_wanted(typed: &[OsString]) -> bool {
    typed.len() == 2 && typed[1] == OsStr::new(WORD)
}
