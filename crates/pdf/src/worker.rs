//! The worker process: how it is started and watched, and what it does.
//!
//! The request and the document are written to the worker's standard input. It answers with one message for each page,
//! so that the pages before a failure are not lost. The worker is started when a PDF is read, inside the program's own
//! sandbox: the sandbox refuses writes, not starting programs, so the launcher is not needed.

mod confinement;

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use lancet_formats::pdf::{MAX_PAGES, PdfError, PdfPages, PdfReader, PdfRequest};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::document::{Document, read_pages};
use crate::wire::{WorkerMessage, pop_message, read_request, write_message, write_request};

/// How long a worker may run. Its processor time is limited, too; this limit is for a busy machine.
const DEADLINE: Duration = Duration::from_secs(20);

/// How often the caller checks whether it is stopped.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// The stack of the thread that reads the document.
const READER_STACK_SIZE: usize = 32 << 20;

/// Reads PDFs in a separate process, which is started for each request.
#[derive(Debug)]
pub struct Worker {
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl Worker {
    /// Sets the program, which calls [`run_worker`] when it is started with these arguments.
    pub fn new(program: impl Into<PathBuf>, arguments: Vec<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments,
        }
    }

    fn start(&self) -> io::Result<Child> {
        Command::new(&self.program)
            .args(&self.arguments)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
    }
}

impl PdfReader for Worker {
    fn read(
        &self,
        pdf: &[u8],
        request: &PdfRequest,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<PdfPages, PdfError> {
        let unavailable = |error: io::Error| PdfError::Unavailable(error.to_string());
        let mut child = self.start().map_err(unavailable)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        // The kernel ends the worker when the thread that started it ends, so this thread waits for it.
        let (mut said, status) = std::thread::scope(|scope| {
            scope.spawn(move || {
                // A worker that has ended accepts no more input; its exit is handled below.
                if let Some(mut input) = input {
                    let _ = write_request(&mut input, request).and_then(|()| input.write_all(pdf));
                }
            });
            let said = output.map_or_else(ReceivedMessages::default, |output| {
                receive_messages(output, is_stopped)
            });
            let status = match said.is_done || said.ended.is_some() {
                true => kill_worker(&mut child),
                false => exit_status(&mut child).or_else(|| kill_worker(&mut child)),
            };
            (said, status)
        });
        let ended = match said.ended.take() {
            None if said.is_done => return said.outcome(None),
            None => match status.and_then(|status| status.signal()) {
                Some(signal) if signal == Signal::XCPU.as_raw() => PdfError::TooLong,
                _ => PdfError::Crashed,
            },
            Some(ended) => ended,
        };
        said.outcome(Some(ended))
    }
}

/// Returns the exit status of a worker whose output is closed. It shows why the worker ended, so the worker is given a
/// moment.
fn exit_status(child: &mut Child) -> Option<ExitStatus> {
    let until = Instant::now() + 4 * STOP_CHECK_INTERVAL;
    while Instant::now() < until {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    None
}

/// Ends a worker and everything that it started, and waits for it.
fn kill_worker(child: &mut Child) -> Option<ExitStatus> {
    // It is not reaped yet, so its process id is still the id of its group.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    child.wait().ok()
}

/// The messages received from a worker.
#[derive(Default)]
struct ReceivedMessages {
    pages: PdfPages,
    /// Whether everything that was requested has arrived.
    is_done: bool,
    /// Why reading from the worker stopped.
    ended: Option<PdfError>,
}

impl ReceivedMessages {
    /// Returns the received pages and why there are no more; an error if there are none.
    fn outcome(mut self, ended: Option<PdfError>) -> Result<PdfPages, PdfError> {
        match ended {
            Some(ended) if self.pages.pages.is_empty() => Err(ended),
            ended => {
                self.pages.ended = ended;
                Ok(self.pages)
            }
        }
    }

    /// Processes a message; returns whether another one follows.
    fn process_message(&mut self, message: WorkerMessage) -> bool {
        match message {
            WorkerMessage::Total(total) => self.pages.total = total,
            WorkerMessage::Page(page) => self.pages.pages.push(page),
            WorkerMessage::Failed(error) => self.ended = Some(error),
            WorkerMessage::End => self.is_done = true,
        }
        let is_too_much = self.pages.pages.len() > MAX_PAGES as usize;
        !self.is_done && self.ended.is_none() && !is_too_much
    }
}

/// Receives messages from a worker until it has sent everything, ends, or its time is over.
fn receive_messages(mut output: ChildStdout, is_stopped: &dyn Fn() -> bool) -> ReceivedMessages {
    let until = Instant::now() + DEADLINE;
    let mut said = ReceivedMessages::default();
    let mut received = Vec::new();
    let mut part = vec![0; 64 << 10];
    loop {
        if is_stopped() {
            said.ended = Some(PdfError::Stopped);
            return said;
        }
        if Instant::now() >= until {
            said.ended = Some(PdfError::TooLong);
            return said;
        }
        let mut waited_for = [PollFd::new(&output, PollFlags::IN)];
        let look = Timespec {
            tv_sec: 0,
            tv_nsec: i64::from(STOP_CHECK_INTERVAL.subsec_nanos()),
        };
        match poll(&mut waited_for, Some(&look)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => {}
            Err(_) => return said,
        }
        match output.read(&mut part) {
            Ok(0) | Err(_) => return said,
            Ok(length) => received.extend_from_slice(&part[..length]),
        }
        loop {
            match pop_message(&mut received) {
                Ok(None) => break,
                Ok(Some(message)) => {
                    if !said.process_message(message) {
                        return said;
                    }
                }
                // A malformed message cannot come from this program: the worker can no longer be trusted.
                Err(_) => return said,
            }
        }
    }
}

/// Runs the worker: it sandboxes itself, reads a request and the document from its standard input, and writes the pages
/// to its standard output.
///
/// # Errors
/// The input is malformed, or the reading end of the output is closed.
pub fn run_worker() -> io::Result<()> {
    confinement::sandbox_process()?;
    let thread = std::thread::Builder::new().stack_size(READER_STACK_SIZE);
    let served = thread.spawn(|| {
        let (request, pdf) = read_request(&mut io::stdin().lock())?;
        let mut output = io::stdout().lock();
        let document = match Document::open(pdf) {
            Ok(document) => document,
            Err(error) => return write_message(&mut output, &WorkerMessage::Failed(error)),
        };
        write_message(&mut output, &WorkerMessage::Total(document.page_count()))?;
        read_pages(&document, &request, |page| {
            write_message(&mut output, &WorkerMessage::Page(page))
        })?;
        write_message(&mut output, &WorkerMessage::End)
    })?;
    served
        .join()
        .unwrap_or_else(|_| Err(io::Error::other("the reader failed")))
}
