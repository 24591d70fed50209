//! The question about one call: its files, the pieces of each file that can be picked, and what the lasting answers
//! would cover.

use crate::non_exhaustive::NonExhaustive;
use std::ops::Range;
use std::path::{Path, PathBuf};

use lancet_history::ChangeKind;
use serde::{Deserialize, Serialize};

use super::encoding;
use crate::visible::{escape_for_terminal, escape_line_for_terminal};

/// The notice of a file whose diff is too long for the question: its hunks have line numbers and no lines. A program
/// that has [`FileQuestion::text`] and [`FileQuestion::old_text`] can still show all of it.
pub const TOO_LONG_TO_SHOW: &str =
    "some of the change is too long to show; the diff gives its lines alone";

/// The maximum number of different reasons that a question names; the others are counted.
const MAX_REASONS: usize = 5;

/// A question to a person: may these files be written like this? It is about a whole call. Its texts are safe to show:
/// characters that would move a cursor, change the writing direction or forge a line are escaped. The paths are not
/// escaped; [`FileQuestion::escaped_path`] and [`FileQuestion::escaped_relative_path`] return the escaped form.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Question {
    /// The tool that wants to write.
    pub tool: String,
    /// The session that asks: its name, or a generated one.
    pub session: String,
    /// The client that asks, by the name that it gave itself.
    pub client: Option<String>,
    /// The caller's own id of the call.
    pub call: Option<String>,
    /// The files of the call: those with protected names first, then the others that are asked about, then those that
    /// need no answer. Never empty.
    pub files: Vec<FileQuestion>,
    /// Whether the call can only be answered as a whole, because its parts are halves of one thing, such as lines that
    /// are moved: an answer that picks a part of it writes nothing.
    pub is_whole: bool,
    /// What the answers that last longer than this call would cover.
    pub offers: LastingOffers,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}

/// One file of a question.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FileQuestion {
    /// The file's absolute path.
    #[serde(with = "encoding::path")]
    pub path: PathBuf,
    /// The file's path relative to its root.
    #[serde(with = "encoding::path")]
    pub relative: PathBuf,
    /// What would happen to the file.
    #[serde(with = "encoding::kind")]
    pub kind: ChangeKind,
    /// The version of the file that the question shows, as its short name; none for a new file.
    pub base: Option<String>,
    /// The file's old path where it is moved.
    #[serde(with = "encoding::optional_path")]
    pub moved_from: Option<PathBuf>,
    /// Why the file needs an answer: the mode, the rule, or the protected name. None if this file alone would be
    /// written without a question.
    pub reason: Option<String>,
    /// The rule that requires the question, with its layer and place; none if the mode or a protected name requires
    /// it.
    pub rule: Option<String>,
    /// Whether the name is protected or secret: `--yes` does not answer questions about those.
    pub protected: bool,
    /// The index of an earlier file of the question that this one goes with: both are written, or neither. An answer
    /// that picks one of them alone writes nothing.
    pub goes_with: Option<usize>,
    /// The parts of the change that can be picked by themselves, in the order of the file; at least one.
    pub pieces: Vec<Piece>,
    /// Sentences about the change that the diff does not show: how the text was matched, what is left out.
    pub notices: Vec<String>,
    /// The numbers of added and removed lines.
    pub lines: (usize, usize),
    /// The whole new text with LF line ends, for a person who wants to edit it; none if it cannot be edited.
    pub text: Option<String>,
    /// The text of the file as it is, with LF line ends, to compare an edited text with; none if the new text cannot
    /// be edited. Of a new file it is empty.
    pub old_text: Option<String>,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}

/// A part of a file's change that can be written without the others: a hunk of the diff, or several that belong
/// together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The hunks as a unified diff with three lines of context; empty where there is nothing to show.
    pub diff: String,
    /// Which hunks of the file's diff these are, counted from 0.
    pub hunks: Range<usize>,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}

