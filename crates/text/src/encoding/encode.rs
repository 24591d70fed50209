//! Encodes text. Either the result decodes to the same text, or the text is refused.

use super::{Encoding, EncodingFamily, Unencodable};
use encoding_rs::{EncoderResult, Encoding as Table};

impl Encoding {
    /// Returns the bytes of a text in this encoding, without a byte order mark. The error names the first character
    /// that the encoding cannot represent.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, Unencodable> {
        match self.kind {
            EncodingFamily::Utf8 => Ok(text.as_bytes().to_vec()),
            EncodingFamily::Utf16Le => Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            EncodingFamily::Utf16Be => Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            EncodingFamily::Legacy(_) if text.is_ascii() => Ok(text.as_bytes().to_vec()),
            EncodingFamily::Legacy(table) => self.encode_legacy(table, text),
        }
    }

    fn encode_legacy(self, table: &'static Table, text: &str) -> Result<Vec<u8>, Unencodable> {
        let refuse = |character| Unencodable {
            character,
            encoding: self,
        };
        let bytes = encode_in_table(table, text).map_err(refuse)?;
        // Some tables lose characters when encoding: Shift_JIS writes a yen sign as the byte of the backslash. Such a
        // character is refused like one that the table lacks.
        let read = table.decode_without_bom_handling_and_without_replacement(&bytes);
        if read.is_some_and(|read| read == text) {
            return Ok(bytes);
        }
        let mut spelled = [0; 4];
        let lost = text.chars().find(|character| {
            let single = character.encode_utf8(&mut spelled);
            let read_back = encode_in_table(table, single).ok().and_then(|bytes| {
                table
                    .decode_without_bom_handling_and_without_replacement(&bytes)
                    .map(|read| read == *single)
            });
            read_back != Some(true)
        });
        Err(refuse(lost.unwrap_or(char::REPLACEMENT_CHARACTER)))
    }
}

/// Returns the bytes of `text` in `table`; the error is the first character that the table lacks.
fn encode_in_table(table: &'static Table, text: &str) -> Result<Vec<u8>, char> {
    let mut bytes = Vec::with_capacity(text.len() + 16);
    let mut encoder = table.new_encoder();
    let mut rest = text;
    loop {
        let (result, read) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return Ok(bytes),
            EncoderResult::OutputFull => bytes.reserve(rest.len() * 2 + 16),
            EncoderResult::Unmappable(character) => return Err(character),
        }
    }
}
