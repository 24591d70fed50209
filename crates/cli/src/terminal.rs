//! Output for people: colours, diffs, pager, and escaped texts. Decisions and prompts are elsewhere.

mod ascii;
mod diff;
mod picture;
mod progress_line;
mod question;
mod syntax;
mod wrap;

use std::io::{self, IsTerminal as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};

pub(crate) use ascii::{TerminalWriter, encode_for_terminal, use_ascii};
pub(crate) use lancet::doors::{escape_for_terminal, escape_line_for_terminal};
pub(crate) use picture::picture_sequences;
pub(crate) use progress_line::{ElapsedTimeLine, ProgressLine};
pub(crate) use question::{
    Consent, TerminalApprover, confirm_at_terminal, format_headline, has_terminal, prompt_line,
};
pub(crate) use syntax::SyntaxColours;
pub(crate) use wrap::wrap_lines;

use lancet_serving::{LaunchRequest, Streams};

use crate::failure::Failure;
use crate::launcher;
use crate::surroundings::Surroundings;

/// The rows of a terminal that does not report its size.
const UNKNOWN_HEIGHT: usize = 24;

/// Whether a text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    /// Escape sequences are used.
    On,
    /// Escape sequences are not used.
    Off,
}

/// The style of a piece of text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Style {
    Bold,
    Dim,
    Red,
    Green,
    Cyan,
}

impl Style {
    fn code(self) -> u8 {
        match self {
            Style::Bold => 1,
            Style::Dim => 2,
            Style::Red => 31,
            Style::Green => 32,
            Style::Cyan => 36,
        }
    }
}

impl Colour {
    /// Formats text in a style.
    pub(crate) fn paint(self, style: Style, text: &str) -> String {
        if self == Colour::Off || text.is_empty() {
            return text.to_owned();
        }
        format!("\x1b[{}m{text}\x1b[0m", style.code())
    }

    /// Formats text in a style and highlights it by reversed colours.
    pub(crate) fn paint_reversed(self, style: Style, text: &str) -> String {
        match self {
            Colour::Off => text.to_owned(),
            Colour::On => format!("\x1b[{};7m{text}\x1b[0m", style.code()),
        }
    }

    /// Formats numbered lines from Read: numbers and notices are dimmed.
    pub(crate) fn dim_line_numbers(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 64);
        for line in text.lines() {
            let line = &*escape_for_terminal(line);
            let number = line.trim_start_matches(' ');
            let rest = number.trim_start_matches(|digit: char| digit.is_ascii_digit());
            let text = rest
                .strip_prefix(['→', '\t'])
                .filter(|_| rest.len() < number.len());
            let gutter = line.len() - text.map_or(line.len(), str::len);
            if line.starts_with("[lancet: ") {
                out.push_str(&self.paint(Style::Dim, line));
            } else {
                out.push_str(&self.paint(Style::Dim, &line[..gutter]));
                out.push_str(&line[gutter..]);
            }
            out.push('\n');
        }
        out
    }
}

/// Returns the columns of a terminal; 0 where it does not report them.
pub(crate) fn columns(terminal: impl std::os::fd::AsFd) -> usize {
    rustix::termios::tcgetwinsize(terminal).map_or(0, |size| usize::from(size.ws_col))
}

/// Reports whether standard output is a terminal.
pub(crate) fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Writes to standard output. If the reader has closed it, that is not a failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_streamed(|out| out.write_all(text.as_bytes()))
}

/// Writes to standard output piece by piece, so that long output is never in memory as a whole.
pub(crate) fn print_streamed(
    write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut out = io::BufWriter::with_capacity(64 << 10, io::stdout().lock());
    let written = match stdout_is_terminal() {
        true => write(&mut TerminalWriter(&mut out)),
        false => write(&mut out),
    };
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::system(format!(
            "standard output cannot be written: {error}"
        ))),
        _ => Ok(()),
    }
}

/// Writes to standard output, on a terminal through the user's pager.
pub(crate) fn print_paged(text: &str, around: &Surroundings) -> Result<(), Failure> {
    let rows = text.lines().count();
    print_rows_paged(rows, around, |out| out.write_all(text.as_bytes()))
}

/// Writes so many rows to standard output. On a terminal with fewer rows they go through the user's pager.
pub(crate) fn print_rows_paged(
    rows: usize,
    around: &Surroundings,
    write: impl Fn(&mut dyn io::Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let height = rustix::termios::tcgetwinsize(io::stdout()).map_or(0, |size| size.ws_row);
    let height = match height {
        0 => UNKNOWN_HEIGHT,
        height => usize::from(height),
    };
    let fits = rows == 0 || rows < height;
    if around.pager.is_none() || !stdout_is_terminal() || fits {
        return print_streamed(write);
    }
    let screen = io::stdout().as_fd().try_clone_to_owned();
    match screen.and_then(|screen| show_in_pager(screen, &write)) {
        Ok(()) => Ok(()),
        Err(_) => print_streamed(write),
    }
}

/// Shows the written output in the user's pager and waits until it is closed.
pub(crate) fn show_in_pager(
    screen: OwnedFd,
    write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> io::Result<()> {
    let (reader, writer) = io::pipe()?;
    let mut writer = io::BufWriter::new(writer);
    let streams = Streams {
        input: reader.into(),
        output: screen,
        ..Streams::inherit_terminal()?
    };
    let running = launcher::start_program(&LaunchRequest::Pager, streams)?;
    // The pager may be closed before the end.
    let _ = write(&mut TerminalWriter(&mut writer)).and_then(|()| writer.flush());
    drop(writer);
    let _ = running.wait();
    Ok(())
}

/// Writes to standard error. A failure cannot be reported, so it is ignored.
pub(crate) fn print_error(text: &str) {
    let mut out = io::stderr().lock();
    let _ = match out.is_terminal() {
        true => out.write_all(encode_for_terminal(text).as_bytes()),
        false => out.write_all(text.as_bytes()),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dims_only_line_numbers() {
        assert_eq!(
            Colour::On.dim_line_numbers("12→a→b\n"),
            "\x1b[2m12→\x1b[0ma→b\n"
        );
        assert_eq!(
            Colour::On.dim_line_numbers("     3→x\n"),
            "\x1b[2m     3→\x1b[0mx\n"
        );
        assert_eq!(
            Colour::On.dim_line_numbers("\tno number\n12 x\n"),
            "\tno number\n12 x\n"
        );
        assert_eq!(
            Colour::Off.dim_line_numbers("12→a\n[lancet: b]"),
            "12→a\n[lancet: b]\n"
        );
    }
}
