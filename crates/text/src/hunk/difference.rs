//! Finds the first line of a hunk that differs from the file, at the place where most of its lines match.

use std::collections::HashMap;

/// The number of occurrences of a line that the hunk repeats which are used as votes.
const MAX_VOTES_PER_LINE: usize = 8;

/// The first old line that differs from the file. Lines count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstDifference {
    /// The number of the line in the hunk.
    pub in_hunk: usize,
    /// The line of the file that it is compared with; it may be the one after the last.
    pub in_view: usize,
}

/// Finds the first old line that differs from the view, at the place where most of the hunk's lines match; `None` where
/// no non-blank line of the hunk is in the view, or no line differs.
pub fn first_difference(view: &str, old: &str) -> Option<FirstDifference> {
    let mut numbers: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, line) in old.lines().enumerate() {
        let known = numbers.entry(line.trim()).or_default();
        if !line.trim().is_empty() && known.len() < MAX_VOTES_PER_LINE {
            known.push(number);
        }
    }
    // Each line that the hunk shares with the view votes for the line where the hunk would begin.
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (at, line) in view.lines().enumerate() {
        for number in numbers.get(line.trim()).into_iter().flatten() {
            if let Some(start) = at.checked_sub(*number) {
                *votes.entry(start).or_default() += 1;
            }
        }
    }
    let best = votes
        .into_iter()
        .max_by_key(|(start, count)| (*count, std::cmp::Reverse(*start)));
    let (start, _) = best?;
    let mut lines = view.lines().skip(start);
    let in_hunk = old.lines().position(|line| lines.next() != Some(line))?;
    Some(FirstDifference {
        in_hunk,
        in_view: start + in_hunk,
    })
}
