//! Parses a response line by line outside of edits: prose and code are skipped, and if an edit begins, the parser of
//! its format takes over.

use crate::cursor::{Cursor, EnteredFence, ParseOptions, ReadingState, ResponseEnd};
use crate::error::{ParseError, ParseErrorKind, ParseStop};
use crate::fence::{Fence, parse_fence};
use crate::line_start::{LineStart, edit_start, line_start, special_line_start};
use crate::lines::{LineMarks, MAX_RESPONSE_LENGTH, ResponseLines};
use crate::part::{Dialect, ResponsePart};
use crate::{search_replace, unified, v4a, whole};

/// Parses a whole response.
///
/// # Errors
/// An edit cannot be parsed, the response is cut off, or it contains no edit.
pub fn parse(response: &str, options: &ParseOptions<'_>) -> Result<Vec<ResponsePart>, ParseError> {
    let mut state = ReadingState::default();
    let mut marks = LineMarks::default();
    if response.len() < MAX_RESPONSE_LENGTH {
        marks.add_lines(response, 0);
    }
    let mut reader = Cursor::new(
        ResponseLines::new(response, &marks, marks.count()),
        options,
        &mut state,
        ResponseEnd::Yes,
    );
    match reader.run_to_end() {
        Ok(()) | Err(ParseStop::More) => {}
        Err(ParseStop::Bad(error)) => return Err(error),
    }
    reader.finish()?;
    Ok(state.parts)
}

