//! The parts that a response is parsed into; each makes one change to one file.

use std::fmt;
use std::str::FromStr;

/// A format in which models write edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// SEARCH/REPLACE blocks under a path line.
    SearchReplace,
    /// `*** Begin Patch` … `*** End Patch`.
    V4a,
    /// Unified diffs, plain or as git writes them.
    Unified,
    /// A whole file in a fence under its path line.
    Whole,
}

impl Dialect {
    /// Every dialect, in the order in which help texts list them.
    pub const ALL: [Dialect; 4] = [
        Dialect::SearchReplace,
        Dialect::V4a,
        Dialect::Unified,
        Dialect::Whole,
    ];

    /// Returns the name that `--format` accepts.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::SearchReplace => "search-replace",
            Dialect::V4a => "v4a",
            Dialect::Unified => "unified",
            Dialect::Whole => "whole",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// The error for a name that is not a dialect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no format {0}; the formats are {names}", names = dialect_names())]
pub struct UnknownDialect(String);

/// Returns the names of all dialects: "A, B and C".
fn dialect_names() -> String {
    let names = Dialect::ALL.map(Dialect::name);
    match names.split_last() {
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
        None => String::new(),
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Dialect::ALL
            .into_iter()
            .find(|dialect| dialect.name() == name)
            .ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}

/// One change that a response makes to one file. Parts apply in order, each to the result of those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResponsePart {
    /// The format in which the part is written.
    pub dialect: Dialect,
    /// The line of the response, from 1, on which the part begins.
    pub line: usize,
    /// The path of the file, as the response names it.
    pub path: String,
    /// The change to the file.
    pub action: PartAction,
}

impl ResponsePart {
    pub(crate) fn new(
        dialect: Dialect,
        line: usize,
        path: &str,
        action: PartAction,
    ) -> ResponsePart {
        ResponsePart {
            dialect,
            line,
            path: path.to_owned(),
            action,
        }
    }
}

/// The kinds of change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartAction {
    /// Lines of the file are replaced.
    Edit(PatchHunk),
    /// The file is created, or filled if it is empty; a file with content is an error.
    Fill(String),
    /// The file is created; an existing file of this name is an error.
    Create {
        /// The content of the new file.
        text: String,
        /// Whether the file is to be executable.
        executable: bool,
    },
    /// The whole content is replaced, or the file is created. The format cannot say whether the file ends in a newline:
    /// the text does, and an existing file keeps what it has.
    Replace(String),
    /// The file is removed.
    Delete {
        /// The lines that the file must have, if the format gives them.
        lines: Option<Vec<String>>,
    },
    /// The file is renamed.
    Move {
        /// The new path, as the response names it.
        to: String,
    },
    /// The executable bit of the file changes.
    SetExecutable(bool),
}

/// Lines that are replaced by others, at the only place where they occur.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PatchHunk {
    /// The lines in order, without line ends.
    pub lines: Vec<HunkLine>,
    /// The line number, from 1, that the format gives for the first old line, counted in the file before the response.
    /// It is used only to choose among equal places.
    pub line_hint: Option<u64>,
    /// The index of the hunk's section among the sections of its file in a diff, from 0: line numbers in later sections
    /// may be counted differently.
    pub section: usize,
    /// Lines of the file above the place, outermost first.
    pub anchors: Vec<String>,
    /// The first anchor, other than these, of a later hunk for the same file: the place is before it.
    pub next_anchor: Option<String>,
    /// Whether the old lines are the last ones of the file.
    pub at_end: bool,
    /// Whether the format says that the last old line has no newline.
    pub old_lacks_newline: bool,
    /// Whether the format says that the last new line has no newline.
    pub new_lacks_newline: bool,
    /// Whether a line that is only `...` may represent omitted lines.
    pub has_gaps: bool,
}

/// One line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkLine {
    /// Whether the line is context, removed or added.
    pub role: LineRole,
    /// The text of the line, without the line end.
    pub text: String,
}

/// The role of a line in a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRole {
    /// The line is in the file before and after.
    Context,
    /// The line is only in the old file.
    Removed,
    /// The line is only in the new file.
    Added,
}

impl PatchHunk {
    pub(crate) fn push(&mut self, role: LineRole, text: &str) {
        let text = text.to_owned();
        self.lines.push(HunkLine { role, text });
    }

    /// Returns the lines that must be in the file.
    pub fn old_lines(&self) -> impl Iterator<Item = &str> {
        self.lines_with_roles([LineRole::Context, LineRole::Removed])
    }

    /// Returns the lines that are in the file afterwards.
    pub fn new_lines(&self) -> impl Iterator<Item = &str> {
        self.lines_with_roles([LineRole::Context, LineRole::Added])
    }

    fn lines_with_roles(&self, roles: [LineRole; 2]) -> impl Iterator<Item = &str> {
        let lines = self.lines.iter();
        lines
            .filter(move |line| roles.contains(&line.role))
            .map(|line| line.text.as_str())
    }
}
