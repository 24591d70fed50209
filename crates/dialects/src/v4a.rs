//! `apply_patch` (V4A): file sections between `*** Begin Patch` and `*** End Patch`. Wrappers around the patch (a
//! heredoc, a shell's command line, a fence) count as prose.

use std::collections::HashMap;

use crate::cursor::Cursor;
use crate::error::ParseStop;
use crate::part::{Dialect, LineRole, PartAction, PatchHunk, ResponsePart};

const BEGIN_PATCH: &str = "*** Begin Patch";
const END_PATCH: &str = "*** End Patch";
const END_OF_FILE: &str = "*** End of File";
const ADD_FILE: &str = "*** Add File:";
const DELETE_FILE: &str = "*** Delete File:";
const UPDATE_FILE: &str = "*** Update File:";
const MOVE_TO: &str = "*** Move to:";

/// Returns whether a line begins a patch, or is a header that can only occur inside one.
pub(crate) fn is_part_of_patch(line: &str) -> bool {
    let text = line.trim();
    text == BEGIN_PATCH
        || [ADD_FILE, DELETE_FILE, UPDATE_FILE]
            .iter()
            .any(|header| text.starts_with(header))
}

/// Parses the patch that begins at a line.
pub(crate) fn parse_patch(reader: &mut Cursor<'_, '_>, at: usize) -> Result<(), ParseStop> {
    if reader.lines.get(at).trim() != BEGIN_PATCH {
        return Err(ParseStop::malformed_error(
            at,
            format!("The patch has no `{BEGIN_PATCH}` line. Put it before the first file."),
        ));
    }
    let mut parts = Vec::new();
    let mut next = at + 1;
    loop {
        ParseStop::check_part_count(parts.len(), next)?;
        let line = line_of_patch(reader, at, next)?;
        let text = line.trim();
        if text == END_PATCH {
            break;
        } else if let Some(path) = text.strip_prefix(ADD_FILE) {
            next = read_added(reader, (at, next), path, &mut parts)?;
        } else if let Some(path) = text.strip_prefix(DELETE_FILE) {
            let path = header_path(next, path)?;
            let action = PartAction::Delete { lines: None };
            parts.push(ResponsePart::new(Dialect::V4a, next + 1, path, action));
            next += 1;
        } else if let Some(path) = text.strip_prefix(UPDATE_FILE) {
            next = read_updated(reader, (at, next), path, &mut parts)?;
        } else if text.is_empty() {
            next = reader.lines.skip_empty_lines(next).max(next + 1);
        } else {
            return Err(ParseStop::malformed_error(
                next,
                format!(
                    "This line is none of the headers `{ADD_FILE}`, `{DELETE_FILE}`, `{UPDATE_FILE}`, and belongs to no file."
                ),
            ));
        }
    }
    if parts.is_empty() {
        return Err(ParseStop::malformed_error(at, "The patch names no file."));
    }
    set_next_anchors(&mut parts);
    reader.state.parts.extend(parts);
    reader.state.at = next + 1;
    Ok(())
}

/// Sets, for each hunk with an anchor, the next different anchor for its file.
fn set_next_anchors(parts: &mut [ResponsePart]) {
    // For each file the next anchor, and the one after it that differs.
    let mut following: HashMap<String, (String, Option<String>)> = HashMap::new();
    for part in parts.iter_mut().rev() {
        let PartAction::Edit(hunk) = &mut part.action else {
            continue;
        };
        let (Some(first), Some(last)) = (hunk.anchors.first(), hunk.anchors.last()) else {
            continue;
        };
        let known = following.get(&part.path).cloned();
        hunk.next_anchor =
            known
                .as_ref()
                .and_then(|(next, after)| match next.trim() == last.trim() {
                    true => after.clone(),
                    false => Some(next.clone()),
                });
        let after = match known {
            Some((next, after)) if next.trim() == first.trim() => after,
            known => known.map(|(next, _)| next),
        };
        following.insert(part.path.clone(), (first.clone(), after));
    }
}

fn line_of_patch<'t>(
    reader: &Cursor<'_, 't>,
    begun: usize,
    at: usize,
) -> Result<&'t str, ParseStop> {
    reader.line(at)?.ok_or_else(|| {
        let line = begun + 1;
        let what = format!("the patch that begins at line {line} has no `{END_PATCH}` line");
        ParseStop::cut_off_error(begun, &what)
    })
}

/// Returns the path of a header.
fn header_path(at: usize, path: &str) -> Result<&str, ParseStop> {
    let path = path.trim();
    if path.is_empty() {
        return Err(ParseStop::malformed_error(
            at,
            "The header names no file. Write the path behind the colon.",
        ));
    }
    Ok(path)
}

