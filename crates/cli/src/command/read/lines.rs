//! The lines of a file that `lancet read` shows: which ones were typed, and how they are displayed.

use std::io;
use std::path::{Path, PathBuf};

use lancet::doors::PlainLines;
use lancet::outcome::LineEndings;
use lancet::{Lancet, Session};

use crate::arguments::ReadArguments;
use crate::failure::Failure;
use crate::surroundings::{Surroundings, as_text};
use crate::terminal::{
    Colour, Style, SyntaxColours, escape_for_terminal, escape_line_for_terminal,
};

/// A file and its requested lines.
pub(super) struct FileLines {
    pub(super) path: PathBuf,
    pub(super) name: String,
    /// The first line, from 1; the beginning where none was typed.
    pub(super) offset: Option<u64>,
    /// How many lines; all where none was typed. 0 counts as 1, here and in `offset`.
    pub(super) limit: Option<u64>,
    /// How many of the last lines to show, in place of `offset` and `limit`.
    tail: Option<u64>,
}

/// Lines that are shown.
pub(super) struct ShownLines {
    pub(super) name: String,
    path: PathBuf,
    first: usize,
    pub(super) lines: Vec<String>,
    /// The same lines as in the file.
    pub(super) bytes: Vec<u8>,
    footer: String,
    /// The message that the file has none of the requested lines; none where it has some.
    pub(super) nothing: Option<String>,
}

/// Parses an argument: a file name, or a file name and lines. All of it is the name where a file of exactly that name
/// exists (`a:10`), or where a flag gives the lines.
pub(super) fn parse_file_and_range(
    typed: &Path,
    arguments: &ReadArguments,
    around: &Surroundings,
) -> Result<FileLines, Failure> {
    let lines_by_flags = |typed: &Path| {
        Ok(FileLines {
            path: around.absolute(typed)?,
            name: escape_line_for_terminal(&typed.to_string_lossy()).into_owned(),
            offset: arguments.offset,
            limit: arguments.limit,
            tail: arguments.tail,
        })
    };
    let is_range = |text: &str| {
        let mut characters = text.chars();
        characters.all(|c| c.is_ascii_digit() || "-,:.".contains(c)) && !text.is_empty()
    };
    if let Some(range) = typed.to_str().filter(|text| is_range(text))
        && let Some(file) = arguments.files.first().filter(|file| *file != typed)
        && around.absolute(typed)?.symlink_metadata().is_err()
    {
        let file = file.to_string_lossy();
        return Err(Failure::usage(format!(
            "there is no file {range}; lines are typed behind the name: {}:3-4",
            escape_line_for_terminal(&file)
        )));
    }
    let flags = [arguments.offset, arguments.limit, arguments.tail];
    let is_flagged = flags.iter().any(Option::is_some);
    if let Some((name, tail)) = typed.to_str().and_then(parse_tail)
        && !is_flagged
        && around.absolute(typed)?.symlink_metadata().is_err()
    {
        if tail == 0 {
            let name = escape_line_for_terminal(name);
            return Err(Failure::usage(format!(
                "{name}:-0: the last lines count from 1: {name}:-1 is the last one"
            )));
        }
        return Ok(FileLines {
            tail: Some(tail),
            ..lines_by_flags(Path::new(name))?
        });
    }
    let split = typed.to_str().and_then(parse_range);
    match split {
        Some((name, lines))
            if !is_flagged && around.absolute(typed)?.symlink_metadata().is_err() =>
        {
            let (first, last) = lines;
            if last.is_some_and(|last| last < first) || first == 0 {
                return Err(Failure::usage(format!(
                    "{}: lines count from 1, and the last one is not before the first",
                    escape_line_for_terminal(&typed.to_string_lossy())
                )));
            }
            Ok(FileLines {
                offset: Some(first),
                limit: last.map(|last| last - first + 1),
                ..lines_by_flags(Path::new(name))?
            })
        }
        _ => lines_by_flags(typed),
    }
}

/// Splits `name:-3` (the last three lines).
fn parse_tail(typed: &str) -> Option<(&str, u64)> {
    let (name, number) = typed.rsplit_once(":-")?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    // A number that is too large means all lines.
    (is_number && !name.is_empty()).then(|| (name, number.parse().unwrap_or(u64::MAX)))
}

/// Splits `name:10`, `name:10-20`, `name:10-` and `name:10:5` (a line and a column).
fn parse_range(typed: &str) -> Option<(&str, (u64, Option<u64>))> {
    let (name, lines) = typed.rsplit_once(':')?;
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<u64>().ok()).flatten()
    };
    let range = lines.split_once("..").or(lines.split_once(['-', ',']));
    let (name, first, last) = match range {
        Some((first, "")) => (name, number(first)?, None),
        Some((first, last)) => (name, number(first)?, Some(number(last)?)),
        None => {
            let after_colon = number(lines)?;
            match name.rsplit_once(':') {
                Some((name, line)) if number(line).is_some() => {
                    let line = number(line)?;
                    (name, line, Some(line))
                }
                _ => (name, after_colon, Some(after_colon)),
            }
        }
    };
    (!name.is_empty()).then_some((name, (first, last)))
}

impl FileLines {
    /// Computes the first line where the last lines are requested.
    pub(super) fn resolve_tail(&mut self, lancet: &Lancet) -> Result<(), Failure> {
        let Some(tail) = self.tail else {
            return Ok(());
        };
        // A file that is not text has no lines. It is answered as if no lines had been requested.
        let found = PlainLines::read(&lancet.new_session(), &as_text(&self.path)?, 1..=1);
        if let Ok(found) = found {
            let total = found.total as u64;
            self.offset = Some(total.saturating_sub(tail) + 1);
        }
        Ok(())
    }

