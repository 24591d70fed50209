//! Builds a [`Document`]: decodes bytes block by block, turns line ends into LF, and records checkpoints that map
//! offsets of the view to offsets of the file.

use super::Document;
use super::offsets::{Checkpoints, OffsetMap, Position};
use crate::byte_lanes::count_newlines;
use crate::encoding::sequence::SequenceRule;
use crate::encoding::{CarriageReturns, ControlBytes, Encoding, EncodingFamily};
use crate::lines::{Endings, LineEndCounts, count_trailing_carriage_returns};
use encoding_rs::{DecoderResult, Encoding as Table};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

/// The number of bytes that are decoded between two checkpoints: few enough to walk in microseconds, and enough that
/// checkpoints take less than a hundredth of the text.
const CHECKPOINT_DISTANCE: usize = 2 << 10;

/// The meaning of a CR without a following LF in this file: a character, or a line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoneCrMeaning {
    Character,
    EndsLine,
}

/// Returns what a lone CR is. It ends a line only in a file without any LF.
pub(super) fn lone_cr_meaning(raw: &[u8], encoding: Encoding) -> LoneCrMeaning {
    let has_lf = match encoding.family() {
        EncodingFamily::Utf16Le => raw.chunks_exact(2).any(|unit| unit == b"\n\0"),
        EncodingFamily::Utf16Be => raw.chunks_exact(2).any(|unit| unit == b"\0\n"),
        // No encoding has the byte of LF inside a longer sequence.
        _ => memchr::memchr(b'\n', raw).is_some(),
    };
    if has_lf {
        LoneCrMeaning::Character
    } else {
        LoneCrMeaning::EndsLine
    }
}

/// Creates a document whose bytes after the byte order mark are valid UTF-8, or ASCII in an encoding that extends it.
pub(super) fn from_text<'a>(
    raw: &'a [u8],
    encoding: Encoding,
    text: &'a str,
    returns: CarriageReturns,
    lone_cr: LoneCrMeaning,
) -> Document<'a> {
    let shift = raw.len() - text.len();
    let bytes = text.as_bytes();
    let in_place = |view, endings| Document {
        raw,
        encoding,
        endings,
        view,
        damaged: Vec::new(),
        map: OffsetMap::Shifted(shift),
        lines: OnceLock::new(),
        controls: ControlBytes::Unknown,
    };
    if returns == CarriageReturns::None {
        let endings = match memchr::memchr(b'\n', bytes) {
            Some(_) => Endings::Lf,
            None => Endings::None,
        };
        return in_place(Cow::Borrowed(text), endings);
    }
    if lone_cr == LoneCrMeaning::EndsLine {
        return in_place(Cow::Owned(text.replace('\r', "\n")), Endings::Cr);
    }
    if memchr::memmem::find(bytes, b"\r\n").is_none() {
        return in_place(Cow::Borrowed(text), Endings::Lf);
    }
    let mut builder = ViewBuilder::new(encoding, shift, lone_cr, text.len());
    builder.push_blocks(text, shift);
    builder.finish();
    Document::new(builder, raw, encoding)
}

/// Creates a document whose bytes have to be decoded.
pub(super) fn from_bytes(raw: &[u8], encoding: Encoding) -> Document<'_> {
    let mark = encoding.mark_bytes().len();
    let mut builder = ViewBuilder::new(encoding, mark, lone_cr_meaning(raw, encoding), raw.len());
    match encoding.family() {
        EncodingFamily::Utf8 => builder.push_utf8(raw, mark),
        EncodingFamily::Utf16Le => builder.push_decoded(raw, mark, encoding_rs::UTF_16LE),
        EncodingFamily::Utf16Be => builder.push_decoded(raw, mark, encoding_rs::UTF_16BE),
        EncodingFamily::Legacy(table) => builder.push_decoded(raw, mark, table),
    }
    builder.finish();
    Document::new(builder, raw, encoding)
}

/// A view that is being built.
pub(super) struct ViewBuilder {
    pub(super) view: String,
    pub(super) damaged: Vec<Range<usize>>,
    pub(super) checkpoints: Checkpoints,
    line_ends: LineEndCounts,
    /// The number of CRs that the pushed text ends in, at most two. The next character decides what they are.
    pending_crs: usize,
}

impl ViewBuilder {
    fn new(
        encoding: Encoding,
        start: usize,
        lone_cr: LoneCrMeaning,
        capacity: usize,
    ) -> ViewBuilder {
        let rule = SequenceRule::for_family(encoding.family());
        ViewBuilder {
            view: String::with_capacity(capacity),
            damaged: Vec::new(),
            checkpoints: Checkpoints::new(rule, lone_cr, start),
            line_ends: LineEndCounts::default(),
            pending_crs: 0,
        }
    }

    pub(super) fn endings(&self) -> Endings {
        self.line_ends.endings()
    }

