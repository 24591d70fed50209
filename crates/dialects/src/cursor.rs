//! The position in a response while it is parsed, with the lookups that all formats share: lines, path lines, fences.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use crate::error::ParseStop;
use crate::fence::{Fence, is_tag, parse_fence};
use crate::lines::ResponseLines;
use crate::part::{Dialect, ResponsePart};
use crate::path_line::path_in_line;

/// The maximum number of cached answers about whether a name is a known file.
const MAX_CACHED_NAMES: usize = 4_096;

/// How many lines are checked before the cache of closing lines is used.
const UNCACHED_LINES: usize = 4;

/// The options for parsing a response.
#[derive(Clone, Copy)]
pub struct ParseOptions<'k> {
    /// The only format that is parsed; none for all of them, also several in one response.
    pub format: Option<Dialect>,
    /// Returns whether a file of this name exists. It decides what a grammar cannot: whether a line with blanks in it
    /// is a path, and which of two names in a diff is meant.
    pub is_known: &'k dyn Fn(&str) -> bool,
}

impl Default for ParseOptions<'_> {
    fn default() -> Self {
        ParseOptions {
            format: None,
            is_known: &|_| false,
        }
    }
}

/// Whether more of the response may arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseEnd {
    Yes,
    No,
}

/// A fence that was entered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EnteredFence {
    pub(crate) mark: char,
    pub(crate) length: usize,
    /// The line that opens it.
    pub(crate) line: usize,
    /// Whether the fence was opened again below its path line. Some models write fence, path line and fence, and close
    /// only one of the two.
    pub(crate) is_reopened: bool,
    /// The line that closed the inner fence, if this one was opened again.
    pub(crate) inner_closed: Option<usize>,
}

/// The state of parsing a response.
#[derive(Default)]
pub(crate) struct ReadingState {
    /// The next line, counted from 0.
    pub(crate) at: usize,
    /// The completed parts, in order.
    pub(crate) parts: Vec<ResponsePart>,
    /// The fences that were entered because they contain edits.
    pub(crate) fences: Vec<EnteredFence>,
    /// The file of the last block, and the line after it.
    pub(crate) last_block: Option<(String, usize)>,
    /// The number of lines in the edits of the completed parts.
    pub(crate) edit_lines: usize,
    /// The number of diff sections per file so far.
    pub(crate) sections: HashMap<String, usize>,
}

/// A response and the [`ReadingState`] of its parsing.
pub(crate) struct Cursor<'r, 't> {
    pub(crate) lines: ResponseLines<'t>,
    pub(crate) options: &'r ParseOptions<'r>,
    pub(crate) state: &'r mut ReadingState,
    ended: ResponseEnd,
    /// The number of lines in all edits, including the edit that is being parsed.
    pub(crate) edit_lines: Cell<usize>,
    /// A cache for the next line that begins an edit: the line from which it was searched, and the result.
    pub(crate) next_edit: Option<(usize, Option<usize>)>,
    /// A cache for the next line that closes a fence of this character and length: the line from which it was searched,
    /// and the result.
    closings: HashMap<(char, usize), (usize, Option<usize>)>,
    /// A cache of which names are known files: each lookup accesses the disk, and a response may need one at every
    /// line.
    known: RefCell<HashMap<&'t str, bool>>,
}

impl<'r, 't> Cursor<'r, 't> {
    pub(crate) fn new(
        lines: ResponseLines<'t>,
        options: &'r ParseOptions<'r>,
        state: &'r mut ReadingState,
        ended: ResponseEnd,
    ) -> Self {
        Cursor {
            lines,
            options,
            state,
            ended,
            edit_lines: Cell::new(0),
            next_edit: None,
            closings: HashMap::new(),
            known: RefCell::default(),
        }
    }

    /// Returns whether edits in this format are parsed.
    pub(crate) fn accepts_dialect(&self, dialect: Dialect) -> bool {
        self.options.format.is_none_or(|format| format == dialect)
    }

