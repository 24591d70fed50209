//! SEARCH/REPLACE blocks: the lines to find, a divider, the replacement lines, between markers of one length.

use crate::cursor::Cursor;
use crate::error::ParseStop;
use crate::fence::{is_tag, parse_fence};
use crate::part::{Dialect, LineRole, PartAction, PatchHunk, ResponsePart};

/// One of the three marker lines of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marker {
    kind: MarkerKind,
    length: usize,
    style: MarkerStyle,
    indented: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkerKind {
    Open,
    Divide,
    Close,
}

/// The characters that open and close a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkerStyle {
    /// `<<<<<<<` and `>>>>>>>`.
    Angles,
    /// `-------` and `+++++++`.
    Dashes,
    /// The divider, which is the same in both styles.
    Any,
}

/// Parses a line as a marker, of any length from three characters on.
pub(crate) fn parse_marker(line: &str) -> Option<Marker> {
    let marker = parse_any_marker(line)?;
    // A divider outside a block is the underline of a heading.
    (marker.kind != MarkerKind::Divide).then_some(marker)
}

/// Returns whether a line opens a block, correctly or not.
pub(crate) fn opens_block(line: &str) -> bool {
    parse_any_marker(line).is_some_and(|marker| marker.kind == MarkerKind::Open)
}

fn parse_any_marker(line: &str) -> Option<Marker> {
    let text = line.trim();
    let mark = text.bytes().next().filter(u8::is_ascii)?;
    let length = text.bytes().take_while(|byte| *byte == mark).count();
    let word = text[length..].strip_prefix(' ').map(str::trim_start);
    let (kind, style) = match (mark, word) {
        (b'<', Some("SEARCH" | "SEARCH>")) => (MarkerKind::Open, MarkerStyle::Angles),
        (b'-', Some("SEARCH" | "SEARCH>")) => (MarkerKind::Open, MarkerStyle::Dashes),
        (b'=', None) if length == text.len() => (MarkerKind::Divide, MarkerStyle::Any),
        (b'>', Some("REPLACE")) => (MarkerKind::Close, MarkerStyle::Angles),
        (b'+', Some("REPLACE")) => (MarkerKind::Close, MarkerStyle::Dashes),
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
pub(crate) fn parse_block(
    reader: &mut Cursor<'_, '_>,
    at: usize,
    open: Marker,
) -> Result<(), ParseStop> {
    if open.kind == MarkerKind::Close {
        return Err(ParseStop::malformed_error(
            at,
            "This line closes a block, and none is open. A marker inside a block's text is written with a backslash before it, or the block gets longer markers.",
        ));
    }
    if open.indented {
        return Err(ParseStop::malformed_error(
            at,
            "The block is indented. Markers must be at the start of their lines.",
        ));
    }
    if !matches!(open.length, 3 | 5..=9) {
        return Err(ParseStop::malformed_error(
            at,
            format!(
                "The marker has {} characters; use 7, or up to 9 where the text has such lines itself.",
                open.length
            ),
        ));
    }
    let path = path_of_block(reader, at)?;
    let mut hunk = PatchHunk::default();
    let mut next = read_hint(reader, at + 1, &mut hunk)?;
    let mut side = LineRole::Removed;
    let (mut new_lines, mut old_count) = (Vec::new(), 0);
    loop {
        let Some(line) = reader.line(next)? else {
            let what = format!("the block that begins at line {} is not closed", at + 1);
            return Err(ParseStop::cut_off_error(at, &what));
        };
        match parse_any_marker(line).filter(|found| found.belongs_to_block(&open)) {
            Some(found) if found.kind == MarkerKind::Divide && found.indented => {
                add_content_line(
                    &mut hunk,
                    side,
                    line,
                    next,
                    (&mut old_count, &mut new_lines),
                );
            }
            Some(found) => match (side, found.kind) {
                (LineRole::Removed, MarkerKind::Divide) => side = LineRole::Added,
                (LineRole::Added, MarkerKind::Close) if !found.indented => break,
                _ => return Err(misplaced_marker_error(next, at, found)),
            },
            None => add_content_line(
                &mut hunk,
                side,
                line,
                next,
                (&mut old_count, &mut new_lines),
            ),
        }
        reader.check_line_count(next)?;
        next += 1;
    }
    let action = if old_count == 0 {
        let own_lines_have_cr = reader.lines.has_cr(at);
        PartAction::Fill(reader.lines.new_file_text(new_lines, own_lines_have_cr))
    } else {
        let has_gaps = hunk.old_lines().any(|line| line.trim() == "...");
        hunk.has_gaps = has_gaps;
        PartAction::Edit(hunk)
    };
    let part = ResponsePart::new(Dialect::SearchReplace, at + 1, &path, action);
    reader.state.parts.push(part);
    reader.state.last_block = Some((path, next + 1));
    reader.state.at = next + 1;
    Ok(())
}

impl Marker {
    /// Returns whether a marker belongs to a block that another one opened.
    fn belongs_to_block(&self, open: &Marker) -> bool {
        self.length == open.length && (self.style == MarkerStyle::Any || self.style == open.style)
    }
}

/// Adds a line of content to its side.
fn add_content_line<'t>(
    hunk: &mut PatchHunk,
    side: LineRole,
    line: &'t str,
    at: usize,
    (old_count, new_lines): (&mut usize, &mut Vec<(usize, &'t str)>),
) {
    let text = unescape_marker(line);
    if side == LineRole::Removed {
        *old_count += 1;
    } else {
        new_lines.push((at, text));
    }
    hunk.push(side, text);
}

/// Removes the backslash before a marker line inside content.
fn unescape_marker(line: &str) -> &str {
    let behind = line.trim_start_matches('\\');
    let is_marker =
        behind.len() < line.len() && parse_any_marker(behind).is_some_and(|found| !found.indented);
    if is_marker { &line[1..] } else { line }
}

fn misplaced_marker_error(at: usize, opened: usize, found: Marker) -> ParseStop {
    let words = match found.kind {
        MarkerKind::Open => format!("A block opens here, and the one that begins at line {} is not closed.", opened + 1),
        MarkerKind::Divide => "A second divider in one block. A line like this in the text is written with a backslash before it, or the block gets longer markers.".to_owned(),
        MarkerKind::Close if found.indented => "The marker is indented. Markers must be at the start of their lines.".to_owned(),
        MarkerKind::Close => format!("The block that begins at line {} is closed without a divider between its two sides.", opened + 1),
    };
    ParseStop::malformed_error(at, words)
}

/// Parses `:start_line:N`, `:end_line:N` and the line of dashes after them, at the beginning of the block.
fn read_hint(reader: &Cursor<'_, '_>, at: usize, hunk: &mut PatchHunk) -> Result<usize, ParseStop> {
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
fn path_of_block(reader: &Cursor<'_, '_>, at: usize) -> Result<String, ParseStop> {
    let is_fence = |at: usize| {
        let line = reader.lines.get(at);
        parse_fence(line).is_some() || is_tag(line)
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
    Err(ParseStop::malformed_error(
        at,
        "The block names no file. Write the path alone on the line above the block or above its fence.",
    ))
}
