//! The view of a file, and the mapping between its offsets and those of the bytes.

use super::*;
use crate::laws;
use proptest::prelude::*;

fn decode(raw: &[u8]) -> Document<'_> {
    Document::decode(raw, None).expect("text")
}

/// Encodings in which random bytes are read.
const ENCODING_LABELS: [&str; 13] = [
    "utf-8",
    "utf-16le",
    "utf-16be",
    "gbk",
    "gb18030",
    "shift_jis",
    "euc-jp",
    "euc-kr",
    "big5",
    "windows-1252",
    "windows-1253",
    "windows-874",
    "x-user-defined",
];

#[test]
fn borrows_utf8_with_lf_line_ends() {
    let raw = "\u{FEFF}one\nzwei ü\n10%\r20%\n".as_bytes();
    let document = decode(raw);
    assert!(matches!(document.view, Cow::Borrowed(_)));
    assert_eq!(document.view(), "one\nzwei ü\n10%\r20%\n");
    assert_eq!(document.encoding().name(), "utf-8-bom");
    assert_eq!(document.endings(), Endings::Lf);
    assert_eq!(document.raw_range(4..8), 7..11);
}

#[test]
fn view_has_one_newline_per_line_end() {
    let document = decode(b"x\r\r\ny\r\nz\nlone\rcr\r\r\r\nend");
    assert_eq!(document.view(), "x\ny\nz\nlone\rcr\r\nend");
    assert_eq!(document.endings(), Endings::Mixed);
    assert_eq!(document.line_count(), 5);
    assert_eq!(document.raw_range(1..2), 1..4);
    assert_eq!(document.raw_range(3..4), 5..7);
    assert_eq!(document.raw_range(14..15), 17..20);
    assert_eq!(document.view_range(18..19), 14..15);
}

#[test]
fn lone_carriage_returns_end_lines_in_files_without_lf() {
    let document = decode(b"one\rtwo\r");
    assert_eq!(document.view(), "one\ntwo\n");
    assert_eq!(document.endings(), Endings::Cr);
    assert_eq!(document.line_count(), 2);
    assert_eq!(decode(b"a\rb\nc").line_count(), 2);
}

#[test]
fn final_newline_adds_no_line_to_count() {
    for (raw, lines) in [
        ("", 0),
        ("\n", 1),
        ("a", 1),
        ("a\n", 1),
        ("a\nb", 2),
        ("a\n\n", 2),
    ] {
        assert_eq!(decode(raw.as_bytes()).line_count(), lines, "{raw:?}");
    }
    let document = decode(b"ab\n\nc\n");
    assert_eq!(document.line_of(0), 0);
    assert_eq!(document.line_of(2), 0);
    assert_eq!(document.line_of(3), 1);
    assert_eq!(document.line_of(6), 2);
    assert_eq!(document.line_range(1), 3..3);
    assert_eq!(document.line_range_with_end(1), 3..4);
    assert_eq!(document.line_range_with_end(2), 4..6);
    assert_eq!(document.line_range(3), 6..6);
    assert_eq!(document.lines_from(1).collect::<Vec<_>>(), [3..3, 4..5]);
}

#[test]
fn index_finds_lines_of_long_text() {
    let text: String = (0..20_000)
        .map(|number| format!("row {number}\r\n"))
        .collect();
    let document = decode(text.as_bytes());
    assert_eq!(document.line_count(), 20_000);
    for line in [0, 1, 1_999, 10_000, 19_999] {
        let range = document.line_range(line);
        assert_eq!(&document.view()[range.clone()], format!("row {line}"));
        assert_eq!(document.line_of(range.start), line);
        assert_eq!(document.line_of(range.end), line);
        let raw = document.raw_range(range);
        assert_eq!(&text[raw], format!("row {line}"));
    }
}

