//! The output that several threads print to. The lines of a file stay together: a thread collects them, and beyond a
//! limit it makes the others wait until the file ends. What is collected is written after a moment at the latest.

use std::borrow::Cow;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use termcolor::{Ansi, Color, ColorSpec, HyperlinkSpec, WriteColor};

/// The output of one file that is collected before it is passed on.
const MAX_COLLECTED: usize = 1 << 16;
/// The output of all files that is collected before it is written.
const BUFFER_BYTES: usize = 1 << 16;
/// The longest time for which output may be collected.
const MAX_DELAY: Duration = Duration::from_millis(30);

/// Makes the control characters of a text visible.
pub type MakeVisible = fn(&str) -> Cow<'_, str>;

/// The look of output. Where a terminal shows it, the control characters of files and names are made visible.
#[derive(Clone, Copy, Debug)]
pub enum OutputStyle {
    /// The bytes as they are.
    Plain,
    /// Without escape sequences, for a terminal without colours.
    Visible(MakeVisible),
    /// With colours.
    Colour(MakeVisible),
    /// With colours, and with names that are links.
    ColourAndLinks(MakeVisible),
}

/// The output of a search.
pub struct Output {
    inner: Mutex<OutputState>,
    /// Notified when a thread has finished a long file.
    released: Condvar,
    threads: AtomicU64,
    closed: AtomicBool,
    waiting: AtomicBool,
    paint: OutputStyle,
    separator: Option<&'static str>,
}

struct OutputState {
    out: io::BufWriter<Box<dyn Write + Send>>,
    /// The thread that has printed a part of a file.
    holder: Option<u64>,
    has_written: bool,
    flushed: Option<Instant>,
    error: Option<io::Error>,
}

impl Output {
    /// Prints to `out`; between two files comes a line with the separator.
    pub fn new(
        out: Box<dyn Write + Send>,
        paint: OutputStyle,
        separator: Option<&'static str>,
    ) -> Self {
        Output {
            inner: Mutex::new(OutputState {
                out: io::BufWriter::with_capacity(BUFFER_BYTES, out),
                holder: None,
                has_written: false,
                flushed: None,
                error: None,
            }),
            released: Condvar::new(),
            threads: AtomicU64::new(0),
            closed: AtomicBool::new(false),
            waiting: AtomicBool::new(false),
            paint,
            separator,
        }
    }

    /// Returns whether nothing more is to be printed: the reader is gone, or enough was found.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    pub(super) fn style(&self) -> OutputStyle {
        self.paint
    }

    /// Writes what is left, and returns the error that ended the output.
    pub fn finish(self) -> io::Result<()> {
        let mut inner = self
            .inner
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        match inner.error.take() {
            Some(error) => Err(error),
            None => inner.out.flush(),
        }
    }

    /// Writes what was collected some time ago.
    pub(super) fn flush_if_due(&self) {
        if self.waiting.load(Ordering::Relaxed)
            && let Ok(mut inner) = self.inner.try_lock()
            && inner.is_due()
        {
            self.flush(&mut inner);
        }
    }

    /// Waits until no other thread is in the middle of a file.
    fn lock(&self, thread: u64) -> MutexGuard<'_, OutputState> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        while inner.holder.is_some_and(|holder| holder != thread) {
            inner = self
                .released
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner);
        }
        inner
    }

    fn flush(&self, inner: &mut OutputState) {
        self.waiting.store(false, Ordering::Relaxed);
        inner.flushed = Some(Instant::now());
        let flushed = inner.out.flush();
        self.record_error(inner, flushed);
    }

    fn record_error(&self, inner: &mut OutputState, written: io::Result<()>) {
        if let Err(error) = written {
            self.close();
            inner.error.get_or_insert(error);
        }
    }
}

impl OutputState {
    fn is_due(&self) -> bool {
        self.flushed.is_none_or(|last| last.elapsed() >= MAX_DELAY)
    }
}

/// The part of a file's output that is passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FilePart {
    Beginning,
    Last,
}

/// The output of one thread, file by file.
pub(super) struct FileOutput<'o> {
    output: &'o Output,
    thread: u64,
    collected: Ansi<Vec<u8>>,
    /// Whether a part of the file was passed on, which makes the other threads wait.
    holds: bool,
    /// When the oldest byte was collected.
    since: Option<Instant>,
}

