//! The table of all refusals: stable name, stable numbers, and when each is given. `docs/errors.md` is generated from
//! it. The sentences of a refusal are written where the facts are known.

mod text;

use std::fmt;
use std::path::PathBuf;
use std::sync::OnceLock;

use lancet_history::LedgerEntry;
use serde_json::{Map, Value, json};

use crate::audience::Audience;
use crate::message::{Message, Say, message, verbatim};
use crate::next_call::{NextCall, Remedy};
use text::RefusalText;

/// Why a call was refused. The name of a kind is the same in all tools; its number depends on the tool's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalKind {
    /// New text holds a credential and the path is guarded.
    Secret,
    /// Old and new are identical, or the result equals the file.
    NoChange,
    /// A rule denies the path.
    Denied,
    /// The path already exists.
    Exists,
    /// The file does not exist.
    Missing,
    /// A text tool was called on a notebook.
    Notebook,
    /// The file, or the lines to be edited, were not read in this session.
    NotRead,
    /// The file changed since it was read.
    Stale,
    /// The old text is not in the file.
    NotFound,
    /// The old text occurs at several places.
    Ambiguous,
    /// The file or the result is over the size limit.
    TooLarge,
    /// The arguments cannot be used.
    Invalid,
    /// The path is outside all roots.
    Outside,
    /// The path is not a regular file.
    Special,
    /// The file is not text.
    Binary,
    /// The file's encoding lacks a character of the new text.
    Unencodable,
    /// A person, or the mode, refused the write.
    Declined,
    /// The number of occurrences is not `expect_count`.
    Count,
    /// The new text holds display text or a placeholder.
    Leaked,
    /// Edits of one call overlap, or another writer's change is in the way.
    Conflict,
    /// The operating system refused.
    Io,
    /// Another process holds the file.
    Busy,
    /// The file has a known format but cannot be parsed.
    Damaged,
    /// The call reached its time limit.
    Timeout,
    /// lancet itself failed.
    Internal,
    /// A person was asked and has not decided yet.
    Waiting,
}

/// Which column of error numbers a tool uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Numbers {
    /// The column of Edit, MultiEdit, Read and all other tools.
    Edit,
    /// The column of Write.
    Write,
}

/// One line of the table of refusals.
#[derive(Debug)]
pub struct Row {
    /// The kind of refusal.
    pub kind: RefusalKind,
    /// The number in every tool but Write.
    pub edit: u8,
    /// The number in Write, where the refusal can occur there.
    pub write: Option<u8>,
    /// The stable name.
    pub name: &'static str,
    /// When the refusal is given.
    pub when: &'static str,
    /// What the caller can do next.
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
    row(RefusalKind::Notebook, 5, Some(14), "notebook", "a notebook (.ipynb) through a text tool", "change its cells with NotebookEdit"),
    row(RefusalKind::NotRead, 6, Some(2), "not_read", "not read in this session, or not these lines, or seen only in part", "make the Read call that the answer spells out, then send the call again"),
    row(RefusalKind::Stale, 7, Some(3), "stale", "changed since it was read", "look at the diff in the answer and send the call again if it still fits; without a diff, read again"),
    row(RefusalKind::NotFound, 8, None, "not_found", "the old text is not in the file", "send the corrected old_string that the answer gives"),
    row(RefusalKind::Ambiguous, 9, None, "ambiguous", "the old text occurs at several places", "send one of the longer texts that the answer gives, or replace_all"),
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
    row(RefusalKind::Io, 29, Some(29), "io", "the system refused", "fix what the system names; the file is as it was"),
    row(RefusalKind::Busy, 30, Some(30), "busy", "someone has the file open for writing, or holds its lock", "wait a moment and send the call again"),
    row(RefusalKind::Damaged, 31, Some(31), "damaged", "a file of a known kind that cannot be read", "restore the file"),
    row(RefusalKind::Timeout, 32, Some(32), "timeout", "the time limit of a call", "ask for less at once"),
    row(RefusalKind::Internal, 33, Some(33), "internal", "a fault of lancet's own; the file is as it was", "report it; another call may well work"),
    row(RefusalKind::Waiting, 34, Some(34), "waiting", "a person was asked and has not decided yet", "ask the user to decide, then send the same call again"),
];

impl RefusalKind {
    /// Finds the row of the table that declares this kind.
    pub fn row(self) -> &'static Row {
        // Every kind has a row: a test goes through the table.
        TABLE
            .iter()
            .find(|row| row.kind == self)
            .unwrap_or(&TABLE[TABLE.len() - 1])
    }

    /// Returns the stable name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the number in a tool's column.
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

/// A call that was not carried out: what is wrong, and what to do next. The disk is unchanged. As an
/// [`Error`](std::error::Error) it displays its text.
#[derive(Clone, Debug)]
pub struct Refusal {
    kind: RefusalKind,
    // Boxed, because results carry refusals.
    text: Box<RefusalText>,
    data: Map<String, Value>,
    /// The version whose whole diff the refusal shows, so that it counts as seen.
    #[doc(hidden)]
    pub shown: Option<Box<ShownVersion>>,
    /// The withheld file that the refusal is about: nothing may be revealed about it before a person's consent.
    #[doc(hidden)]
    pub withheld: Option<Box<crate::reason::Withheld>>,
    /// Whether it concerns a part of a reply that changes nothing, which is left out if other parts change something.
    #[doc(hidden)]
    pub idle: bool,
    /// The facts about the call to make instead.
    #[doc(hidden)]
    pub remedy: Option<Box<Remedy>>,
}

