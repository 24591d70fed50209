//! The parts that the person who was asked left out of a change. The answer names them by file and line, and the
//! history records them.

use std::fmt;
use std::ops::Range;

use super::locate::Target;
use crate::outcome::{OldLines, OmittedPart};
use crate::wording::{QuotedPath, count, lines_named};

/// How many files are named at most.
const MOST_FILES: usize = 50;
/// How many lines of a file are counted at most to name line numbers.
const MOST_LINES: usize = 100_000;
/// How many groups of lines are named at most.
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

    /// Gives the sentence for the model; none where nothing was left out and the person said nothing.
    pub(super) fn sentence(&self) -> Option<String> {
        let Some(named) = self.named() else {
            let words = self.because.as_ref();
            return words.map(|words| format!("the person who approved this says: {words}"));
        };
        let because = match &self.because {
            Some(words) => format!(". They say: {words}"),
            None => String::new(),
        };
        Some(format!(
            "a person left this out, and it was not written (lines as they were numbered before): {named}{because}"
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
                };
                lines.iter().map(old).collect()
            }),
        };
        self.files.iter().map(part).collect()
    }
}

impl OmittedFile {
    /// Notes that a whole file was left out.
    pub(super) fn whole(target: &Target) -> Self {
        Self {
            path: target.told(),
            lines: None,
        }
    }

    /// Notes that some lines of a file were left out.
    pub(super) fn lines(target: &Target, lines: Vec<Range<usize>>) -> Self {
        Self {
            path: target.told(),
            lines: Some(lines),
        }
    }
}

impl fmt::Display for OmittedFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(lines) = &self.lines else {
            return write!(out, "{} (all of it)", self.path);
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
        write!(out, "{} {}", self.path, parts.join(", "))
    }
}
