//! Detects the encoding of a file, and encodes text in it. How bytes become the text that is shown and searched is in
//! `document`.

mod binary;
mod detect;
mod encode;
pub(crate) mod sequence;
mod utf16;

pub use binary::binary_kind;
pub(crate) use binary::{TAIL, kind_without_nul};
pub(crate) use detect::{CarriageReturns, Detected, detect_text, fallback};
pub use detect::{ControlBytes, detect, never_text};

use encoding_rs::Encoding as Table;

/// An encoding, and whether the file starts with a byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Encoding {
    kind: Family,
    mark: Bom,
}

/// The family of an encoding. Everything that is not Unicode is a table of `encoding_rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Family {
    Utf8,
    Utf16Le,
    Utf16Be,
    Legacy(&'static Table),
}

/// Whether the file starts with a byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Bom {
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
    pub const UTF8: Encoding = Encoding::new(Family::Utf8, Bom::Absent);
    /// UTF-8 with a byte order mark.
    pub const UTF8_BOM: Encoding = Encoding::new(Family::Utf8, Bom::Present);

    pub(crate) const fn new(kind: Family, mark: Bom) -> Encoding {
        Encoding { kind, mark }
    }

    pub(crate) fn legacy(table: &'static Table) -> Encoding {
        Encoding::new(Family::Legacy(table), Bom::Absent)
    }

    /// Returns the encoding that a label of the settings names: the WHATWG labels, a few that Python and Windows use,
    /// and for a byte order mark `utf-8-bom`, `utf-16le-bom`, `utf-16be-bom` and `utf-16` (little endian). ISO-2022-JP
    /// is not among them: it has shift states, so the meaning of its bytes depends on those before them.
    pub fn for_label(label: &str) -> Option<Encoding> {
        let label = label.trim().to_ascii_lowercase();
        let marked = |kind| Some(Encoding::new(kind, Bom::Present));
        match label.as_str() {
            "utf-8-bom" | "utf8-bom" | "utf-8-sig" | "utf8-sig" => return marked(Family::Utf8),
            "utf-16" | "utf16" | "utf-16le-bom" => return marked(Family::Utf16Le),
            "utf-16be-bom" => return marked(Family::Utf16Be),
            _ => {}
        }
        let further = FURTHER_LABELS
            .iter()
            .find(|(known, _)| *known == label)
            .map_or(label.as_str(), |(_, name)| name);
        let table = Table::for_label_no_replacement(further.as_bytes())
            .or_else(|| Table::for_label_no_replacement(further.replace('_', "-").as_bytes()))?;
        let kind = if table == encoding_rs::UTF_8 {
            Family::Utf8
        } else if table == encoding_rs::UTF_16LE {
            Family::Utf16Le
        } else if table == encoding_rs::UTF_16BE {
            Family::Utf16Be
        } else if table == encoding_rs::ISO_2022_JP {
            return None;
        } else {
            Family::Legacy(table)
        };
        Some(Encoding::new(kind, Bom::Absent))
    }

    /// Returns the name that results use: `utf-8`, `utf-8-bom`, `utf-16le`, `utf-16be`, `gbk`, `windows-1252`, …
    pub fn name(self) -> &'static str {
        match (self.kind, self.mark) {
            (Family::Utf8, Bom::Absent) => "utf-8",
            (Family::Utf8, Bom::Present) => "utf-8-bom",
            (Family::Utf16Le, _) => "utf-16le",
            (Family::Utf16Be, _) => "utf-16be",
            (Family::Legacy(table), _) => LEGACY_NAMES
                .into_iter()
                .find(|name| name.eq_ignore_ascii_case(table.name()))
                .unwrap_or("legacy"),
        }
    }

    /// Returns whether a file in this encoding starts with a byte order mark.
    pub fn has_mark(self) -> bool {
        self.mark == Bom::Present
    }

    /// Returns whether this is UTF-8, with or without a byte order mark.
    pub fn is_utf8(self) -> bool {
        self.kind == Family::Utf8
    }

    /// Returns whether ASCII text has the same bytes in this encoding. An encoding with a byte order mark does not
    /// count: a mark cannot be added to existing bytes.
    pub(crate) fn extends_ascii(self) -> bool {
        matches!(self.kind, Family::Legacy(_)) || self == Encoding::UTF8
    }

    pub(crate) fn family(self) -> Family {
        self.kind
    }

    /// Returns the text of these bytes for display, with every line end unchanged and U+FFFD for what cannot be
    /// decoded. An edit uses the [`Document`](crate::Document) instead, which can map offsets back to bytes.
    pub fn show(self, bytes: &[u8]) -> std::borrow::Cow<'_, str> {
        let table = match self.kind {
            Family::Utf8 => return String::from_utf8_lossy(bytes),
            Family::Utf16Le => encoding_rs::UTF_16LE,
            Family::Utf16Be => encoding_rs::UTF_16BE,
            Family::Legacy(table) => table,
        };
        table.decode_without_bom_handling(bytes).0
    }

    /// Returns the byte order mark that a file in this encoding starts with; empty where it has none.
    pub fn mark_bytes(self) -> &'static [u8] {
        match (self.mark, self.kind) {
            (Bom::Present, Family::Utf8) => b"\xEF\xBB\xBF",
            (Bom::Present, Family::Utf16Le) => b"\xFF\xFE",
            (Bom::Present, Family::Utf16Be) => b"\xFE\xFF",
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
