//! Sets of columns of the matrix of signatures, and the columns of a large file.

/// The columns of a file of several blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockRun {
    /// The column of the first block.
    pub(crate) first: u32,
    /// The number of blocks.
    pub(crate) count: u32,
}

/// A set of columns of the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ColumnSet {
    words: Vec<u64>,
    /// The number of columns in the matrix.
    columns: u32,
}

impl ColumnSet {
    pub(super) fn empty(columns: u32) -> Self {
        ColumnSet {
            words: vec![0; (columns as usize).div_ceil(64)],
            columns,
        }
    }

    pub(super) fn full(columns: u32) -> Self {
        let mut all = Self::empty(columns);
        all.words.fill(u64::MAX);
        all.clear_excess_bits();
        all
    }

    /// Returns whether a column is in the set.
    pub(crate) fn contains(&self, column: u32) -> bool {
        let word = self.words.get(column as usize / 64);
        word.is_some_and(|word| word >> (column % 64) & 1 == 1)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Returns the number of columns in the set.
    pub(crate) fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns whether a quarter of the columns or more are in the set.
    pub(crate) fn is_dense(&self) -> bool {
        self.count() >= self.columns / 4
    }

    /// Returns the columns in the set, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(index as u32 * 64 + bit)
            })
        })
    }

    pub(super) fn intersect(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    pub(super) fn union_with(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    pub(super) fn set_words(&mut self, at: usize, words: &[u64]) {
        let own = self.words.iter_mut().skip(at);
        for (word, new) in own.zip(words) {
            *word = *new;
        }
        self.clear_excess_bits();
    }

    /// Adds the rest of every run that has a column in the set.
    pub(super) fn complete_runs(&mut self, runs: &[BlockRun]) {
        if self.is_empty() {
            return;
        }
        for run in runs {
            let end = run.first.saturating_add(run.count).min(self.columns);
            if self.contains_any(run.first, end) {
                self.insert_range(run.first, end);
            }
        }
    }

    /// Returns whether one of these columns is in the set.
    pub(super) fn contains_any(&self, first: u32, end: u32) -> bool {
        words_of_range(first, end).any(|(word, mask)| self.words[word] & mask != 0)
    }

    fn insert_range(&mut self, first: u32, end: u32) {
        for (word, mask) in words_of_range(first, end) {
            self.words[word] |= mask;
        }
    }

    /// Removes the bits after the last column.
    fn clear_excess_bits(&mut self) {
        if let Some(last) = self.words.last_mut()
            && !self.columns.is_multiple_of(64)
        {
            *last &= (1 << (self.columns % 64)) - 1;
        }
    }
}

/// Returns the machine words that a range of columns is in, each with the bits of the range.
fn words_of_range(first: u32, end: u32) -> impl Iterator<Item = (usize, u64)> {
    let words = match first < end {
        true => first / 64..(end - 1) / 64 + 1,
        false => 0..0,
    };
    words.map(move |word| {
        let from = first.saturating_sub(word * 64);
        let to = (end - word * 64).min(64);
        let mask = (u64::MAX << from) & (u64::MAX >> (64 - to));
        (word as usize, mask)
    })
}
