//! Detects the encoding of a file: byte order mark first, then proof by decoding, then the settings, then a guess. This
//! order is a contract; each step is final.

use super::{
    ByteOrderMark, Encoding, EncodingFamily, NotText, binary_kind, binary_kind_without_nul, utf16,
};
use crate::byte_lanes::find_control;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding as Table;

/// A guess reads at most this much, from the line of the first byte that is not ASCII: guessing is slow, and more text
/// does not change the result.
const GUESS_SAMPLE_LENGTH: usize = 256 << 10;

/// The result of [`detect_text`].
pub(crate) enum Detected<'a> {
    /// The bytes after the mark are valid UTF-8, or ASCII in an encoding that extends it.
    Text {
        encoding: Encoding,
        text: &'a str,
        returns: CarriageReturns,
    },
    /// The bytes have to be decoded. Those that cannot be are damaged.
    Bytes(Encoding),
    /// The bytes have to be decoded. If one of them cannot be, the guess was wrong, and the encoding is [`fallback_encoding`].
    Guess(Encoding),
}

/// Whether a text has CRs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CarriageReturns {
    None,
    Some,
}

/// The knowledge about the NULs and CRs of a file before it is scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlBytes {
    /// Nothing is known.
    Unknown,
    /// The file has neither.
    Absent,
}

impl CarriageReturns {
    pub(crate) fn detect_in(raw: &[u8]) -> CarriageReturns {
        match memchr::memchr(b'\r', raw) {
            None => CarriageReturns::None,
            Some(_) => CarriageReturns::Some,
        }
    }
}

/// Returns the encoding to use when every guess fails. Every byte is a character in it, so nothing is lost, and edits
/// in ASCII are right whatever encoding the file really has.
pub(crate) fn fallback_encoding() -> Encoding {
    Encoding::from_legacy_table(encoding_rs::WINDOWS_1252)
}

/// Returns the encoding in which a file of these bytes is read. `configured` is what the settings say for its path.
pub fn detect_encoding(raw: &[u8], configured: Option<Encoding>) -> Result<Encoding, NotText> {
    Ok(match detect_text(raw, configured, ControlBytes::Unknown)? {
        Detected::Text { encoding, .. } | Detected::Bytes(encoding) => encoding,
        Detected::Guess(guess) => match guess.kind {
            EncodingFamily::Legacy(table) if !can_decode(table, raw) => fallback_encoding(),
            _ => guess,
        },
    })
}

/// Returns why a file that begins with these bytes is not text, whatever follows them: the same result as for the whole
/// file. `None` where the head does not decide.
pub fn rule_out_text(head: &[u8], configured: Option<Encoding>) -> Option<NotText> {
    if let Some(marked) = detect_byte_order_mark(head) {
        return marked.err();
    }
    memchr::memchr(0, head)?;
    let wide = configured.is_some_and(|configured| is_wide(&configured));
    // Where the settings name UTF-16, any characters but U+0000 are accepted.
    let ruled_out = utf16::is_ruled_out(head) && (!wide || utf16::contains_nul_character(head));
    ruled_out.then(|| binary_error(head))
}

fn is_wide(encoding: &Encoding) -> bool {
    matches!(
        encoding.kind,
        EncodingFamily::Utf16Le | EncodingFamily::Utf16Be
    )
}

pub(crate) fn detect_text(
    raw: &[u8],
    configured: Option<Encoding>,
    controls: ControlBytes,
) -> Result<Detected<'_>, NotText> {
    if raw.is_empty() {
        return Ok(Detected::Text {
            encoding: configured.unwrap_or(Encoding::UTF8),
            text: "",
            returns: CarriageReturns::None,
        });
    }
    if let Some(marked) = detect_byte_order_mark(raw) {
        return marked;
    }
    // Most files have neither NUL nor CR, so one search for both is enough.
    let odd = match controls {
        ControlBytes::Unknown => find_control(raw),
        ControlBytes::Absent => None,
    };
    if odd.is_some_and(|at| memchr::memchr(0, &raw[at..]).is_some()) {
        return match detect_utf16_by_nul_bytes(raw, configured) {
            Some(encoding) => Ok(Detected::Bytes(encoding)),
            None => Err(binary_error(raw)),
        };
    }
    if let Some(kind) = binary_kind_without_nul(raw, raw) {
        return Err(NotText::Binary { kind });
    }
    if let Ok(text) = simdutf8::basic::from_utf8(raw) {
        return Ok(Detected::Text {
            encoding: configured
                .filter(|configured| configured.extends_ascii() && raw.is_ascii())
                .unwrap_or(Encoding::UTF8),
            text,
            returns: odd.map_or(CarriageReturns::None, |_| CarriageReturns::Some),
        });
    }
    if is_mostly_utf8(raw) {
        return Ok(Detected::Bytes(Encoding::UTF8));
    }
    Ok(match configured {
        Some(configured) => {
            let encoding = Encoding::new(configured.kind, ByteOrderMark::Absent);
            Detected::Bytes(with_four_byte_sequences(encoding, raw))
        }
        None => Detected::Guess(guess_encoding(raw)),
    })
}

