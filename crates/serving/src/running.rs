//! Waits for the end of a started program, and ends it together with the process that requested it.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::temporary_folder::TemporaryFolder;
use crate::wire::{Connection, Report};

/// The interval at which the program is polled if the system does not report the end of a process.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The time that a program at the terminal may take to save its state after it was signalled to end.
const TERMINATION_GRACE: Duration = Duration::from_secs(2);

/// The process group of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessGroup {
    /// It has a separate group, which is ended as a whole.
    Own,
    /// It is in the group that the terminal sends its keys to. In a separate group it could not be suspended with
    /// Ctrl-Z together with the command that the user typed.
    Terminal,
}

/// A started program, with the resources that it needs until its end.
#[derive(Debug)]
pub(crate) struct StartedProgram {
    pub(crate) child: Child,
    pub(crate) group: ProcessGroup,
    pub(crate) deadline: Option<Instant>,
    /// The folder that it may write in, removed after its end.
    pub(crate) folder: Option<TemporaryFolder>,
}

impl StartedProgram {
    /// Returns the number of its process.
    pub(crate) fn process_id(&self) -> i32 {
        Pid::from_child(&self.child).as_raw_nonzero().get()
    }

    /// Waits until the program has ended, its time is over, or no process waits for it any more. On return it has
    /// ended in each case, with everything in its group.
    pub(crate) fn supervise(mut self, report: &Connection) -> io::Result<Report> {
        let ended = self.wait_for_end(report);
        let status = self.end_remaining()?;
        drop(self.folder);
        Ok(match ended? {
            WaitEnd::Late => Report::Late,
            WaitEnd::Exit | WaitEnd::Abandoned => Report::Ended(status),
        })
    }

    fn wait_for_end(&mut self, report: &Connection) -> io::Result<WaitEnd> {
        let handle = process_handle(&self.child);
        loop {
            let left = self
                .deadline
                .map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let wait = match (&handle, left) {
                (Some(_), left) => left,
                (None, left) => Some(left.unwrap_or(POLL_INTERVAL).min(POLL_INTERVAL)),
            };
            let mut waited_for = vec![PollFd::new(report, PollFlags::IN)];
            waited_for.extend(
                handle
                    .iter()
                    .map(|handle| PollFd::new(handle, PollFlags::IN)),
            );
            let timeout = wait.and_then(|wait| Timespec::try_from(wait).ok());
            match poll(&mut waited_for, timeout.as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let has_ended = match &handle {
                Some(_) => !waited_for[1].revents().is_empty(),
                // The status is stored and returned again by the wait at the end.
                None => self.child.try_wait()?.is_some(),
            };
            if has_ended {
                return Ok(WaitEnd::Exit);
            }
            // Nothing is ever sent on this connection, so it is ready only when the other end is closed.
            if !waited_for[0].revents().is_empty() {
                return Ok(WaitEnd::Abandoned);
            }
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(WaitEnd::Late);
            }
        }
    }

    /// Ends the remaining processes of the program, and returns its status.
    fn end_remaining(&mut self) -> io::Result<i32> {
        let process = Pid::from_child(&self.child);
        match self.group {
            // The program is not reaped yet, so its number is still the number of its group.
            ProcessGroup::Own => {
                let _ = kill_process_group(process, Signal::KILL);
            }
            ProcessGroup::Terminal => {
                let _ = kill_process(process, Signal::HUP);
                let until = Instant::now() + TERMINATION_GRACE;
                while self.child.try_wait()?.is_none() && Instant::now() < until {
                    std::thread::sleep(POLL_INTERVAL / 5);
                }
                let _ = self.child.kill();
            }
        }
        Ok(self.child.wait()?.into_raw())
    }
}

/// The reason why a program is no longer waited for.
enum WaitEnd {
    /// The program has ended.
    Exit,
    /// Its time is over.
    Late,
    /// The process that requested it has closed the connection or ended.
    Abandoned,
}

/// Returns a file descriptor that is ready when the process has ended; none if the system has no such descriptors.
#[cfg(target_os = "linux")]
fn process_handle(child: &Child) -> Option<std::os::fd::OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};
    pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn process_handle(_: &Child) -> Option<std::os::fd::OwnedFd> {
    None
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt as _;
    use std::process::Command;

    use super::*;
    use crate::wire;

    #[test]
    fn timeout_ends_program_with_its_children() {
        let (ours, its) = wire::socket_pair().expect("a line");
        let (reader, writer) = io::pipe().expect("a pipe");
        let child = Command::new("sh")
            .args(["-c", "sleep 600 & sleep 600"])
            .stdout(writer)
            .process_group(0)
            .spawn()
            .expect("started");
        let program = StartedProgram {
            child,
            group: ProcessGroup::Own,
            deadline: Some(Instant::now() + POLL_INTERVAL),
            folder: None,
        };
        let report = program.supervise(&Connection::new(its));
        assert_eq!(report.expect("watched"), Report::Late);
        // Every process that had the pipe has ended.
        assert_eq!(io::read_to_string(reader).expect("closed"), "");
        drop(ours);
    }
}
