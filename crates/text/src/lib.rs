//! Characters, pure: encodings, line ends, finding, splicing, nearest text, diff.

mod closest;
mod diff;
mod document;
mod draft;
mod encoding;
mod hidden;
mod ladder;
#[cfg(test)]
mod laws;
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

pub use closest::closest;
pub use diff::{
    CHANGED_MOST, Difference, Hunk, LineStarts, LineTable, difference, hunks_of_changes, outline,
    unified,
};
pub use document::Document;
pub use draft::Draft;
pub use encoding::{Encoding, NotText, Unencodable, binary_kind, detect, never_text};
pub use hidden::{Hidden, HiddenKind, brought_in, hidden, may_hide};
pub use ladder::{
    Found, Guard, Leaks, Occurrences, PLACES_MOST, Place, Query, Remark, Rung, TextKind, Tolerance,
    Verdict, deleted_lines, find, remarks_on, repeats_indentation,
};
pub use leak::{
    EditContext, Leak, LeakKind, Markup, NOTICE, leaked, leaked_edit, placeholder,
    without_numbers_of,
};
pub use lines::{Endings, LineEnd, Lines, normalize_newlines};
pub use look_alike::{fold_char, fold_name};
pub use missing::already_there;
pub use nearest::Region;
pub use offer::{Correction, NewText, Offer, correct};
pub use splice::{Change, RawChange, apply_changes, apply_raw, encode_new};
pub use stream::StreamFinder;
pub use survey::{Block, Facts, Survey};
pub use unique::unique_extension;
