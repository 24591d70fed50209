//! The borders of text that edits changed. What an edit changed is its new text without the lines that it has in common
//! with its old text at start and end.

use std::ops::Range;

/// The parts of the text that edits changed, as they are now. A deletion is an empty part, where the text was.
#[derive(Clone, Debug, Default)]
pub(super) struct ChangedParts {
    /// The parts in order of their start.
    by_start: Vec<Range<usize>>,
    /// The parts in order of their end.
    by_end: Vec<Range<usize>>,
}

impl ChangedParts {
    /// Returns whether a border of a changed part is inside `place`, not only at its edge. That is so exactly where the
    /// place overlaps the part without being wholly inside it. Parts that are wholly inside `quoted` do not count,
    /// except deletions.
    pub(super) fn has_border_inside(
        &self,
        place: &Range<usize>,
        quoted: Option<&Range<usize>>,
    ) -> bool {
        let is_quoted = |part: &Range<usize>| {
            !part.is_empty()
                && quoted.is_some_and(|quoted| quoted.start <= part.start && part.end <= quoted.end)
        };
        let crosses = |parts: &[Range<usize>], border: &dyn Fn(&Range<usize>) -> usize| {
            let first = parts.partition_point(|part| border(part) <= place.start);
            let inside = parts[first..].iter();
            inside
                .take_while(|part| border(part) < place.end)
                .any(|part| !is_quoted(part))
        };
        crosses(&self.by_start, &|part| part.start) || crosses(&self.by_end, &|part| part.end)
    }

    /// Moves the parts by edits, given as sorted replaced ranges and the growth of each. A part that an edit replaced
    /// is dropped.
    pub(super) fn shift(&mut self, moves: &[(Range<usize>, isize)]) {
        let parts = std::mem::take(&mut self.by_start);
        let mut moves_before = 0;
        let mut shift_before = 0_isize;
        let moved = parts.into_iter().filter_map(|part| {
            // Parts come in order of their start, so edits that end before it are counted once.
            while let Some((replaced, growth)) = moves.get(moves_before)
                && replaced.end <= part.start
            {
                shift_before += growth;
                moves_before += 1;
            }
            let mut left = part.start.strict_add_signed(shift_before)
                ..part.end.strict_add_signed(shift_before);
            let mut shift = shift_before;
            for (replaced, growth) in &moves[moves_before..] {
                if replaced.start >= part.end {
                    break;
                }
                if replaced.start <= part.start && part.end <= replaced.end {
                    return None;
                }
                if replaced.start < part.start {
                    left.start = replaced.end.strict_add_signed(shift + growth);
                    left.end = left.end.strict_add_signed(*growth);
                } else if part.end < replaced.end {
                    left.end = replaced.start.strict_add_signed(shift);
                } else {
                    left.end = left.end.strict_add_signed(*growth);
                }
                shift += growth;
            }
            Some(left)
        });
        self.by_start = moved.collect();
        self.sort_and_dedup();
    }

    pub(super) fn add(&mut self, parts: impl IntoIterator<Item = Range<usize>>) {
        self.by_start.extend(parts);
        self.sort_and_dedup();
    }

    fn sort_and_dedup(&mut self) {
        self.by_start.sort_by_key(|part| (part.start, part.end));
        self.by_start.dedup();
        self.by_end.clone_from(&self.by_start);
        self.by_end.sort_by_key(|part| part.end);
    }
}

/// Returns the part of `new` that an edit from `old` changed; empty at the point of a deletion.
pub(super) fn changed_part(old: &str, new: &str) -> Option<Range<usize>> {
    if old == new {
        return None;
    }
    let (head, tail) = shared_lines(old, new);
    Some(head..new.len() - tail)
}

/// Returns how many bytes of lines two different texts have in common at their start and at their end.
pub(super) fn shared_lines(old: &str, new: &str) -> (usize, usize) {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let head = shared_head(old, new);
    let tail = shared_tail(&old[head..], &new[head..]);
    (head, tail)
}

fn shared_head(old: &[u8], new: &[u8]) -> usize {
    let common = old
        .iter()
        .zip(new)
        .take_while(|(old, new)| old == new)
        .count();
    // One text ends here and the other continues with a further line, so the last line is common too.
    let ended = |text: &[u8]| matches!(text.get(common), None | Some(b'\n'));
    if common > 0 && ended(old) && ended(new) {
        return common;
    }
    memchr::memrchr(b'\n', &new[..common]).map_or(0, |newline| newline + 1)
}

fn shared_tail(old: &[u8], new: &[u8]) -> usize {
    let pairs = old.iter().rev().zip(new.iter().rev());
    let common = pairs.take_while(|(old, new)| old == new).count();
    let starts_line = |text: &[u8]| {
        let start = text.len() - common;
        start == 0 || text[start - 1] == b'\n'
    };
    if starts_line(old) && starts_line(new) {
        return common;
    }
    let shared = &new[new.len() - common..];
    memchr::memchr(b'\n', shared).map_or(0, |newline| common - newline - 1)
}
