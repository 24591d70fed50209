//! The length of the byte sequence of one character in each encoding: enough to walk from an offset in the decoded text
//! to its bytes without decoding again.

use super::EncodingFamily;

/// The rule by which the bytes of an encoding form characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SequenceRule {
    Utf8,
    Utf16Le,
    Utf16Be,
    OneByte,
    TwoBytes,
    Big5,
    ShiftJis,
    EucJp,
    Gb18030,
}

impl SequenceRule {
    pub(crate) fn for_family(kind: EncodingFamily) -> SequenceRule {
        match kind {
            EncodingFamily::Utf8 => SequenceRule::Utf8,
            EncodingFamily::Utf16Le => SequenceRule::Utf16Le,
            EncodingFamily::Utf16Be => SequenceRule::Utf16Be,
            EncodingFamily::Legacy(table) if table.is_single_byte() => SequenceRule::OneByte,
            EncodingFamily::Legacy(table) if table == encoding_rs::SHIFT_JIS => {
                SequenceRule::ShiftJis
            }
            EncodingFamily::Legacy(table) if table == encoding_rs::EUC_JP => SequenceRule::EucJp,
            EncodingFamily::Legacy(table) if table == encoding_rs::BIG5 => SequenceRule::Big5,
            EncodingFamily::Legacy(table)
                if table == encoding_rs::GBK || table == encoding_rs::GB18030 =>
            {
                SequenceRule::Gb18030
            }
            EncodingFamily::Legacy(_) => SequenceRule::TwoBytes,
        }
    }

    /// Returns how many bytes an ASCII character takes.
    pub(crate) fn ascii_width(self) -> usize {
        match self {
            SequenceRule::Utf16Le | SequenceRule::Utf16Be => 2,
            _ => 1,
        }
    }

    /// Returns the ASCII character at the byte offset `at`, if there is one.
    pub(crate) fn ascii_at(self, raw: &[u8], at: usize) -> Option<u8> {
        let byte = match (self, raw.get(at..)?) {
            (SequenceRule::Utf16Le, [byte, 0, ..]) | (SequenceRule::Utf16Be, [0, byte, ..]) => {
                *byte
            }
            (SequenceRule::Utf16Le | SequenceRule::Utf16Be, _) => return None,
            (_, rest) => *rest.first()?,
        };
        byte.is_ascii().then_some(byte)
    }

    /// Returns the length in bytes of the well-formed sequence at the start of `raw`, which decodes to the non-ASCII
    /// `character`, and the length of its decoded text in UTF-8.
    pub(crate) fn sequence_length(self, raw: &[u8], character: char) -> (usize, usize) {
        let first = raw.first().copied().unwrap_or_default();
        let second = raw.get(1).copied().unwrap_or_default();
        let decoded = character.len_utf8();
        let bytes = match self {
            SequenceRule::Utf8 => decoded,
            SequenceRule::Utf16Le | SequenceRule::Utf16Be => 2 * character.len_utf16(),
            SequenceRule::OneByte => 1,
            SequenceRule::TwoBytes => 2,
            // Four sequences decode to a letter and a combining mark, two bytes each in UTF-8.
            SequenceRule::Big5 if first == 0x88 && matches!(second, 0x62 | 0x64 | 0xA3 | 0xA5) => {
                return (2, 4);
            }
            SequenceRule::Big5 => 2,
            SequenceRule::ShiftJis if first == 0x80 || (0xA1..=0xDF).contains(&first) => 1,
            SequenceRule::ShiftJis => 2,
            SequenceRule::EucJp if first == 0x8F => 3,
            SequenceRule::EucJp => 2,
            SequenceRule::Gb18030 if first == 0x80 => 1,
            SequenceRule::Gb18030 if second.is_ascii_digit() => 4,
            SequenceRule::Gb18030 => 2,
        };
        (bytes, decoded)
    }
}
