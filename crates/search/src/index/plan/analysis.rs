//! Analyses the strings that a part of an expression matches.
//!
//! A look-around assertion (an anchor, a word boundary) counts as the empty string: without it the expression matches
//! more.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use super::strings::StringSet;
use crate::index::literal_query::LiteralQuery;

/// The longest piece of a literal that is analysed in one step.
const LITERAL_PIECE: usize = 128;
/// A class with more characters than this is not listed.
const MAX_LISTED_CHARACTERS: usize = 64;
/// A class with more different lower-case characters than this counts as any character: its literals would say little
/// and cost much.
const MAX_CLASS_ALTERNATIVES: usize = 16;
/// The number of copies of a repeated expression that are analysed.
const MAX_REPETITION_COPIES: u32 = 16;

/// The known facts about the strings that an expression matches.
#[derive(Clone, Debug)]
pub(super) enum Analysis {
    /// The strings are exactly these.
    Exact(StringSet),
    /// Each begins with one of `prefix`, ends with one of `suffix` and passes `query`.
    Bounded {
        prefix: StringSet,
        query: LiteralQuery,
        suffix: StringSet,
    },
}

impl Analysis {
    pub(super) fn from_hir(hir: &Hir) -> Self {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Analysis::empty_string(),
            HirKind::Literal(literal) => {
                let pieces = literal.0.chunks(LITERAL_PIECE);
                analyze_sequence(pieces.map(|piece| Analysis::Exact(StringSet::from_one(piece))))
            }
            HirKind::Class(class) => match class_strings(class) {
                Some(strings) => Analysis::Exact(strings),
                None => Analysis::any_string(),
            },
            HirKind::Capture(capture) => Analysis::from_hir(&capture.sub),
            HirKind::Concat(parts) => analyze_sequence(parts.iter().map(Analysis::from_hir)),
            HirKind::Alternation(parts) => {
                analyze_alternation(parts.iter().map(Analysis::from_hir).collect())
            }
            HirKind::Repetition(repetition) => analyze_repetition(repetition),
        }
    }

    /// Returns the analysis of the empty string.
    fn empty_string() -> Self {
        Analysis::Exact(StringSet::empty_string())
    }

    /// Returns the analysis of any string.
    fn any_string() -> Self {
        Analysis::Bounded {
            prefix: StringSet::empty_string(),
            query: LiteralQuery::Any,
            suffix: StringSet::empty_string(),
        }
    }

    /// Returns the same strings with anything in their middle.
    fn with_unknown_middle(self) -> Self {
        match self {
            Analysis::Exact(strings) => Analysis::Bounded {
                prefix: strings.clone(),
                query: LiteralQuery::Any,
                suffix: strings,
            },
            bounded => bounded,
        }
    }

    fn prefix(&self) -> &StringSet {
        match self {
            Analysis::Exact(strings) => strings,
            Analysis::Bounded { prefix, .. } => prefix,
        }
    }

    fn suffix(&self) -> &StringSet {
        match self {
            Analysis::Exact(strings) => strings,
            Analysis::Bounded { suffix, .. } => suffix,
        }
    }

    /// Returns the query of a text that contains one of the strings.
    pub(super) fn into_query(self) -> LiteralQuery {
        match self {
            Analysis::Exact(strings) => strings.any_of_query(),
            Analysis::Bounded {
                prefix,
                query,
                suffix,
            } => LiteralQuery::all_of([prefix.any_of_query(), query, suffix.any_of_query()]),
        }
    }

    /// Returns the strings of this expression followed by those of another.
    fn followed_by(self, next: Self) -> Self {
        match (self, next) {
            (Analysis::Exact(first), Analysis::Exact(second)) => match first.followed_by(&second) {
                Some(strings) => Analysis::Exact(strings),
                None => Analysis::Exact(first)
                    .with_unknown_middle()
                    .followed_by(Analysis::Exact(second)),
            },
            (
                Analysis::Bounded {
                    prefix,
                    query,
                    suffix,
                },
                Analysis::Exact(second),
            ) => match suffix.followed_by(&second) {
                Some(suffix) => Analysis::Bounded {
                    prefix,
                    query,
                    suffix,
                },
                None => Analysis::Bounded {
                    prefix,
                    query: LiteralQuery::all_of([query, suffix.any_of_query()]),
                    suffix: suffix.suffixes().followed_by(&second).unwrap_or(second),
                },
            },
            (
                Analysis::Exact(first),
                Analysis::Bounded {
                    prefix,
                    query,
                    suffix,
                },
            ) => match first.followed_by(&prefix) {
                Some(prefix) => Analysis::Bounded {
                    prefix,
                    query,
                    suffix,
                },
                None => Analysis::Bounded {
                    query: LiteralQuery::all_of([adjacent_strings_query(&first, &prefix), query]),
                    prefix: first,
                    suffix,
                },
            },
            (
                Analysis::Bounded {
                    prefix,
                    query: before,
                    suffix: end,
                },
                Analysis::Bounded {
                    prefix: beginning,
                    query: after,
                    suffix,
                },
            ) => Analysis::Bounded {
                prefix,
                query: LiteralQuery::all_of([
                    before,
                    adjacent_strings_query(&end, &beginning),
                    after,
                ]),
                suffix,
            },
        }
    }
}

