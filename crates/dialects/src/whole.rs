//! A whole file in a fence under a path line.

use crate::cursor::Cursor;
use crate::error::ParseStop;
use crate::fence::{Fence, parse_fence};
use crate::line_start::special_line_start;
use crate::part::{Dialect, PartAction, ResponsePart};

/// Parses the file between the two lines of a fence.
pub(crate) fn parse_whole_file(
    reader: &Cursor<'_, '_>,
    (at, closing): (usize, Option<usize>),
    open: Fence<'_>,
    path: &str,
    begins_edit: &dyn Fn(usize) -> Result<bool, ParseStop>,
) -> Result<ResponsePart, ParseStop> {
    let Some(closing) = closing else {
        let what = format!("the fence that opens at line {} is not closed", at + 1);
        return Err(ParseStop::cut_off_error(at, &what));
    };
    check_fence_content(reader, (at, closing), open, begins_edit)?;
    let text = reader
        .lines
        .text_between(at + 1, closing, reader.lines.has_cr(at));
    let action = PartAction::Replace(text);
    Ok(ResponsePart::new(Dialect::Whole, at + 1, path, action))
}

/// Refuses content that makes it uncertain where the file ends, or whether it is a file: a fence of the same length
/// that opens inside, and an edit outside of an inner fence.
fn check_fence_content(
    reader: &Cursor<'_, '_>,
    (at, closing): (usize, usize),
    open: Fence<'_>,
    begins_edit: &dyn Fn(usize) -> Result<bool, ParseStop>,
) -> Result<(), ParseStop> {
    let mut inner: Option<Fence<'_>> = None;
    let mut next = at + 1;
    while let Some((line, _)) = reader.lines.find_from(next, special_line_start)
        && line < closing
    {
        next = line + 1;
        let text = reader.lines.get(line);
        let found = parse_fence(text);
        if let Some(found) = found
            && found.mark == open.mark
            && found.length >= open.length
        {
            return Err(ParseStop::malformed_error(
                line,
                format!(
                    "A fence opens inside the fence of {} that begins at line {}, and both have one length: where the file ends is not sure. Put a longer fence around the file.",
                    reader.lines.get(at.saturating_sub(1)).trim(),
                    at + 1
                ),
            ));
        }
        match (inner, found) {
            (Some(open), _) if open.is_closed_by(text) => inner = None,
            (None, Some(found)) => inner = Some(found),
            (None, None) if begins_edit(line)? => {
                return Err(ParseStop::malformed_error(
                    line,
                    "An edit begins inside a fence under a path line: it is unclear whether the fence is that file's text. Put the edit in its own fence, or a file's example in an inner, shorter fence.",
                ));
            }
            _ => {}
        }
    }
    Ok(())
}