/// What the answers that last longer than one call would cover.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastingOffers {
    /// What [`Answer::Session`](super::Answer::Session) covers, as text for a person.
    pub session: String,
    /// The rules that [`Answer::Always`](super::Answer::Always) adds to the user's settings, one for each file that it
    /// covers. Empty where that is not on offer; the answer then counts as [`Answer::Session`](super::Answer::Session).
    pub always: Vec<String>,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}

impl Question {
    /// Makes a question about some files that offers no lasting answer: for the tests of an approver.
    pub fn new(tool: impl Into<String>, files: Vec<FileQuestion>) -> Self {
        Self {
            tool: tool.into(),
            files,
            ..Self::default()
        }
    }

    /// Returns whether one of the files has a protected or secret name, which needs a person's own answer.
    pub fn is_protected(&self) -> bool {
        self.files.iter().any(|file| file.protected)
    }

    /// Joins the different reasons of all files.
    pub fn joined_reasons(&self) -> String {
        let mut reasons: Vec<&str> = Vec::new();
        for reason in self.files.iter().filter_map(|file| file.reason.as_deref()) {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        let further = reasons.len().saturating_sub(MAX_REASONS);
        reasons.truncate(MAX_REASONS);
        match further {
            0 => reasons.join("; "),
            further => format!("{}; and {further} further reasons", reasons.join("; ")),
        }
    }

    /// Adds up the numbers of added and removed lines of all files.
    pub fn line_counts(&self) -> (usize, usize) {
        let each = self.files.iter().map(|file| file.lines);
        each.fold((0, 0), |all, file| (all.0 + file.0, all.1 + file.1))
    }

    /// Joins the diffs of all files.
    pub fn diff(&self) -> String {
        self.files.iter().map(FileQuestion::diff).collect()
    }

    /// Escapes the texts of the question so that they are safe to show.
    #[doc(hidden)]
    pub fn escaped(mut self) -> Self {
        escape_to_one_line(&mut self.tool);
        escape_to_one_line(&mut self.session);
        self.client.as_mut().map(escape_to_one_line);
        self.call.as_mut().map(escape_to_one_line);
        escape_to_one_line(&mut self.offers.session);
        self.offers.always.iter_mut().for_each(escape_to_one_line);
        for file in &mut self.files {
            file.reason.as_mut().map(escape_to_one_line);
            file.rule.as_mut().map(escape_to_one_line);
            for notice in &mut file.notices {
                *notice = escape_for_terminal(notice).into_owned();
            }
            for piece in &mut file.pieces {
                piece.diff = escape_for_terminal(&piece.diff).into_owned();
            }
        }
        self
    }
}

impl FileQuestion {
    /// Makes an entry with all other fields empty: for the tests of an approver.
    pub fn new(path: impl Into<PathBuf>, kind: ChangeKind) -> Self {
        Self {
            path: path.into(),
            kind,
            ..Self::default()
        }
    }

    /// Returns the path, escaped and on one line.
    pub fn escaped_path(&self) -> String {
        display_path(&self.path)
    }

    /// Returns the path relative to its root, escaped and on one line.
    pub fn escaped_relative_path(&self) -> String {
        display_path(&self.relative)
    }

    /// Returns the old path of a file that is moved, escaped and on one line.
    pub fn escaped_old_path(&self) -> Option<String> {
        self.moved_from.as_deref().map(display_path)
    }

    /// Returns a unified diff of what would be written.
    pub fn diff(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| piece.diff.as_str())
            .collect()
    }
}

impl Piece {
    /// Makes a piece of one hunk: for the tests of an approver.
    pub fn new(diff: impl Into<String>, hunk: usize) -> Self {
        Self {
            diff: diff.into(),
            hunks: hunk..hunk + 1,
            non_exhaustive: NonExhaustive,
        }
    }
}

fn display_path(path: &Path) -> String {
    escape_line_for_terminal(&path.display().to_string()).into_owned()
}

fn escape_to_one_line(text: &mut String) {
    *text = escape_line_for_terminal(text).into_owned();
}
