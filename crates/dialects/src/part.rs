//! What a reply is parsed into: parts, each of which does one thing to one file.

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

    /// The name that `--format` takes.
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

/// A name that is none of a dialect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no format {0}; the formats are search-replace, v4a, unified and whole")]
pub struct UnknownDialect(String);

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Dialect::ALL
            .into_iter()
            .find(|dialect| dialect.name() == name)
            .ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}

/// One thing that a reply does to one file. Parts apply in order, each to the result of those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplyPart {
    /// The format it is written in.
    pub dialect: Dialect,
    /// The line of the reply, from 1, on which it begins.
    pub line: usize,
    /// The file, as the reply names it.
    pub path: String,
    /// What happens to the file.
    pub action: Action,
}

impl ReplyPart {
    pub(crate) fn new(dialect: Dialect, line: usize, path: &str, action: Action) -> ReplyPart {
        ReplyPart {
            dialect,
            line,
            path: path.to_owned(),
            action,
        }
    }
}

/// What happens to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// ReplyLines of it are replaced.
    Edit(PatchHunk),
    /// It is made, or filled where it is empty; a file with content is in the way.
    Fill(String),
    /// It is made; any file of that name is in the way.
    Create {
        /// The content.
        text: String,
        /// Whether the file is to be executable.
        executable: bool,
    },
    /// Its whole content is replaced, or it is made. The format cannot say whether the file ends in a newline: the text
    /// does, and an existing file keeps what it has.
    Replace(String),
    /// It is removed.
    Delete {
        /// The lines that it must hold, where the format tells them.
        lines: Option<Vec<String>>,
    },
    /// It gets another name.
    Move {
        /// The new path, as the reply names it.
        to: String,
    },
    /// Its permission to be executed changes.
    SetExecutable(bool),
}

/// ReplyLines that are replaced by others, at the one place where they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PatchHunk {
    /// The lines in order, without line ends.
    pub lines: Vec<HunkLine>,
    /// The line number, from 1, that the format gives for the first old line, counted in the file as it was before the
    /// reply. It chooses among equal places and does nothing else.
    pub line_hint: Option<u64>,
    /// Which section of its file in a diff the hunk belongs to, from 0: numbers in later sections may count otherwise.
    pub section: usize,
    /// ReplyLines of the file below which the place is, outermost first.
    pub anchors: Vec<String>,
    /// Whether the old lines are the last ones of the file.
    pub at_end: bool,
    /// Whether the last old line is said to have no newline.
    pub old_lacks_newline: bool,
    /// Whether the last new line is said to have no newline.
    pub new_lacks_newline: bool,
    /// Whether a line that is only `...` may stand for lines that are left out.
    pub has_gaps: bool,
}

/// One line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkLine {
    /// What becomes of it.
    pub role: LineRole,
    /// Its text, without the line end.
    pub text: String,
}

/// What becomes of a hunk's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRole {
    /// It stays.
    Context,
    /// It goes.
    Removed,
    /// It comes.
    Added,
}

impl PatchHunk {
    pub(crate) fn push(&mut self, role: LineRole, text: &str) {
        let text = text.to_owned();
        self.lines.push(HunkLine { role, text });
    }

    /// The lines that must be in the file.
    pub fn old_lines(&self) -> impl Iterator<Item = &str> {
        self.of_roles([LineRole::Context, LineRole::Removed])
    }

    /// The lines that are in the file afterwards.
    pub fn new_lines(&self) -> impl Iterator<Item = &str> {
        self.of_roles([LineRole::Context, LineRole::Added])
    }

    fn of_roles(&self, roles: [LineRole; 2]) -> impl Iterator<Item = &str> {
        let lines = self.lines.iter();
        lines
            .filter(move |line| roles.contains(&line.role))
            .map(|line| line.text.as_str())
    }
}
