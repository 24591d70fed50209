//! Runs a program of the launcher to its end and captures its output, within limits.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use lancet::programs::{ProgramError, ProgramOutput};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::launcher::{Launcher, Running};
use crate::programs::{Launch, Streams};
use crate::wire::Report;

/// The interval at which the caller is queried whether to stop.
const LOOK: Duration = Duration::from_millis(50);

/// The time to wait for the launcher after the program's time is over.
const PATIENCE: Duration = Duration::from_secs(5);

/// The limits of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProgramLimits {
    /// The largest number of bytes of standard output; a program that writes more is ended.
    pub(crate) output: usize,
    /// The largest number of bytes of standard error that are stored.
    pub(crate) error: usize,
    /// The time after which the launcher ends the program.
    pub(crate) time: Duration,
}

/// The reason why a program has no usable result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It could not be started, or its end could not be determined.
    Unavailable(String),
    TooLong,
    TooMuch,
    /// The caller stopped it.
    Stopped,
}

impl Failure {
    /// Returns the failure as the library's error, for a program with these limits.
    pub(crate) fn of_program(self, limits: ProgramLimits) -> ProgramError {
        match self {
            Self::Unavailable(words) => ProgramError::Unavailable(words),
            Self::TooLong => ProgramError::TooLong(limits.time),
            Self::TooMuch => ProgramError::TooMuch(limits.output),
            Self::Stopped => ProgramError::Stopped,
        }
    }
}

/// Starts a program with this input and waits for its end. On failure the program is ended, with its process group.
pub(crate) fn capture(
    launcher: &Launcher,
    launch: &Launch,
    input: &[u8],
    limits: ProgramLimits,
    is_stopped: &dyn Fn() -> bool,
) -> Result<ProgramOutput, Failure> {
    let unavailable = |error: io::Error| Failure::Unavailable(error.to_string());
    let input = held_in_memory(input).map_err(unavailable)?;
    let (output, its_output) = io::pipe().map_err(unavailable)?;
    let (error, its_error) = io::pipe().map_err(unavailable)?;
    let streams = Streams {
        input,
        output: its_output.into(),
        error: its_error.into(),
    };
    let running = launcher.start(launch, streams).map_err(unavailable)?;
    let mut heard = ProgramSaid {
        output: Stream::new(output, limits.output + 1),
        error: Stream::new(error, limits.error),
        limits,
    };
    let report = heard.listen(&running, is_stopped)?;
    heard.outcome(report)
}

/// Returns an in-memory file, so that a program may read it at any pace or not at all.
#[cfg(target_os = "linux")]
fn held_in_memory(content: &[u8]) -> io::Result<OwnedFd> {
    use rustix::fs::{MemfdFlags, memfd_create};
    let mut file = File::from(memfd_create("file", MemfdFlags::CLOEXEC)?);
    file.write_all(content)?;
    file.rewind()?;
    Ok(file.into())
}

#[cfg(not(target_os = "linux"))]
fn held_in_memory(_: &[u8]) -> io::Result<OwnedFd> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The output of a program on one of its streams.
struct Stream {
    /// None if the program has closed it.
    pipe: Option<io::PipeReader>,
    kept: Vec<u8>,
    most: usize,
}

impl Stream {
    fn new(pipe: io::PipeReader, most: usize) -> Self {
        Self {
            pipe: Some(pipe),
            kept: Vec::new(),
            most,
        }
    }

    /// Reads the available bytes once, and stores as many as are wanted.
    fn read(&mut self) {
        let mut part = [0; 64 << 10];
        let read = match &mut self.pipe {
            Some(pipe) => pipe.read(&mut part).unwrap_or(0),
            None => 0,
        };
        if read == 0 {
            self.pipe = None;
        }
        let wanted = read.min(self.most - self.kept.len());
        self.kept.extend_from_slice(&part[..wanted]);
    }
}

/// The output and the end of a program, as far as they were received.
struct ProgramSaid {
    output: Stream,
    error: Stream,
    limits: ProgramLimits,
}

impl ProgramSaid {
    /// Reads output until the launcher reports the end of the program; returns the report.
    fn listen(
        &mut self,
        running: &Running,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Report, Failure> {
        let gone = || Failure::Unavailable("the launcher is gone".to_owned());
        let report = running.report().ok_or_else(gone)?;
        let until = Instant::now() + self.limits.time + PATIENCE;
        loop {
            if is_stopped() {
                return Err(Failure::Stopped);
            }
            if Instant::now() >= until {
                return Err(Failure::TooLong);
            }
            let mut reported = [PollFd::new(report, PollFlags::IN)];
            let is_ready = self.take_what_is_there(&mut reported, LOOK)?;
            if is_ready {
                let report = report.hear().map_err(|_| gone())?;
                // A process that left the group may keep the streams open, so the end of the streams is not awaited.
                while self.take_what_is_there(&mut [], Duration::ZERO)? {}
                return Ok(report);
            }
        }
    }

    /// Reads the available output of the program. Returns whether another file is ready, or without another file,
    /// whether anything was read.
    fn take_what_is_there(
        &mut self,
        others: &mut [PollFd<'_>],
        wait: Duration,
    ) -> Result<bool, Failure> {
        let (mut is_other_ready, mut ready) = (false, [false; 2]);
        {
            let pipes = [&self.output.pipe, &self.error.pipe];
            let open: Vec<usize> = (0..2).filter(|&at| pipes[at].is_some()).collect();
            let mut waited_for: Vec<PollFd<'_>> = others.to_vec();
            let streams = pipes.into_iter().flatten();
            waited_for.extend(streams.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
            let timeout = Timespec::try_from(wait).unwrap_or_default();
            if !waited_for.is_empty() && poll(&mut waited_for, Some(&timeout)).is_ok() {
                let is_ready = |file: &PollFd<'_>| !file.revents().is_empty();
                is_other_ready = waited_for[..others.len()].iter().any(is_ready);
                for (file, at) in waited_for[others.len()..].iter().zip(open) {
                    ready[at] = is_ready(file);
                }
            }
        }
        for (stream, is_ready) in [&mut self.output, &mut self.error].into_iter().zip(ready) {
            if is_ready {
                stream.read();
            }
        }
        if self.output.kept.len() > self.limits.output {
            return Err(Failure::TooMuch);
        }
        Ok(match others.is_empty() {
            true => ready.contains(&true),
            false => is_other_ready,
        })
    }

    fn outcome(self, report: Report) -> Result<ProgramOutput, Failure> {
        let status = match report {
            Report::Ended(status) => ExitStatus::from_raw(status),
            Report::Late => return Err(Failure::TooLong),
            _ => {
                let words = "the launcher is out of order".to_owned();
                return Err(Failure::Unavailable(words));
            }
        };
        Ok(ProgramOutput {
            code: status.code(),
            signal: status.signal(),
            output: self.output.kept,
            error: self.error.kept,
        })
    }
}
