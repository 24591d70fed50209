//! The query of the ladder: what to find, and what to replace it with.

use std::ops::Range;

use crate::bounds::Bounds;

/// The most places that one search lists and one edit changes. By the time a change is written and recorded it takes
/// about 300 bytes, so the ten million places of a 20 MB file took gigabytes.
pub const MAX_PLACES: usize = 1_000_000;

/// A text to find and its replacement. `old` and `new` have LF line ends (see
/// [`normalize_newlines`](crate::normalize_newlines)).
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The text to search: [`Document::view`](crate::Document::view).
    pub view: &'a str,
    /// The ranges of the view that represent bytes which could not be decoded, sorted. A place that overlaps one is not
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
    /// Abbreviations in addition to the built-in ones, as pairs of short form and long form.
    pub abbreviations: &'a [(String, String)],
    /// The treatment of a new text of which only some lines carry line numbers.
    pub leaks: LeakPolicy,
    /// Whether the file is prose or code.
    pub text_kind: TextKind,
    /// The allowed places of the old text; `None` if every place is allowed.
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
    const PROSE_EXTENSIONS: [&str; 7] = ["md", "markdown", "txt", "rst", "adoc", "tex", "html"];

    /// Returns the kind of a file with this extension. A file without an extension is taken for prose.
    pub fn for_extension(extension: Option<&str>) -> TextKind {
        let is_prose = |extension: &str| {
            TextKind::PROSE_EXTENSIONS
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

/// The permitted difference between the old text and the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tolerance {
    /// Only the rung `exact` is tried.
    Exact,
    /// Every rung is tried in order.
    Tolerant,
}

/// The treatment of a new text of which only some lines carry line numbers, where every line of the old text carries
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeakPolicy {
    /// The search ends in [`Verdict::Leaked`](super::result::Verdict::Leaked).
    Refuse,
    /// The caller insists on this text, and it is written as it was sent.
    Insisted,
}

/// Whether the caller requested a deletion by sending an empty new text. Only then is the newline of whole lines
/// deleted too: new text that a rung made empty was a line with nothing on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deletion {
    Requested,
    NotRequested,
}

impl Deletion {
    pub(super) fn from_new_text(sent: &str) -> Deletion {
        match sent {
            "" => Deletion::Requested,
            _ => Deletion::NotRequested,
        }
    }
}
