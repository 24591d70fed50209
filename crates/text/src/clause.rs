//! A clause about the texts of an edit. It names the old and the new text as parts of their own, because a tool and a command
//! call them differently, and nothing may look for their names in a clause that quotes lines of a file.

use std::fmt;

/// A clause or a sentence. As [`Display`](fmt::Display) it has the names of the tools' fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clause {
    parts: Vec<ClausePart>,
}

/// A part of a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClausePart {
    /// Words, and quoted text of the file.
    Words(String),
    /// The name of the text that an edit replaces.
    OldText,
    /// The name of the text that an edit puts there.
    NewText,
}

impl Clause {
    /// Joins parts.
    pub(crate) fn new(parts: Vec<ClausePart>) -> Self {
        Clause { parts }
    }

    /// Gives the parts in order.
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

/// Makes a [`Clause`] of its parts.
macro_rules! clause {
    ($($part:expr),* $(,)?) => {
        $crate::clause::Clause::new(vec![$($crate::clause::ClausePart::from($part)),*])
    };
}

pub(crate) use clause;
