//! Generated files whose every character is known with its bytes: encodings, line ends, marks and damage of all kinds.
//! The expected result of an edit of such a file follows from it without running lancet.

use std::fmt;

use proptest::collection::vec;
use proptest::prelude::*;

/// The settings that an engine needs for the files made here.
pub(crate) const ENCODINGS: &str = r#"[encoding]
"*.cp1252" = "windows-1252"
"*.sjis" = "shift_jis"
"*.gbk" = "gbk"
"#;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charset {
    Utf8,
    Utf8Mark,
    Utf16Le,
    Utf16Be,
    Windows1252,
    ShiftJis,
    Gbk,
}

use Charset::*;

/// One character of the text, or one line end, and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) text: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) damaged: bool,
}

#[derive(Clone)]
pub(crate) struct Sample {
    pub(crate) charset: Charset,
    pub(crate) units: Vec<Unit>,
    /// Line ends of one kind, or none at all.
    pub(crate) uniform: bool,
}

const PLAIN: [&str; 20] = [
    "a", "b", "ab", "a b", "  x = 1;", "\tif a {", "}", "\"q\"", "it's", "- b", "1", "\\n", "&lt;",
    "//", "$1", "x", "\t", "  ", "<s>", "…",
];

impl Charset {
    fn extra(self) -> &'static [&'static str] {
        match self {
            Utf8 | Utf8Mark | Utf16Le | Utf16Be => &[
                "é", "“a”", "日本", "😀", "e\u{301}", "\u{a0}", "\u{2028}", "ﬁ",
            ],
            // Not é before two others: that would be a UTF-8 character.
            Windows1252 => &["é.", "“a”", "ü’s", "€"],
            // 表 and ソ end in the byte of a backslash.
            ShiftJis => &["日本", "表", "ソ", "ｱ"],
            // 丂 ends in the byte of an @.
            Gbk => &["中文", "丂", "丄a"],
        }
    }

    /// Returns the name of a file of this kind. The settings map it to the encoding where the bytes do not show it.
    pub(crate) fn file_name(self) -> &'static str {
        match self {
            Utf8 | Utf8Mark | Utf16Le | Utf16Be => "sample.txt",
            Windows1252 => "sample.cp1252",
            ShiftJis => "sample.sjis",
            Gbk => "sample.gbk",
        }
    }

    pub(crate) fn mark(self) -> &'static [u8] {
        match self {
            Utf8Mark => b"\xEF\xBB\xBF",
            Utf16Le => b"\xFF\xFE",
            Utf16Be => b"\xFE\xFF",
            _ => b"",
        }
    }

    /// Returns the bytes of a character; none where the encoding lacks it.
    pub(crate) fn encode_char(self, character: char) -> Option<Vec<u8>> {
        let mut buffer = [0; 4];
        match self {
            Utf8 | Utf8Mark => Some(character.encode_utf8(&mut buffer).as_bytes().to_vec()),
            Utf16Le | Utf16Be => {
                let mut wide = [0; 2];
                let order = if self == Utf16Le {
                    u16::to_le_bytes
                } else {
                    u16::to_be_bytes
                };
                Some(
                    character
                        .encode_utf16(&mut wide)
                        .iter()
                        .flat_map(|unit| order(*unit))
                        .collect(),
                )
            }
            _ if character.is_ascii() => Some(vec![character as u8]),
            Windows1252 => Some(vec![match character {
                'é' => 0xE9,
                'ü' => 0xFC,
                '“' => 0x93,
                '”' => 0x94,
                '’' => 0x92,
                '€' => 0x80,
                '…' => 0x85,
                _ => return None,
            }]),
            ShiftJis => Some(match character {
                '日' => vec![0x93, 0xFA],
                '本' => vec![0x96, 0x7B],
                '表' => vec![0x95, 0x5C],
                'ソ' => vec![0x83, 0x5C],
                'ｱ' => vec![0xB1],
                '…' => vec![0x81, 0x63],
                _ => return None,
            }),
            Gbk => Some(match character {
                '中' => vec![0xD6, 0xD0],
                '文' => vec![0xCE, 0xC4],
                '丂' => vec![0x81, 0x40],
                '丄' => vec![0x81, 0x41],
                '…' => vec![0xA1, 0xAD],
                _ => return None,
            }),
        }
    }

    pub(crate) fn encode(self, text: &str) -> Option<Vec<u8>> {
        let bytes: Option<Vec<Vec<u8>>> = text
            .chars()
            .map(|character| self.encode_char(character))
            .collect();
        Some(bytes?.concat())
    }

    fn damage(self) -> Vec<u8> {
        match self {
            Utf16Le => vec![0x00, 0xD8],
            Utf16Be => vec![0xD8, 0x00],
            // In windows-1252 every byte is a character.
            Windows1252 => Vec::new(),
            _ => vec![0xFF],
        }
    }
}

