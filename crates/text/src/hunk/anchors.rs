//! Anchors: lines of the file that bound where a hunk may be. The scope of an anchor continues while lines are blank or
//! indented deeper than the anchor. Where nothing is indented below an anchor that occurs once, its scope is what
//! follows it, up to the next anchor of the patch or the end.

use std::ops::Range;

use super::{HunkNotFound, LastLine};
use crate::look_alike::{indent_len, is_blank};

/// The number of columns that a tab counts when indentations are compared.
const TAB_COLUMNS: usize = 8;

/// The innermost anchors of a hunk as they are found in a view.
pub(super) struct LocatedAnchors {
    /// Each anchor's line, its newline included.
    lines: Vec<Range<usize>>,
    /// Each anchor's scope.
    scopes: Vec<AnchorScope>,
    /// The length of the view.
    length: usize,
}

/// The scope of an anchor.
#[derive(Clone, Copy)]
struct AnchorScope {
    /// The offset of the anchor's line.
    start: usize,
    /// The offset of the line below the anchor.
    below: usize,
    /// The end of the last line of the scope.
    end: usize,
    /// The end of the line that closes the scope.
    closed: usize,
}

impl LocatedAnchors {
    /// Finds every place where the anchors are nested, each in the scope of the one before.
    pub(super) fn locate(
        view: &str,
        anchors: &[String],
        next_anchor: Option<&str>,
    ) -> Result<LocatedAnchors, HunkNotFound> {
        let mut outer: Option<Vec<AnchorScope>> = None;
        for (at, anchor) in anchors.iter().enumerate() {
            let mut scopes = anchor_scopes(view, anchor);
            if let Some(outer) = &outer {
                let held = cumulative_scope_ends(outer);
                scopes.retain(|scope| {
                    let begun = held.partition_point(|(below, _)| *below <= scope.start);
                    begun > 0 && held[begun - 1].1 > scope.start
                });
            }
            if scopes.is_empty() {
                return Err(HunkNotFound::NoAnchor(anchor.clone()));
            }
            if let [only] = scopes.as_mut_slice()
                && is_scope_flat(view, only)
            {
                // A further anchor of the same hunk is searched for in all the text that follows.
                let next_anchor = next_anchor.filter(|_| at + 1 == anchors.len());
                (only.end, only.closed) = following_text_ends(view, only.below, next_anchor);
            }
            outer = Some(scopes);
        }
        let scopes = outer.unwrap_or_default();
        let lines = scopes.iter().map(|scope| scope.start..scope.below);
        Ok(LocatedAnchors {
            lines: lines.collect(),
            scopes,
            length: view.len(),
        })
    }

    /// Returns the lines of the innermost anchors.
    pub(super) fn innermost(&self) -> &[Range<usize>] {
        &self.lines
    }

    /// Returns the regions where a hunk may be: from the anchor's own line, which context may repeat, to the end of its
    /// scope; the line that closes the scope may be the last line of context.
    pub(super) fn regions(&self, last_line: LastLine) -> Vec<Range<usize>> {
        let scopes = self.scopes.iter();
        scopes
            .map(|scope| {
                let end = match last_line {
                    LastLine::Kept => scope.closed,
                    LastLine::Replaced => scope.end,
                };
                // The search may add a newline to the last line where the view lacks it.
                scope.start..if end == self.length { end + 1 } else { end }
            })
            .collect()
    }
}

/// Returns the offsets of the lines below scopes, in order, each with the largest end of the scopes up to it.
fn cumulative_scope_ends(scopes: &[AnchorScope]) -> Vec<(usize, usize)> {
    let mut largest = 0;
    let scopes = scopes.iter().map(|scope| {
        largest = scope.end.max(largest);
        (scope.below, largest)
    });
    scopes.collect()
}

/// Returns the scopes of all lines that equal an anchor except for indentation and trailing blanks, in order.
fn anchor_scopes(view: &str, anchor: &str) -> Vec<AnchorScope> {
    let wanted = anchor.trim();
    let mut scopes: Vec<AnchorScope> = Vec::new();
    // The scopes that are still open, with their columns: each is deeper than the one before it (a stack).
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut start = 0;
    for line in view.split_inclusive('\n') {
        let below = start + line.len();
        let text = line.strip_suffix('\n').unwrap_or(line);
        if !is_blank(text) {
            let depth = indent_columns(text);
            while let Some((at, _)) = open.pop_if(|(_, opened)| *opened >= depth) {
                scopes[at].end = start;
                scopes[at].closed = below;
            }
            if text.trim() == wanted {
                open.push((scopes.len(), depth));
                scopes.push(AnchorScope {
                    start,
                    below,
                    end: view.len(),
                    closed: view.len(),
                });
            }
        }
        start = below;
    }
    scopes
}

/// Returns whether nothing is indented below an anchor.
fn is_scope_flat(view: &str, scope: &AnchorScope) -> bool {
    view[scope.below..scope.end].lines().all(is_blank)
}

/// Returns two ends of the text that belongs to an anchor above this offset: the end before the line of the next
/// anchor, and the end after that line.
fn following_text_ends(view: &str, from: usize, next_anchor: Option<&str>) -> (usize, usize) {
    let Some(wanted) = next_anchor.map(str::trim) else {
        return (view.len(), view.len());
    };
    let mut start = from;
    for line in view[from..].split_inclusive('\n') {
        if line.trim() == wanted {
            return (start, start + line.len());
        }
        start += line.len();
    }
    (view.len(), view.len())
}

/// Returns the width of a line's indentation, in columns.
fn indent_columns(line: &str) -> usize {
    let indent = line[..indent_len(line)].chars();
    indent
        .map(|character| match character {
            '\t' => TAB_COLUMNS,
            _ => 1,
        })
        .sum()
}
