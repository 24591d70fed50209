//! Detects the encoding of a file, and encodes text in it. How bytes become the text that is shown and searched is in
//! `document`.

mod binary;
mod detect;
mod encode;
pub(crate) mod sequence;
mod utf16;

pub use binary::binary_kind;
pub(crate) use binary::{PDF_TAIL_LENGTH, binary_kind_without_nul};
pub(crate) use detect::{CarriageReturns, Detected, detect_text, fallback_encoding};
pub use detect::{ControlBytes, detect_encoding, rule_out_text};

use encoding_rs::Encoding as Table;

/// An encoding, and whether the file starts with a byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Encoding {
    kind: EncodingFamily,
    mark: ByteOrderMark,
}

/// The family of an encoding. Everything that is not Unicode is a table of `encoding_rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EncodingFamily {
    Utf8,
    Utf16Le,
    Utf16Be,
    Legacy(&'static Table),
}

/// Whether the file starts with a byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ByteOrderMark {
    Absent,
    Present,
}

/// The reason why bytes are not shown or edited as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotText {
    /// The bytes have NULs and are not UTF-16, or they are UTF-32 or a PDF.
    Binary {
        /// The kind of the data, judged by its first bytes, such as "ELF program" or "unknown binary data".
        kind: &'static str,
    },
}

/// A character that an encoding cannot represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unencodable {
    /// The first such character of the text.
    pub character: char,
    /// The encoding that lacks it.
    pub encoding: Encoding,
}

/// The names that [`Encoding::name`] uses for the tables: those of `encoding_rs` in lower case.
const LEGACY_NAMES: [&str; 35] = [
    "big5",
    "euc-jp",
    "euc-kr",
    "gb18030",
    "gbk",
    "ibm866",
    "iso-8859-10",
    "iso-8859-13",
    "iso-8859-14",
    "iso-8859-15",
    "iso-8859-16",
    "iso-8859-2",
    "iso-8859-3",
    "iso-8859-4",
    "iso-8859-5",
    "iso-8859-6",
    "iso-8859-7",
    "iso-8859-8",
    "iso-8859-8-i",
    "koi8-r",
    "koi8-u",
    "macintosh",
    "shift_jis",
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "windows-874",
    "x-mac-cyrillic",
    "x-user-defined",
];

/// Labels in common use that are not among the WHATWG labels, which `encoding_rs` follows.
const FURTHER_LABELS: [(&str, &str); 6] = [
    ("cp932", "shift_jis"),
    ("cp936", "gbk"),
    ("cp949", "euc-kr"),
    ("cp950", "big5"),
    ("latin-1", "windows-1252"),
    ("cp874", "windows-874"),
];

impl Encoding {
    /// UTF-8 without a byte order mark.
    pub const UTF8: Encoding = Encoding::new(EncodingFamily::Utf8, ByteOrderMark::Absent);
    /// UTF-8 with a byte order mark.
    pub const UTF8_BOM: Encoding = Encoding::new(EncodingFamily::Utf8, ByteOrderMark::Present);

    pub(crate) const fn new(kind: EncodingFamily, mark: ByteOrderMark) -> Encoding {
        Encoding { kind, mark }
    }

    pub(crate) fn from_legacy_table(table: &'static Table) -> Encoding {
        Encoding::new(EncodingFamily::Legacy(table), ByteOrderMark::Absent)
    }

