//! The ladder: where old text stands in a file, and what an edit then changes. Each rung is an
//! equivalence, tried in order, taken only where exactly one place is equivalent under it (or
//! all are asked for). It never guesses: what no rung proves is not found. No disk, no ledger.

mod abbreviation;
mod blank_edge;
mod block;
mod escaped;
mod exact;
mod final_newline;
mod gutter;
mod indent;
mod look_alike;
mod passage;
mod quotes;
mod search;
mod settle;
mod shared;
mod shift;
mod sight;
mod strand;
mod tabs;
mod trailing;
mod weave;

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::look_alike::is_blank;
use crate::splice::Change;
use sight::Sight;

/// What is to be found and what is to take its place. Old and new text have LF line ends.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The file's text.
    pub view: &'a str,
    /// Ranges of the view that stand for bytes which could not be decoded, sorted. No place
    /// reaches into one.
    pub damaged: &'a [Range<usize>],
    /// The text to find; empty text is found nowhere.
    pub old: &'a str,
    /// The text to put in its place.
    pub new: &'a str,
    /// One place or all of them.
    pub reach: Reach,
    /// Whether rungs below `exact` are tried.
    pub tolerance: Tolerance,
    /// Abbreviations besides the built-in ones: short form, long form.
    pub abbreviations: &'a [(String, String)],
    /// What happens to line numbers that were left in the new text.
    pub leaks: Leaks,
}

/// How many places an edit is meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Exactly one.
    One,
    /// Every one, from the left, none overlapping the one before.
    All,
}

/// Whether a difference may be forgiven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tolerance {
    /// Only the rung `exact`.
    Exact,
    /// The whole ladder.
    Tolerant,
}

/// What happens to new text that carries some line numbers where the old text carried all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaks {
    /// It is [`Verdict::Leaked`].
    Refuse,
    /// The caller insists: it is taken as sent.
    Insisted,
}

/// What may differ between old text and place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rung {
    /// Nothing.
    Exact,
    /// The last newline, where the file ends without one.
    FinalNewline,
    /// Line numbers before every line.
    Gutter,
    /// Quotes, dashes, spaces, composition.
    LookAlike,
    /// Tags that some hosts abbreviate.
    Abbreviation,
    /// Blanks at line ends.
    Trailing,
    /// One indentation more or less on every line.
    Indent,
    /// Tabs for spaces in the indentation, or the reverse.
    Tabs,
    /// A blank line too many at either end.
    BlankEdge,
    /// One level of escapes or entities.
    Escaped,
}

impl Rung {
    /// The rung's name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Rung::Exact => "exact",
            Rung::FinalNewline => "final-newline",
            Rung::Gutter => "gutter",
            Rung::LookAlike => "look-alike",
            Rung::Abbreviation => "abbreviation",
            Rung::Trailing => "trailing",
            Rung::Indent => "indent",
            Rung::Tabs => "tabs",
            Rung::BlankEdge => "blank-edge",
            Rung::Escaped => "escaped",
        }
    }
}

/// How a search ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Found, and what to change.
    Found(Found),
    /// Several places where one was asked for, or places that differ where all were.
    Ambiguous {
        /// The rung on which they are equivalent.
        rung: Rung,
        /// Every one of them in order, overlapping ones included.
        places: Vec<Range<usize>>,
    },
    /// No place, or one whose edit a guard forbids.
    NotFound {
        /// The guard, where one forbade it.
        guard: Option<Guard>,
    },
    /// The new text carries line numbers that cannot be taken off.
    Leaked {
        /// A sentence about them.
        reason: String,
    },
}

/// A guard that forbade an edit although its place was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// The rung whose guard it is.
    pub rung: Rung,
    /// The place that was found.
    pub place: Range<usize>,
    /// A sentence about what is wrong with the edit.
    pub reason: String,
}

/// Where old text was found and what changes there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The rung that found it.
    pub rung: Rung,
    /// The places, left to right, none overlapping another.
    pub places: Vec<Place>,
    /// Whether the edit takes a newline away, so that the next line joins the last one.
    pub joins_next_line: bool,
}

/// One place that is edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// All of the matched text, with the newline that the deletion of whole lines takes along.
    pub range: Range<usize>,
    /// What changes inside it, in order. What old and new text share is in none of them.
    pub changes: Vec<Change>,
}

/// Finds the old text and says what its replacement changes.
pub fn find(query: &Query<'_>) -> Verdict {
    let sight = Sight::of(query.view, query.damaged);
    let task = Task {
        sight: &sight,
        old: query.old,
        new: query.new,
        reach: query.reach,
        erasure: match query.new {
            "" => Erasure::Whole,
            _ => Erasure::Rewritten,
        },
        abbreviations: query.abbreviations,
        leaks: query.leaks,
    };
    let verdict = exact::find(&task).or_else(|| match query.tolerance {
        Tolerance::Exact => None,
        // Blank text says too little about a place: it matches exactly or not at all.
        Tolerance::Tolerant if is_blank(query.old) => None,
        Tolerance::Tolerant => lenient(&task)
            .or_else(|| blank_edge::find(&task))
            .or_else(|| escaped::find(&task)),
    });
    verdict.unwrap_or(Verdict::NotFound { guard: None })
}

/// A query on its way down the ladder; a rung may hand a rewritten one to others.
#[derive(Clone, Copy)]
struct Task<'a> {
    sight: &'a Sight<'a>,
    old: &'a str,
    new: &'a str,
    reach: Reach,
    erasure: Erasure,
    abbreviations: &'a [(String, String)],
    leaks: Leaks,
}

/// Whether the new text was sent empty. Only then do whole lines take their newline along: text
/// that a rung's rewriting emptied was a line with nothing on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Erasure {
    Whole,
    Rewritten,
}

/// The rungs between `exact` and `blank-edge`, in order. `None`: nothing is equivalent on any.
fn lenient(task: &Task<'_>) -> Option<Verdict> {
    final_newline::find(task)
        .or_else(|| gutter::find(task))
        .or_else(|| look_alike::find(task))
        .or_else(|| abbreviation::find(task))
        .or_else(|| trailing::find(task))
        .or_else(|| indent::find(task))
        .or_else(|| tabs::find(task))
}
