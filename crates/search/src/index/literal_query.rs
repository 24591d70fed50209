//! A query for literals that a text must contain to have a match, joined by "and" and "or".

/// The most literals of a query. Each costs a few cache lines for every 16 MiB of text.
const MAX_LITERALS: usize = 256;
/// Up to this many parts are compared with each other to drop those that add nothing.
const MAX_COMPARED_PARTS: usize = 8;

/// The literals that a text must contain to have a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LiteralQuery {
    /// Every text passes.
    Any,
    /// The text contains these bytes, with ASCII letters in lower case: at least four, at most
    /// [`BLOCK_OVERLAP`](super::grams::BLOCK_OVERLAP), and without a line end.
    Literal(Vec<u8>),
    /// All of these queries pass.
    All(Vec<LiteralQuery>),
    /// One of these queries passes; empty where the pattern matches nothing.
    Either(Vec<LiteralQuery>),
}

impl LiteralQuery {
    /// Returns whether every text passes.
    pub(crate) fn passes_everything(&self) -> bool {
        *self == LiteralQuery::Any
    }

    /// Returns the query that all of these must pass.
    pub(super) fn all_of(parts: impl IntoIterator<Item = LiteralQuery>) -> Self {
        let mut kept = Vec::new();
        let mut literals = 0;
        for part in parts.into_iter().flat_map(|part| match part {
            LiteralQuery::All(parts) => parts,
            LiteralQuery::Any => Vec::new(),
            part => vec![part],
        }) {
            literals += part.literal_count();
            // A part that is left out makes the query wider, never wrong.
            if literals <= MAX_LITERALS && !kept.contains(&part) {
                kept.push(part);
            }
        }
        drop_redundant(&mut kept, |part, other| other.is_literal_containing(part));
        match kept.len() {
            0 => LiteralQuery::Any,
            1 => kept.remove(0),
            _ => LiteralQuery::All(kept),
        }
    }

    /// Returns the query that one of these must pass.
    pub(super) fn any_of(parts: impl IntoIterator<Item = LiteralQuery>) -> Self {
        let mut kept = Vec::new();
        let mut literals = 0;
        for part in parts.into_iter().flat_map(|part| match part {
            LiteralQuery::Either(parts) => parts,
            part => vec![part],
        }) {
            literals += part.literal_count();
            if part.passes_everything() || literals > MAX_LITERALS {
                return LiteralQuery::Any;
            }
            if !kept.contains(&part) {
                kept.push(part);
            }
        }
        drop_redundant(&mut kept, |part, other| part.is_literal_containing(other));
        match kept.len() {
            1 => kept.remove(0),
            _ => LiteralQuery::Either(kept),
        }
    }

    /// Returns the number of literals.
    fn literal_count(&self) -> usize {
        match self {
            LiteralQuery::Any => 0,
            LiteralQuery::Literal(_) => 1,
            LiteralQuery::All(parts) | LiteralQuery::Either(parts) => {
                parts.iter().map(LiteralQuery::literal_count).sum()
            }
        }
    }

    /// Returns whether this is a literal that contains the other literal.
    fn is_literal_containing(&self, other: &Self) -> bool {
        match (self, other) {
            (LiteralQuery::Literal(whole), LiteralQuery::Literal(part)) => {
                memchr::memmem::find(whole, part).is_some()
            }
            _ => false,
        }
    }
}

/// Drops the parts that another part makes redundant; the parts are all different.
fn drop_redundant(
    parts: &mut Vec<LiteralQuery>,
    needless: impl Fn(&LiteralQuery, &LiteralQuery) -> bool,
) {
    if parts.len() > MAX_COMPARED_PARTS {
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
