//! The launcher: the process that starts programs, and the handle by which its parent requests them.
//!
//! The parent requests a kind and an entry of the table that the launcher has read itself (`programs`), never a
//! command line. A program ends when its time is over, or when the connection of the requesting process is closed,
//! which the kernel does when lancet is killed. Programs at the terminal stay in its foreground group, because in a
//! separate group they could not be suspended together with the command.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lancet::programs::FORMAT_TIME_LIMIT;
use lancet_formats::convert::{PATH_PLACEHOLDER, TIME_LIMIT_SECONDS};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::commands::{
    confined_command, formatter_command, language_server_command, shell_command, unconfined_command,
};
use crate::descendants::{self, ChildRegistry};
use crate::programs::{LaunchRequest, Programs, Streams, editor_arguments, pager_arguments};
use crate::running::{ProcessGroup, StartedProgram};
use crate::temporary_folder::TemporaryFolder;
use crate::wire::{self, Connection, Report};

/// The time limit of the notification program.
const NOTIFY_TIMEOUT: Duration = Duration::from_secs(10);

/// The message about a program that is not started because it is not the one that was trusted.
const CHANGED_PROGRAM_MESSAGE: &str = "a file that it is started from is not as it was when you trusted it; `lancet trust` shows the difference and asks";

/// The handle of a launcher. Clones share it.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The connection to the process; none if this process starts programs itself.
    connection: Option<Arc<Connection>>,
    pub(crate) programs: Arc<Programs>,
}

/// A program that was started.
#[derive(Debug)]
pub struct RunningProgram(RunningBy);

#[derive(Debug)]
enum RunningBy {
    /// The program is a child of this process.
    Here(StartedProgram),
    /// The launcher started the program and reports about it on this connection.
    There(Connection),
}

impl Launcher {
    /// Starts the launcher: `program` with these arguments, which must call [`serve_launcher`] with its standard input.
    /// `programs` is this process's own view of them; the launcher starts those that it has read itself.
    ///
    /// # Errors
    /// The process could not be started.
    pub fn begin(program: &OsStr, arguments: &[OsString], programs: Programs) -> io::Result<Self> {
        let (ours, its) = wire::socket_pair()?;
        // A process that reads the output of this process must not wait for the launcher. The launcher ends when our
        // end of the connection is closed; no child of ours inherits it.
        Command::new(program)
            .args(arguments)
            .stdin(Stdio::from(its))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self {
            connection: Some(Arc::new(Connection::new(ours))),
            programs: Arc::new(programs),
        })
    }

    /// Returns a handle without a launcher: this process starts editor and pager itself, and they are confined as it
    /// is.
    #[must_use]
    pub fn without_launcher(programs: Programs) -> Self {
        Self {
            connection: None,
            programs: Arc::new(programs),
        }
    }

    /// Starts a program. A program that works for this process ends with this process, however that ends.
    ///
    /// # Errors
    /// The program does not exist or could not be started, or the settings name none of this kind.
    pub fn start_program(
        &self,
        launch: &LaunchRequest,
        streams: Streams,
    ) -> io::Result<RunningProgram> {
        let unnamed = || {
            let words = "no such program was named when lancet was started";
            io::Error::new(io::ErrorKind::NotFound, words)
        };
        let Some(connection) = &self.connection else {
            let started = match launch {
                LaunchRequest::Converter { .. }
                | LaunchRequest::Formatter { .. }
                | LaunchRequest::Hook { .. }
                | LaunchRequest::Server { .. } => {
                    return Err(io::ErrorKind::Unsupported.into());
                }
                _ => start_program(&self.programs, launch, streams)?.ok_or_else(unnamed)?,
            };
            return Ok(RunningProgram(RunningBy::Here(started)));
        };
        let report = connection.request(launch, streams)?;
        match report.receive_report()? {
            Report::Started => Ok(RunningProgram(RunningBy::There(report))),
            Report::Failed(error) => Err(io::Error::from_raw_os_error(error)),
            Report::Unknown => Err(unnamed()),
            Report::Changed => Err(io::Error::other(CHANGED_PROGRAM_MESSAGE)),
            _ => Err(io::Error::other("the launcher is out of order")),
        }
    }
}

impl RunningProgram {
    /// Waits for the program to end.
    ///
    /// # Errors
    /// It was ended because its time was over, or its end could not be determined.
    pub fn wait(self) -> io::Result<ExitStatus> {
        match self.0 {
            RunningBy::Here(mut started) => started.child.wait(),
            RunningBy::There(report) => match report.receive_report()? {
                Report::Ended(status) => Ok(ExitStatus::from_raw(status)),
                Report::Late => Err(io::ErrorKind::TimedOut.into()),
                _ => Err(io::Error::other("the launcher is out of order")),
            },
        }
    }

