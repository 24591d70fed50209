//! The ladder: finds where the old text of an edit is in a file, and works out what the edit changes there.
//!
//! Each rung is an equivalence relation between texts, from "the same bytes" to "the same but for one level of
//! escaping". Rungs are tried in a fixed order. A rung is taken only where exactly one place is equivalent to the old
//! text (or where all places are asked for), so the result is never a guess: text that no rung proves equivalent is not
//! found.
//!
//! The functions here are pure: they read neither the disk nor the ledger.

mod abbreviation;
mod blank_edge;
mod char_merge;
pub(crate) mod common_runs;
mod edit_script;
mod escaped;
mod exact;
mod fence;
mod final_newline;
mod further;
mod gutter;
mod indent;
mod line_matcher;
mod look_alike;
mod quotes;
mod remarks;
mod repeated;
pub(crate) mod replaced_lines;
mod search;
mod shift;
mod short;
mod source;
mod tabs;
mod text_lines;
mod trailing;
mod verdict;
mod whole_lines;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::bounds::Bounds;
use crate::look_alike::is_blank;
use crate::splice::Change;
pub use remarks::Remark;
pub use repeated::repeats_indentation;
pub(crate) use search::each_place;
pub use short::{may_lack_indentation, with_short_indentation};
use source::SourceText;
use text_lines::TextLines;

/// The most places that one search lists and one edit changes. By the time a change is written and recorded it takes
/// about 300 bytes, so the ten million places of a 20 MB file took gigabytes.
pub const PLACES_MOST: usize = 1_000_000;

/// What to find and what to replace it with. `old` and `new` have LF line ends (see
/// [`normalize_newlines`](crate::normalize_newlines)).
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The text to search: [`Document::view`](crate::Document::view).
    pub view: &'a str,
    /// The ranges of the view that stand for bytes which could not be decoded, sorted. A place that overlaps one is not
    /// matched.
    pub damaged: &'a [Range<usize>],
    /// The text to find. Empty text is found nowhere.
    pub old: &'a str,
    /// The text that replaces it.
    pub new: &'a str,
    /// Whether the edit is for one place or for all.
    pub occurrences: Occurrences,
    /// Whether rungs below `exact` are tried.
    pub tolerance: Tolerance,
    /// Abbreviations beside the built-in ones, as pairs of short form and long form.
    pub abbreviations: &'a [(String, String)],
    /// What to do where only some lines of the new text carry line numbers.
    pub leaks: Leaks,
    /// Whether the file is prose or code.
    pub text_kind: TextKind,
    /// Where the old text may stand; none where it may stand anywhere.
    pub bounds: Option<&'a Bounds>,
}

/// Whether a file is prose or code: curly quotes belong into prose and break code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// Text for people. Quotes that an edit adds may be written curly.
    Prose,
    /// Anything else. Quotes are written as they were sent.
    Code,
}

impl TextKind {
    /// The extensions of files that are taken for prose.
    const PROSE: [&str; 7] = ["md", "markdown", "txt", "rst", "adoc", "tex", "html"];

    /// The kind of a file with this extension. A file without an extension is taken for prose.
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

/// Which occurrences of the old text an edit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrences {
    /// Exactly one: several equivalent places are an error.
    One,
    /// All of them, scanned from the left, without overlaps.
    All,
}

/// How much the old text may differ from the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tolerance {
    /// Only the rung `exact` is tried.
    Exact,
    /// Every rung is tried in order.
    Tolerant,
}

/// What to do with a new text of which only some lines carry line numbers, where every line of the old text carries
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaks {
    /// The search ends in [`Verdict::Leaked`].
    Refuse,
    /// The caller insists on this text, and it is written as it was sent.
    Insisted,
}

/// A rung of the ladder: what may differ between the old text and the place that it matches. Rungs are ordered from
/// strict to lenient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rung {
    /// Nothing differs.
    Exact,
    /// The old text ends in a newline and the file ends without one.
    FinalNewline,
    /// The old text has line numbers before every line, as Read shows them.
    Gutter,
    /// Quotes, dashes, spaces and Unicode composition differ.
    LookAlike,
    /// The old text has tags in the short form that some model hosts give them.
    Abbreviation,
    /// Blanks at line ends differ.
    Trailing,
    /// Every line has one more, or one less, indentation in the file.
    Indent,
    /// Indentation is tabs on one side and spaces on the other.
    Tabs,
    /// The old text has one blank line too many at its start, its end, or both.
    BlankEdge,
    /// The old text is escaped once too often, as JSON or HTML.
    Escaped,
}

