//! Determines which blocks of text can contain a literal, from a bit-sliced matrix: a column is a block, a row is a
//! hash of four consecutive bytes in it.
//!
//! 512 columns make a group, in which a row is one line of 64 bytes, so that a literal is the AND of a few lines of
//! memory for each group. A group has a fixed size (1 MiB, for about 16 MiB of text) and is changed in place. ASCII
//! letters are taken in lower case. Four bytes with a line end among them are never in the matrix, since most matches
//! lie within one line.

use std::io;

use memmap2::MmapMut;

use super::columns::{BlockRun, Columns};
use super::grams::{Grams, ROWS, rows_of};
use super::literal_query::LiteralQuery;

/// The columns of a group, and the machine words and bytes of one of its rows.
const COLUMNS: usize = 512;
const WORDS: usize = COLUMNS / 64;
const LINE: usize = COLUMNS / 8;
const GROUP_BYTES: usize = ROWS * LINE;

/// The matrix of signatures.
#[derive(Default)]
pub(crate) struct Signatures {
    /// Anonymous pages, which return to the system when the group is dropped.
    groups: Vec<MmapMut>,
    columns: u32,
}

impl Signatures {
    /// Returns the memory of the matrix.
    pub(crate) fn bytes(&self) -> usize {
        self.groups.len() * GROUP_BYTES
    }

    /// Returns the memory that the next [`push_column`](Self::push_column) takes.
    pub(crate) fn bytes_of_next(&self) -> usize {
        match self.columns as usize == self.groups.len() * COLUMNS {
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
        if self.bytes_of_next() > 0 {
            self.groups.push(MmapMut::map_anon(GROUP_BYTES)?);
        }
        self.columns = next;
        Ok(column)
    }

    /// Adds a text to what the block of a column contains.
    pub(crate) fn add(&mut self, column: u32, text: &[u8]) {
        let mut grams = Grams::default();
        grams.add(text);
        self.add_grams(column, &grams);
    }

    /// Adds the collected grams of one or more texts to what the block of a column contains.
    pub(crate) fn add_grams(&mut self, column: u32, grams: &Grams) {
        let Some((group, byte, bit)) = self.place(column) else {
            return;
        };
        grams.for_each(|row| group[row * LINE + byte] |= bit);
    }

    /// Returns the group of a column, and the byte and the bit of the column in a line of the group.
    fn place(&mut self, column: u32) -> Option<(&mut MmapMut, usize, u8)> {
        let column = column as usize;
        let group = self.groups.get_mut(column / COLUMNS)?;
        let at = column % COLUMNS;
        Some((group, at / 8, 1 << (at % 8)))
    }

    /// Returns the columns whose blocks can contain a match of the query. Each run is in the set as a whole or not at
    /// all, because the literals of one match may be in several blocks of a file.
    ///
    /// A rare word takes 0.5 µs for 20 groups in the cache of the processor and 14 to 30 µs for groups that are not;
    /// 1,000 runs take another 4 µs.
    pub(crate) fn candidates(&self, query: &LiteralQuery, runs: &[BlockRun]) -> Columns {
        let mut found = self.blocks_of(query, runs);
        found.complete(runs);
        found
    }

    /// Returns the columns whose blocks can contain a literal that is part of every match of the query. A match that
    /// lies within a line is in a line that reaches into one of these blocks.
    pub(crate) fn blocks_of_matches(&self, query: &LiteralQuery) -> Columns {
        match query {
            LiteralQuery::Any => Columns::all(self.columns),
            LiteralQuery::Literal(literal) => self.containing(literal),
            LiteralQuery::All(parts) => {
                // Every match contains all parts, so the blocks of any one of them are enough.
                let parts = parts.iter().map(|part| self.blocks_of_matches(part));
                let fewest = parts.min_by_key(Columns::count);
                fewest.unwrap_or_else(|| Columns::all(self.columns))
            }
            LiteralQuery::Either(parts) => {
                let mut found = Columns::none(self.columns);
                for part in parts {
                    found.unite(&self.blocks_of_matches(part));
                }
                found
            }
        }
    }

    /// Returns the same as [`candidates`](Self::candidates), but may contain only those blocks of a run that have a
    /// literal. Alternatives are united before their runs are completed, which has the same result and is done once.
    fn blocks_of(&self, query: &LiteralQuery, runs: &[BlockRun]) -> Columns {
        match query {
            LiteralQuery::Any => Columns::all(self.columns),
            LiteralQuery::Literal(literal) => self.containing(literal),
            LiteralQuery::All(parts) => {
                let mut found = Columns::all(self.columns);
                for part in parts {
                    if found.is_empty() {
                        break;
                    }
                    found.intersect(&self.candidates(part, runs));
                }
                found
            }
            LiteralQuery::Either(parts) => {
                let mut found = Columns::none(self.columns);
                for part in parts {
                    found.unite(&self.blocks_of(part, runs));
                }
                found
            }
        }
    }

    /// Returns the columns whose blocks can contain a literal; all of them where it is too short.
    fn containing(&self, literal: &[u8]) -> Columns {
        let rows = rows_of(literal);
        if rows.is_empty() {
            return Columns::all(self.columns);
        }
        let mut found = Columns::none(self.columns);
        for (index, group) in self.groups.iter().enumerate() {
            let mut line = [u64::MAX; WORDS];
            for row in &rows {
                let row = &group[row * LINE..(row + 1) * LINE];
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
            found.set_words(index * WORDS, &line);
        }
        found
    }
}

#[cfg(test)]
mod tests;