impl<'t> Cursor<'_, 't> {
    /// Parses until the text ends, or until more text is needed.
    pub(crate) fn run_to_end(&mut self) -> Result<(), ParseStop> {
        while self.state.at < self.lines.len() {
            self.edit_lines.set(self.state.edit_lines);
            self.parse_step()?;
            self.state.edit_lines = self.edit_lines.get();
            ParseStop::check_part_count(self.state.parts.len(), self.state.at - 1)?;
        }
        Ok(())
    }

    /// Checks the conditions for the end of the response.
    pub(crate) fn finish(&self) -> Result<(), ParseError> {
        let bad = |stop| match stop {
            ParseStop::Bad(error) => Err(error),
            ParseStop::More => Ok(()),
        };
        let is_open = |fence: &&EnteredFence| fence.inner_closed.is_none();
        if let Some(EnteredFence { line, .. }) = self.state.fences.iter().rfind(is_open) {
            let what = format!("the fence that opens at line {} is not closed", line + 1);
            return bad(ParseStop::cut_off_error(*line, &what));
        }
        if self.state.parts.is_empty() {
            let words = match self.options.format {
                None => "There is no edit in the reply: no SEARCH/REPLACE block, no patch, no diff, and no fence under a path line.".to_owned(),
                Some(format) => format!("There is no edit in the format {format} in the reply."),
            };
            return bad(ParseStop::new_error(0, ParseErrorKind::NoEdit, words));
        }
        Ok(())
    }

    fn parse_step(&mut self) -> Result<(), ParseStop> {
        let Some((at, start)) = self.lines.find_from(self.state.at, special_line_start) else {
            self.state.at = self.lines.len();
            return Ok(());
        };
        self.state.at = at;
        let line = self.lines.get(at);
        match start {
            LineStart::Thinking => {
                if let Some(tag) = thinking_tag(line) {
                    return self.skip_thinking(at, tag);
                }
            }
            LineStart::Fence => {
                self.leave_reopened_fence(at);
                if self.closes_fence(at) {
                    self.close_fence(at);
                } else if let Some(open) = parse_fence(line) {
                    return self.handle_fence(at, open);
                }
            }
            LineStart::Marker | LineStart::Dashes
                if self.accepts_dialect(Dialect::SearchReplace)
                    && let Some(marker) = search_replace::parse_marker(line) =>
            {
                return search_replace::parse_block(self, at, marker);
            }
            LineStart::Patch => {
                if self.accepts_dialect(Dialect::V4a) && v4a::is_part_of_patch(line) {
                    return v4a::parse_patch(self, at);
                }
            }
            LineStart::Dashes | LineStart::Diff => {
                if self.accepts_dialect(Dialect::Unified) && unified::begins_section(self, at)? {
                    return unified::parse_section(self, at);
                }
            }
            LineStart::Marker => {}
        }
        self.state.at += 1;
        Ok(())
    }

    /// Skips text between thinking tags.
    fn skip_thinking(&mut self, at: usize, closing: &str) -> Result<(), ParseStop> {
        let Some(end) = self.lines.find_text(at, closing) else {
            self.line(self.lines.len())?;
            return Err(ParseStop::cut_off_error(
                at,
                "the thinking that begins there does not end",
            ));
        };
        self.state.at = end + 1;
        Ok(())
    }

    /// Decides what a fence is: a wrapper around edits, a whole file, or code to be skipped.
    fn handle_fence(&mut self, at: usize, open: Fence<'t>) -> Result<(), ParseStop> {
        let path = self.path_above(at);
        // If a fence was entered, the next one may close it.
        if path.is_none()
            && self.state.fences.is_empty()
            && let Some(next) = self.lines.skip_plain_fences(at)
        {
            self.state.at = next;
            return Ok(());
        }
        self.classify_fence(at, open, path)
    }

    /// Decides what a fence is, whatever lines it contains.
    pub(crate) fn classify_fence(
        &mut self,
        at: usize,
        open: Fence<'t>,
        path: Option<&str>,
    ) -> Result<(), ParseStop> {
        let first = self.line(at + 1)?;
        let inner = first.and_then(parse_fence);
        let is_empty = inner.is_some_and(|inner| open.is_closed_by_fence(inner));
        // A fence without content is not an edit, unless a path above it makes it an empty file.
        if path.is_none() && is_empty {
            self.state.at = at + 2;
            return Ok(());
        }
        // A fence directly below begins no edit and is not a path.
        let is_wrapper = first.is_some()
            && inner.is_none()
            && (self.begins_edit(at + 1)?
                || (self.line(at + 2)?.is_some()
                    && self.begins_edit(at + 2)?
                    && self.path_at(at + 1).is_some()));
        let holds_patch =
            path.is_some_and(|path| path.ends_with(".patch") || path.ends_with(".diff"));
        if is_wrapper && !(holds_patch && unified::begins_section(self, at + 1)?) {
            return self.enter_fence(at, open);
        }
        let closing = match is_empty {
            true => Some(at + 1),
            false => self.find_closing_line(at + 1 + usize::from(first.is_some()), open)?,
        };
        let end = closing.unwrap_or(self.lines.len());
        if let Some(path) = path.filter(|_| self.accepts_dialect(Dialect::Whole)) {
            let part = whole::parse_whole_file(self, (at, closing), open, path, &|line| {
                self.begins_edit(line)
            })?;
            self.state.parts.push(part);
            self.state.at = end + 1;
            return Ok(());
        }
        if self.find_edit_from(at + 1)?.is_some_and(|edit| edit < end) {
            return self.enter_fence(at, open);
        }
        self.state.at = end + 1;
        Ok(())
    }

    fn enter_fence(&mut self, at: usize, open: Fence<'t>) -> Result<(), ParseStop> {
        // Between the lines of a fence that is opened twice there is only the path line.
        let path = |line: usize| !self.lines.is_blank(line) && self.path_at(line).is_some();
        let reopens = |outer: &EnteredFence| {
            let mut between = (outer.line + 1..at).filter(|line| !self.lines.is_blank(*line));
            at - outer.line <= 4 && between.next().is_some_and(path) && between.next().is_none()
        };
        if self.state.fences.last().is_some_and(reopens)
            && let Some(outer) = self.state.fences.last_mut()
        {
            outer.is_reopened = true;
        }
        self.state.fences.push(EnteredFence {
            mark: open.mark,
            length: open.length,
            line: at,
            is_reopened: false,
            inner_closed: None,
        });
        self.state.at = at + 1;
        Ok(())
    }

    /// Returns whether an edit in a format that is parsed begins at a line.
    fn begins_edit(&self, at: usize) -> Result<bool, ParseStop> {
        let line = self.lines.get(at);
        let opens_block =
            || self.accepts_dialect(Dialect::SearchReplace) && search_replace::opens_block(line);
        match line_start(line.as_bytes()) {
            Some(LineStart::Marker) => Ok(opens_block()),
            Some(LineStart::Patch) => {
                Ok(self.accepts_dialect(Dialect::V4a) && v4a::is_part_of_patch(line))
            }
            Some(LineStart::Dashes) if opens_block() => Ok(true),
            Some(LineStart::Dashes | LineStart::Diff) => {
                Ok(self.accepts_dialect(Dialect::Unified) && unified::begins_section(self, at)?)
            }
            Some(LineStart::Thinking | LineStart::Fence) | None => Ok(false),
        }
    }

    /// Finds the first line, starting at a line, at which an edit begins.
    fn find_edit_from(&mut self, from: usize) -> Result<Option<usize>, ParseStop> {
        if let Some((known_from, found)) = self.next_edit
            && known_from <= from
            && found.is_none_or(|found| found >= from)
        {
            return Ok(found);
        }
        let mut found = None;
        let mut next = from;
        while let Some((at, _)) = self.lines.find_from(next, edit_start) {
            if self.begins_edit(at)? {
                found = Some(at);
                break;
            }
            next = at + 1;
        }
        self.next_edit = Some((from, found));
        Ok(found)
    }
}

/// Returns the closing tag of the thinking that a line begins.
pub(crate) fn thinking_tag(line: &str) -> Option<&'static str> {
    let text = line.trim_start();
    if !text.starts_with('<') {
        None
    } else if text.starts_with("<thinking>") {
        Some("</thinking>")
    } else if text.starts_with("<think>") {
        Some("</think>")
    } else {
        None
    }
}
