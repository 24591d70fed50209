//! The parts that the person who was asked left out of a change. The answer names them by file and line, and the
//! history records them.

use lancet_model::non_exhaustive::NonExhaustive;
use std::fmt;
use std::ops::Range;

use super::locate::Target;
use crate::message::{Message, message, tool_and_shell_term, verbatim};
use crate::outcome::{OldLines, OmittedPart};
use crate::wording::{QuotedPath, format_count, name_lines};

/// How many files are named at most.
const MAX_NAMED_FILES: usize = 50;
/// How many lines of a file are counted at most to name line numbers.
const MAX_COUNTED_LINES: usize = 100_000;
/// The most groups of lines that are named.
const MAX_LINE_GROUPS: usize = 20;

/// The parts of a change that were left out.
#[derive(Default)]
pub(crate) struct OmittedParts {
    pub(super) files: Vec<OmittedFile>,
    /// The reason that the person gave.
    pub(super) because: Option<String>,
}

/// The parts of one file that were left out.
pub(crate) struct OmittedFile {
    /// The file, by the name that the model may see.
    path: QuotedPath,
    /// The lines of the old file, from 1, end excluded; an empty range where lines were only to be added before that
    /// line. None where the whole file was left out.
    pub(super) lines: Option<Vec<Range<usize>>>,
}

impl OmittedParts {
    /// Names the files and lines; none where nothing was left out.
    pub(super) fn describe(&self) -> Option<String> {
        if self.files.is_empty() {
            return None;
        }
        let shown = self.files.iter().take(MAX_NAMED_FILES);
        let mut words: Vec<String> = shown.map(ToString::to_string).collect();
        if let Some(rest @ 1..) = self.files.len().checked_sub(MAX_NAMED_FILES) {
            words.push(format_count(rest, "further file"));
        }
        Some(words.join("; "))
    }

    /// Names the files and lines for an answer.
    fn describe_parts(&self) -> Message {
        let shown = self.files.iter().take(MAX_NAMED_FILES);
        let mut parts: Vec<Message> = shown.map(OmittedFile::describe).collect();
        if let Some(rest @ 1..) = self.files.len().checked_sub(MAX_NAMED_FILES) {
            parts.push(message!("{}", verbatim(format_count(rest, "further file"))));
        }
        Message::joined(parts, "; ")
    }

    /// Returns the sentence of the answer; none where nothing was left out and the person gave no reason.
    pub(super) fn answer_sentence(&self) -> Option<Message> {
        if self.files.is_empty() {
            let words = self.because.as_ref();
            return words
                .map(|words| message!("the person who approved this says: {}", verbatim(words)));
        }
        let because = match &self.because {
            Some(words) => message!(
                "{}{}",
                tool_and_shell_term(". They say: ", ". You said: "),
                verbatim(words)
            ),
            None => Message::default(),
        };
        Some(message!(
            "{}{}{}",
            tool_and_shell_term(
                "a person left this out, and it was not written (lines as they were numbered before): ",
                "left out (lines as they were numbered before): ",
            ),
            self.describe_parts(),
            because
        ))
    }

    /// Converts the list to data for programs.
    pub(super) fn outcome(&self) -> Vec<OmittedPart> {
        let part = |file: &OmittedFile| OmittedPart {
            path: file.path.as_str().to_owned(),
            lines: file.lines.as_ref().map(|lines| {
                let old = |lines: &Range<usize>| OldLines {
                    old_start: lines.start - usize::from(lines.is_empty()),
                    old_lines: lines.len(),
                    non_exhaustive: NonExhaustive,
                };
                lines.iter().map(old).collect()
            }),
            non_exhaustive: NonExhaustive,
        };
        self.files.iter().map(part).collect()
    }
}

impl OmittedFile {
    /// Records that a whole file was left out.
    pub(super) fn whole_file(target: &Target) -> Self {
        Self {
            path: target.display_name(),
            lines: None,
        }
    }

    /// Records that some lines of a file were left out.
    pub(super) fn lines_of_file(target: &Target, lines: Vec<Range<usize>>) -> Self {
        Self {
            path: target.display_name(),
            lines: Some(lines),
        }
    }
}

impl fmt::Display for OmittedFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.path, self.describe_lines())
    }
}

impl OmittedFile {
    fn describe(&self) -> Message {
        message!("{} {}", &self.path, verbatim(self.describe_lines()))
    }

    /// Names the lines: "line 3", or "(all of it)".
    fn describe_lines(&self) -> String {
        let Some(lines) = &self.lines else {
            return "(all of it)".to_owned();
        };
        let changed: Vec<usize> = lines
            .iter()
            .flat_map(Clone::clone)
            .take(MAX_COUNTED_LINES)
            .collect();
        let added: Vec<usize> = lines
            .iter()
            .filter(|lines| lines.is_empty())
            .map(|lines| lines.start - 1)
            .collect();
        let mut parts = Vec::new();
        if !changed.is_empty() {
            parts.push(name_lines(changed, MAX_LINE_GROUPS));
        }
        if !added.is_empty() {
            parts.push(format!(
                "what was to follow {}",
                name_lines(added, MAX_LINE_GROUPS)
            ));
        }
        parts.join(", ")
    }
}
