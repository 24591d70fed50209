//! Every refusal lancet can give, declared once: stable name, stable numbers, when it is given.
//! `docs/errors.md` is made from this table. The sentences themselves stand where the facts are known.

use std::fmt;

use serde_json::{Map, Value, json};

/// Why a call was refused. The name of a kind is the same in all tools; its number depends on the tool's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalKind {
    /// New text holds a credential and the path is a guarded one.
    Secret,
    /// Old and new are identical, or the result equals the file.
    NoChange,
    /// A rule denies the path.
    Denied,
    /// Something is there already.
    Exists,
    /// The file is not there.
    Missing,
    /// A notebook through a text tool.
    Notebook,
    /// Not read in this session, or not these lines.
    NotRead,
    /// Changed since it was read.
    Stale,
    /// The old text is not there.
    NotFound,
    /// The old text stands at several places.
    Ambiguous,
    /// Over the size limit.
    TooLarge,
    /// The arguments are off.
    Invalid,
    /// Not inside a root.
    Outside,
    /// Not a regular file.
    Special,
    /// Not text.
    Binary,
    /// A character that the file's encoding lacks.
    Unencodable,
    /// A person, or the mode, said no.
    Declined,
    /// `expect_count` differs.
    Count,
    /// Display text or a placeholder in the new text.
    Leaked,
    /// Edits of one call that cross each other, or someone's change in the way.
    Conflict,
    /// The system refused.
    Io,
    /// Someone else holds the file.
    Busy,
    /// A file of a known kind that cannot be read.
    Damaged,
    /// The time limit of a call.
    Timeout,
    /// A fault of lancet's own.
    Internal,
}

/// Which column of numbers a tool uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Numbers {
    /// Edit, MultiEdit, Read and all others.
    Edit,
    /// Write.
    Write,
}

/// One line of the table of refusals.
#[derive(Debug)]
pub struct Row {
    /// The refusal.
    pub kind: RefusalKind,
    /// Its number in every tool but Write.
    pub edit: u8,
    /// Its number in Write, where it can occur there.
    pub write: Option<u8>,
    /// Its stable name.
    pub name: &'static str,
    /// When it is given.
    pub when: &'static str,
    /// What the caller does next.
    pub next: &'static str,
}

const fn row(
    kind: RefusalKind,
    edit: u8,
    write: Option<u8>,
    name: &'static str,
    when: &'static str,
    next: &'static str,
) -> Row {
    Row {
        kind,
        edit,
        write,
        name,
        when,
        next,
    }
}

/// All refusals. Numbers are never reused.
#[rustfmt::skip]
pub const TABLE: &[Row] = &[
    row(RefusalKind::Secret, 0, Some(0), "secret", "new text holds a credential and the path is a guarded one", "leave the credential out"),
    row(RefusalKind::NoChange, 1, Some(11), "no_change", "old and new are identical, or the result equals the file", "nothing is left to do, or send the text that was meant"),
    row(RefusalKind::Denied, 2, Some(1), "denied", "a rule denies the path", "work without this file, or ask the user"),
    row(RefusalKind::Exists, 3, Some(12), "exists", "an empty old_string and a file that is not empty; mode create on an existing file", "read the file and edit it"),
    row(RefusalKind::Missing, 4, Some(13), "missing", "the file is not there", "use one of the names that the answer gives, or create the file with Write"),
    row(RefusalKind::Notebook, 5, Some(14), "notebook", "a notebook (.ipynb) through a text tool", "leave the notebook to a tool that keeps its structure"),
    row(RefusalKind::NotRead, 6, Some(2), "not_read", "not read in this session, or not these lines, or seen only in part", "make the Read call that the answer spells out, then send the call again"),
    row(RefusalKind::Stale, 7, Some(3), "stale", "changed since it was read", "look at the diff in the answer and send the call again if it still fits; without a diff, read again"),
    row(RefusalKind::NotFound, 8, None, "not_found", "the old text is not in the file", "send the corrected old_string that the answer gives"),
    row(RefusalKind::Ambiguous, 9, None, "ambiguous", "the old text stands at several places", "send one of the longer texts that the answer gives, or replace_all"),
    row(RefusalKind::TooLarge, 10, Some(10), "too_large", "the file is over 1 GiB", "change it with another program"),
    row(RefusalKind::Invalid, 20, Some(20), "invalid", "the arguments are off", "send the call again in the form that the answer gives"),
    row(RefusalKind::Outside, 21, Some(21), "outside", "the path is not inside a root", "use a path below one of the roots that the answer names; a root that was moved, or removed and made again, needs lancet to be started again"),
    row(RefusalKind::Special, 22, Some(22), "special", "not a regular file", "name a regular file"),
    row(RefusalKind::Binary, 23, Some(23), "binary", "the file is not text", "use a program made for this kind of file"),
    row(RefusalKind::Unencodable, 24, Some(24), "unencodable", "a character that the file's encoding lacks", "use characters that the encoding has"),
    row(RefusalKind::Declined, 25, Some(25), "declined", "a person, the mode or a protected name said no", "do not try another way; ask the user"),
    row(RefusalKind::Count, 26, None, "count", "expect_count differs from the number of places", "look at the places and send the right number"),
    row(RefusalKind::Leaked, 27, Some(27), "leaked", "display text or a placeholder in the new text", "send the file's own text, or insist: true if it is meant"),
    row(RefusalKind::Conflict, 28, Some(28), "conflict", "edits of one call that cross each other, or someone's change in the way", "join the edits into one, or look at the change first"),
    row(RefusalKind::Io, 29, Some(29), "io", "the system refused", "mend what the system names; the file is as it was"),
    row(RefusalKind::Busy, 30, Some(30), "busy", "someone has the file open for writing, or holds its lock", "wait a moment and send the call again"),
    row(RefusalKind::Damaged, 31, Some(31), "damaged", "a file of a known kind that cannot be read", "restore the file"),
    row(RefusalKind::Timeout, 32, Some(32), "timeout", "the time limit of a call", "ask for less at once"),
    row(RefusalKind::Internal, 33, Some(33), "internal", "a fault of lancet's own; the file is as it was", "report it; another call may well work"),
];

