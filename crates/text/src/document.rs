//! The text of a file as it is shown and searched, and the mapping between offsets in it and in the file's bytes. The
//! text itself is never written back: an edit replaces the bytes of its places (see `splice`), and all other bytes are
//! copied.

mod build;
mod offsets;

use crate::encoding::{
    CarriageReturns, ControlBytes, Detected, Encoding, NotText, detect_text, fallback_encoding,
};
use crate::lines::{Endings, LineIndex, Lines, line_end};
use build::ViewBuilder;
use offsets::OffsetMap;
pub(crate) use offsets::Position;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

/// A decoded file. Its *view* is the text without byte order mark and with every line end as LF; places are byte
/// offsets in the view. The view of a UTF-8 file without CR LF borrows the file's own bytes.
///
/// ```
/// use lancet_text::Document;
///
/// let document = Document::decode(b"\xEF\xBB\xBFone\r\ntwo\r\n", None)?;
/// assert_eq!(document.view(), "one\ntwo\n");
/// assert_eq!(document.encoding().name(), "utf-8-bom");
/// // The bytes of `two` in the file, after byte order mark and CR LF.
/// assert_eq!(document.raw_range(4..7), 8..11);
/// # Ok::<(), lancet_text::NotText>(())
/// ```
#[derive(Debug)]
pub struct Document<'a> {
    raw: &'a [u8],
    encoding: Encoding,
    endings: Endings,
    view: Cow<'a, str>,
    damaged: Vec<Range<usize>>,
    map: OffsetMap,
    lines: OnceLock<LineIndex>,
    controls: ControlBytes,
}

impl<'a> Document<'a> {
    /// Decodes the bytes of a file. `configured` is the encoding that the settings name for its path.
    pub fn decode(raw: &'a [u8], configured: Option<Encoding>) -> Result<Document<'a>, NotText> {
        Self::decode_known(raw, configured, ControlBytes::Unknown)
    }

    /// Decodes the bytes of a file whose control bytes may be known. Searching for NUL and CR takes 0.67 of the 4.65
    /// million instructions of an Edit of 1 MB.
    pub fn decode_known(
        raw: &'a [u8],
        configured: Option<Encoding>,
        controls: ControlBytes,
    ) -> Result<Document<'a>, NotText> {
        Ok(match detect_text(raw, configured, controls)? {
            Detected::Text {
                encoding,
                text,
                returns,
            } => {
                let lone_cr = build::lone_cr_meaning(raw, encoding);
                let mut document = build::from_text(raw, encoding, text, returns, lone_cr);
                // A text without a byte order mark has been searched for both.
                if text.len() == raw.len() && returns == CarriageReturns::None {
                    document.controls = ControlBytes::Absent;
                }
                document
            }
            Detected::Bytes(encoding) => build::from_bytes(raw, encoding),
            Detected::Guess(guess) => {
                let guessed = build::from_bytes(raw, guess);
                if guessed.damaged.is_empty() {
                    return Ok(guessed);
                }
                build::from_bytes(raw, fallback_encoding())
            }
        })
    }

    /// Returns the document of a part of a larger file that is known to be UTF-8 and to have these line ends. The part
    /// is cut at line ends, or at least between characters. The line ends of the file are needed because a part alone
    /// does not show whether its lone CRs end lines.
    pub fn from_part(raw: &'a [u8], file_endings: Endings) -> Option<Document<'a>> {
        let text = simdutf8::basic::from_utf8(raw).ok()?;
        let lone_cr = match file_endings {
            Endings::Cr => build::LoneCrMeaning::EndsLine,
            _ => build::LoneCrMeaning::Character,
        };
        let returns = CarriageReturns::detect_in(raw);
        Some(build::from_text(
            raw,
            Encoding::UTF8,
            text,
            returns,
            lone_cr,
        ))
    }

    fn new(builder: ViewBuilder, raw: &'a [u8], encoding: Encoding) -> Document<'a> {
        Document {
            raw,
            encoding,
            endings: builder.endings(),
            view: Cow::Owned(builder.view),
            damaged: builder.damaged,
            map: OffsetMap::Checkpointed(builder.checkpoints),
            lines: OnceLock::new(),
            controls: ControlBytes::Unknown,
        }
    }

    /// Returns whether the file is known to have neither NUL nor CR.
    pub fn control_bytes(&self) -> ControlBytes {
        self.controls
    }

    /// Returns the text of the file, without byte order mark and with LF line ends.
    pub fn view(&self) -> &str {
        &self.view
    }

    /// Returns whether the view is the file's bytes as they are, so that an offset in one is the same offset in the
    /// other: UTF-8 without byte order mark, and every line end LF.
    pub fn is_verbatim(&self) -> bool {
        matches!(self.view, Cow::Borrowed(_)) && matches!(self.map, OffsetMap::Shifted(0))
    }

    /// Returns the bytes of the file.
    pub fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// Returns the encoding of the file, in which new text is encoded too.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the line ends that the file has.
    pub fn endings(&self) -> Endings {
        self.endings
    }

    /// Returns the number of lines of the file. A final newline starts no further line, and an empty file has none.
    pub fn line_count(&self) -> usize {
        self.index().line_count(&self.view)
    }

    /// Returns the line, counted from 0, that holds the offset `at` of the view. The end of the view belongs to the
    /// last line.
    pub fn line_of(&self, at: usize) -> usize {
        let line = self.index().newlines_before(&self.view, at);
        line.min(self.line_count().saturating_sub(1))
    }

    /// Returns the range of a line in the view without its newline. For a line that does not exist it is empty, at the
    /// end of the view.
    pub fn line_range(&self, line: usize) -> Range<usize> {
        let start = self.index().line_start(&self.view, line);
        start..line_end(&self.view, start)
    }

    /// Returns the range of a line in the view, with its newline if it has one.
    pub fn line_range_with_end(&self, line: usize) -> Range<usize> {
        let range = self.line_range(line);
        range.start..self.view.len().min(range.end + 1)
    }

    /// Returns the ranges of the lines from `line` on, in order, without their newlines. This is cheaper than
    /// [`Document::line_range`] for each line.
    pub fn lines_from(&self, line: usize) -> Lines<'_> {
        Lines::new(&self.view, self.index().line_start(&self.view, line))
    }

    /// Returns the ranges of the view, in order, that represent bytes which could not be decoded. Each is one U+FFFD.
    pub fn damaged_ranges(&self) -> &[Range<usize>] {
        &self.damaged
    }

    fn index(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.view))
    }
}

#[cfg(test)]
mod tests;