    /// Pushes UTF-8 that may have malformed sequences.
    fn push_utf8(&mut self, raw: &[u8], start: usize) {
        let mut at = start;
        for chunk in raw[start..].utf8_chunks() {
            self.push_blocks(chunk.valid(), at);
            at += chunk.valid().len();
            self.push_damage(chunk.invalid().len(), at);
            at += chunk.invalid().len();
        }
    }

    /// Pushes bytes that `encoding_rs` decodes.
    fn push_decoded(&mut self, raw: &[u8], start: usize, table: &'static Table) {
        let mut at = start;
        let mut decoder = table.new_decoder_without_bom_handling();
        let mut block = "\0".repeat(CHECKPOINT_DISTANCE);
        loop {
            let (result, read, written) =
                decoder.decode_to_str_without_replacement(&raw[at..], &mut block, true);
            self.push(&block[..written]);
            at += read;
            match result {
                DecoderResult::InputEmpty => return,
                DecoderResult::OutputFull => self.add_checkpoint(at),
                DecoderResult::Malformed(bad, ahead) => {
                    // The bytes that were read beyond the malformed ones are read again by a new decoder, which loses
                    // nothing: none of these encodings has a state between characters.
                    at -= usize::from(ahead);
                    self.push_damage(usize::from(bad), at - usize::from(bad));
                    decoder = table.new_decoder_without_bom_handling();
                }
            }
        }
    }

    /// Pushes text that the file has in the same bytes, from the offset `at` on.
    fn push_blocks(&mut self, text: &str, at: usize) {
        let mut from = 0;
        while from < text.len() {
            let until = text.floor_char_boundary((from + CHECKPOINT_DISTANCE).min(text.len()));
            self.push(&text[from..until]);
            from = until;
            self.add_checkpoint(at + from);
        }
    }

    /// Pushes U+FFFD for `length` bytes at the offset `at` that could not be decoded.
    fn push_damage(&mut self, length: usize, at: usize) {
        if length == 0 {
            return;
        }
        self.flush_pending_crs();
        let start = self.view.len();
        self.view.push(char::REPLACEMENT_CHARACTER);
        self.damaged.push(start..self.view.len());
        self.checkpoints.record_damage_length(length);
        self.add_checkpoint(at + length);
    }

    /// Records that the view so far ends at this offset of the file.
    fn add_checkpoint(&mut self, raw: usize) {
        let pending_crs = self.pending_crs * self.checkpoints.rule().ascii_width();
        self.checkpoints.add(Position {
            view: self.view.len(),
            raw: raw - pending_crs,
        });
    }

    /// Pushes decoded text, which may begin or end inside a line end.
    fn push(&mut self, text: &str) {
        let bytes = text.as_bytes();
        if self.checkpoints.lone_cr() == LoneCrMeaning::EndsLine {
            self.push_lone_cr_lines(text);
        } else if self.pending_crs > 0 && matches!(bytes.first(), Some(b'\r' | b'\n')) {
            let joined = "\r".repeat(self.pending_crs) + text;
            self.pending_crs = 0;
            self.push_lines(&joined);
        } else if !text.is_empty() {
            self.flush_pending_crs();
            self.push_lines(text);
        }
    }

    /// Pushes text of a file whose lines end in lone CRs.
    fn push_lone_cr_lines(&mut self, text: &str) {
        let mut from = 0;
        for at in memchr::memchr_iter(b'\r', text.as_bytes()) {
            self.view.push_str(&text[from..at]);
            self.view.push('\n');
            self.line_ends.lone_cr += 1;
            from = at + 1;
        }
        self.view.push_str(&text[from..]);
    }

    /// Pushes text of a file whose lines end in LF, CR LF or CR CR LF.
    fn push_lines(&mut self, text: &str) {
        let bytes = text.as_bytes();
        if memchr::memchr(b'\r', bytes).is_none() {
            self.line_ends.lf += count_newlines(bytes) as u64;
            self.view.push_str(text);
            return;
        }
        let mut from = 0;
        for at in memchr::memchr_iter(b'\n', bytes) {
            let returns = count_trailing_carriage_returns(&bytes[from..at]);
            match returns {
                0 => self.line_ends.lf += 1,
                1 => self.line_ends.crlf += 1,
                _ => self.line_ends.cr_cr_lf += 1,
            }
            self.view.push_str(&text[from..at - returns]);
            self.view.push('\n');
            from = at + 1;
        }
        self.pending_crs = count_trailing_carriage_returns(&bytes[from..]);
        self.view
            .push_str(&text[from..text.len() - self.pending_crs]);
    }

    /// Pushes the pending CRs as characters, since no LF follows them.
    fn flush_pending_crs(&mut self) {
        for _ in 0..std::mem::take(&mut self.pending_crs) {
            self.view.push('\r');
        }
    }

    fn finish(&mut self) {
        self.flush_pending_crs();
        self.checkpoints.shrink_to_fit();
    }
}
