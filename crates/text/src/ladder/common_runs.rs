//! The common runs of two sequences, of lines or of characters, by the algorithm of Ratcliff and Obershelp that
//! Python's `difflib` uses: take the longest common run, then do the same to its left and to its right.
//!
//! Unlike `difflib`, a common start and a common end are taken first in each part. Among runs of equal length the first
//! in the old sequence wins, then the first in the new one. The result need not be a longest common subsequence; it
//! keeps long runs together, which is what people see as unchanged.

use std::collections::HashMap;
use std::ops::Range;

/// The limit of comparisons for one alignment. A part that would need more is compared by its common start and end
/// only, so fewer items count as common, never more. The limit covers some thousands of lines or characters on each
/// side.
pub(super) const MAX_COMPARISONS: usize = 1 << 23;

/// A common run: `len` items, from `old` in the old sequence and from `new` in the new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CommonRun {
    pub(crate) old: usize,
    pub(crate) new: usize,
    pub(crate) len: usize,
}

/// The part between two runs: old items that new items replace. Either range may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RunGap {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// Returns the common runs of two sequences in order. Two runs that would touch on both sides are one.
pub(crate) fn common_runs<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<CommonRun> {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut number = |item: &&'t str| {
        let next = numbers.len() as u32;
        *numbers.entry(item).or_insert(next)
    };
    let old: Vec<u32> = old.iter().map(&mut number).collect();
    let new: Vec<u32> = new.iter().map(&mut number).collect();
    let mut aligner = Aligner {
        positions: ItemPositions::new(&new, numbers.len()),
        ends: vec![(usize::MAX - 1, 0); new.len()],
        old: &old,
        new: &new,
        comparisons: MAX_COMPARISONS,
        runs: Vec::new(),
    };
    aligner.align_sequences();
    let mut runs = aligner.runs;
    runs.sort_unstable();
    runs.dedup_by(|later, earlier| {
        let joins =
            earlier.old + earlier.len == later.old && earlier.new + earlier.len == later.new;
        if joins {
            earlier.len += later.len;
        }
        joins
    });
    runs
}

/// Returns the gaps between the runs of sequences with `old` and `new` items.
pub(super) fn gaps_between_runs(runs: &[CommonRun], old: usize, new: usize) -> Vec<RunGap> {
    let mut gaps = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    let end = CommonRun { old, new, len: 0 };
    for run in runs.iter().chain([&end]) {
        if old_at < run.old || new_at < run.new {
            gaps.push(RunGap {
                old: old_at..run.old,
                new: new_at..run.new,
            });
        }
        (old_at, new_at) = (run.old + run.len, run.new + run.len);
    }
    gaps
}

/// The ascending positions of each item in the new sequence, grouped by item: those of item `i` are
/// `positions[starts[i]..starts[i + 1]]`.
struct ItemPositions {
    starts: Vec<usize>,
    positions: Vec<usize>,
}

impl ItemPositions {
    fn new(items: &[u32], kinds: usize) -> ItemPositions {
        let mut starts = vec![0; kinds + 1];
        for &item in items {
            starts[item as usize + 1] += 1;
        }
        for kind in 0..kinds {
            starts[kind + 1] += starts[kind];
        }
        let mut next = starts.clone();
        let mut positions = vec![0; items.len()];
        for (at, &item) in items.iter().enumerate() {
            positions[next[item as usize]] = at;
            next[item as usize] += 1;
        }
        ItemPositions { starts, positions }
    }

    /// Returns the positions of an item that are in this range.
    fn positions_within(&self, item: u32, range: &Range<usize>) -> &[usize] {
        let all = &self.positions[self.starts[item as usize]..self.starts[item as usize + 1]];
        let from = all.partition_point(|&place| place < range.start);
        let to = all.partition_point(|&place| place < range.end);
        &all[from..to]
    }
}

/// The state of the search for common runs.
struct Aligner<'s> {
    old: &'s [u32],
    new: &'s [u32],
    positions: ItemPositions,
    /// For each new item, the old item that it was last compared equal to and the length of the run that ends there.
    ends: Vec<(usize, usize)>,
    comparisons: usize,
    runs: Vec<CommonRun>,
}

impl Aligner<'_> {
    fn align_sequences(&mut self) {
        let mut open = vec![RunGap {
            old: 0..self.old.len(),
            new: 0..self.new.len(),
        }];
        while let Some(gap) = open.pop() {
            let gap = self.trim_common_ends(gap);
            if gap.old.is_empty() || gap.new.is_empty() {
                continue;
            }
            let Some(run) = self.longest_common_run(&gap) else {
                continue;
            };
            self.runs.push(run);
            open.push(RunGap {
                old: run.old + run.len..gap.old.end,
                new: run.new + run.len..gap.new.end,
            });
            open.push(RunGap {
                old: gap.old.start..run.old,
                new: gap.new.start..run.new,
            });
        }
    }

    /// Records the common start and the common end of a gap and returns what is between them.
    fn trim_common_ends(&mut self, gap: RunGap) -> RunGap {
        let (old, new) = (&self.old[gap.old.clone()], &self.new[gap.new.clone()]);
        let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let end = old[start..]
            .iter()
            .rev()
            .zip(new[start..].iter().rev())
            .take_while(|(a, b)| a == b)
            .count();
        let inner = RunGap {
            old: gap.old.start + start..gap.old.end - end,
            new: gap.new.start + start..gap.new.end - end,
        };
        self.push(gap.old.start, gap.new.start, start);
        self.push(inner.old.end, inner.new.end, end);
        inner
    }

    fn push(&mut self, old: usize, new: usize, len: usize) {
        if len > 0 {
            self.runs.push(CommonRun { old, new, len });
        }
    }

    /// Returns the longest common run of a gap; `None` where there is none or the comparisons are used up.
    fn longest_common_run(&mut self, gap: &RunGap) -> Option<CommonRun> {
        let mut cost = gap.old.len();
        for at in gap.old.clone() {
            cost += self
                .positions
                .positions_within(self.old[at], &gap.new)
                .len();
            if cost > self.comparisons {
                return None;
            }
        }
        self.comparisons -= cost;
        let mut best: Option<CommonRun> = None;
        for at in gap.old.clone() {
            // The entry to the left must still be that of the previous old item, so the positions are taken from right
            // to left.
            for &place in self
                .positions
                .positions_within(self.old[at], &gap.new)
                .iter()
                .rev()
            {
                let inside = at > gap.old.start && place > gap.new.start;
                let before = match inside.then(|| self.ends[place - 1]) {
                    Some((last, len)) if last + 1 == at => len,
                    _ => 0,
                };
                let len = before + 1;
                self.ends[place] = (at, len);
                let run = CommonRun {
                    old: at + 1 - len,
                    new: place + 1 - len,
                    len,
                };
                let better = best
                    .is_none_or(|best| len > best.len || (len == best.len && run.old == best.old));
                if better {
                    best = Some(run);
                }
            }
        }
        best
    }
}
