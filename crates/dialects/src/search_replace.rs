//! SEARCH/REPLACE blocks: the lines to find, a divider, the replacement lines, between markers of one length.

use crate::cursor::Cursor;
use crate::error::Stop;
use crate::fence::{fence, is_tag};
use crate::part::{Action, Dialect, LineRole, PatchHunk, ReplyPart};

/// One of the three marker lines of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marker {
    kind: Kind,
    length: usize,
    style: Style,
    indented: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Open,
    Divide,
    Close,
}

/// The characters that open and close a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// `<<<<<<<` and `>>>>>>>`.
    Angles,
    /// `-------` and `+++++++`.
    Dashes,
    /// The divider, which is the same in both styles.
    Any,
}

/// Parses a line as a marker, of any length from three characters on.
pub(crate) fn marker(line: &str) -> Option<Marker> {
    let marker = any_marker(line)?;
    // A divider outside a block is the underline of a heading.
    (marker.kind != Kind::Divide).then_some(marker)
}

/// Returns whether a line opens a block, correctly or not.
pub(crate) fn opens_block(line: &str) -> bool {
    any_marker(line).is_some_and(|marker| marker.kind == Kind::Open)
}

fn any_marker(line: &str) -> Option<Marker> {
    let text = line.trim();
    let mark = text.bytes().next().filter(u8::is_ascii)?;
    let length = text.bytes().take_while(|byte| *byte == mark).count();
    let word = text[length..].strip_prefix(' ').map(str::trim_start);
    let (kind, style) = match (mark, word) {
        (b'<', Some("SEARCH" | "SEARCH>")) => (Kind::Open, Style::Angles),
        (b'-', Some("SEARCH" | "SEARCH>")) => (Kind::Open, Style::Dashes),
        (b'=', None) if length == text.len() => (Kind::Divide, Style::Any),
        (b'>', Some("REPLACE")) => (Kind::Close, Style::Angles),
        (b'+', Some("REPLACE")) => (Kind::Close, Style::Dashes),
        _ => return None,
    };
    let indented = line.starts_with([' ', '\t']);
    (length >= 3).then_some(Marker {
        kind,
        length,
        style,
        indented,
    })
}

/// Parses the block that begins with a marker.
pub(crate) fn read(reader: &mut Cursor<'_, '_>, at: usize, open: Marker) -> Result<(), Stop> {
    if open.kind == Kind::Close {
        return Err(Stop::malformed(
            at,
            "This line closes a block, and none is open. A marker inside a block's text is written with a backslash before it, or the block gets longer markers.",
        ));
    }
    if open.indented {
        return Err(Stop::malformed(
            at,
            "The block is indented. Markers must be at the start of their lines.",
        ));
    }
    if !matches!(open.length, 3 | 5..=9) {
        return Err(Stop::malformed(
            at,
            format!(
                "The marker has {} characters; use 7, or up to 9 where the text has such lines itself.",
                open.length
            ),
        ));
    }
    let path = path_for(reader, at)?;
    let mut hunk = PatchHunk::default();
    let mut next = read_hint(reader, at + 1, &mut hunk)?;
    let mut side = LineRole::Removed;
    let (mut new_lines, mut old_count) = (Vec::new(), 0);
    loop {
        let Some(line) = reader.line(next)? else {
            let what = format!("the block that begins at line {} is not closed", at + 1);
            return Err(Stop::cut_off(at, &what));
        };
        match any_marker(line).filter(|found| found.is_of(&open)) {
            Some(found) if found.kind == Kind::Divide && found.indented => {
                take(
                    &mut hunk,
                    side,
                    line,
                    next,
                    (&mut old_count, &mut new_lines),
                );
            }
            Some(found) => match (side, found.kind) {
                (LineRole::Removed, Kind::Divide) => side = LineRole::Added,
                (LineRole::Added, Kind::Close) if !found.indented => break,
                _ => return Err(out_of_place(next, at, found)),
            },
            None => take(
                &mut hunk,
                side,
                line,
                next,
                (&mut old_count, &mut new_lines),
            ),
        }
        reader.count_line(next)?;
        next += 1;
    }
    let action = if old_count == 0 {
        let own_lines_have_cr = reader.lines.has_cr(at);
        Action::Fill(reader.lines.content(new_lines, own_lines_have_cr))
    } else {
        let has_gaps = hunk.old_lines().any(|line| line.trim() == "...");
        hunk.has_gaps = has_gaps;
        Action::Edit(hunk)
    };
    let part = ReplyPart::new(Dialect::SearchReplace, at + 1, &path, action);
    reader.state.parts.push(part);
    reader.state.last_block = Some((path, next + 1));
    reader.state.at = next + 1;
    Ok(())
}

