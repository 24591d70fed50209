//! The texts that a person edited at a question: they are shown before they are written.

use std::io;
use std::path::PathBuf;

use lancet::approval::{Answer, FileQuestion, Pick, Question};
use lancet_rendering::unified;

use super::editor;
use crate::terminal::{Colour, Style, escape_for_terminal};

/// The texts of a question's files as the person edited them, in the order of the files; none for a file whose text is
/// unchanged from the proposal.
#[derive(Clone, Debug, Default)]
pub(super) struct EditedTexts(Vec<Option<String>>);

impl EditedTexts {
    /// Reports whether a text was edited.
    pub(super) fn has_edits(&self) -> bool {
        self.0.iter().any(Option::is_some)
    }

    /// Lets the person edit the files one after the other, each from its first change on. Returns false where all texts
    /// were left alone.
    pub(super) fn edit_files(
        &mut self,
        question: &Question,
        drafts: Option<PathBuf>,
    ) -> io::Result<bool> {
        if question.is_whole {
            return Err(io::Error::other("its parts belong together"));
        }
        if question.files.iter().all(|file| file.text.is_none()) {
            return Err(io::Error::other("it is no text, or too long"));
        }
        self.0.resize(question.files.len(), None);
        let mut is_edited = false;
        for (file, known) in question.files.iter().zip(&mut self.0) {
            let Some(text) = known.as_ref().or(file.text.as_ref()) else {
                continue;
            };
            let line = first_changed_line(file);
            if let Some(edited) = editor::edit_text(drafts.clone(), &file.path, text, line)? {
                *known = Some(edited).filter(|edited| Some(edited) != file.text.as_ref());
                is_edited = true;
            }
        }
        Ok(is_edited)
    }

    /// Returns the texts themselves.
    pub(super) fn into_texts(self) -> Vec<Option<String>> {
        self.0
    }

    /// Returns the answer that writes the edited texts, and the others as they were proposed.
    pub(super) fn to_answer(&self) -> Answer {
        let files = self.0.iter().cloned();
        Answer::Picked {
            files: files
                .map(|text| text.map_or(Pick::Whole, Pick::Edited))
                .collect(),
            words: None,
        }
    }

    /// Returns the diffs from the current files to the edited texts.
    pub(super) fn format_diffs(&self, question: &Question, colour: Colour) -> String {
        let mut words = String::new();
        for (file, edited) in question.files.iter().zip(&self.0) {
            let Some(edited) = edited else {
                continue;
            };
            let head = format!("{}, as edited\n", file.escaped_relative_path());
            words.push_str(&colour.paint(Style::Bold, &head));
            let old = file.old_text.as_deref().or(file.text.as_deref());
            let diff = unified(old.unwrap_or_default(), edited, 3);
            match diff.is_empty() {
                true => words.push_str("It is the file as it is.\n"),
                false => words.push_str(&colour.paint_numbered_diff(&escape_for_terminal(&diff))),
            }
        }
        words
    }
}

/// Returns the line of the new text at which the first change is.
fn first_changed_line(file: &FileQuestion) -> usize {
    let diff = file.diff();
    let mut line = 1;
    for text in diff.lines() {
        if let Some(rest) = text.strip_prefix("@@ ") {
            let new = rest.split(' ').find_map(|word| word.strip_prefix('+'));
            let start = new.and_then(|new| new.split(',').next()?.parse().ok());
            line = start.unwrap_or(1);
        } else if text.starts_with(['+', '-']) {
            break;
        } else {
            line += 1;
        }
    }
    line.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lancet::approval::{ChangeKind, Piece};

    #[test]
    fn first_changed_line_skips_context() {
        let mut file = FileQuestion::new("/r/a", ChangeKind::Update);
        assert_eq!(first_changed_line(&file), 1);
        file.pieces = vec![Piece::new("@@ -8,4 +9,4 @@\n a\n b\n-c\n+d\n", 0)];
        assert_eq!(first_changed_line(&file), 11);
    }
}
