//! What two sequences share, for lines and for characters alike: the common start, the common
//! end, then the longest common run between them (of equally long ones the first in the old,
//! then in the new), and so on to its left and right.

use std::collections::HashMap;
use std::ops::Range;

/// How many comparisons the search for common runs may take in one alignment. A stretch that
/// would need more is compared by its common start and end only. It serves some thousands of
/// lines or characters on both sides; past it less is called shared, never more.
pub(super) const COMPARISONS: usize = 1 << 23;

/// `len` items that the old sequence from `old` on and the new one from `new` on share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Run {
    pub(super) old: usize,
    pub(super) new: usize,
    pub(super) len: usize,
}

/// A stretch between two runs: old items that give way to new ones. Either may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// The shared runs of two sequences, in order; none touches the next one on both sides.
pub(super) fn common_runs<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<Run> {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut number = |item: &&'t str| {
        let next = numbers.len() as u32;
        *numbers.entry(item).or_insert(next)
    };
    let old: Vec<u32> = old.iter().map(&mut number).collect();
    let new: Vec<u32> = new.iter().map(&mut number).collect();
    let mut aligner = Aligner {
        places: Places::of(&new, numbers.len()),
        ends: vec![(usize::MAX - 1, 0); new.len()],
        old: &old,
        new: &new,
        comparisons: COMPARISONS,
        runs: Vec::new(),
    };
    aligner.align();
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

/// The stretches that the runs leave of sequences with `old` and `new` items.
pub(super) fn gaps(runs: &[Run], old: usize, new: usize) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    let end = Run { old, new, len: 0 };
    for run in runs.iter().chain([&end]) {
        if old_at < run.old || new_at < run.new {
            gaps.push(Gap {
                old: old_at..run.old,
                new: new_at..run.new,
            });
        }
        (old_at, new_at) = (run.old + run.len, run.new + run.len);
    }
    gaps
}

/// Where each item stands in the new sequence, ascending.
struct Places {
    starts: Vec<usize>,
    places: Vec<usize>,
}

impl Places {
    fn of(items: &[u32], kinds: usize) -> Places {
        let mut starts = vec![0; kinds + 1];
        for &item in items {
            starts[item as usize + 1] += 1;
        }
        for kind in 0..kinds {
            starts[kind + 1] += starts[kind];
        }
        let mut next = starts.clone();
        let mut places = vec![0; items.len()];
        for (at, &item) in items.iter().enumerate() {
            places[next[item as usize]] = at;
            next[item as usize] += 1;
        }
        Places { starts, places }
    }

    fn within(&self, item: u32, range: &Range<usize>) -> &[usize] {
        let all = &self.places[self.starts[item as usize]..self.starts[item as usize + 1]];
        let from = all.partition_point(|&place| place < range.start);
        let to = all.partition_point(|&place| place < range.end);
        &all[from..to]
    }
}

struct Aligner<'s> {
    old: &'s [u32],
    new: &'s [u32],
    places: Places,
    /// For each new item: the old item it was last found equal to, and the length of the run
    /// that ends there.
    ends: Vec<(usize, usize)>,
    comparisons: usize,
    runs: Vec<Run>,
}

impl Aligner<'_> {
    fn align(&mut self) {
        let mut open = vec![Gap {
            old: 0..self.old.len(),
            new: 0..self.new.len(),
        }];
        while let Some(gap) = open.pop() {
            let gap = self.trim(gap);
            if gap.old.is_empty() || gap.new.is_empty() {
                continue;
            }
            let Some(run) = self.longest(&gap) else {
                continue;
            };
            self.runs.push(run);
            open.push(Gap {
                old: run.old + run.len..gap.old.end,
                new: run.new + run.len..gap.new.end,
            });
            open.push(Gap {
                old: gap.old.start..run.old,
                new: gap.new.start..run.new,
            });
        }
    }

    /// Takes the common start and the common end off.
    fn trim(&mut self, gap: Gap) -> Gap {
        let (old, new) = (&self.old[gap.old.clone()], &self.new[gap.new.clone()]);
        let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let end = old[start..]
            .iter()
            .rev()
            .zip(new[start..].iter().rev())
            .take_while(|(a, b)| a == b)
            .count();
        let inner = Gap {
            old: gap.old.start + start..gap.old.end - end,
            new: gap.new.start + start..gap.new.end - end,
        };
        self.push(gap.old.start, gap.new.start, start);
        self.push(inner.old.end, inner.new.end, end);
        inner
    }

    fn push(&mut self, old: usize, new: usize, len: usize) {
        if len > 0 {
            self.runs.push(Run { old, new, len });
        }
    }

    fn longest(&mut self, gap: &Gap) -> Option<Run> {
        let mut cost = gap.old.len();
        for at in gap.old.clone() {
            cost += self.places.within(self.old[at], &gap.new).len();
            if cost > self.comparisons {
                return None;
            }
        }
        self.comparisons -= cost;
        let mut best: Option<Run> = None;
        for at in gap.old.clone() {
            // From the right, so that the entry to the left still tells of the item before.
            for &place in self.places.within(self.old[at], &gap.new).iter().rev() {
                let inside = at > gap.old.start && place > gap.new.start;
                let before = match inside.then(|| self.ends[place - 1]) {
                    Some((last, len)) if last + 1 == at => len,
                    _ => 0,
                };
                let len = before + 1;
                self.ends[place] = (at, len);
                let run = Run {
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
