//! Records which files the columns of the signatures describe: several small files share a column, a large file has a
//! run of columns for itself alone.

use std::io;

use super::columns::{BlockRun, ColumnSet};
use super::grams::{BLOCK_BYTES, BLOCK_OVERLAP, GramRows};
use super::ids::FileId;
use super::literal_query::LiteralQuery;
use super::signatures::SignatureMatrix;

/// Signed text that is no longer in use is tolerated up to this many bytes.
const MIN_WASTE: u64 = 16 << 20;

/// The columns of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BlockRange {
    first: u32,
    count: u32,
}

impl BlockRange {
    /// Returns the number of blocks.
    pub(super) fn count(self) -> u32 {
        self.count
    }

    /// Returns the offsets in the text of those blocks whose columns are in a set.
    pub(super) fn block_offsets(self, columns: &ColumnSet) -> impl Iterator<Item = u64> {
        let own = self.first..self.first + self.count;
        own.filter(|column| columns.contains(*column))
            .map(move |column| u64::from(column - self.first) * BLOCK_BYTES as u64)
    }
}

/// The column that small files are still added to.
struct OpenBlock {
    column: u32,
    grams: GramRows,
    used: usize,
}

/// The signatures of all files.
#[derive(Default)]
pub(super) struct SignedBlocks {
    signatures: SignatureMatrix,
    /// The files of each column. A file that has changed since is in another column and no longer listed here.
    files: Vec<Vec<FileId>>,
    runs: Vec<BlockRun>,
    open: Option<OpenBlock>,
    /// The bytes of text that were signed, and how many of them are no longer in use.
    signed: u64,
    wasted: u64,
}

impl SignedBlocks {
    /// Returns the bytes of signed text.
    pub(super) fn text_bytes(&self) -> u64 {
        self.signed - self.wasted.min(self.signed)
    }

    /// Returns the memory of signatures and lists.
    pub(super) fn bytes(&self) -> usize {
        self.signatures.bytes() + self.files.len() * 64
    }

    /// Returns whether so much of the signed text is no longer in use that the columns let through too much.
    pub(super) fn is_wasteful(&self) -> bool {
        self.wasted > MIN_WASTE && self.wasted > self.signed / 2
    }

    fn push(&mut self) -> io::Result<u32> {
        let column = self.signatures.push_column()?;
        self.files.push(Vec::new());
        Ok(column)
    }

    /// Signs the whole text of a file. Without a file it is a text that is not in the table.
    ///
    /// # Errors
    /// Returns an error where the system has no memory.
    pub(super) fn add_whole(
        &mut self,
        file: Option<FileId>,
        text: &[u8],
    ) -> io::Result<BlockRange> {
        if text.len() <= BLOCK_BYTES {
            return self.add_small(file, text);
        }
        let mut run = self.start_run();
        for start in (0..text.len()).step_by(BLOCK_BYTES) {
            let end = text.len().min(start + BLOCK_BYTES + BLOCK_OVERLAP);
            self.add_to_run(&mut run, file, &text[start..end])?;
        }
        self.end_run(run);
        Ok(run)
    }

    /// Signs a text that fits into a block.
    fn add_small(&mut self, file: Option<FileId>, text: &[u8]) -> io::Result<BlockRange> {
        self.signed += text.len() as u64;
        let is_full = |open: &OpenBlock| open.used > 0 && open.used + text.len() > BLOCK_BYTES;
        if self.open.as_ref().is_none_or(is_full) {
            self.close();
            let column = self.push()?;
            self.open = Some(OpenBlock {
                column,
                grams: GramRows::default(),
                used: 0,
            });
        }
        let Some(open) = &mut self.open else {
            return Err(io::ErrorKind::OutOfMemory.into());
        };
        open.grams.add(text);
        open.used += text.len();
        self.files[open.column as usize].extend(file);
        Ok(BlockRange {
            first: open.column,
            count: 1,
        })
    }

    /// Writes the gathered grams of the open block to its column; the block stays open.
    pub(super) fn settle_open_block(&mut self) {
        if let Some(open) = &self.open {
            self.signatures.add_grams(open.column, &open.grams);
        }
    }

    fn close(&mut self) {
        self.settle_open_block();
        self.open = None;
    }

    /// Begins a run of columns for a file of several blocks.
    pub(super) fn start_run(&self) -> BlockRange {
        BlockRange {
            first: self.signatures.columns(),
            count: 0,
        }
    }

    /// Signs the next block of a run, together with the bytes after it that its column also describes.
    ///
    /// # Errors
    /// Returns an error where the system has no memory.
    pub(super) fn add_to_run(
        &mut self,
        run: &mut BlockRange,
        file: Option<FileId>,
        block: &[u8],
    ) -> io::Result<()> {
        self.signed += block.len().min(BLOCK_BYTES) as u64;
        let column = self.push()?;
        self.signatures.add(column, block);
        self.files[column as usize].extend(file);
        run.count += 1;
        Ok(())
    }

    /// Ends a run.
    pub(super) fn end_run(&mut self, run: BlockRange) {
        if run.count > 1 {
            self.runs.push(BlockRun {
                first: run.first,
                count: run.count,
            });
        }
    }

    /// Removes a file from its columns; `text` is its length.
    pub(super) fn remove(&mut self, file: FileId, range: BlockRange, text: u64) {
        // A file that was never signed has left nothing to remove.
        if range.count > 0 {
            self.wasted += text;
        }
        for column in range.first..range.first + range.count {
            if let Some(files) = self.files.get_mut(column as usize) {
                files.retain(|known| *known != file);
            }
        }
    }

    /// Returns whether one of the columns of a text is in a set.
    pub(super) fn has_column_in(&self, columns: &ColumnSet, range: BlockRange) -> bool {
        columns.contains_any(range.first, range.first + range.count)
    }

    /// Returns the columns that can have a match.
    pub(super) fn candidates(&self, query: &LiteralQuery) -> ColumnSet {
        self.signatures.candidates(query, &self.runs)
    }

    /// Returns the columns whose blocks can contain a literal that every match of the query contains.
    pub(super) fn matching_columns(&self, query: &LiteralQuery) -> ColumnSet {
        self.signatures.blocks_of_matches(query)
    }

    /// Calls `each` for the files of some columns; a file of several columns may come several times.
    pub(super) fn for_each_file_of(&self, columns: &ColumnSet, mut each: impl FnMut(FileId)) {
        for column in columns.iter() {
            for file in self.files.get(column as usize).into_iter().flatten() {
                each(*file);
            }
        }
    }
}