impl fmt::Debug for Sample {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{:?} {:?} b\"{}\"",
            self.charset,
            self.view(),
            self.bytes().escape_ascii()
        )
    }
}

impl Sample {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.charset.mark().to_vec();
        bytes.extend(bytes_of(&self.units));
        bytes
    }

    pub(crate) fn view(&self) -> String {
        text_of(&self.units)
    }

    pub(crate) fn name(&self) -> &'static str {
        self.charset.file_name()
    }

    pub(crate) fn is_damaged(&self) -> bool {
        self.units.iter().any(|unit| unit.damaged)
    }

    /// Returns the line end of a file that has only one kind; LF for one that has none.
    pub(crate) fn line_end(&self) -> Vec<u8> {
        let first = self.units.iter().find(|unit| unit.text == "\n");
        first.map_or_else(
            || self.charset.encode("\n").unwrap_or_default(),
            |unit| unit.bytes.clone(),
        )
    }

    /// Returns whether every line end is the same and one that Write preserves. A CR inside a line is not a line end.
    pub(crate) fn has_one_line_end(&self) -> bool {
        let mut ends = self
            .units
            .iter()
            .filter(|unit| unit.text == "\n")
            .map(|unit| &unit.bytes);
        let first = ends.next();
        first.is_some_and(|bytes| bytes.iter().filter(|byte| **byte == b'\r').count() < 2)
            && ends.all(|bytes| Some(bytes) == first)
    }

    /// Returns the range of units that two fractions choose; empty only in an empty file.
    pub(crate) fn pick(&self, from: u16, length: u8) -> std::ops::Range<usize> {
        if self.units.is_empty() {
            return 0..0;
        }
        let start = usize::from(from) * self.units.len() / (usize::from(u16::MAX) + 1);
        let end = (start + 1 + usize::from(length)).min(self.units.len());
        start..end
    }
}

pub(crate) fn bytes_of(units: &[Unit]) -> Vec<u8> {
    units
        .iter()
        .flat_map(|unit| unit.bytes.iter().copied())
        .collect()
}

pub(crate) fn text_of(units: &[Unit]) -> String {
    units.iter().map(|unit| unit.text.as_str()).collect()
}

/// How lines end.
#[derive(Clone, Copy, Debug)]
enum Style {
    Lf,
    Crlf,
    Cr,
    CrCrLf,
    Mixed,
    /// With lone CRs among LFs.
    MixedWithCr,
}

fn charset() -> impl Strategy<Value = Charset> {
    prop_oneof![
        4 => Just(Utf8),
        1 => Just(Utf8Mark),
        1 => Just(Utf16Le),
        1 => Just(Utf16Be),
        1 => Just(Windows1252),
        1 => Just(ShiftJis),
        1 => Just(Gbk),
    ]
}

fn style() -> impl Strategy<Value = Style> {
    prop_oneof![
        3 => Just(Style::Lf),
        2 => Just(Style::Crlf),
        1 => Just(Style::Cr),
        1 => Just(Style::CrCrLf),
        2 => Just(Style::Mixed),
        1 => Just(Style::MixedWithCr),
    ]
}

/// Returns text that a model sends: words and newlines, all of which the encoding has.
fn sent(charset: Charset, words: &[(u8, bool)]) -> String {
    let mut text = String::new();
    for (word, newline) in words {
        text.push_str(word_of(charset, *word));
        if *newline {
            text.push('\n');
        }
    }
    text
}

fn word_of(charset: Charset, number: u8) -> &'static str {
    let extra = charset.extra();
    let at = usize::from(number) % (PLAIN.len() + extra.len());
    PLAIN
        .get(at)
        .copied()
        .unwrap_or_else(|| extra[at - PLAIN.len()])
}

