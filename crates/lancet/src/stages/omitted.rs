//! The parts that the person who was asked left out of a change. The answer names them by file and line, and the
//! history records them.

use lancet_model::non_exhaustive::NonExhaustive;
use std::fmt;
use std::ops::Range;

use super::locate::Target;
use crate::message::{Message, message, term, verbatim};
use crate::outcome::{OldLines, OmittedPart};
use crate::wording::{QuotedPath, count, lines_named};

/// How many files are named at most.
const MOST_FILES: usize = 50;
/// How many lines of a file are counted at most to name line numbers.
const MOST_LINES: usize = 100_000;
/// The most groups of lines that are named.
const MOST_RUNS: usize = 20;

/// The parts of a change that were left out.
#[derive(Default)]
pub(crate) struct Omitted {
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

impl Omitted {
    /// Names the files and lines; none where nothing was left out.
    pub(super) fn named(&self) -> Option<String> {
        if self.files.is_empty() {
            return None;
        }
        let shown = self.files.iter().take(MOST_FILES);
        let mut words: Vec<String> = shown.map(ToString::to_string).collect();
        if let Some(rest @ 1..) = self.files.len().checked_sub(MOST_FILES) {
            words.push(count(rest, "further file"));
        }
        Some(words.join("; "))
    }

    /// Names the files and lines for an answer.
    fn named_parts(&self) -> Message {
        let shown = self.files.iter().take(MOST_FILES);
        let mut parts: Vec<Message> = shown.map(OmittedFile::named).collect();
        if let Some(rest @ 1..) = self.files.len().checked_sub(MOST_FILES) {
            parts.push(message!("{}", verbatim(count(rest, "further file"))));
        }
        Message::joined(parts, "; ")
    }

    /// Returns the sentence of the answer; none where nothing was left out and the person gave no reason.
    pub(super) fn sentence(&self) -> Option<Message> {
        if self.files.is_empty() {
            let words = self.because.as_ref();
            return words
                .map(|words| message!("the person who approved this says: {}", verbatim(words)));
        }
        let because = match &self.because {
            Some(words) => message!(
                "{}{}",
                term(". They say: ", ". You said: "),
                verbatim(words)
            ),
            None => Message::default(),
        };
        Some(message!(
            "{}{}{}",
            term(
                "a person left this out, and it was not written (lines as they were numbered before): ",
                "left out (lines as they were numbered before): ",
            ),
            self.named_parts(),
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
    pub(super) fn whole(target: &Target) -> Self {
        Self {
            path: target.display_name(),
            lines: None,
        }
    }

    /// Records that some lines of a file were left out.
    pub(super) fn lines(target: &Target, lines: Vec<Range<usize>>) -> Self {
        Self {
            path: target.display_name(),
            lines: Some(lines),
        }
    }
}

impl fmt::Display for OmittedFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.path, self.named_lines())
    }
}

impl OmittedFile {
    fn named(&self) -> Message {
        message!("{} {}", &self.path, verbatim(self.named_lines()))
    }

    /// Names the lines: "line 3", or "(all of it)".
    fn named_lines(&self) -> String {
        let Some(lines) = &self.lines else {
            return "(all of it)".to_owned();
        };
        let changed: Vec<usize> = lines
            .iter()
            .flat_map(Clone::clone)
            .take(MOST_LINES)
            .collect();
        let added: Vec<usize> = lines
            .iter()
            .filter(|lines| lines.is_empty())
            .map(|lines| lines.start - 1)
            .collect();
        let mut parts = Vec::new();
        if !changed.is_empty() {
            parts.push(lines_named(changed, MOST_RUNS));
        }
        if !added.is_empty() {
            parts.push(format!(
                "what was to follow {}",
                lines_named(added, MOST_RUNS)
            ));
        }
        parts.join(", ")
    }
}