    /// Returns the encoding that a label of the settings names: the WHATWG labels, a few that Python and Windows use,
    /// and for a byte order mark `utf-8-bom`, `utf-16le-bom`, `utf-16be-bom` and `utf-16` (little endian). ISO-2022-JP
    /// is not among them: it has shift states, so the meaning of its bytes depends on those before them.
    pub fn for_label(label: &str) -> Option<Encoding> {
        let label = label.trim().to_ascii_lowercase();
        let marked = |kind| Some(Encoding::new(kind, ByteOrderMark::Present));
        match label.as_str() {
            "utf-8-bom" | "utf8-bom" | "utf-8-sig" | "utf8-sig" => {
                return marked(EncodingFamily::Utf8);
            }
            "utf-16" | "utf16" | "utf-16le-bom" => return marked(EncodingFamily::Utf16Le),
            "utf-16be-bom" => return marked(EncodingFamily::Utf16Be),
            _ => {}
        }
        let further = FURTHER_LABELS
            .iter()
            .find(|(known, _)| *known == label)
            .map_or(label.as_str(), |(_, name)| name);
        let table = Table::for_label_no_replacement(further.as_bytes())
            .or_else(|| Table::for_label_no_replacement(further.replace('_', "-").as_bytes()))?;
        let kind = if table == encoding_rs::UTF_8 {
            EncodingFamily::Utf8
        } else if table == encoding_rs::UTF_16LE {
            EncodingFamily::Utf16Le
        } else if table == encoding_rs::UTF_16BE {
            EncodingFamily::Utf16Be
        } else if table == encoding_rs::ISO_2022_JP {
            return None;
        } else {
            EncodingFamily::Legacy(table)
        };
        Some(Encoding::new(kind, ByteOrderMark::Absent))
    }

    /// Returns the name that results use: `utf-8`, `utf-8-bom`, `utf-16le`, `utf-16be`, `gbk`, `windows-1252`, …
    pub fn name(self) -> &'static str {
        match (self.kind, self.mark) {
            (EncodingFamily::Utf8, ByteOrderMark::Absent) => "utf-8",
            (EncodingFamily::Utf8, ByteOrderMark::Present) => "utf-8-bom",
            (EncodingFamily::Utf16Le, _) => "utf-16le",
            (EncodingFamily::Utf16Be, _) => "utf-16be",
            (EncodingFamily::Legacy(table), _) => LEGACY_NAMES
                .into_iter()
                .find(|name| name.eq_ignore_ascii_case(table.name()))
                .unwrap_or("legacy"),
        }
    }

    /// Returns whether a file in this encoding starts with a byte order mark.
    pub fn has_mark(self) -> bool {
        self.mark == ByteOrderMark::Present
    }

    /// Returns whether this is UTF-8, with or without a byte order mark.
    pub fn is_utf8(self) -> bool {
        self.kind == EncodingFamily::Utf8
    }

    /// Returns whether ASCII text has the same bytes in this encoding. An encoding with a byte order mark does not
    /// count: a mark cannot be added to existing bytes.
    pub(crate) fn extends_ascii(self) -> bool {
        matches!(self.kind, EncodingFamily::Legacy(_)) || self == Encoding::UTF8
    }

    pub(crate) fn family(self) -> EncodingFamily {
        self.kind
    }

    /// Returns the text of these bytes for display, with every line end unchanged and U+FFFD for what cannot be
    /// decoded. An edit uses the [`Document`](crate::Document) instead, which can map offsets back to bytes.
    pub fn decode_for_display(self, bytes: &[u8]) -> std::borrow::Cow<'_, str> {
        let table = match self.kind {
            EncodingFamily::Utf8 => return String::from_utf8_lossy(bytes),
            EncodingFamily::Utf16Le => encoding_rs::UTF_16LE,
            EncodingFamily::Utf16Be => encoding_rs::UTF_16BE,
            EncodingFamily::Legacy(table) => table,
        };
        table.decode_without_bom_handling(bytes).0
    }

    /// Returns the byte order mark that a file in this encoding starts with; empty where it has none.
    pub fn mark_bytes(self) -> &'static [u8] {
        match (self.mark, self.kind) {
            (ByteOrderMark::Present, EncodingFamily::Utf8) => b"\xEF\xBB\xBF",
            (ByteOrderMark::Present, EncodingFamily::Utf16Le) => b"\xFF\xFE",
            (ByteOrderMark::Present, EncodingFamily::Utf16Be) => b"\xFE\xFF",
            _ => b"",
        }
    }
}

impl std::fmt::Display for Encoding {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

impl std::fmt::Display for NotText {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let NotText::Binary { kind } = self;
        write!(formatter, "not text: {kind}")
    }
}

impl std::error::Error for NotText {}

impl std::fmt::Display for Unencodable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let code = u32::from(self.character);
        write!(formatter, "U+{code:04X} has no bytes in {}", self.encoding)
    }
}

impl std::error::Error for Unencodable {}

#[cfg(test)]
mod tests;
