//! The numbers of the hunks of a question: from 1, over its files in the order in which they are shown.

use lancet::approval::Question;

/// A piece of a file's change with the numbers of its hunks.
pub(super) struct NumberedPiece<'q> {
    /// Each hunk's number and its diff. None where the piece has nothing to show.
    pub(super) hunks: Vec<(usize, &'q str)>,
}

impl NumberedPiece<'_> {
    /// Returns the diff of the whole piece.
    pub(super) fn diff(&self) -> String {
        self.hunks.iter().map(|(_, diff)| *diff).collect()
    }
}

/// Returns the pieces of each file of a question, in the order of its files.
pub(super) fn number_pieces(question: &Question) -> Vec<Vec<NumberedPiece<'_>>> {
    let mut count = 0;
    let mut number = |diff| {
        count += 1;
        (count, diff)
    };
    let mut files = Vec::with_capacity(question.files.len());
    for file in &question.files {
        let pieces = file.pieces.iter().map(|piece| NumberedPiece {
            hunks: split_hunks(&piece.diff)
                .into_iter()
                .map(&mut number)
                .collect(),
        });
        files.push(pieces.collect());
    }
    files
}

/// Splits a diff into hunks, each from its header on. Lines of text begin with a blank, a plus or a minus sign.
fn split_hunks(diff: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = diff.match_indices("\n@@ ").map(|(at, _)| at + 1).collect();
    if !diff.is_empty() {
        starts.insert(0, 0);
    }
    let ends = starts.iter().skip(1).copied().chain([diff.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &diff[*start..end])
        .collect()
}

#[cfg(test)]
mod tests {
    use lancet::approval::{ChangeKind, FileQuestion, Piece};

    use super::*;

    #[test]
    fn numbers_hunks_across_files_and_pieces() {
        let hunk = |line: usize| format!("@@ -{line} +{line} @@\n-a\n+@@ b\n");
        let mut first = FileQuestion::new("/r/a", ChangeKind::Update);
        first.pieces = vec![Piece::new(hunk(1) + &hunk(9), 0), Piece::new(hunk(20), 2)];
        let empty = FileQuestion::new("/r/b", ChangeKind::Delete);
        let mut last = FileQuestion::new("/r/c", ChangeKind::Update);
        last.pieces = vec![Piece::new("", 0), Piece::new(hunk(1), 0)];
        let question = Question::new("Edit", vec![first, empty, last]);
        let numbers: Vec<Vec<Vec<usize>>> = number_pieces(&question)
            .iter()
            .map(|file| {
                let of_piece = |piece: &NumberedPiece<'_>| {
                    piece.hunks.iter().map(|(number, _)| *number).collect()
                };
                file.iter().map(of_piece).collect()
            })
            .collect();
        assert_eq!(
            numbers,
            [vec![vec![1, 2], vec![3]], vec![], vec![vec![], vec![4]]]
        );
    }
}
