//! `apply_patch` (V4A): file sections between `*** Begin Patch` and `*** End Patch`. Wrappers around the patch (a
//! heredoc, a shell's command line, a fence) count as prose.

use std::collections::HashMap;

use crate::cursor::Cursor;
use crate::error::Stop;
use crate::part::{Action, Dialect, LineRole, PatchHunk, ReplyPart};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const END_OF_FILE: &str = "*** End of File";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";

/// Returns whether a line begins a patch, or is a header that can only occur inside one.
pub(crate) fn is_part_of_patch(line: &str) -> bool {
    let text = line.trim();
    text == BEGIN
        || [ADD, DELETE, UPDATE]
            .iter()
            .any(|header| text.starts_with(header))
}

/// Parses the patch that begins at a line.
pub(crate) fn read(reader: &mut Cursor<'_, '_>, at: usize) -> Result<(), Stop> {
    if reader.lines.get(at).trim() != BEGIN {
        return Err(Stop::malformed(
            at,
            format!("The patch has no `{BEGIN}` line. Put it before the first file."),
        ));
    }
    let mut parts = Vec::new();
    let mut next = at + 1;
    loop {
        Stop::check_number(parts.len(), next)?;
        let line = line_of_patch(reader, at, next)?;
        let text = line.trim();
        if text == END {
            break;
        } else if let Some(path) = text.strip_prefix(ADD) {
            next = read_added(reader, (at, next), path, &mut parts)?;
        } else if let Some(path) = text.strip_prefix(DELETE) {
            let path = named(next, path)?;
            let action = Action::Delete { lines: None };
            parts.push(ReplyPart::new(Dialect::V4a, next + 1, path, action));
            next += 1;
        } else if let Some(path) = text.strip_prefix(UPDATE) {
            next = read_updated(reader, (at, next), path, &mut parts)?;
        } else if text.is_empty() {
            next = reader.lines.after_empty(next).max(next + 1);
        } else {
            return Err(Stop::malformed(
                next,
                format!(
                    "This line is none of the headers `{ADD}`, `{DELETE}`, `{UPDATE}`, and belongs to no file."
                ),
            ));
        }
    }
    if parts.is_empty() {
        return Err(Stop::malformed(at, "The patch names no file."));
    }
    name_next_anchors(&mut parts);
    reader.state.parts.extend(parts);
    reader.state.at = next + 1;
    Ok(())
}

/// Sets, for each hunk with an anchor, the next different anchor for its file.
fn name_next_anchors(parts: &mut [ReplyPart]) {
    // For each file the next anchor, and the one after it that differs.
    let mut following: HashMap<String, (String, Option<String>)> = HashMap::new();
    for part in parts.iter_mut().rev() {
        let Action::Edit(hunk) = &mut part.action else {
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

fn line_of_patch<'t>(reader: &Cursor<'_, 't>, begun: usize, at: usize) -> Result<&'t str, Stop> {
    reader.line(at)?.ok_or_else(|| {
        let line = begun + 1;
        let what = format!("the patch that begins at line {line} has no `{END}` line");
        Stop::cut_off(begun, &what)
    })
}

/// Returns the path of a header.
fn named(at: usize, path: &str) -> Result<&str, Stop> {
    let path = path.trim();
    if path.is_empty() {
        return Err(Stop::malformed(
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
    parts: &mut Vec<ReplyPart>,
) -> Result<usize, Stop> {
    let path = named(at, path)?;
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
            return Err(Stop::malformed(
                next,
                "A line of an added file has no `+` before it.",
            ));
        }
        next += 1;
    }
    let action = Action::Create {
        text: content,
        executable: false,
    };
    parts.push(ReplyPart::new(Dialect::V4a, at + 1, path, action));
    Ok(next)
}

fn read_updated(
    reader: &Cursor<'_, '_>,
    (begun, at): (usize, usize),
    path: &str,
    parts: &mut Vec<ReplyPart>,
) -> Result<usize, Stop> {
    let path = named(at, path)?;
    let mut next = at + 1;
    let mut moved = None;
    if let Some(to) = line_of_patch(reader, begun, next)?
        .trim()
        .strip_prefix(MOVE)
    {
        moved = Some((next, named(next, to)?.to_owned()));
        next += 1;
    }
    let before = parts.len();
    loop {
        let line = line_of_patch(reader, begun, next)?;
        if is_header(line) && line.trim_end() != END_OF_FILE {
            break;
        }
        let (hunk, end) = read_hunk(reader, begun, next)?;
        parts.push(ReplyPart::new(
            Dialect::V4a,
            next + 1,
            path,
            Action::Edit(hunk),
        ));
        Stop::check_number(parts.len(), next)?;
        next = end;
    }
    match moved {
        Some((line, to)) => parts.push(ReplyPart::new(
            Dialect::V4a,
            line + 1,
            path,
            Action::Move { to },
        )),
        None if parts.len() == before => {
            return Err(Stop::malformed(
                at,
                "The file is to be updated, and no lines of it are named.",
            ));
        }
        None => {}
    }
    Ok(next)
}

/// Parses one hunk: anchors, then lines with their signs.
fn read_hunk(reader: &Cursor<'_, '_>, begun: usize, at: usize) -> Result<(PatchHunk, usize), Stop> {
    let mut hunk = PatchHunk::default();
    let mut next = at;
    while let Some(anchor) = line_of_patch(reader, begun, next)?.strip_prefix("@@") {
        reader.count_line(next)?;
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
                return Err(Stop::malformed(
                    next,
                    "A line of a hunk begins with a blank, `-` or `+`; this one has no sign.",
                ));
            }
        };
        reader.count_line(next)?;
        hunk.push(role, text);
        next += 1;
    }
    if hunk.lines.is_empty() {
        return Err(Stop::malformed(at, "The hunk has no lines."));
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