/// Generates a text to send, as numbers; [`spell`] turns it into one that a sample's encoding has.
pub(crate) fn any_words() -> impl Strategy<Value = Vec<(u8, bool)>> {
    vec((any::<u8>(), prop::bool::weighted(0.3)), 0..6)
}

pub(crate) fn spell(charset: Charset, words: &[(u8, bool)]) -> String {
    sent(charset, words)
}

/// Generates a file of up to nine short lines.
pub(crate) fn sample() -> impl Strategy<Value = Sample> {
    let line = (vec(any::<u8>(), 0..5), 0..4_u8);
    let damage = prop_oneof![3 => Just(None), 1 => (any::<u16>(), 1..3_u8).prop_map(Some)];
    (charset(), style(), vec(line, 0..10), any::<bool>(), damage).prop_map(
        |(charset, style, lines, last, damage)| build(charset, style, &lines, last, damage),
    )
}

/// Generates a file without damage.
pub(crate) fn sound_sample() -> impl Strategy<Value = Sample> {
    sample().prop_filter("damaged", |sample| !sample.is_damaged())
}

fn build(
    charset: Charset,
    style: Style,
    lines: &[(Vec<u8>, u8)],
    final_newline: bool,
    damage: Option<(u16, u8)>,
) -> Sample {
    let mut units = Vec::new();
    let damage = damage.filter(|_| !charset.damage().is_empty());
    if charset == Utf8 && damage.is_some() {
        // There must be more valid sequences than invalid bytes, or the file would be read in another encoding.
        push(&mut units, charset, "ééé日本é");
        push(&mut units, charset, end_of(style, 0));
    }
    for (number, (words, end)) in lines.iter().enumerate() {
        for word in words {
            push(&mut units, charset, word_of(charset, *word));
        }
        if number + 1 < lines.len() || final_newline {
            push(&mut units, charset, end_of(style, *end));
        }
    }
    if let Some((at, count)) = damage {
        let at = usize::from(at) * (units.len() + 1) / (usize::from(u16::MAX) + 1);
        for _ in 0..count {
            units.insert(
                at,
                Unit {
                    text: "\u{FFFD}".into(),
                    bytes: charset.damage(),
                    damaged: true,
                },
            );
        }
    }
    let units = joined(units);
    let mut ends = units
        .iter()
        .filter(|unit| unit.text == "\n")
        .map(|unit| &unit.bytes);
    let first = ends.next();
    let uniform = ends.all(|bytes| Some(bytes) == first)
        && !units.iter().any(|unit| unit.text == "\r")
        && first.is_none_or(|bytes| bytes.iter().filter(|byte| **byte == b'\r').count() < 2);
    Sample {
        charset,
        units,
        uniform,
    }
}

fn end_of(style: Style, number: u8) -> &'static str {
    let kinds: &[&str] = match style {
        Style::Lf => &["\n"],
        Style::Crlf => &["\r\n"],
        Style::Cr => &["\r"],
        Style::CrCrLf => &["\r\r\n"],
        Style::Mixed => &["\n", "\r\n", "\r\r\n", "\n"],
        Style::MixedWithCr => &["\n", "\r\n", "\r", "\r\r\n"],
    };
    kinds[usize::from(number) % kinds.len()]
}

fn push(units: &mut Vec<Unit>, charset: Charset, text: &str) {
    for character in text.chars() {
        let character = if charset.encode_char(character).is_some() {
            character
        } else {
            '?'
        };
        units.push(Unit {
            text: character.to_string(),
            bytes: charset.encode_char(character).unwrap_or_default(),
            damaged: false,
        });
    }
}

/// Joins characters that together make a line end: LF, CR LF, CR CR LF; a lone CR only where there is no LF.
fn joined(units: Vec<Unit>) -> Vec<Unit> {
    let has_line_feed = units.iter().any(|unit| unit.text == "\n");
    let mut out: Vec<Unit> = Vec::new();
    for mut unit in units {
        if unit.text == "\n" {
            for _ in 0..2 {
                if let Some(last) = out.last()
                    && last.text == "\r"
                {
                    let mut bytes = last.bytes.clone();
                    bytes.extend(&unit.bytes);
                    unit.bytes = bytes;
                    out.pop();
                }
            }
        }
        out.push(unit);
    }
    if !has_line_feed {
        for unit in &mut out {
            if unit.text == "\r" {
                unit.text = "\n".into();
            }
        }
    }
    out
}