    /// Returns a line; none after the end of the response.
    #[inline]
    pub(crate) fn line(&self, at: usize) -> Result<Option<&'t str>, ParseStop> {
        if at < self.lines.len() {
            Ok(Some(self.lines.get(at)))
        } else if self.ended == ResponseEnd::Yes {
            Ok(None)
        } else {
            Err(ParseStop::More)
        }
    }

    /// Counts a line of an edit, which is stored as a separate string.
    pub(crate) fn check_line_count(&self, at: usize) -> Result<(), ParseStop> {
        let count = self.edit_lines.get() + 1;
        self.edit_lines.set(count);
        ParseStop::check_line_count(count, at)
    }

    /// Returns the path that a line names; none if the line has other text, too.
    pub(crate) fn path_at(&self, at: usize) -> Option<&'t str> {
        let line = self.lines.get(at);
        match parse_fence(line) {
            Some(_) => None,
            None => path_in_line(line, |name| self.is_known(name)),
        }
    }

    /// Returns whether a file of this name exists.
    fn is_known(&self, name: &'t str) -> bool {
        let mut known = self.known.borrow_mut();
        if let Some(answer) = known.get(name) {
            return *answer;
        }
        if known.len() == MAX_CACHED_NAMES {
            known.clear();
        }
        let answer = (self.options.is_known)(name);
        known.insert(name, answer);
        answer
    }

    /// Returns the path line above a line: directly, or with one blank line between.
    pub(crate) fn path_above(&self, at: usize) -> Option<&'t str> {
        let above = at.checked_sub(1)?;
        if self.lines.is_blank(above) {
            return self.path_at(above.checked_sub(1)?);
        }
        self.path_at(above)
    }

    /// Returns whether a line closes the innermost fence that was entered.
    pub(crate) fn closes_fence(&self, at: usize) -> bool {
        self.state.fences.last().is_some_and(|entered| {
            let open = Fence {
                mark: entered.mark,
                length: entered.length,
                info: "",
            };
            open.is_closed_by(self.lines.get(at))
        })
    }

    /// Leaves a fence that was opened twice and closed once: only a line directly below the first closing line can be
    /// the second one.
    pub(crate) fn leave_reopened_fence(&mut self, at: usize) {
        while let Some(entered) = self.state.fences.last()
            && let Some(closed) = entered.inner_closed
            && !(closed + 1..at).all(|between| self.lines.is_blank(between))
        {
            self.state.fences.pop();
        }
    }

    /// Closes the innermost fence at a line.
    pub(crate) fn close_fence(&mut self, at: usize) {
        self.state.fences.pop();
        if let Some(outer) = self.state.fences.last_mut()
            && outer.is_reopened
        {
            outer.inner_closed = Some(at);
        }
    }

    /// Finds the line that closes a fence, starting at a line.
    pub(crate) fn find_closing_line(
        &mut self,
        from: usize,
        open: Fence<'_>,
    ) -> Result<Option<usize>, ParseStop> {
        // Most fences are closed soon. A response of fences with one line in each needs millions of closing lines, and
        // finding a key in the cache takes as long as checking some lines.
        for near in from..from + UNCACHED_LINES {
            match self.line(near)? {
                None => return Ok(None),
                Some(line) if open.is_closed_by(line) => return Ok(Some(near)),
                Some(_) => {}
            }
        }
        let key = (open.mark, open.length);
        if let Some(&(known_from, found)) = self.closings.get(&key)
            && known_from <= from
            && found.is_none_or(|found| found >= from)
        {
            return Ok(found);
        }
        let mut next = from;
        let closes = |rest| open.may_be_closed_by(rest).then_some(());
        let found = loop {
            let Some((at, ())) = self.lines.find_from(next, closes) else {
                self.line(self.lines.len())?;
                break None;
            };
            if open.is_closed_by(self.lines.get(at)) {
                break Some(at);
            }
            next = at + 1;
        };
        self.closings.insert(key, (from, found));
        Ok(found)
    }

    /// Returns whether there are only blank lines and fences between two lines.
    pub(crate) fn only_fences_between(&self, from: usize, to: usize) -> bool {
        (from..to).all(|at| {
            let line = self.lines.get(at);
            line.trim().is_empty() || parse_fence(line).is_some() || is_tag(line)
        })
    }
}
