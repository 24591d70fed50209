//! Analyses the strings that a part of an expression matches.
//!
//! A look-around assertion (an anchor, a word boundary) counts as the empty string: without it the expression matches
//! more.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use super::strings::Strings;
use crate::index::literal_query::LiteralQuery;

/// The longest piece of a literal that is analysed in one step.
const PIECE: usize = 128;
/// A class with more characters than this is not listed.
const MOST_LISTED: usize = 64;
/// A class with more different lower-case characters than this counts as any character: its literals would say little
/// and cost much.
const MOST_OF_A_CLASS: usize = 16;
/// The number of copies of a repeated expression that are analysed.
const MOST_COPIES: u32 = 16;

/// The known facts about the strings that an expression matches.
#[derive(Clone, Debug)]
pub(super) enum Analysis {
    /// The strings are exactly these.
    Exact(Strings),
    /// Each begins with one of `prefix`, ends with one of `suffix` and passes `query`.
    Bounded {
        prefix: Strings,
        query: LiteralQuery,
        suffix: Strings,
    },
}

impl Analysis {
    pub(super) fn from_hir(hir: &Hir) -> Self {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Analysis::nothing(),
            HirKind::Literal(literal) => {
                let pieces = literal.0.chunks(PIECE);
                sequence(pieces.map(|piece| Analysis::Exact(Strings::one(piece))))
            }
            HirKind::Class(class) => match listed(class) {
                Some(strings) => Analysis::Exact(strings),
                None => Analysis::anything(),
            },
            HirKind::Capture(capture) => Analysis::from_hir(&capture.sub),
            HirKind::Concat(parts) => sequence(parts.iter().map(Analysis::from_hir)),
            HirKind::Alternation(parts) => {
                alternation(parts.iter().map(Analysis::from_hir).collect())
            }
            HirKind::Repetition(repetition) => repeated(repetition),
        }
    }

    /// Returns the analysis of the empty string.
    fn nothing() -> Self {
        Analysis::Exact(Strings::empty_string())
    }

    /// Returns the analysis of any string.
    fn anything() -> Self {
        Analysis::Bounded {
            prefix: Strings::empty_string(),
            query: LiteralQuery::Any,
            suffix: Strings::empty_string(),
        }
    }

    /// Returns the same strings with anything in their middle.
    fn opened(self) -> Self {
        match self {
            Analysis::Exact(strings) => Analysis::Bounded {
                prefix: strings.clone(),
                query: LiteralQuery::Any,
                suffix: strings,
            },
            bounded => bounded,
        }
    }

    fn prefix(&self) -> &Strings {
        match self {
            Analysis::Exact(strings) => strings,
            Analysis::Bounded { prefix, .. } => prefix,
        }
    }

    fn suffix(&self) -> &Strings {
        match self {
            Analysis::Exact(strings) => strings,
            Analysis::Bounded { suffix, .. } => suffix,
        }
    }

    /// Returns the query of a text that contains one of the strings.
    pub(super) fn into_query(self) -> LiteralQuery {
        match self {
            Analysis::Exact(strings) => strings.query(),
            Analysis::Bounded {
                prefix,
                query,
                suffix,
            } => LiteralQuery::all([prefix.query(), query, suffix.query()]),
        }
    }

    /// Returns the strings of this expression followed by those of another.
    fn followed_by(self, next: Self) -> Self {
        match (self, next) {
            (Analysis::Exact(first), Analysis::Exact(second)) => match first.followed_by(&second) {
                Some(strings) => Analysis::Exact(strings),
                None => Analysis::Exact(first)
                    .opened()
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
                    query: LiteralQuery::all([query, suffix.query()]),
                    suffix: suffix.tails().followed_by(&second).unwrap_or(second),
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
                    query: LiteralQuery::all([meeting(&first, &prefix), query]),
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
                query: LiteralQuery::all([before, meeting(&end, &beginning), after]),
                suffix,
            },
        }
    }
}

/// Returns the query of a text in which one of the first strings is followed by one of the second.
fn meeting(first: &Strings, second: &Strings) -> LiteralQuery {
    match first.followed_by(second) {
        Some(strings) => strings.query(),
        None => {
            let across = first.tails().followed_by(&second.heads());
            let across = across.map_or(LiteralQuery::Any, |strings| strings.query());
            LiteralQuery::all([first.query(), across, second.query()])
        }
    }
}

fn sequence(parts: impl Iterator<Item = Analysis>) -> Analysis {
    parts.fold(Analysis::nothing(), Analysis::followed_by)
}

fn alternation(parts: Vec<Analysis>) -> Analysis {
    let (mut prefix, mut suffix, mut exact) = (None, None, true);
    for part in &parts {
        prefix = Some(either(prefix, part.prefix(), Strings::heads));
        suffix = Some(either(suffix, part.suffix(), Strings::tails));
        exact &= matches!(part, Analysis::Exact(_));
    }
    let (Some((prefix, whole)), Some((suffix, _))) = (prefix, suffix) else {
        return Analysis::anything();
    };
    if exact && whole {
        return Analysis::Exact(prefix);
    }
    Analysis::Bounded {
        prefix,
        query: LiteralQuery::either(parts.into_iter().map(Analysis::into_query)),
        suffix,
    }
}

/// Returns the strings of both sets, cut where they are too many, and whether nothing was cut.
fn either(
    gathered: Option<(Strings, bool)>,
    more: &Strings,
    cut: impl Fn(&Strings) -> Strings,
) -> (Strings, bool) {
    let Some((strings, whole)) = gathered else {
        return (more.clone(), true);
    };
    if let Some(both) = strings.or(more) {
        return (both, whole);
    }
    let both = cut(&strings).or(&cut(more));
    (both.unwrap_or_else(Strings::empty_string), false)
}

fn repeated(repetition: &Repetition) -> Analysis {
    let (least, most) = (repetition.min, repetition.max);
    if most == Some(0) {
        return Analysis::nothing();
    }
    let once = Analysis::from_hir(&repetition.sub);
    if least == 0 {
        return match (once, most) {
            (Analysis::Exact(strings), Some(1)) => strings
                .or(&Strings::empty_string())
                .map_or_else(Analysis::anything, Analysis::Exact),
            _ => Analysis::anything(),
        };
    }
    // A third copy adds nothing to the first two, unless the strings themselves are known.
    let copies = match once {
        Analysis::Exact(_) => least.min(MOST_COPIES),
        Analysis::Bounded { .. } => least.min(2),
    };
    let all = sequence((0..copies).map(|_| once.clone()));
    match most == Some(copies) {
        true => all,
        // The string begins with this many copies and ends with as many.
        false => all.opened(),
    }
}

/// Returns the characters of a small class, as strings.
fn listed(class: &Class) -> Option<Strings> {
    match class {
        Class::Unicode(class) => {
            let sizes = class.iter().map(|range| range.len());
            if sizes.sum::<usize>() > MOST_LISTED {
                return None;
            }
            let characters = class.iter().flat_map(|range| range.start()..=range.end());
            Strings::few(
                characters.map(|one| one.to_string().into_bytes()),
                MOST_OF_A_CLASS,
            )
        }
        Class::Bytes(class) => {
            let sizes = class.iter().map(|range| range.len());
            if sizes.sum::<usize>() > MOST_LISTED {
                return None;
            }
            let bytes = class.iter().flat_map(|range| range.start()..=range.end());
            Strings::few(bytes.map(|byte| vec![byte]), MOST_OF_A_CLASS)
        }
    }
}