    /// Reads the lines. The inner error is the refusal's text.
    pub(super) fn read(&self, session: &Session) -> Result<Result<ShownLines, String>, Failure> {
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let first = number(self.offset.unwrap_or(1)).max(1);
        let last = match self.limit {
            Some(limit) => first.saturating_add(number(limit).max(1) - 1),
            None => usize::MAX,
        };
        let found = match PlainLines::read(session, &as_text(&self.path)?, first..=last) {
            Ok(found) => found,
            Err(refusal) => return Ok(Err(refusal.text().trim_end().to_owned())),
        };
        Ok(Ok(ShownLines {
            footer: self.footer(&found),
            nothing: (found.lines.is_empty() && found.total > 0).then(|| {
                format!(
                    "{} has {}; none from line {first} on",
                    self.name,
                    format_line_count(found.total)
                )
            }),
            name: self.name.clone(),
            path: self.path.clone(),
            first,
            lines: found.lines,
            bytes: found.bytes,
        }))
    }

    /// Returns the line below the shown ones: which lines they are, of how many, and the file's revision.
    fn footer(&self, found: &PlainLines) -> String {
        let total = found.total;
        let mut words = match found.lines.len() {
            0 if total == 0 => format!("{} is empty", self.name),
            0 => format!(
                "{} has {}; none from line {} on",
                self.name,
                format_line_count(total),
                found.first
            ),
            1 if total == 1 => format!("{}, 1 line", self.name),
            number if number == total => format!("{}, {total} lines", self.name),
            number => format!(
                "{}, lines {}-{} of {total}",
                self.name,
                found.first,
                found.first + number - 1
            ),
        };
        if found.encoding != "utf-8" {
            words.push_str(&format!(", {}", found.encoding));
        }
        if !matches!(found.line_endings, LineEndings::Lf | LineEndings::None) {
            words.push_str(&format!(", {} line ends", found.line_endings.name()));
        }
        format!("[{words}, revision {}]", found.revision)
    }
}

fn format_line_count(lines: usize) -> String {
    match lines {
        1 => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    }
}

impl ShownLines {
    /// Prints the lines with numbers and colours, and the footer below them.
    pub(super) fn write_numbered(&self, out: &mut dyn io::Write, colour: Colour) -> io::Result<()> {
        let first_line = self.lines.first().map_or("", String::as_str);
        let mut syntax = match colour {
            Colour::On => SyntaxColours::for_file(&self.path, first_line),
            Colour::Off => None,
        };
        let last = self.first + self.lines.len().saturating_sub(1);
        let width = last.to_string().len();
        for (at, line) in self.lines.iter().enumerate() {
            let number = format!("{:>width$}  ", self.first + at);
            let line = escape_for_terminal(line);
            let text = match &mut syntax {
                Some(syntax) => syntax.paint_line(&line),
                None => line.into_owned(),
            };
            let number = colour.paint(Style::Dim, &number);
            out.write_all(format!("{number}{text}\n").as_bytes())?;
            // The first line is written at once, so that a pager starts while the rest is coloured.
            if at == 0 {
                out.flush()?;
            }
        }
        let footer = colour.paint(Style::Dim, &self.footer);
        out.write_all(format!("{footer}\n").as_bytes())
    }

    /// Prints the lines with colours and nothing else, for a program that shows them on a terminal.
    pub(super) fn write_coloured(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let first_line = self.lines.first().map_or("", String::as_str);
        let mut syntax = SyntaxColours::for_file(&self.path, first_line);
        for line in &self.lines {
            let line = escape_for_terminal(line);
            let text = match &mut syntax {
                Some(syntax) => syntax.paint_line(&line),
                None => line.into_owned(),
            };
            out.write_all(format!("{text}\n").as_bytes())?;
        }
        Ok(())
    }

    /// Prints the bare lines for a terminal.
    pub(super) fn write_plain(&self, out: &mut dyn io::Write) -> io::Result<()> {
        for line in &self.lines {
            out.write_all(format!("{}\n", escape_for_terminal(line)).as_bytes())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_line_range_after_colon() {
        assert_eq!(parse_range("a.rs:10-20"), Some(("a.rs", (10, Some(20)))));
        assert_eq!(parse_range("a.rs:10-"), Some(("a.rs", (10, None))));
        assert_eq!(parse_range("a.rs:10"), Some(("a.rs", (10, Some(10)))));
        assert_eq!(parse_range("a.rs:10:5"), Some(("a.rs", (10, Some(10)))));
        assert_eq!(parse_range("a.rs:10,20"), Some(("a.rs", (10, Some(20)))));
        assert_eq!(parse_tail("a.rs:-3"), Some(("a.rs", 3)));
        assert_eq!(parse_tail("a.rs:-0"), Some(("a.rs", 0)));
        let too_large = "a.rs:-99999999999999999999";
        assert_eq!(parse_tail(too_large), Some(("a.rs", u64::MAX)));
        assert_eq!(parse_tail(":-3"), None);
        for name in [
            "a.rs",
            "a:b",
            "a:-3",
            ":3",
            "a:1-x",
            "a:+1",
            "a:99999999999999999999999",
        ] {
            assert_eq!(parse_range(name), None, "{name}");
        }
    }
}
