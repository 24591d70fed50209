//! Encodes a file that is written whole.

use crate::encoding::{Encoding, Unencodable};
use crate::lines::{Endings, LineEnd, normalize_newlines};

/// Returns the bytes of a new file, or of one that is replaced as a whole: byte order mark, line ends, encoding.
///
/// [`LineEnd::AsSent`] leaves each line end as it was sent. Any other value replaces LF, CR LF and CR CR LF by that
/// line end. A lone CR counts as a line end only for [`LineEnd::Cr`]; elsewhere it is a character. A text that already
/// starts with a byte order mark does not get a second one.
pub fn encode_new(text: &str, encoding: Encoding, ending: LineEnd) -> Result<Vec<u8>, Unencodable> {
    let text = match text.strip_prefix('\u{FEFF}') {
        Some(rest) if encoding.has_mark() => rest,
        _ => text,
    };
    let body = match ending {
        LineEnd::AsSent => encoding.encode(text),
        LineEnd::Lf => encoding.encode(&normalize_newlines(text, Endings::Lf)),
        LineEnd::Crlf => {
            encoding.encode(&normalize_newlines(text, Endings::Crlf).replace('\n', "\r\n"))
        }
        LineEnd::Cr => encoding.encode(&normalize_newlines(text, Endings::Cr).replace('\n', "\r")),
    }?;
    if !encoding.has_mark() {
        return Ok(body);
    }
    Ok([encoding.mark_bytes(), &body].concat())
}