impl RefusalKind {
    /// The line of the table that declares this kind.
    pub fn row(self) -> &'static Row {
        // Every kind has its row: a test walks the table.
        TABLE
            .iter()
            .find(|row| row.kind == self)
            .unwrap_or(&TABLE[TABLE.len() - 1])
    }

    /// The stable name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The number in a tool's table.
    pub fn code(self, numbers: Numbers) -> u8 {
        let row = self.row();
        match numbers {
            Numbers::Edit => row.edit,
            Numbers::Write => row.write.unwrap_or(row.edit),
        }
    }
}

impl fmt::Display for RefusalKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A call that was not carried out: what is the case, and what to do next. The disk is as it was. As an
/// [`Error`](std::error::Error) it shows as its text.
#[derive(Clone, Debug)]
pub struct Refusal {
    kind: RefusalKind,
    text: String,
    data: Map<String, Value>,
    /// An answer that showed the whole of a foreign change: the ledger may take that version as seen.
    pub(crate) shown: Option<Box<crate::ledger::Shown>>,
    /// The file that it tells of, where nothing may be told before a person's yes.
    pub(crate) withheld: Option<Box<crate::reason::Withheld>>,
}

impl Refusal {
    /// A refusal with its sentence: what is the case, then the next step.
    pub fn new(kind: RefusalKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
            data: Map::new(),
            shown: None,
            withheld: None,
        }
    }

    /// Adds a field to the data for programs.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.data.insert(key.to_owned(), value.into());
        self
    }

    /// Puts words before the text, for instance which edit of several failed.
    #[must_use]
    pub fn prefixed(mut self, words: &str) -> Self {
        self.text.insert_str(0, words);
        self
    }

    /// Adds a paragraph to the text.
    #[must_use]
    pub fn followed_by(mut self, words: &str) -> Self {
        self.text.push('\n');
        self.text.push_str(words);
        self
    }

    /// Why.
    pub fn kind(&self) -> RefusalKind {
        self.kind
    }

    /// What the model reads.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text, and the fields of the data besides code and name.
    pub(crate) fn into_parts(self) -> (String, Map<String, Value>) {
        (self.text, self.data)
    }

    /// The `error` object of the answer's data.
    pub fn data(&self, numbers: Numbers) -> Value {
        let mut error = Map::new();
        error.insert("code".into(), json!(self.kind.code(numbers)));
        error.insert("name".into(), json!(self.kind.name()));
        error.extend(self.data.clone());
        Value::Object(error)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_kind_has_one_row_and_numbers_are_not_shared() {
        let kinds: HashSet<_> = TABLE.iter().map(|row| row.kind).collect();
        assert_eq!(kinds.len(), TABLE.len());
        let edit: HashSet<_> = TABLE.iter().map(|row| row.edit).collect();
        assert_eq!(edit.len(), TABLE.len());
        let write: Vec<_> = TABLE.iter().filter_map(|row| row.write).collect();
        assert_eq!(write.iter().collect::<HashSet<_>>().len(), write.len());
        for row in TABLE {
            assert_eq!(row.kind.row().name, row.name);
            assert!(!row.next.is_empty() && !row.when.is_empty());
        }
    }
}