/// Returns whether a line in the body of a section is the next header; such headers begin at the start of their line.
fn is_header(line: &str) -> bool {
    line.starts_with("***")
}

fn read_added(
    reader: &Cursor<'_, '_>,
    (begun, at): (usize, usize),
    path: &str,
    parts: &mut Vec<ResponsePart>,
) -> Result<usize, ParseStop> {
    let path = header_path(at, path)?;
    let own_lines_have_cr = reader.lines.has_cr(at);
    let mut content = String::new();
    let mut next = at + 1;
    loop {
        let line = line_of_patch(reader, begun, next)?;
        if let Some(text) = line.strip_prefix('+') {
            reader
                .lines
                .push_line(&mut content, (next, text), own_lines_have_cr);
        } else if is_header(line) {
            break;
        } else {
            return Err(ParseStop::malformed_error(
                next,
                "A line of an added file has no `+` before it.",
            ));
        }
        next += 1;
    }
    let action = PartAction::Create {
        text: content,
        executable: false,
    };
    parts.push(ResponsePart::new(Dialect::V4a, at + 1, path, action));
    Ok(next)
}

fn read_updated(
    reader: &Cursor<'_, '_>,
    (begun, at): (usize, usize),
    path: &str,
    parts: &mut Vec<ResponsePart>,
) -> Result<usize, ParseStop> {
    let path = header_path(at, path)?;
    let mut next = at + 1;
    let mut moved = None;
    if let Some(to) = line_of_patch(reader, begun, next)?
        .trim()
        .strip_prefix(MOVE_TO)
    {
        moved = Some((next, header_path(next, to)?.to_owned()));
        next += 1;
    }
    let before = parts.len();
    loop {
        let line = line_of_patch(reader, begun, next)?;
        if is_header(line) && line.trim_end() != END_OF_FILE {
            break;
        }
        let (hunk, end) = read_hunk(reader, begun, next)?;
        parts.push(ResponsePart::new(
            Dialect::V4a,
            next + 1,
            path,
            PartAction::Edit(hunk),
        ));
        ParseStop::check_part_count(parts.len(), next)?;
        next = end;
    }
    match moved {
        Some((line, to)) => parts.push(ResponsePart::new(
            Dialect::V4a,
            line + 1,
            path,
            PartAction::Move { to },
        )),
        None if parts.len() == before => {
            return Err(ParseStop::malformed_error(
                at,
                "The file is to be updated, and no lines of it are named.",
            ));
        }
        None => {}
    }
    Ok(next)
}

/// Parses one hunk: anchors, then lines with their signs.
fn read_hunk(
    reader: &Cursor<'_, '_>,
    begun: usize,
    at: usize,
) -> Result<(PatchHunk, usize), ParseStop> {
    let mut hunk = PatchHunk::default();
    let mut next = at;
    while let Some(anchor) = line_of_patch(reader, begun, next)?.strip_prefix("@@") {
        reader.check_line_count(next)?;
        hunk.anchors.extend(anchor_text(anchor));
        next += 1;
    }
    loop {
        let line = line_of_patch(reader, begun, next)?;
        if line.trim_end() == END_OF_FILE {
            hunk.at_end = true;
            next += 1;
            break;
        }
        if is_header(line) || line.starts_with("@@") {
            break;
        }
        let (role, text) = match line.chars().next() {
            None => (LineRole::Context, ""),
            Some(' ') => (LineRole::Context, &line[1..]),
            Some('-') => (LineRole::Removed, &line[1..]),
            Some('+') => (LineRole::Added, &line[1..]),
            Some(_) => {
                return Err(ParseStop::malformed_error(
                    next,
                    "A line of a hunk begins with a blank, `-` or `+`; this one has no sign.",
                ));
            }
        };
        reader.check_line_count(next)?;
        hunk.push(role, text);
        next += 1;
    }
    if hunk.lines.is_empty() {
        return Err(ParseStop::malformed_error(at, "The hunk has no lines."));
    }
    Ok((hunk, next))
}

/// Returns the line that an anchor names; none for a bare `@@`, and for the hunk header of a unified diff.
fn anchor_text(behind: &str) -> Option<String> {
    let text = behind.strip_prefix(' ').unwrap_or(behind).trim_end();
    let numbers = text.split_once("@@").map_or(text, |(numbers, _)| numbers);
    let is_numbers = numbers.contains('-')
        && numbers.contains('+')
        && numbers
            .chars()
            .all(|letter| letter.is_ascii_digit() || "-+, ".contains(letter));
    let text = text.strip_suffix("@@").unwrap_or(text).trim_end();
    (!is_numbers && !text.trim().is_empty()).then(|| text.to_owned())
}
