//! The first line of a hunk that differs from the file, at the place where most of its lines stand.

use std::collections::HashMap;

/// Of lines that the hunk has more often than this, only the first so many say where it may stand.
const REPEATS: usize = 8;

/// The first old line that is not what the file has there. Lines count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstDifference {
    /// Its number in the hunk.
    pub in_hunk: usize,
    /// The line of the file that it is compared with; it may be the one behind the last.
    pub in_view: usize,
}

/// The first old line that differs from the view, where the hunk has most of its lines; none where the view has no line
/// of the hunk that is not blank, and where no line differs.
pub fn first_difference(view: &str, old: &str) -> Option<FirstDifference> {
    let mut numbers: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, line) in old.lines().enumerate() {
        let known = numbers.entry(line.trim()).or_default();
        if !line.trim().is_empty() && known.len() < REPEATS {
            known.push(number);
        }
    }
    // Where the hunk would begin, by each line that it shares with the view.
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