#[test]
fn undecodable_bytes_become_damaged_ranges() {
    let raw = b"Gr\xC3\xB6\xC3\x9Fe f\xC3\xBCr 5 \xE2\x82 netto\r\n";
    let document = decode(raw);
    assert_eq!(document.encoding(), Encoding::UTF8);
    assert_eq!(document.view(), "Größe für 5 \u{FFFD} netto\n");
    let place = document.damaged_ranges()[0].clone();
    assert_eq!(&document.view()[place.clone()], "\u{FFFD}");
    assert_eq!(&raw[document.raw_range(place)], b"\xE2\x82");
}

#[test]
fn maps_two_characters_of_one_sequence_to_same_bytes() {
    let big5 = Encoding::for_label("big5");
    let document = Document::decode(b"a\x88\x62b", big5).expect("text");
    assert_eq!(document.view(), "a\u{CA}\u{304}b");
    assert_eq!(document.raw_range(1..3), 1..3);
    assert_eq!(document.raw_range(3..5), 1..3);
    assert_eq!(document.raw_range(5..6), 3..4);
}

/// Generates bytes many of which are line ends, ASCII or lead bytes.
fn arbitrary_bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        3 => Just(b'\r'),
        3 => Just(b'\n'),
        4 => b'0'..=b'z',
        2 => Just(0x00),
        6 => 0x80_u8..=0xFF,
        1 => any::<u8>(),
    ];
    proptest::collection::vec(byte, 0..200)
}

/// Generates numbers of repetitions: mostly for short texts, and a few for texts of many blocks.
fn repetition_count() -> impl Strategy<Value = usize> {
    prop_oneof![15 => Just(1), 1 => 20_usize..80]
}

/// Decodes as `label` whatever the bytes look like.
fn decode_as(raw: &[u8], label: &str) -> (Encoding, Vec<u8>) {
    let encoding = Encoding::for_label(label).expect("a known label");
    (encoding, raw.to_vec())
}

proptest! {
    #![proptest_config(laws::config())]

    #[test]
    fn decoding_never_panics(raw in arbitrary_bytes(), label in proptest::option::of(0..ENCODING_LABELS.len())) {
        let configured = label.and_then(|label| Encoding::for_label(ENCODING_LABELS[label]));
        if let Ok(document) = Document::decode(&raw, configured) {
            for at in 0..=document.view().len() {
                document.line_of(at);
            }
            document.line_range(document.line_count());
        }
    }

    /// Every character of the view has its bytes in the file, in order and without a gap, and they decode to it.
    #[test]
    fn view_ranges_map_to_their_bytes(raw in arbitrary_bytes(), label in 0..ENCODING_LABELS.len(), repeat in repetition_count()) {
        let raw = raw.repeat(repeat);
        let (encoding, raw) = decode_as(&raw, ENCODING_LABELS[label]);
        let document = build::from_bytes(&raw, encoding);
        let view = document.view();
        let mut at = 0;
        let mut damaged = document.damaged_ranges().iter();
        let mut next_damaged = damaged.next();
        // Checking every character of a long text would be slow: every one of the first, then some.
        for (index, (start, character)) in view.char_indices().enumerate() {
            let is_damaged = next_damaged.is_some_and(|place| place.start == start);
            if is_damaged {
                next_damaged = damaged.next();
            }
            if index > 300 && index % 97 != 0 {
                continue;
            }
            let range = document.raw_range(start..start + character.len_utf8());
            if index <= 300 {
                prop_assert!(range.start <= at && at <= range.end);
                at = range.end;
            }
            let bytes = &raw[range.clone()];
            let back = document.view_range(range);
            prop_assert!(back.start <= start && start + character.len_utf8() <= back.end);
            if character != '\n' {
                let alone = build::from_bytes(bytes, encoding);
                prop_assert!(alone.view().replace('\n', "\r").contains(character), "{:?}", character);
                prop_assert_eq!(is_damaged, !alone.damaged_ranges().is_empty());
            }
        }
        prop_assert_eq!(document.raw_range(0..view.len()), 0..raw.len());
    }
}