impl<'o> FileOutput<'o> {
    pub(super) fn new(output: &'o Output) -> Self {
        FileOutput {
            output,
            thread: output.threads.fetch_add(1, Ordering::Relaxed),
            collected: Ansi::new(Vec::new()),
            holds: false,
            since: None,
        }
    }

    /// Adds a row for programs.
    pub(super) fn add_row(&mut self, format: impl FnOnce(&mut Vec<u8>)) {
        format(self.collected.get_mut());
    }

    /// Adds a name.
    pub(super) fn add_name(&mut self, name: &Path, end: u8) {
        // Writing to memory does not fail.
        let mut path = ColorSpec::new();
        path.set_fg(Some(Color::Magenta));
        if self.supports_color() {
            let _ = self.collected.set_color(&path);
        }
        let _ = self.write(name.as_os_str().as_bytes());
        if self.supports_color() {
            let _ = self.collected.reset();
        }
        self.collected.get_mut().push(end);
    }

    /// Passes on what was collected of a file that has ended.
    pub(super) fn end_file(&mut self) -> io::Result<()> {
        if self.collected.get_ref().is_empty() && !self.holds {
            return Ok(());
        }
        self.forward(FilePart::Last)
    }

    fn forward(&mut self, part: FilePart) -> io::Result<()> {
        let output = self.output;
        let mut inner = output.lock(self.thread);
        let bytes = self.collected.get_mut();
        if !output.is_closed() {
            let mut written = Ok(());
            if let Some(separator) = output.separator
                && !self.holds
                && inner.has_written
            {
                written = writeln!(inner.out, "{separator}");
            }
            inner.has_written = true;
            let written = written.and_then(|()| inner.out.write_all(bytes));
            output.record_error(&mut inner, written);
            output.waiting.store(true, Ordering::Relaxed);
            if inner.is_due() {
                output.flush(&mut inner);
            }
        }
        bytes.clear();
        self.since = None;
        self.holds = part == FilePart::Beginning;
        inner.holder = self.holds.then_some(self.thread);
        if !self.holds {
            output.released.notify_all();
        }
        match output.is_closed() {
            true => Err(io::ErrorKind::BrokenPipe.into()),
            false => Ok(()),
        }
    }

    /// Forwards the collected lines early if they exceed [`MAX_COLLECTED`] or have waited for [`MAX_DELAY`].
    pub(super) fn end_line(&mut self) -> io::Result<()> {
        let since = *self.since.get_or_insert_with(Instant::now);
        if self.collected.get_ref().len() >= MAX_COLLECTED || since.elapsed() >= MAX_DELAY {
            self.forward(FilePart::Beginning)?;
        }
        Ok(())
    }
}

impl Write for FileOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.output.paint {
            OutputStyle::Plain => self.collected.get_mut().extend_from_slice(bytes),
            OutputStyle::Visible(visible)
            | OutputStyle::Colour(visible)
            | OutputStyle::ColourAndLinks(visible) => {
                let text = String::from_utf8_lossy(bytes);
                let shown = visible(&text);
                self.collected.get_mut().extend_from_slice(shown.as_bytes());
            }
        }
        self.end_line()?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl WriteColor for FileOutput<'_> {
    fn supports_color(&self) -> bool {
        matches!(
            self.output.paint,
            OutputStyle::Colour(_) | OutputStyle::ColourAndLinks(_)
        )
    }

    fn supports_hyperlinks(&self) -> bool {
        matches!(self.output.paint, OutputStyle::ColourAndLinks(_))
    }

    fn set_color(&mut self, spec: &ColorSpec) -> io::Result<()> {
        if self.supports_color() {
            self.collected.set_color(spec)?;
        }
        Ok(())
    }

    fn set_hyperlink(&mut self, link: &HyperlinkSpec<'_>) -> io::Result<()> {
        if self.supports_hyperlinks() {
            self.collected.set_hyperlink(link)?;
        }
        Ok(())
    }

    fn reset(&mut self) -> io::Result<()> {
        if self.supports_color() {
            self.collected.reset()?;
        }
        Ok(())
    }
}
