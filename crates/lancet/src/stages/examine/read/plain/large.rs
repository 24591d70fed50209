//! Lines of a large file, read in one pass: only the lines that are wanted are in memory.

use std::ops::{ControlFlow, RangeInclusive};

use lancet_text::{Encoding, Endings};
use lancet_workspace::RevisionHasher;

use super::PlainLines;
use crate::engine::EngineView;
use crate::refusal::Refusal;
use crate::stages::locate::Target;
use crate::stages::open::{
    MAX_IN_MEMORY_SIZE, configured_encoding, refuse_binary_head, unreadable_refusal,
};

/// The longest UTF-8 character, in bytes.
const MAX_CHARACTER: usize = 4;

/// Reads lines of a large file. None for a small one, and for one that is not plain UTF-8 with LF or CRLF: its lines
/// depend on all of it.
pub(super) fn read(
    engine: &EngineView,
    target: &Target,
    wanted: &RangeInclusive<usize>,
) -> Result<Option<PlainLines>, Refusal> {
    let size = target.located.stat().map_or(0, |stamp| stamp.size);
    let encoding = configured_encoding(engine, target);
    if size <= MAX_IN_MEMORY_SIZE || encoding.is_some_and(|encoding| encoding != Encoding::UTF8) {
        return Ok(None);
    }
    refuse_binary_head(engine, target)?;
    let mut scan = LineScan::new(wanted);
    target
        .located
        .scan_content(&mut |piece| scan.take(piece))
        .map_err(|error| unreadable_refusal(target, &error))?;
    Ok(scan.finish())
}

/// The state of the pass.
struct LineScan {
    wanted: RangeInclusive<usize>,
    hasher: RevisionHasher,
    /// The number of the line that the next byte belongs to, from 1.
    line: usize,
    /// Whether that line has a byte.
    has_begun: bool,
    /// The bytes of the wanted lines.
    bytes: Vec<u8>,
    /// The end of the last piece, if it is the beginning of a character.
    rest: Vec<u8>,
    last: u8,
    /// How many lines end with CRLF.
    crlf: usize,
    is_first_piece: bool,
    is_plain: bool,
}

impl LineScan {
    fn new(wanted: &RangeInclusive<usize>) -> Self {
        LineScan {
            wanted: (*wanted.start()).max(1)..=*wanted.end(),
            hasher: RevisionHasher::new(),
            line: 1,
            has_begun: false,
            bytes: Vec::new(),
            rest: Vec::new(),
            last: 0,
            crlf: 0,
            is_first_piece: true,
            is_plain: true,
        }
    }

    fn take(&mut self, piece: &[u8]) -> ControlFlow<()> {
        self.hasher.update(piece);
        let has_mark = std::mem::take(&mut self.is_first_piece)
            && (piece.starts_with(b"\xEF\xBB\xBF")
                || piece.starts_with(b"\xFF\xFE")
                || piece.starts_with(b"\xFE\xFF"));
        if has_mark || piece.contains(&0) || !self.is_utf8(piece) || !self.count_ends(piece) {
            self.is_plain = false;
            return ControlFlow::Break(());
        }
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            if self.wanted.contains(&self.line) {
                self.bytes.extend_from_slice(part);
            }
            self.has_begun = !part.ends_with(b"\n");
            self.line += usize::from(!self.has_begun);
        }
        ControlFlow::Continue(())
    }

    /// Returns whether the text is UTF-8 so far. A character may be split between two pieces.
    fn is_utf8(&mut self, piece: &[u8]) -> bool {
        let mut at = 0;
        while !self.rest.is_empty() && at < piece.len() {
            self.rest.push(piece[at]);
            at += 1;
            match std::str::from_utf8(&self.rest) {
                Ok(_) => self.rest.clear(),
                Err(error) if error.error_len().is_some() => return false,
                Err(_) if self.rest.len() >= MAX_CHARACTER => return false,
                Err(_) => {}
            }
        }
        match std::str::from_utf8(&piece[at..]) {
            Ok(_) => true,
            Err(error) if error.error_len().is_some() => false,
            Err(error) => {
                self.rest = piece[at + error.valid_up_to()..].to_vec();
                true
            }
        }
    }

    /// Counts the lines that end with CRLF. Returns false at a CR that is not followed by LF.
    fn count_ends(&mut self, piece: &[u8]) -> bool {
        if self.last != b'\r' && !piece.contains(&b'\r') {
            self.last = piece.last().copied().unwrap_or(self.last);
            return true;
        }
        let mut last = self.last;
        for &byte in piece {
            if last == b'\r' {
                if byte != b'\n' {
                    return false;
                }
                self.crlf += 1;
            }
            last = byte;
        }
        self.last = last;
        true
    }

    fn finish(self) -> Option<PlainLines> {
        if !self.is_plain || !self.rest.is_empty() || self.last == b'\r' {
            return None;
        }
        let ended = self.line - 1;
        let line_endings = match (ended, self.crlf) {
            (0, _) => Endings::None,
            (_, 0) => Endings::Lf,
            (ended, crlf) if ended == crlf => Endings::Crlf,
            _ => Endings::Mixed,
        };
        let text = std::str::from_utf8(&self.bytes).ok()?;
        let lines = text.split_inclusive('\n').map(|line| {
            let line = line.strip_suffix('\n').unwrap_or(line);
            line.strip_suffix('\r').unwrap_or(line).to_owned()
        });
        Some(PlainLines {
            first: *self.wanted.start(),
            lines: lines.collect(),
            total: ended + usize::from(self.has_begun),
            encoding: Encoding::UTF8.name(),
            line_endings,
            revision: self.hasher.finish().short_hex(),
            bytes: self.bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use lancet_text::Document;

    use super::*;

    fn scan(text: &[u8], pieces: usize, wanted: RangeInclusive<usize>) -> Option<PlainLines> {
        let mut scan = LineScan::new(&wanted);
        for piece in text.chunks(pieces) {
            if scan.take(piece).is_break() {
                break;
            }
        }
        scan.finish()
    }

    #[test]
    fn has_the_lines_of_a_document_whatever_the_pieces_are() {
        for text in [
            "one\ntwo\nthree\n",
            "one\r\ntwo\r\nlast é",
            "ä\n\nmixed\r\n€ and 😀\n",
            "no end",
        ] {
            let document = Document::decode(text.as_bytes(), None).expect("text");
            for pieces in 1..text.len() + 1 {
                for first in 1..6 {
                    let found = scan(text.as_bytes(), pieces, first..=first + 1).expect("plain");
                    let lines = document.lines_from(first - 1).take(2);
                    let lines: Vec<String> = match first <= document.line_count() {
                        true => lines.map(|line| document.view()[line].to_owned()).collect(),
                        false => Vec::new(),
                    };
                    assert_eq!(found.lines, lines, "{text:?} {pieces} {first}");
                    assert_eq!(found.total, document.line_count(), "{text:?}");
                    assert_eq!(found.line_endings, document.endings(), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn leaves_what_is_not_plain_to_others() {
        for text in [
            &b"one\rtwo\n"[..],
            b"one\r\r\n",
            b"caf\xe9\n",
            b"cut \xe2\x82",
            b"\xef\xbb\xbfmark\n",
            b"nul\0\n",
            b"end\r",
        ] {
            assert!(
                scan(text, 4, 1..=9).is_none() && scan(text, 64, 1..=9).is_none(),
                "{text:?}"
            );
        }
    }
}
