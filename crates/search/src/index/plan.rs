//! Derives from a pattern which literals a text must contain to have a match. The query may only let through too much:
//! what it cannot express is [`LiteralQuery::Any`].
//!
//! The method is that of Google's code search: an expression is represented by all the strings that it matches, where
//! they are few, and otherwise by their beginnings, their ends and what is certain of their middle.

mod analysis;
mod strings;

use super::literal_query::LiteralQuery;
use crate::pattern::Pattern;
use analysis::Analysis;

impl LiteralQuery {
    /// Returns the query of a pattern.
    pub(crate) fn from_pattern(pattern: &Pattern) -> Self {
        match pattern.hir() {
            Some(hir) => Analysis::from_hir(hir).into_query(),
            None => LiteralQuery::Any,
        }
    }
}

#[cfg(test)]
mod tests;
