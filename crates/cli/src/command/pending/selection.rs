//! The parts of a question that the flags of `pending approve` pick.

use std::path::Path;

use lancet::approval::{Answer, FileQuestion, Pick, Question};

use super::hunks::number_pieces;
use crate::arguments::ApproveArguments;
use crate::failure::Failure;
use crate::surroundings::Surroundings;

/// The picked parts, with sentences about parts that were picked together with them.
pub(super) struct Selection {
    /// One entry for each file of the question.
    pub(super) picks: Vec<Pick>,
    pub(super) notes: Vec<String>,
}

impl Selection {
    /// Returns the parts that `--file` and `--hunk` pick; everything if neither is given.
    pub(super) fn from_arguments(
        arguments: &ApproveArguments,
        question: &Question,
        around: &Surroundings,
    ) -> Result<Self, Failure> {
        let is_part = !arguments.file.is_empty() || !arguments.hunk.is_empty();
        let first = match is_part {
            true => Pick::Nothing,
            false => Pick::Whole,
        };
        let mut selection = Self {
            picks: vec![first; question.files.len()],
            notes: Vec::new(),
        };
        for hunk in &arguments.hunk {
            selection.pick_hunk(*hunk as usize, question)?;
        }
        for file in &arguments.file {
            selection.pick_file(file, question, around)?;
        }
        Ok(selection)
    }

    fn pick_file(
        &mut self,
        typed: &Path,
        question: &Question,
        around: &Surroundings,
    ) -> Result<(), Failure> {
        let absolute = around.absolute(typed)?;
        let resolved = absolute.canonicalize().unwrap_or_else(|_| absolute.clone());
        let is_named = |file: &FileQuestion| {
            file.path == absolute || file.path == resolved || file.relative == typed
        };
        let Some(at) = question.files.iter().position(is_named) else {
            let names: Vec<String> = question
                .files
                .iter()
                .map(FileQuestion::escaped_relative_path)
                .collect();
            return Err(Failure::usage(format!(
                "--file {}: the question is not about it, but about {}",
                typed.display(),
                names.join(", ")
            )));
        };
        let group = question.files[at].goes_with.unwrap_or(at);
        for (other, file) in question.files.iter().enumerate() {
            if other == at || other == group || file.goes_with == Some(group) {
                self.picks[other] = Pick::Whole;
                if other != at {
                    self.notes
                        .push(format!("{} goes with it", file.escaped_relative_path()));
                }
            }
        }
        Ok(())
    }

    fn pick_hunk(&mut self, number: usize, question: &Question) -> Result<(), Failure> {
        let files = number_pieces(question);
        let last = files
            .iter()
            .flatten()
            .flat_map(|piece| &piece.hunks)
            .map(|(number, _)| *number)
            .max();
        for (at, pieces) in files.iter().enumerate() {
            let has = |piece: &super::hunks::NumberedPiece<'_>| {
                piece.hunks.iter().any(|(one, _)| *one == number)
            };
            let Some(piece) = pieces.iter().position(has) else {
                continue;
            };
            let picked = match &mut self.picks[at] {
                Pick::Whole => return Ok(()),
                Pick::Pieces(picked) => picked,
                pick => {
                    *pick = Pick::Pieces(Vec::new());
                    match pick {
                        Pick::Pieces(picked) => picked,
                        _ => return Ok(()),
                    }
                }
            };
            if !picked.contains(&piece) {
                picked.push(piece);
                picked.sort_unstable();
            }
            if picked.len() == pieces.len() {
                self.picks[at] = Pick::Whole;
            }
            if let [(first, _), .., (last, _)] = pieces[piece].hunks.as_slice() {
                let note = format!(
                    "the hunks {first} to {last} belong together, so all of them are picked"
                );
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
            }
            return Ok(());
        }
        Err(Failure::usage(match last {
            None => format!("--hunk {number}: the question has no hunks; use --file"),
            Some(last) => format!("--hunk {number}: the question has the hunks 1 to {last}"),
        }))
    }

    /// Returns the answer that writes the picked parts.
    pub(super) fn into_answer(self, words: Option<String>) -> Answer {
        match words.is_none() && self.picks.iter().all(|pick| *pick == Pick::Whole) {
            true => Answer::Yes,
            false => Answer::Picked {
                files: self.picks,
                words,
            },
        }
    }

    /// Describes the picked part of each file, one file a line.
    pub(super) fn describe_picks(&self, question: &Question) -> String {
        let files = question
            .files
            .iter()
            .zip(&self.picks)
            .zip(number_pieces(question));
        let line = |((file, pick), pieces): (
            (&FileQuestion, &Pick),
            Vec<super::hunks::NumberedPiece<'_>>,
        )| {
            let what = match pick {
                Pick::Whole => "all of it".to_owned(),
                Pick::Edited(_) => "as edited".to_owned(),
                Pick::Pieces(picked) => {
                    let hunks = picked
                        .iter()
                        .filter_map(|at| pieces.get(*at))
                        .flat_map(|piece| &piece.hunks);
                    let numbers: Vec<String> =
                        hunks.map(|(number, _)| number.to_string()).collect();
                    match numbers.as_slice() {
                        [one] => format!("hunk {one}"),
                        _ => format!("hunks {}", numbers.join(", ")),
                    }
                }
                _ => "left out".to_owned(),
            };
            format!("  {}: {what}\n", file.escaped_relative_path())
        };
        files.map(line).collect()
    }
}