/// Returns the query of a text in which one of the first strings is followed by one of the second.
fn adjacent_strings_query(first: &StringSet, second: &StringSet) -> LiteralQuery {
    match first.followed_by(second) {
        Some(strings) => strings.any_of_query(),
        None => {
            let across = first.suffixes().followed_by(&second.prefixes());
            let across = across.map_or(LiteralQuery::Any, |strings| strings.any_of_query());
            LiteralQuery::all_of([first.any_of_query(), across, second.any_of_query()])
        }
    }
}

fn analyze_sequence(parts: impl Iterator<Item = Analysis>) -> Analysis {
    parts.fold(Analysis::empty_string(), Analysis::followed_by)
}

fn analyze_alternation(parts: Vec<Analysis>) -> Analysis {
    let (mut prefix, mut suffix, mut exact) = (None, None, true);
    for part in &parts {
        prefix = Some(unite_strings(prefix, part.prefix(), StringSet::prefixes));
        suffix = Some(unite_strings(suffix, part.suffix(), StringSet::suffixes));
        exact &= matches!(part, Analysis::Exact(_));
    }
    let (Some((prefix, whole)), Some((suffix, _))) = (prefix, suffix) else {
        return Analysis::any_string();
    };
    if exact && whole {
        return Analysis::Exact(prefix);
    }
    Analysis::Bounded {
        prefix,
        query: LiteralQuery::any_of(parts.into_iter().map(Analysis::into_query)),
        suffix,
    }
}

/// Returns the strings of both sets, cut where they are too many, and whether nothing was cut.
fn unite_strings(
    gathered: Option<(StringSet, bool)>,
    more: &StringSet,
    cut: impl Fn(&StringSet) -> StringSet,
) -> (StringSet, bool) {
    let Some((strings, whole)) = gathered else {
        return (more.clone(), true);
    };
    if let Some(both) = strings.union(more) {
        return (both, whole);
    }
    let both = cut(&strings).union(&cut(more));
    (both.unwrap_or_else(StringSet::empty_string), false)
}

fn analyze_repetition(repetition: &Repetition) -> Analysis {
    let (least, most) = (repetition.min, repetition.max);
    if most == Some(0) {
        return Analysis::empty_string();
    }
    let once = Analysis::from_hir(&repetition.sub);
    if least == 0 {
        return match (once, most) {
            (Analysis::Exact(strings), Some(1)) => strings
                .union(&StringSet::empty_string())
                .map_or_else(Analysis::any_string, Analysis::Exact),
            _ => Analysis::any_string(),
        };
    }
    // A third copy adds nothing to the first two, unless the strings themselves are known.
    let copies = match once {
        Analysis::Exact(_) => least.min(MAX_REPETITION_COPIES),
        Analysis::Bounded { .. } => least.min(2),
    };
    let all = analyze_sequence((0..copies).map(|_| once.clone()));
    match most == Some(copies) {
        true => all,
        // The string begins with this many copies and ends with as many.
        false => all.with_unknown_middle(),
    }
}

/// Returns the characters of a small class, as strings.
fn class_strings(class: &Class) -> Option<StringSet> {
    match class {
        Class::Unicode(class) => {
            let sizes = class.iter().map(|range| range.len());
            if sizes.sum::<usize>() > MAX_LISTED_CHARACTERS {
                return None;
            }
            let characters = class.iter().flat_map(|range| range.start()..=range.end());
            StringSet::try_from_few(
                characters.map(|one| one.to_string().into_bytes()),
                MAX_CLASS_ALTERNATIVES,
            )
        }
        Class::Bytes(class) => {
            let sizes = class.iter().map(|range| range.len());
            if sizes.sum::<usize>() > MAX_LISTED_CHARACTERS {
                return None;
            }
            let bytes = class.iter().flat_map(|range| range.start()..=range.end());
            StringSet::try_from_few(bytes.map(|byte| vec![byte]), MAX_CLASS_ALTERNATIVES)
        }
    }
}