    /// Returns the connection on which the launcher reports the end; none if this process started the program itself.
    pub(crate) fn report_connection(&self) -> Option<&Connection> {
        match &self.0 {
            RunningBy::Here(_) => None,
            RunningBy::There(report) => Some(report),
        }
    }
}

/// Runs the main loop of the launcher: starts requested programs until the connection is closed, and then ends every
/// process below this one.
///
/// `passes` is called before each program of the settings, with its command; a program that does not pass is not
/// started.
///
/// # Errors
/// The connection cannot be read.
pub fn serve_launcher(
    connection: OwnedFd,
    programs: &Programs,
    passes: &(dyn Fn(&[String]) -> bool + Sync),
) -> io::Result<()> {
    outlive_signals();
    descendants::become_subreaper();
    let served = serve_requests(connection, programs, passes);
    // Processes that left their process group have no other parent by now, or will have none.
    descendants::end_all_descendants();
    served
}

fn serve_requests(
    connection: OwnedFd,
    programs: &Programs,
    passes: &(dyn Fn(&[String]) -> bool + Sync),
) -> io::Result<()> {
    let connection = Connection::new(connection);
    let children = &ChildRegistry::default();
    std::thread::scope(|scope| {
        while let Some((launch, streams, report)) = connection.next_request()? {
            // A thread waits for each program, because an editor may be open for hours. The kernel ends a converter
            // when the thread that started it ends.
            scope.spawn(move || {
                let command = programs.command_for_request(&launch);
                if command.is_some_and(|command| !passes(command)) {
                    let _ = report.send_report(Report::Changed);
                    return;
                }
                let started = children.start_child(
                    || start_program(programs, &launch, streams),
                    |started| Some(started.as_ref().ok()?.as_ref()?.process_id()),
                );
                let told = match started {
                    Ok(Some(started)) => {
                        let id = started.process_id();
                        // If the requesting process has ended, so does the program.
                        let _ = report.send_report(Report::Started);
                        let told = started.supervise(&report);
                        children.remove_ended(id);
                        told
                    }
                    Ok(None) => Ok(Report::Unknown),
                    Err(error) => Err(error),
                };
                let failed = |error: io::Error| Report::Failed(error.raw_os_error().unwrap_or(0));
                let _ = report.send_report(told.unwrap_or_else(failed));
            });
        }
        Ok(())
    })
}

/// Prevents signals from the terminal, which all its processes get, from ending the launcher before it has ended the
/// programs that it started. These are handlers and not "ignore", because child processes inherit "ignore".
fn outlive_signals() {
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        let _ = signal_hook::flag::register(signal, Arc::default());
    }
}

/// Starts a program; returns none if the table has no such entry.
fn start_program(
    programs: &Programs,
    launch: &LaunchRequest,
    streams: Streams,
) -> io::Result<Option<StartedProgram>> {
    let mut input = streams.input;
    let mut folder = None;
    // Programs that work for this process, and not for the user at the terminal, have a time limit.
    let mut time = None;
    let mut command = match launch {
        LaunchRequest::Editor { file, line } => {
            let Some(editor) = &programs.editor else {
                return Ok(None);
            };
            shell_command(editor_arguments(editor, file, *line))
        }
        LaunchRequest::Pager => {
            let Some(pager) = &programs.pager else {
                return Ok(None);
            };
            shell_command(pager_arguments(pager))
        }
        LaunchRequest::Notify if programs.notify.is_empty() => return Ok(None),
        LaunchRequest::Notify => {
            time = Some(NOTIFY_TIMEOUT);
            unconfined_command(&programs.notify)?
        }
        LaunchRequest::Converter { pattern, name } => {
            // The last entry of a pattern is the one in force.
            let mut entries = programs.converters.iter().rev();
            let Some(entry) = entries.find(|entry| entry.pattern == *pattern) else {
                return Ok(None);
            };
            time = Some(Duration::from_secs(TIME_LIMIT_SECONDS));
            let own = folder.insert(TemporaryFolder::new()?);
            converter_command(own, &entry.command, name, &mut input)?
        }
        LaunchRequest::Formatter { entry, path } => {
            let mut entries = programs.formatters.iter();
            let Some(formatter) = entries.find(|formatter| formatter.id() == *entry) else {
                return Ok(None);
            };
            time = Some(FORMAT_TIME_LIMIT);
            formatter_command(folder.insert(TemporaryFolder::new()?), formatter, path)?
        }
        LaunchRequest::Hook { entry } => {
            let mut entries = programs.hooks.iter();
            let Some(hook) = entries.find(|hook| hook.id() == *entry) else {
                return Ok(None);
            };
            time = Some(hook.timeout);
            unconfined_command(&hook.command)?
        }
        LaunchRequest::Server { name, folder } => {
            let Some(server) = programs.servers.iter().find(|server| server.name == *name) else {
                return Ok(None);
            };
            if !may_start_server_in(programs, folder) {
                return Ok(None);
            }
            language_server_command(server, folder)?
        }
    };
    let group = process_group(launch);
    if group == ProcessGroup::Own {
        command.process_group(0);
    }
    let child = command
        .stdin(Stdio::from(input))
        .stdout(Stdio::from(streams.output))
        .stderr(Stdio::from(streams.error))
        .spawn()?;
    Ok(Some(StartedProgram {
        child,
        group,
        deadline: time.map(|time| Instant::now() + time),
        folder,
    }))
}