/// A version of a file that a refusal has shown to the model; it replaces the ledger's entry.
#[derive(Clone, Debug)]
pub struct ShownVersion {
    /// The file.
    pub path: PathBuf,
    /// The version, as the ledger records it.
    pub entry: LedgerEntry,
}

impl Refusal {
    /// Makes a refusal from its text: what is wrong, then the next step. The text is the same for every reader.
    pub fn new(kind: RefusalKind, text: impl Into<String>) -> Self {
        Self::from_message(kind, verbatim(text.into()))
    }

    /// Makes a refusal from a message that is rendered for its reader.
    #[doc(hidden)]
    pub fn from_message(kind: RefusalKind, message: impl Say) -> Self {
        Self {
            kind,
            text: Box::new(message!("{}", message).into()),
            data: Map::new(),
            shown: None,
            withheld: None,
            idle: false,
            remedy: None,
        }
    }

    /// Makes the refusal of a request whose kind its handler does not know.
    #[doc(hidden)]
    pub fn unknown_request() -> Self {
        Self::from_message(
            RefusalKind::Internal,
            "lancet cannot carry out a request of this kind. Nothing was written.",
        )
    }

    /// Adds a field to the data for programs.
    #[must_use]
    pub fn with_field(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.data.insert(key.to_owned(), value.into());
        self
    }

    /// Puts text before the refusal's text, for instance which edit of several failed.
    #[must_use]
    pub fn with_prefix(self, words: &str) -> Self {
        self.with_lead(verbatim(words))
    }

    /// Adds a paragraph to the text.
    #[must_use]
    pub fn with_added_paragraph(self, words: &str) -> Self {
        self.with_paragraph(verbatim(words))
    }

    /// Puts a message before the refusal's own.
    #[must_use]
    #[doc(hidden)]
    pub fn with_lead(mut self, lead: impl Say) -> Self {
        let message = message!("{}{}", lead, &self.text.message);
        self.text.replace(message);
        self
    }

    /// Adds a paragraph to the message.
    #[must_use]
    #[doc(hidden)]
    pub fn with_paragraph(mut self, paragraph: impl Say) -> Self {
        let message = message!("{}\n{}", &self.text.message, paragraph);
        self.text.replace(message);
        self
    }

    /// Sets the facts about the call to make instead.
    #[must_use]
    #[doc(hidden)]
    pub fn with_remedy(mut self, remedy: impl Into<Option<Remedy>>) -> Self {
        self.remedy = remedy.into().map(Box::new);
        self
    }

    /// Takes the facts about the call to make instead.
    #[doc(hidden)]
    pub fn take_remedy(mut self) -> (Option<Remedy>, Self) {
        (self.remedy.take().map(|remedy| *remedy), self)
    }

    /// Sets the calls to make instead.
    #[doc(hidden)]
    pub fn set_next(&mut self, calls: Vec<NextCall>) {
        self.text.next = calls;
    }

    /// Returns the calls to make instead, where they are known.
    pub fn next_calls(&self) -> &[NextCall] {
        &self.text.next
    }

    /// Returns a field of the data.
    #[doc(hidden)]
    pub fn field(&self, key: &str) -> Option<&Value> {
        self.data.get(key)
    }

    /// Returns the kind of refusal.
    pub fn kind(&self) -> RefusalKind {
        self.kind
    }

    /// Returns the text for the reader that the engine was opened for.
    pub fn text(&self) -> &str {
        let RefusalText {
            message, rendered, ..
        } = &*self.text;
        rendered.get_or_init(|| message.render(&Audience::default()))
    }

    /// Renders the text for a reader.
    #[must_use]
    #[doc(hidden)]
    pub fn rendered_for(mut self, audience: &Audience) -> Self {
        self.text.rendered = OnceLock::from(self.text.message.render(audience));
        self
    }

    /// Returns the text for a reader.
    #[doc(hidden)]
    pub fn text_for(&self, audience: &Audience) -> String {
        self.text.message.render(audience)
    }

    /// Returns the message of the text.
    #[doc(hidden)]
    pub fn message(&self) -> &Message {
        &self.text.message
    }

    /// Splits the refusal into its message, the fields of its data besides code and name, and the calls to make
    /// instead.
    #[doc(hidden)]
    pub fn into_parts(self) -> (Message, Map<String, Value>, Vec<NextCall>) {
        (self.text.message, self.data, self.text.next)
    }

    /// Makes the `error` object of the answer's data.
    pub fn data(&self, numbers: Numbers) -> Value {
        let mut error = Map::new();
        error.insert("code".into(), json!(self.kind.code(numbers)));
        error.insert("name".into(), json!(self.kind.name()));
        error.extend(self.data.clone());
        if !self.text.next.is_empty() {
            error.insert("next".into(), json!(self.text.next));
        }
        Value::Object(error)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text())
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_kind_has_one_row_and_unique_numbers() {
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
