//! The borders of text that edits changed. What an edit changed is its new text without the lines that it has in common
//! with its old text at start and end.

use std::ops::Range;

/// The ends of changed text, sorted. A deletion has one border, where the text was.
#[derive(Clone, Debug, Default)]
pub(super) struct Borders {
    at: Vec<usize>,
}

impl Borders {
    /// Whether a border is inside of `place`, not only at its edge. That is so exactly where the place overlaps changed
    /// text without being wholly inside of it.
    pub(super) fn any_inside(&self, place: &Range<usize>) -> bool {
        let next = self.at.partition_point(|border| *border <= place.start);
        self.at.get(next).is_some_and(|border| *border < place.end)
    }

    /// Moves the borders by edits, given as sorted places and the growth of each.
    pub(super) fn shift(&mut self, moves: impl IntoIterator<Item = (Range<usize>, isize)>) {
        let mut moves = moves.into_iter().peekable();
        let mut shift = 0_isize;
        for border in &mut self.at {
            while let Some((_, growth)) = moves.next_if(|(place, _)| place.end <= *border) {
                shift += growth;
            }
            *border = border.saturating_add_signed(shift);
        }
        // Borders get out of order only where the caller did not ask [`Borders::any_inside`] first.
        self.at.sort_unstable();
    }

    pub(super) fn add(&mut self, parts: impl IntoIterator<Item = Range<usize>>) {
        self.at
            .extend(parts.into_iter().flat_map(|part| [part.start, part.end]));
        self.at.sort_unstable();
        self.at.dedup();
    }
}

/// The part of `new` that an edit from `old` changed; empty at the point of a deletion.
pub(super) fn changed_part(old: &str, new: &str) -> Option<Range<usize>> {
    if old == new {
        return None;
    }
    let (head, tail) = shared_lines(old, new);
    Some(head..new.len() - tail)
}

/// How many bytes of lines two different texts have in common at their start and at their end.
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
