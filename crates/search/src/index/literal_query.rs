//! A query for literals that a text must contain to have a match, joined by "and" and "or".

/// The most literals of a query. Each costs a few cache lines for every 16 MiB of text.
const MOST_LITERALS: usize = 256;
/// Up to this many parts are compared with each other to drop those that add nothing.
const MOST_COMPARED: usize = 8;

/// The literals that a text must contain to have a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LiteralQuery {
    /// Every text passes.
    Any,
    /// The text contains these bytes, with ASCII letters in lower case: at least four, at most
    /// [`OVERLAP`](super::grams::OVERLAP), and without a line end.
    Literal(Vec<u8>),
    /// All of these queries pass.
    All(Vec<LiteralQuery>),
    /// One of these queries passes; empty where the pattern matches nothing.
    Either(Vec<LiteralQuery>),
}

impl LiteralQuery {
    /// Returns whether every text passes.
    pub(crate) fn is_any(&self) -> bool {
        *self == LiteralQuery::Any
    }

    /// Returns the query that all of these must pass.
    pub(super) fn all(parts: impl IntoIterator<Item = LiteralQuery>) -> Self {
        let mut kept = Vec::new();
        let mut literals = 0;
        for part in parts.into_iter().flat_map(|part| match part {
            LiteralQuery::All(parts) => parts,
            LiteralQuery::Any => Vec::new(),
            part => vec![part],
        }) {
            literals += part.literals();
            // A part that is left out makes the query wider, never wrong.
            if literals <= MOST_LITERALS && !kept.contains(&part) {
                kept.push(part);
            }
        }
        drop_needless(&mut kept, |part, other| other.contains(part));
        match kept.len() {
            0 => LiteralQuery::Any,
            1 => kept.remove(0),
            _ => LiteralQuery::All(kept),
        }
    }

    /// Returns the query that one of these must pass.
    pub(super) fn either(parts: impl IntoIterator<Item = LiteralQuery>) -> Self {
        let mut kept = Vec::new();
        let mut literals = 0;
        for part in parts.into_iter().flat_map(|part| match part {
            LiteralQuery::Either(parts) => parts,
            part => vec![part],
        }) {
            literals += part.literals();
            if part.is_any() || literals > MOST_LITERALS {
                return LiteralQuery::Any;
            }
            if !kept.contains(&part) {
                kept.push(part);
            }
        }
        drop_needless(&mut kept, |part, other| part.contains(other));
        match kept.len() {
            1 => kept.remove(0),
            _ => LiteralQuery::Either(kept),
        }
    }

    /// Returns the number of literals.
    fn literals(&self) -> usize {
        match self {
            LiteralQuery::Any => 0,
            LiteralQuery::Literal(_) => 1,
            LiteralQuery::All(parts) | LiteralQuery::Either(parts) => {
                parts.iter().map(LiteralQuery::literals).sum()
            }
        }
    }

    /// Returns whether this is a literal that contains the other literal.
    fn contains(&self, other: &Self) -> bool {
        match (self, other) {
            (LiteralQuery::Literal(whole), LiteralQuery::Literal(part)) => {
                memchr::memmem::find(whole, part).is_some()
            }
            _ => false,
        }
    }
}

/// Drops the parts that another part makes redundant; the parts are all different.
fn drop_needless(
    parts: &mut Vec<LiteralQuery>,
    needless: impl Fn(&LiteralQuery, &LiteralQuery) -> bool,
) {
    if parts.len() > MOST_COMPARED {
        return;
    }
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        match parts
            .iter()
            .any(|other| other != part && needless(part, other))
        {
            true => drop(parts.remove(at)),
            false => at += 1,
        }
    }
}
