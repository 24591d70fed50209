//! The text of lancet: decoding files, finding the old text of an edit, replacing it without touching any other byte,
//! and explaining what could not be found. Every function is pure; nothing here reads a file or a clock.
//!
//! An edit passes through this crate in these steps:
//!
//! 1. [`Document::decode`] detects the [`Encoding`] and the line [`Endings`] of a file's bytes and returns its *view*:
//!    the text without byte order mark and with LF line ends. [`normalize_newlines`] does the same to what a model
//!    sent.
//! 2. [`find`] searches for the old text of a [`Query`] in the view, from exact to lenient, one [`Rung`] after another.
//!    Its [`Verdict`] is the place and the [`Change`]s to make there, or why there is none. A [`Draft`] collects the
//!    changes of several edits.
//! 3. [`Document::raw_changes`] turns changes of the view into replacements of bytes ([`RawChange`]): encoded, and with
//!    the line ends of the lines around them. [`apply_raw`] makes them.
//! 4. [`hunks_of_changes`] and [`difference`] return the [`Difference`] in lines, for results.
//!
//! Where the old text is not found, [`find_correction`] returns a [`CorrectionOffer`]: the text to send instead. Where
//! it is found more than once, [`unique_extension`] makes it longer. [`find_leak_in_edit`] and [`find_placeholder`]
//! recognize text that was copied from a result and is not meant for the file, [`hidden_runs`] characters that people
//! do not see. A file that is too large to load has a [`Survey`] and a [`StreamFinder`].
//!
//! # Example
//!
//! An edit of a file with CR LF line ends. The old text has LF line ends and straight quotes:
//!
//! ```
//! use lancet_text::{
//!     Document, LeakPolicy, Occurrences, Query, Rung, TextKind, Tolerance, Verdict, apply_raw, find,
//! };
//!
//! let raw = "Title\r\nThe \u{201C}old\u{201D} word.\r\n".as_bytes();
//! let document = Document::decode(raw, None)?;
//! let verdict = find(&Query {
//!     view: document.view(),
//!     damaged: document.damaged_ranges(),
//!     old: "The \"old\" word.\n",
//!     new: "The \"old\" word.\nOne more.\n",
//!     occurrences: Occurrences::One,
//!     tolerance: Tolerance::Tolerant,
//!     abbreviations: &[],
//!     leaks: LeakPolicy::Refuse,
//!     text_kind: TextKind::Prose,
//!     bounds: None,
//! });
//! let Verdict::Found(found) = verdict else {
//!     panic!("not found: {verdict:?}");
//! };
//! assert_eq!(found.rung, Rung::LookAlike);
//!
//! let changes = document.raw_changes(&found.places[0].changes)?;
//! let edited = apply_raw(raw, &changes);
//! // The curly quotes stay as they are, and the new line ends in CR LF like the others.
//! assert_eq!(
//!     String::from_utf8(edited)?,
//!     "Title\r\nThe \u{201C}old\u{201D} word.\r\nOne more.\r\n"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounds;
mod byte_lanes;
mod clause;
mod closest;
mod diff;
mod document;
mod draft;
mod encoding;
mod hidden;
mod hunk;
mod ladder;
mod leak;
mod lines;
mod look_alike;
mod missing;
mod nearest;
mod offer;
mod splice;
mod stream;
mod survey;
mod unique;
mod unique_edits;

#[cfg(test)]
use lancet_testing::laws;

pub use bounds::Bounds;
pub use clause::{Clause, ClausePart};
pub use closest::closest_names;
pub use diff::{
    Difference, Hunk, LineStarts, LineTable, MAX_CHANGED_BYTES, difference, hunks_in_contexts,
    hunks_of_changes, line_numbers, outline_hunks, unified_diff,
};
pub use document::Document;
pub use draft::Draft;
pub use encoding::{
    ControlBytes, Encoding, NotText, Unencodable, binary_kind, detect_encoding, rule_out_text,
};
pub use hidden::{Hidden, HiddenKind, added_hidden_kinds, hidden_runs, may_contain_hidden};
pub use hunk::{
    FinalNewline, FirstDifference, GapHandling, HunkBounds, HunkNotFound, HunkSides, LastLine,
    LineShifts, find_hunk, first_difference,
};
pub use ladder::replaced_lines::replace_whole_lines;
pub use ladder::{
    EditedPlace, FoundPlaces, GuardRefusal, LeakPolicy, MAX_PLACES, Occurrences, Query, Remark,
    Rung, TextKind, Tolerance, Verdict, deleted_lines, find, may_lack_indentation, remarks_on_edit,
    repeats_indentation, with_short_indentation,
};
pub use leak::{
    BareDotsMeaning, EditContext, FenceSupport, Leak, LeakKind, NOTICE_START, find_leak,
    find_leak_in_edit, find_placeholder, without_leaked_numbers,
};
pub use lines::{Endings, LineEnd, Lines, normalize_newlines};
pub use look_alike::{fold_char, fold_name};
pub use missing::describe_existing_new_text;
pub use nearest::Region;
pub use offer::{Correction, CorrectionOffer, NewText, find_correction};
pub use splice::{Change, RawChange, apply_changes, apply_raw, encode_new};
pub use stream::StreamFinder;
pub use survey::{IndexedBlock, Survey, SurveyFacts};
pub use unique::unique_extension;
pub use unique_edits::{UniqueEdit, unique_edits};
