//! Determines which blocks of text can contain a literal, from a bit-sliced matrix: a column is a block, a row is a
//! hash of four consecutive bytes in it.
//!
//! 512 columns make a group, in which a row is one line of 64 bytes, so that a literal is the AND of a few lines of
//! memory for each group. A group has a fixed size (1 MiB, for about 16 MiB of text) and is changed in place. ASCII
//! letters are taken in lower case. Four bytes with a line end among them are never in the matrix, since most matches
//! lie within one line.

use std::io;

use memmap2::MmapMut;

use super::columns::{BlockRun, ColumnSet};
use super::grams::{GramRows, ROW_COUNT, literal_rows};
use super::literal_query::LiteralQuery;

/// The columns of a group, and the machine words and bytes of one of its rows.
const GROUP_COLUMNS: usize = 512;
const GROUP_WORDS: usize = GROUP_COLUMNS / 64;
const ROW_BYTES: usize = GROUP_COLUMNS / 8;
const GROUP_BYTES: usize = ROW_COUNT * ROW_BYTES;

/// The matrix of signatures.
#[derive(Default)]
pub(crate) struct SignatureMatrix {
    /// Anonymous pages, which return to the system when the group is dropped.
    groups: Vec<MmapMut>,
    columns: u32,
}

impl SignatureMatrix {
    /// Returns the memory of the matrix.
    pub(crate) fn bytes(&self) -> usize {
        self.groups.len() * GROUP_BYTES
    }

    /// Returns the memory that the next [`push_column`](Self::push_column) takes.
    pub(crate) fn bytes_for_next_column(&self) -> usize {
        match self.columns as usize == self.groups.len() * GROUP_COLUMNS {
            true => GROUP_BYTES,
            false => 0,
        }
    }

    /// Returns the number of columns.
    pub(crate) fn columns(&self) -> u32 {
        self.columns
    }

    /// Adds a column of an empty block and returns its number; fails where the system has no memory for it.
    pub(crate) fn push_column(&mut self) -> io::Result<u32> {
        let column = self.columns;
        let next = column.checked_add(1).ok_or(io::ErrorKind::OutOfMemory)?;
        if self.bytes_for_next_column() > 0 {
            self.groups.push(MmapMut::map_anon(GROUP_BYTES)?);
        }
        self.columns = next;
        Ok(column)
    }

    /// Adds a text to what the block of a column contains.
    pub(crate) fn add(&mut self, column: u32, text: &[u8]) {
        let mut grams = GramRows::default();
        grams.add(text);
        self.add_grams(column, &grams);
    }

    /// Adds the collected grams of one or more texts to what the block of a column contains.
    pub(crate) fn add_grams(&mut self, column: u32, grams: &GramRows) {
        let Some((group, byte, bit)) = self.locate_bit(column) else {
            return;
        };
        grams.for_each(|row| group[row * ROW_BYTES + byte] |= bit);
    }

    /// Returns the group of a column, and the byte and the bit of the column in a line of the group.
    fn locate_bit(&mut self, column: u32) -> Option<(&mut MmapMut, usize, u8)> {
        let column = column as usize;
        let group = self.groups.get_mut(column / GROUP_COLUMNS)?;
        let at = column % GROUP_COLUMNS;
        Some((group, at / 8, 1 << (at % 8)))
    }

    /// Returns the columns whose blocks can contain a match of the query. Each run is in the set as a whole or not at
    /// all, because the literals of one match may be in several blocks of a file.
    ///
    /// A rare word takes 0.5 µs for 20 groups in the cache of the processor and 14 to 30 µs for groups that are not;
    /// 1,000 runs take another 4 µs.
    pub(crate) fn candidates(&self, query: &LiteralQuery, runs: &[BlockRun]) -> ColumnSet {
        let mut found = self.blocks_matching_query(query, runs);
        found.complete_runs(runs);
        found
    }

    /// Returns the columns whose blocks can contain a literal that is part of every match of the query. A match that
    /// lies within a line is in a line that reaches into one of these blocks.
    pub(crate) fn blocks_of_matches(&self, query: &LiteralQuery) -> ColumnSet {
        match query {
            LiteralQuery::Any => ColumnSet::full(self.columns),
            LiteralQuery::Literal(literal) => self.columns_containing(literal),
            LiteralQuery::All(parts) => {
                // Every match contains all parts, so the blocks of any one of them are enough.
                let parts = parts.iter().map(|part| self.blocks_of_matches(part));
                let fewest = parts.min_by_key(ColumnSet::count);
                fewest.unwrap_or_else(|| ColumnSet::full(self.columns))
            }
            LiteralQuery::Either(parts) => {
                let mut found = ColumnSet::empty(self.columns);
                for part in parts {
                    found.union_with(&self.blocks_of_matches(part));
                }
                found
            }
        }
    }

    /// Returns the same as [`candidates`](Self::candidates), but may contain only those blocks of a run that have a
    /// literal. Alternatives are united before their runs are completed, which has the same result and is done once.
    fn blocks_matching_query(&self, query: &LiteralQuery, runs: &[BlockRun]) -> ColumnSet {
        match query {
            LiteralQuery::Any => ColumnSet::full(self.columns),
            LiteralQuery::Literal(literal) => self.columns_containing(literal),
            LiteralQuery::All(parts) => {
                let mut found = ColumnSet::full(self.columns);
                for part in parts {
                    if found.is_empty() {
                        break;
                    }
                    found.intersect(&self.candidates(part, runs));
                }
                found
            }
            LiteralQuery::Either(parts) => {
                let mut found = ColumnSet::empty(self.columns);
                for part in parts {
                    found.union_with(&self.blocks_matching_query(part, runs));
                }
                found
            }
        }
    }

    /// Returns the columns whose blocks can contain a literal; all of them where it is too short.
    fn columns_containing(&self, literal: &[u8]) -> ColumnSet {
        let rows = literal_rows(literal);
        if rows.is_empty() {
            return ColumnSet::full(self.columns);
        }
        let mut found = ColumnSet::empty(self.columns);
        for (index, group) in self.groups.iter().enumerate() {
            let mut line = [u64::MAX; GROUP_WORDS];
            for row in &rows {
                let row = &group[row * ROW_BYTES..(row + 1) * ROW_BYTES];
                let (words, _) = row.as_chunks::<8>();
                let mut left = 0;
                for (kept, word) in line.iter_mut().zip(words) {
                    *kept &= u64::from_le_bytes(*word);
                    left |= *kept;
                }
                if left == 0 {
                    break;
                }
            }
            found.set_words(index * GROUP_WORDS, &line);
        }
        found
    }
}

#[cfg(test)]
mod tests;
