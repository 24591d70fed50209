//! A clause about the texts of an edit. It represents the names of the old and the new text as separate parts, because
//! a tool and a command call them differently, and their names must not be searched for in a clause that quotes lines
//! of a file.

use std::fmt;

/// A clause or a sentence. [`Display`](fmt::Display) writes it with the names of the tools' fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clause {
    parts: Vec<ClausePart>,
}

/// A part of a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClausePart {
    /// Literal text, including quoted text of the file.
    Words(String),
    /// The name of the text that an edit replaces.
    OldText,
    /// The name of the text that an edit writes in its place.
    NewText,
}

impl Clause {
    /// Joins parts.
    pub(crate) fn new(parts: Vec<ClausePart>) -> Self {
        Clause { parts }
    }

    /// Returns the parts in order.
    pub fn parts(&self) -> &[ClausePart] {
        &self.parts
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            out.write_str(match part {
                ClausePart::Words(words) => words,
                ClausePart::OldText => "old_string",
                ClausePart::NewText => "new_string",
            })?;
        }
        Ok(())
    }
}

impl From<&str> for ClausePart {
    fn from(words: &str) -> Self {
        ClausePart::Words(words.to_owned())
    }
}

impl From<String> for ClausePart {
    fn from(words: String) -> Self {
        ClausePart::Words(words)
    }
}

impl<P: Into<ClausePart>> From<P> for Clause {
    fn from(part: P) -> Self {
        Clause::new(vec![part.into()])
    }
}

/// Creates a [`Clause`] from its parts.
macro_rules! clause {
    ($($part:expr),* $(,)?) => {
        $crate::clause::Clause::new(vec![$($crate::clause::ClausePart::from($part)),*])
    };
}

pub(crate) use clause;