impl Rung {
    /// The name that answers and refusals use.
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

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The old text was found, and this is what changes.
    Found(Found),
    /// Several places match where one was asked for, or the places differ in text where all were asked for.
    Ambiguous {
        /// The rung on which the places are equivalent, apart from those in `looser`.
        rung: Rung,
        /// All places in order, overlapping ones included.
        places: Vec<Range<usize>>,
        /// The places, by their index in `places`, that only a later rung finds, with that rung.
        looser: BTreeMap<usize, Rung>,
    },
    /// More than [`PLACES_MOST`] places match. They are counted; nothing is edited.
    TooMany {
        /// The rung on which the places are equivalent.
        rung: Rung,
        /// The first [`PLACES_MOST`] places in order.
        first: Vec<Range<usize>>,
        /// How many there are. Overlapping places count where one was asked for; where all were, only those that would
        /// be edited do.
        count: usize,
    },
    /// No place matches, or a guard forbids the edit of the place that does.
    NotFound {
        /// The guard that forbade the edit, if a place was found.
        guard: Option<Guard>,
    },
    /// The new text carries line numbers that cannot be removed safely.
    Leaked {
        /// A sentence about these line numbers.
        reason: String,
    },
}

/// Why an edit is refused although its place was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// The rung that found the place.
    pub rung: Rung,
    /// The place that was found.
    pub place: Range<usize>,
    /// A sentence about what is wrong with the edit.
    pub reason: String,
}

/// The places of the old text and what changes there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The rung that found the places.
    pub rung: Rung,
    /// The places from left to right, without overlaps.
    pub places: Vec<Place>,
    /// What the answer should tell about the edit.
    pub remarks: Vec<Remark>,
}

/// One place that is edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The matched text. Where whole lines are deleted it includes the blanks around the text and its newline.
    pub range: Range<usize>,
    /// The changes inside the range, in order; text that old and new have in common is in none of them. The last change
    /// may extend over the newline right after the range: it deletes that newline with the last lines, or inserts lines
    /// behind it.
    pub changes: Vec<Change>,
}

/// Finds the old text of a query and works out what its replacement changes.
pub fn find(query: &Query<'_>) -> Verdict {
    let source = SourceText::of(query.view, query.damaged, query.bounds);
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
        further: Further::OfTolerantRungs,
        further_places: further::further_places,
    };
    let verdict = exact::find(&task).or_else(|| match query.tolerance {
        Tolerance::Exact => None,
        // Blank text identifies no place, so it is matched exactly or not at all.
        Tolerance::Tolerant if is_blank(query.old) => None,
        Tolerance::Tolerant => lenient(&task)
            .or_else(|| blank_edge::find(&task))
            .or_else(|| escaped::find(&task)),
    });
    verdict.unwrap_or(Verdict::NotFound { guard: None })
}

/// What a deletion of this place removes where that is not the place itself: lines that the old text stands for go with
/// the blanks around it and their newline, and no newline goes that ends a line with other text.
pub fn deleted_lines(view: &str, place: &Range<usize>, old: &str) -> Option<Range<usize>> {
    whole_lines::whole_lines(view, place, &TextLines::of(old))
}

/// The remarks on an exact edit of this place.
pub fn remarks_on(view: &str, place: Range<usize>, old: &str, new: &str) -> Vec<Remark> {
    let deletion = Deletion::of(new);
    let (old, new) = (TextLines::of(old), TextLines::of(new));
    remarks::remarks(view, &[place], &old, &new, deletion)
}

/// A query while the rungs try it. A rung that rewrites the texts hands a changed copy to other rungs.
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
    further: Further,
    /// Finds the places of later rungs. It is passed along because it uses all rungs, and each of them uses it.
    further_places: FindFurtherPlaces,
}

/// See [`further::further_places`].
type FindFurtherPlaces = fn(
    &Task<'_>,
    Rung,
    &[Range<usize>],
    Option<&line_matcher::LineMatcher<'_>>,
) -> Vec<(Rung, Range<usize>)>;

/// Which matches are also compared with the places that later rungs find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Further {
    /// Those from `look-alike` on. A match on an earlier rung has no error that could have been another one.
    OfTolerantRungs,
    /// Those on any rung: the text is the rest of an old text that was tolerated already.
    OfAllRungs,
}

/// Whether the caller asked for a deletion by sending an empty new text. Only then is the newline of whole lines
/// deleted too: new text that a rung made empty was a line with nothing on it.
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

/// The rungs between `exact` and `blank-edge`, in order. `None` where no rung matches.
fn lenient(task: &Task<'_>) -> Option<Verdict> {
    final_newline::find(task)
        .or_else(|| gutter::find(task))
        .or_else(|| look_alike::find(task))
        .or_else(|| abbreviation::find(task))
        .or_else(|| {
            let matcher = line_matcher::LineMatcher::of(task)?;
            trailing::find(task, &matcher)
                .or_else(|| indent::find(task, &matcher))
                .or_else(|| tabs::find(task, &matcher))
        })
}