impl Marker {
    /// Returns whether a marker belongs to a block that another one opened.
    fn is_of(&self, open: &Marker) -> bool {
        self.length == open.length && (self.style == Style::Any || self.style == open.style)
    }
}

/// Adds a line of content to its side.
fn take<'t>(
    hunk: &mut PatchHunk,
    side: LineRole,
    line: &'t str,
    at: usize,
    (old_count, new_lines): (&mut usize, &mut Vec<(usize, &'t str)>),
) {
    let text = unescaped(line);
    if side == LineRole::Removed {
        *old_count += 1;
    } else {
        new_lines.push((at, text));
    }
    hunk.push(side, text);
}

/// Removes the backslash before a marker line inside content.
fn unescaped(line: &str) -> &str {
    let behind = line.trim_start_matches('\\');
    let is_marker =
        behind.len() < line.len() && any_marker(behind).is_some_and(|found| !found.indented);
    if is_marker { &line[1..] } else { line }
}

fn out_of_place(at: usize, opened: usize, found: Marker) -> Stop {
    let words = match found.kind {
        Kind::Open => format!("A block opens here, and the one that begins at line {} is not closed.", opened + 1),
        Kind::Divide => "A second divider in one block. A line like this in the text is written with a backslash before it, or the block gets longer markers.".to_owned(),
        Kind::Close if found.indented => "The marker is indented. Markers must be at the start of their lines.".to_owned(),
        Kind::Close => format!("The block that begins at line {} is closed without a divider between its two sides.", opened + 1),
    };
    Stop::malformed(at, words)
}

/// Parses `:start_line:N`, `:end_line:N` and the line of dashes after them, at the beginning of the block.
fn read_hint(reader: &Cursor<'_, '_>, at: usize, hunk: &mut PatchHunk) -> Result<usize, Stop> {
    let number = |line: &str, name: &str| -> Option<u64> {
        line.trim().strip_prefix(name)?.trim().parse().ok()
    };
    let mut next = at;
    let Some(start) = reader
        .line(next)?
        .and_then(|line| number(line, ":start_line:"))
    else {
        return Ok(at);
    };
    hunk.line_hint = Some(start);
    next += 1;
    if reader
        .line(next)?
        .and_then(|line| number(line, ":end_line:"))
        .is_some()
    {
        next += 1;
    }
    let is_rule =
        |line: &str| line.trim().len() >= 3 && line.trim().bytes().all(|byte| byte == b'-');
    if reader.line(next)?.is_some_and(is_rule) {
        next += 1;
    }
    Ok(next)
}

/// Returns the file of a block: the path line above it or above its fence, else the file of the block directly before
/// it.
fn path_for(reader: &Cursor<'_, '_>, at: usize) -> Result<String, Stop> {
    let is_fence = |at: usize| {
        let line = reader.lines.get(at);
        fence(line).is_some() || is_tag(line)
    };
    let above = match at.checked_sub(1) {
        Some(above) if is_fence(above) => reader.path_above(above),
        _ => reader.path_above(at),
    };
    if let Some(path) = above {
        return Ok(path.to_owned());
    }
    if let Some((path, end)) = &reader.state.last_block
        && reader.only_fences_between(*end, at)
    {
        return Ok(path.clone());
    }
    Err(Stop::malformed(
        at,
        "The block names no file. Write the path alone on the line above the block or above its fence.",
    ))
}
