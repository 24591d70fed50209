//! Starts programs for a person: pager, editor. Whatever a walled-in process starts is walled in too, so a small process
//! of our own is started before the wall and starts them on request. Without a wall they are started directly.

mod wire;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;

use wire::Connection;

/// The word that makes this program the launcher.
pub(crate) const WORD: &str = "--launcher";

/// The line to the launcher, where there is one.
static LAUNCHER: OnceLock<Connection> = OnceLock::new();

/// A program to be started, with what it reads and writes.
#[derive(Debug)]
pub(crate) struct Launch {
    /// The program, looked for as a shell would.
    pub(crate) program: OsString,
    /// What it is told.
    pub(crate) arguments: Vec<OsString>,
    /// Variables that it sees besides ours.
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
    /// By us.
    Here(Child),
    /// By the launcher, which tells on this line how it ended.
    There(Connection),
}

impl Launch {
    /// A program that has the terminal to itself, such as an editor.
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

    /// Starts it.
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
    /// Waits for its end.
    pub(crate) fn wait(self) -> io::Result<ExitStatus> {
        match self {
            Self::Here(mut child) => child.wait(),
            Self::There(line) => line.hear("ended").map(ExitStatus::from_raw),
        }
    }
}

/// Starts the launcher, once. Where that fails programs are started directly, behind the wall.
pub(crate) fn begin() {
    if LAUNCHER.get().is_none()
        && let Ok(line) = start_launcher()
    {
        // Somebody else was quicker: theirs serves as well, and ours ends by itself.
        let _ = LAUNCHER.set(line);
    }
}

fn start_launcher() -> io::Result<Connection> {
    let (ours, its) = wire::pair()?;
    let mut command = Command::new("/proc/self/exe");
    command.arg(WORD).stdin(Stdio::from(its));
    // It ends when our end of the line is closed, which no child of ours inherits.
    command.spawn()?;
    Ok(Connection::new(ours))
}

/// The launcher's life: starts what it is asked for until nobody is there to ask.
pub(crate) fn serve(line: OwnedFd) -> io::Result<()> {
    let line = Connection::new(line);
    while let Some((launch, report)) = line.next()? {
        // Each is waited for by itself: an editor may be open for hours.
        std::thread::spawn(move || {
            let ended = launch.start_here().and_then(|mut child| {
                report.tell("started", 0)?;
                child.wait()
            });
            // Whoever asked may be gone by now; then nobody wants to know.
            let _ = match ended {
                Ok(status) => report.tell("ended", status.into_raw()),
                Err(error) => report.tell("failed", error.raw_os_error().unwrap_or(0)),
            };
        });
    }
    Ok(())
}

/// Was this program started to be the launcher?
pub(crate) fn is_wanted(typed: &[OsString]) -> bool {
    typed.len() == 2 && typed[1] == OsStr::new(WORD)
}