/// Returns the process group of a program. Programs for the user at the terminal get its keys and signals.
fn process_group(launch: &LaunchRequest) -> ProcessGroup {
    match launch {
        LaunchRequest::Editor { .. } | LaunchRequest::Pager => ProcessGroup::Terminal,
        LaunchRequest::Notify
        | LaunchRequest::Converter { .. }
        | LaunchRequest::Formatter { .. }
        | LaunchRequest::Hook { .. }
        | LaunchRequest::Server { .. } => ProcessGroup::Own,
    }
}

/// Returns the command of a converter. One that takes a path gets a copy of the file in its own folder, and an empty
/// input.
fn converter_command(
    own: &TemporaryFolder,
    entry: &[String],
    name: &OsStr,
    input: &mut OwnedFd,
) -> io::Result<Command> {
    if !entry
        .iter()
        .any(|argument| argument.contains(PATH_PLACEHOLDER))
    {
        return confined_command(own, entry, None);
    }
    let nothing = File::open("/dev/null")?.into();
    let file = std::mem::replace(input, nothing);
    let copy = own.add(name, File::from(file))?;
    confined_command(own, entry, Some(copy))
}

/// Returns whether a language server may be started for a folder, which is the only part of its command that the
/// requesting process chooses.
fn may_start_server_in(programs: &Programs, folder: &Path) -> bool {
    let is_below = |allowed: &PathBuf| {
        let real = folder.canonicalize();
        real.is_ok_and(|real| real.starts_with(allowed))
    };
    programs.servers_below.as_ref().is_some_and(is_below)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    /// Returns a launcher that runs in a thread of the test.
    fn launcher_in_thread(
        programs: Programs,
    ) -> (Launcher, std::thread::JoinHandle<io::Result<()>>) {
        let (ours, its) = wire::socket_pair().expect("a line");
        let known = programs.clone();
        let thread = std::thread::spawn(move || serve_requests(its, &programs, &|_| true));
        let launcher = Launcher {
            connection: Some(Arc::new(Connection::new(ours))),
            programs: Arc::new(known),
        };
        (launcher, thread)
    }

    fn streams(output: OwnedFd) -> Streams {
        let nowhere = || OwnedFd::from(File::open("/dev/null").expect("it is there"));
        Streams {
            input: nowhere(),
            output,
            error: nowhere(),
        }
    }

    #[test]
    fn launcher_starts_known_programs_and_reports_their_status() {
        let (launcher, thread) = launcher_in_thread(Programs {
            editor: Some("sh -c 'echo \"$@\"; exit 3' x".to_owned()),
            ..Programs::default()
        });
        let (mut reader, writer) = io::pipe().expect("a pipe");
        let asked = LaunchRequest::Editor {
            file: "/d/a b".into(),
            line: 1,
        };
        let running = launcher.start_program(&asked, streams(writer.into()));
        let status = running.expect("started").wait().expect("ended");
        assert_eq!(status.code(), Some(3));
        let mut said = String::new();
        reader.read_to_string(&mut said).expect("text");
        assert_eq!(said, "/d/a b\n");
        let unknown = LaunchRequest::Converter {
            pattern: "*.x".to_owned(),
            name: "a.x".into(),
        };
        for launch in [LaunchRequest::Pager, unknown] {
            let (_, writer) = io::pipe().expect("a pipe");
            let refused = launcher.start_program(&launch, streams(writer.into()));
            assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::NotFound);
        }
        drop(launcher);
        thread.join().expect("no panic").expect("ends by itself");
    }

    #[test]
    fn program_ends_when_its_handle_is_dropped() {
        let (launcher, thread) = launcher_in_thread(Programs {
            pager: Some("echo started; exec sleep 600".to_owned()),
            ..Programs::default()
        });
        let (mut reader, writer) = io::pipe().expect("a pipe");
        let running = launcher.start_program(&LaunchRequest::Pager, streams(writer.into()));
        let running = running.expect("started");
        let mut said = [0; 8];
        reader.read_exact(&mut said).expect("it runs");
        drop(running);
        // The pipe is closed when the program has ended.
        assert_eq!(reader.read(&mut said).expect("closed"), 0);
        drop(launcher);
        thread.join().expect("no panic").expect("ends by itself");
    }
}
