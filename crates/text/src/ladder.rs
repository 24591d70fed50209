//! The ladder: where old text stands in a file, and what an edit then changes. Each rung is an
//! equivalence, tried in order, taken only where exactly one place is equivalent under it (or
//! all are asked for). It never guesses: what no rung proves is not found. No disk, no ledger.

mod abbreviation;
mod blank_edge;
mod char_merge;
mod common_runs;
mod edit_script;
mod escaped;
mod exact;
mod fence;
mod final_newline;
mod gutter;
mod indent;
mod line_matcher;
mod look_alike;
mod quotes;
mod remarks;
mod repeated;
mod search;
mod shift;
mod source;
mod tabs;
mod text_lines;
mod trailing;
mod verdict;
mod whole_lines;

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::look_alike::is_blank;
use crate::splice::Change;
pub use remarks::Remark;
pub use repeated::repeats_indentation;
pub(crate) use search::each_place;
use source::SourceText;
use text_lines::TextLines;

/// The most places that are listed, and that one edit changes. Each takes some 300 bytes by the time its change is
/// written and recorded: ten million of them, in a file of 20 MB, took gigabytes.
pub const PLACES_MOST: usize = 1_000_000;

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
    pub occurrences: Occurrences,
    /// Whether rungs below `exact` are tried.
    pub tolerance: Tolerance,
    /// Abbreviations besides the built-in ones: short form, long form.
    pub abbreviations: &'a [(String, String)],
    /// What happens to line numbers that were left in the new text.
    pub leaks: Leaks,
    /// What the file holds.
    pub text_kind: TextKind,
}

/// What a file holds. Curly quotes are text in prose and a fault in code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// Text for people.
    Prose,
    /// Anything else.
    Code,
}

impl TextKind {
    /// The extensions of files that hold prose.
    const PROSE: [&str; 7] = ["md", "markdown", "txt", "rst", "adoc", "tex", "html"];

    /// What a file with this extension holds; one without any is taken for prose.
    pub fn of_extension(extension: Option<&str>) -> TextKind {
        let is_prose = |extension: &str| {
            TextKind::PROSE
                .iter()
                .any(|prose| prose.eq_ignore_ascii_case(extension))
        };
        if extension.is_none_or(is_prose) {
            TextKind::Prose
        } else {
            TextKind::Code
        }
    }
}

/// How many places an edit is meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrences {
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
    /// More than [`PLACES_MOST`] places: they are counted, and neither all listed nor edited.
    TooMany {
        /// The rung on which they are equivalent.
        rung: Rung,
        /// The first of them in order.
        first: Vec<Range<usize>>,
        /// How many there are: overlapping ones included where one was asked for, else those that
        /// would be edited.
        count: usize,
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
    /// What there is to say about the edit.
    pub remarks: Vec<Remark>,
}

/// One place that is edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// All of the matched text, with the blanks and the newline that the deletion of whole lines takes along.
    pub range: Range<usize>,
    /// What changes inside it, in order. What old and new text share is in none of them. The last one may take the
    /// newline behind the place for that of a line which goes, or stand behind it.
    pub changes: Vec<Change>,
}

/// Finds the old text and says what its replacement changes.
pub fn find(query: &Query<'_>) -> Verdict {
    let source = SourceText::of(query.view, query.damaged);
    let task = Task {
        source: &source,
        old: query.old,
        new: query.new,
        occurrences: query.occurrences,
        deletion: Deletion::of(query.new),
        tolerance: query.tolerance,
        abbreviations: query.abbreviations,
        leaks: query.leaks,
        text_kind: query.text_kind,
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

/// What the deletion of this place takes along, where the old text is all that stands on its lines: the place with the
/// blanks around it and its newline.
pub fn deleted_lines(view: &str, place: &Range<usize>, old: &str) -> Option<Range<usize>> {
    whole_lines::whole_lines(view, place, &TextLines::of(old))
}

/// What there is to say about an exact edit of this place.
pub fn remarks_on(view: &str, place: Range<usize>, old: &str, new: &str) -> Vec<Remark> {
    let deletion = Deletion::of(new);
    let (old, new) = (TextLines::of(old), TextLines::of(new));
    remarks::remarks(view, &[place], &old, &new, deletion)
}

/// A query on its way down the ladder; a rung may hand a rewritten one to others.
#[derive(Clone, Copy)]
struct Task<'a> {
    source: &'a SourceText<'a>,
    old: &'a str,
    new: &'a str,
    occurrences: Occurrences,
    deletion: Deletion,
    tolerance: Tolerance,
    abbreviations: &'a [(String, String)],
    leaks: Leaks,
    text_kind: TextKind,
}

/// Whether the new text was sent empty. Only then do whole lines take their newline along: text
/// that a rung's rewriting emptied was a line with nothing on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deletion {
    Requested,
    NotRequested,
}

impl Deletion {
    fn of(sent: &str) -> Deletion {
        match sent {
            "" => Deletion::Requested,
            _ => Deletion::NotRequested,
        }
    }
}

/// The rungs between `exact` and `blank-edge`, in order. `None`: nothing is equivalent on any.
fn lenient(task: &Task<'_>) -> Option<Verdict> {
    final_newline::find(task)
        .or_else(|| gutter::find(task))
        .or_else(|| look_alike::find(task))
        .or_else(|| abbreviation::find(task))
        .or_else(|| match line_matcher::may_match(task) {
            true => trailing::find(task)
                .or_else(|| indent::find(task))
                .or_else(|| tabs::find(task)),
            false => None,
        })
}
