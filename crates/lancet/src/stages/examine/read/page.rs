//! The page that a Read gives, and what it is made from.

use std::sync::Arc;

use lancet_formats::syntax::Symbol;
use lancet_history::{FileVersion, ReadRange, SeenRanges};
use lancet_text::Endings;
use lancet_workspace::{Revision, Stamp};

use super::layout::LaidOutPage;
use super::picture::PlacedPicture;
use crate::stages::locate::Target;

/// The result of a Read, ready for *record* and *reply*.
pub(crate) struct Page {
    pub(crate) target: Target,
    /// Numbered lines and the notices among them; empty for [`AnswerKind::Unchanged`].
    pub(crate) text: String,
    /// The pictures in the text, in order.
    pub(crate) pictures: Vec<PlacedPicture>,
    /// The text that replaces the range of lines in the last notice.
    pub(super) words: Option<String>,
    /// The sentences after the lines.
    pub(crate) notices: Vec<String>,
    pub(crate) shape: AnswerKind,
    /// The symbols of an outline.
    pub(crate) symbols: Vec<Symbol>,
    /// The unit that the page counts: lines, or the cells of a notebook.
    pub(crate) unit: &'static str,
    /// The number of the first line, from 1.
    pub(crate) start: usize,
    pub(crate) lines: usize,
    pub(crate) total: usize,
    pub(crate) truncated: bool,
    pub(crate) encoding: &'static str,
    pub(crate) endings: Endings,
    pub(crate) revision: String,
    /// The version for the ledger's entry.
    pub(crate) version: FileVersion,
    pub(crate) content: Option<Arc<Vec<u8>>>,
    pub(crate) seen: SeenRanges,
    pub(crate) asked: ReadRange,
    /// The revision that the ledger had when the file was examined.
    pub(crate) known: Option<[u8; 32]>,
}

impl Page {
    /// Returns whether the page has lines, cells or a picture.
    pub(super) fn shows_something(&self) -> bool {
        self.lines > 0 || !self.pictures.is_empty()
    }
}

/// The kind of answer that a Read gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerKind {
    /// The text of the lines.
    Text,
    /// The cells of a notebook; a page counts them where a page of text counts lines.
    Notebook,
    /// A picture.
    Picture,
    /// The pages of a PDF; they are counted in place of lines.
    Pdf,
    /// The text that a program made of the file; its lines are not the file's.
    Converted,
    /// The symbols of source code.
    Outline,
    /// One line instead of text that was already shown.
    Unchanged,
}

/// The lines or cells of a page, and their version.
pub(super) struct PageContent {
    pub(super) shape: AnswerKind,
    /// A sentence about the file as a whole.
    pub(super) notice: Option<String>,
    /// The text that replaces the range of lines in the last notice.
    pub(super) words: Option<String>,
    pub(super) pictures: Vec<PlacedPicture>,
    /// The symbols of an outline.
    pub(super) symbols: Vec<Symbol>,
    pub(super) layout: LaidOutPage,
    pub(super) total: usize,
    pub(super) encoding: &'static str,
    pub(super) endings: Endings,
    pub(super) revision: Revision,
    pub(super) stamp: Stamp,
    pub(super) content: Option<Arc<Vec<u8>>>,
}