fn binary_error(raw: &[u8]) -> NotText {
    NotText::Binary {
        kind: binary_kind(raw),
    }
}

/// Detects a byte order mark. That of UTF-32 begins with that of UTF-16LE and is tried first.
fn detect_byte_order_mark(raw: &[u8]) -> Option<Result<Detected<'_>, NotText>> {
    if raw.starts_with(b"\xFF\xFE\0\0") || raw.starts_with(b"\0\0\xFE\xFF") {
        let kind = "UTF-32 text";
        return Some(Err(NotText::Binary { kind }));
    }
    let little = raw.starts_with(b"\xFF\xFE");
    if little || raw.starts_with(b"\xFE\xFF") {
        if utf16::contains_nul_character(&raw[2..]) {
            return Some(Err(binary_error(raw)));
        }
        let kind = if little {
            EncodingFamily::Utf16Le
        } else {
            EncodingFamily::Utf16Be
        };
        let encoding = Encoding::new(kind, ByteOrderMark::Present);
        return Some(Ok(Detected::Bytes(encoding)));
    }
    let rest = raw.strip_prefix(b"\xEF\xBB\xBF")?;
    if memchr::memchr(0, rest).is_some() {
        return Some(Err(binary_error(rest)));
    }
    let encoding = Encoding::UTF8_BOM;
    Some(Ok(match simdutf8::basic::from_utf8(rest) {
        Ok(text) => Detected::Text {
            encoding,
            text,
            returns: CarriageReturns::detect_in(rest),
        },
        Err(_) => Detected::Bytes(encoding),
    }))
}

/// Returns the kind of UTF-16 that the bytes, which contain a NUL, are in, if any.
fn detect_utf16_by_nul_bytes(raw: &[u8], configured: Option<Encoding>) -> Option<Encoding> {
    if let Some(kind) = utf16::detect_without_mark(raw) {
        return Some(Encoding::new(kind, ByteOrderMark::Absent));
    }
    let configured = configured.filter(is_wide)?;
    let whole = raw.len().is_multiple_of(2) && !utf16::contains_nul_character(raw);
    whole.then_some(Encoding::new(configured.kind, ByteOrderMark::Absent))
}

/// Returns whether bytes that are not valid UTF-8 are UTF-8 with a few stray bytes: there are more well-formed
/// sequences of several bytes than bad bytes.
fn is_mostly_utf8(raw: &[u8]) -> bool {
    let (mut good, mut bad, mut left) = (0, 0, raw.len());
    for chunk in raw.utf8_chunks() {
        let valid = chunk.valid().as_bytes();
        good += valid.iter().filter(|byte| **byte >= 0xC0).count();
        bad += chunk.invalid().len();
        left -= valid.len() + chunk.invalid().len();
        // The rest holds at most half as many sequences as it has bytes.
        if good + left / 2 <= bad {
            return false;
        }
    }
    good > bad
}

/// Returns GB18030 instead of GBK where the file has a sequence of four bytes, which only the former supports. A file
/// without one stays GBK, so that an edit does not add the first: the programs that read it may not support such
/// sequences.
fn with_four_byte_sequences(encoding: Encoding, raw: &[u8]) -> Encoding {
    if encoding.kind != EncodingFamily::Legacy(encoding_rs::GBK) {
        return encoding;
    }
    let is_lead = |byte: u8| (0x81..=0xFE).contains(&byte);
    let mut at = 0;
    while at < raw.len() {
        at += match raw[at..] {
            [a, b, c, d, ..]
                if is_lead(a) && b.is_ascii_digit() && is_lead(c) && d.is_ascii_digit() =>
            {
                return Encoding::from_legacy_table(encoding_rs::GB18030);
            }
            [a, b, ..] if is_lead(a) && b >= 0x40 => 2,
            _ => 1,
        };
    }
    encoding
}

/// Returns the encoding that the bytes most likely have, still to be proven by decoding all of them.
///
/// Encoding the text back need not give the same bytes: some tables have two sequences for one character, or characters
/// that they only read. That does no harm, since bytes outside an edit are copied.
fn guess_encoding(raw: &[u8]) -> Encoding {
    let from = raw.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let line = memchr::memrchr(b'\n', &raw[..from]).map_or(0, |at| at + 1);
    let line = line.max(from.saturating_sub(GUESS_SAMPLE_LENGTH / 2));
    let until = raw.len().min(line + GUESS_SAMPLE_LENGTH);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&raw[line..until], until == raw.len());
    let table = detector.guess(None, Utf8Detection::Deny);
    with_four_byte_sequences(Encoding::from_legacy_table(table), raw)
}

/// Returns whether all bytes belong to well-formed sequences of the table.
fn can_decode(table: &'static Table, raw: &[u8]) -> bool {
    let mut decoder = table.new_decoder_without_bom_handling();
    let mut scratch = [0; 8192];
    let mut at = 0;
    loop {
        let (result, read, _) =
            decoder.decode_to_utf8_without_replacement(&raw[at..], &mut scratch, true);
        at += read;
        match result {
            encoding_rs::DecoderResult::InputEmpty => return true,
            encoding_rs::DecoderResult::OutputFull => {}
            encoding_rs::DecoderResult::Malformed(..) => return false,
        }
    }
}
