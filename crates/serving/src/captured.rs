//! Runs a program of the launcher to its end and captures its output, within limits.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use lancet::programs::{ProgramError, ProgramOutput};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::launcher::{Launcher, RunningProgram};
use crate::programs::{LaunchRequest, Streams};
use crate::wire::Report;

/// The interval at which the caller is queried whether to stop.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// The time to wait for the launcher after the program's time is over.
const LAUNCHER_TIMEOUT: Duration = Duration::from_secs(5);

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
    pub(crate) fn into_program_error(self, limits: ProgramLimits) -> ProgramError {
        match self {
            Self::Unavailable(words) => ProgramError::Unavailable(words),
            Self::TooLong => ProgramError::TooLong(limits.time),
            Self::TooMuch => ProgramError::TooMuch(limits.output),
            Self::Stopped => ProgramError::Stopped,
        }
    }
}

/// Starts a program with this input and waits for its end. On failure the program is ended, with its process group.
pub(crate) fn run_captured(
    launcher: &Launcher,
    launch: &LaunchRequest,
    input: &[u8],
    limits: ProgramLimits,
    is_stopped: &dyn Fn() -> bool,
) -> Result<ProgramOutput, Failure> {
    let unavailable = |error: io::Error| Failure::Unavailable(error.to_string());
    let input = create_memory_file(input).map_err(unavailable)?;
    let (output, its_output) = io::pipe().map_err(unavailable)?;
    let (error, its_error) = io::pipe().map_err(unavailable)?;
    let streams = Streams {
        input,
        output: its_output.into(),
        error: its_error.into(),
    };
    let running = launcher
        .start_program(launch, streams)
        .map_err(unavailable)?;
    let mut heard = CapturedProgram {
        output: CapturedStream::new(output, limits.output + 1),
        error: CapturedStream::new(error, limits.error),
        limits,
    };
    let report = heard.read_until_report(&running, is_stopped)?;
    heard.into_result(report)
}

/// Returns an in-memory file, so that a program may read it at any pace or not at all.
#[cfg(target_os = "linux")]
fn create_memory_file(content: &[u8]) -> io::Result<OwnedFd> {
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
struct CapturedStream {
    /// None if the program has closed it.
    pipe: Option<io::PipeReader>,
    kept: Vec<u8>,
    most: usize,
}

impl CapturedStream {
    fn new(pipe: io::PipeReader, most: usize) -> Self {
        Self {
            pipe: Some(pipe),
            kept: Vec::new(),
            most,
        }
    }

    /// Reads the available bytes once, and stores as many as are wanted.
    fn read_available(&mut self) {
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
struct CapturedProgram {
    output: CapturedStream,
    error: CapturedStream,
    limits: ProgramLimits,
}

impl CapturedProgram {
    /// Reads output until the launcher reports the end of the program; returns the report.
    fn read_until_report(
        &mut self,
        running: &RunningProgram,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Report, Failure> {
        let gone = || Failure::Unavailable("the launcher is gone".to_owned());
        let report = running.report_connection().ok_or_else(gone)?;
        let until = Instant::now() + self.limits.time + LAUNCHER_TIMEOUT;
        loop {
            if is_stopped() {
                return Err(Failure::Stopped);
            }
            if Instant::now() >= until {
                return Err(Failure::TooLong);
            }
            let mut reported = [PollFd::new(report, PollFlags::IN)];
            let is_ready = self.read_available_output(&mut reported, CHECK_INTERVAL)?;
            if is_ready {
                let report = report.receive_report().map_err(|_| gone())?;
                // A process that left the group may keep the streams open, so the end of the streams is not awaited.
                while self.read_available_output(&mut [], Duration::ZERO)? {}
                return Ok(report);
            }
        }
    }

    /// Reads the available output of the program. Returns whether another file is ready, or without another file,
    /// whether anything was read.
    fn read_available_output(
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
                stream.read_available();
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

    fn into_result(self, report: Report) -> Result<ProgramOutput, Failure> {
        let status = match report {
            Report::Ended(status) => ExitStatus::from_raw(status),
            Report::Late => return Err(Failure::TooLong),
            _ => {
                let words = "the launcher is out of order".to_owned();
                return Err(Failure::Unavailable(words));
            }
        };
        let mut output = ProgramOutput::default();
        output.code = status.code();
        output.signal = status.signal();
        output.output = self.output.kept;
        output.error = self.error.kept;
        Ok(output)
    }
}
