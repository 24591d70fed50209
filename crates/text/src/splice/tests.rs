//! The effect of changes of the view on the bytes of a file.

use super::*;
use crate::laws;
use crate::lines::{Endings, LineEnd, normalize_newlines};
use proptest::prelude::*;

/// Returns the file after replacing the only `old` by `new`, as a bare change.
fn replace_only(raw: &[u8], old: &str, new: &str) -> Vec<u8> {
    let document = Document::decode(raw, None).expect("text");
    let start = document.view().find(old).expect("old text");
    apply_change(&document, start..start + old.len(), new)
}

fn apply_change(document: &Document<'_>, range: Range<usize>, new: &str) -> Vec<u8> {
    let text = normalize_newlines(new, document.endings()).into_owned();
    let changes = document
        .raw_changes(&[Change { range, text }])
        .expect("encodable");
    apply_raw(document.raw(), &changes)
}

fn insert_text(raw: &[u8], at: usize, new: &str) -> Vec<u8> {
    apply_change(&Document::decode(raw, None).expect("text"), at..at, new)
}

#[test]
fn new_lines_take_line_ends_of_replaced_lines() {
    assert_eq!(
        replace_only(b"one\r\ntwo\r\n", "two", "2\n2.5"),
        b"one\r\n2\r\n2.5\r\n"
    );
    assert_eq!(
        replace_only(b"n\ne\r\ns\nw\r\n", "n\ne\ns\nw", "N\nE\nS\nW\nX"),
        b"N\nE\r\nS\nW\r\nX\r\n"
    );
    assert_eq!(
        replace_only(b"x\r\r\ny\r\nz\r\n", "x\ny", "X\nY\nZ"),
        b"X\r\r\nY\r\nZ\r\nz\r\n"
    );
    assert_eq!(
        replace_only(b"one\rtwo\r", "two", "2\n2.5"),
        b"one\r2\r2.5\r"
    );
    assert_eq!(replace_only(b"a\nb\n", "a", "a\r\na2"), b"a\na2\nb\n");
}

#[test]
fn inserted_lines_take_line_end_of_neighbour() {
    let mixed = b"a\nb\r\nc\nd";
    assert_eq!(insert_text(mixed, 4, "x\n"), b"a\nb\r\nx\r\nc\nd");
    assert_eq!(insert_text(mixed, 3, "\nx"), b"a\nb\r\nx\r\nc\nd");
    assert_eq!(insert_text(mixed, 0, "x\n"), b"x\na\nb\r\nc\nd");
    assert_eq!(insert_text(mixed, 7, "\nx"), b"a\nb\r\nc\nd\nx");
    assert_eq!(insert_text(b"a\nb\r\n", 4, "x\n"), b"a\nb\r\nx\r\n");
    assert_eq!(insert_text(b"a\r\nb", 3, "\nc"), b"a\r\nb\r\nc");
    assert_eq!(insert_text(b"solo", 4, "\nduo"), b"solo\nduo");
    assert_eq!(insert_text(b"", 0, "a\nb\n"), b"a\nb\n");
}

#[test]
fn lone_cr_becomes_line_end_without_lf() {
    let joined = replace_only(b"a\rb\nc", "b\nc", "b c");
    assert_eq!(joined, b"a\rb c");
    assert_eq!(replace_only(&joined, "a", "A\nB"), b"A\rB\rb c");
}

#[test]
fn edit_next_to_damaged_bytes_keeps_them() {
    let raw = b"Gr\xC3\xB6\xC3\x9Fe f\xC3\xBCr: 5 \xE2\x82 netto\r\n";
    let expected = b"Gr\xC3\xB6\xC3\x9Fe f\xC3\xBCr: f\xC3\xBCnf \xE2\x82 netto\r\n";
    assert_eq!(replace_only(raw, "5", "fünf"), expected);
    assert_eq!(replace_only(raw, " netto", "")[16..], *b"\xE2\x82\r\n");
}

#[test]
fn keeps_byte_order_mark_and_adds_it_to_new_files() {
    assert_eq!(
        replace_only(b"\xEF\xBB\xBFhello\n", "hello", "hi"),
        b"\xEF\xBB\xBFhi\n"
    );
    assert_eq!(
        replace_only(b"\xFF\xFEa\0\r\0\n\0", "a", "b\nc"),
        b"\xFF\xFEb\0\r\0\n\0c\0\r\0\n\0"
    );
    let wide = Encoding::for_label("utf-16");
    let empty = Document::decode(b"", wide).expect("text");
    assert_eq!(apply_change(&empty, 0..0, "a"), b"\xFF\xFEa\0");
}

#[test]
fn refuses_to_write_half_of_two_character_sequence() {
    let document = Document::decode(b"a\x88\x62b", Encoding::for_label("big5")).expect("text");
    let second = Change {
        range: 3..5,
        text: "x".to_owned(),
    };
    assert_eq!(
        document
            .raw_changes(&[second])
            .expect_err("no such letter")
            .character,
        '\u{CA}'
    );
    assert_eq!(apply_change(&document, 1..5, "x"), b"axb");
}

#[test]
fn encode_new_applies_requested_line_end() {
    let encode = |text, encoding, ending| encode_new(text, encoding, ending).expect("encodable");
    assert_eq!(
        encode("a\nb\r\n", Encoding::UTF8, LineEnd::AsSent),
        b"a\nb\r\n"
    );
    assert_eq!(
        encode("a\nb\r\nc\rd", Encoding::UTF8, LineEnd::Crlf),
        b"a\r\nb\r\nc\rd"
    );
    assert_eq!(encode("a\nb\r\n", Encoding::UTF8, LineEnd::Lf), b"a\nb\n");
    assert_eq!(
        encode("a\nb\rc\r\n", Encoding::UTF8, LineEnd::Cr),
        b"a\rb\rc\r"
    );
    assert_eq!(
        encode("\u{FEFF}a", Encoding::UTF8_BOM, LineEnd::Lf),
        b"\xEF\xBB\xBFa"
    );
    assert_eq!(
        encode("a", Encoding::UTF8_BOM, LineEnd::Lf),
        b"\xEF\xBB\xBFa"
    );
}

#[test]
fn reports_changed_encoding_after_edit() {
    let after = |raw: &[u8], old: &str, new: &str| {
        let document = Document::decode(raw, None).expect("text");
        let start = document.view().find(old).expect("old text");
        let range = start..start + old.len();
        let text = new.to_owned();
        let changes = document
            .raw_changes(&[Change { range, text }])
            .expect("encodable");
        let new_raw = apply_raw(raw, &changes);
        document
            .encoding_after_changes(&changes, &new_raw, None)
            .map(|encoding| encoding.map(Encoding::name))
    };
    assert_eq!(after("größe".as_bytes(), "ö", "o"), Ok(None));
    assert_eq!(after(b"caf\xE9 noir", "é", "e"), Ok(Some("utf-8")));
    assert_eq!(after(b"abc", "b", "\u{E9}"), Ok(None));
    assert_eq!(after(b"abc", "a", "\u{FEFF}"), Ok(Some("utf-8-bom")));
    assert_eq!(
        after("a\u{FEFF}bc".as_bytes(), "a", ""),
        Ok(Some("utf-8-bom"))
    );
    assert!(after(b"abc", "b", "\0").is_err());
}

const ENCODING_LABELS: [&str; 9] = [
    "utf-8",
    "utf-8-bom",
    "utf-16",
    "utf-16be-bom",
    "gb18030",
    "shift_jis",
    "euc-kr",
    "big5",
    "windows-1252",
];

/// Generates a file of lines with all kinds of ends in some encoding, and places in its view with new text for them.
fn file_with_edits() -> impl Strategy<Value = (usize, String, Vec<(usize, usize, String)>)> {
    let text = "([a-zé一あ가 ]{0,4}(\r\n|\n|\r\r\n|\r|)){0,12}";
    let change = (0_usize..12, 0_usize..6, "([a-z一]{0,3}(\n|)){0,3}");
    (
        0..ENCODING_LABELS.len(),
        text,
        proptest::collection::vec(change, 1..4),
    )
}

proptest! {
    #![proptest_config(laws::config())]

    /// Bytes outside the spans stay, and the text read afterwards is the sent text, apart from line ends where the file
    /// has lone CRs.
    #[test]
    fn splice_changes_only_its_places((label, text, wanted) in file_with_edits()) {
        let encoding = Encoding::for_label(ENCODING_LABELS[label]);
        let known = encoding.expect("a known label");
        let Ok(raw) = encode_new(&text, known, LineEnd::AsSent) else {
            return Ok(());
        };
        let document = Document::decode(&raw, encoding).expect("text");
        let view = document.view();
        let mut changes = Vec::new();
        let mut at = 0;
        for (skip, take, text) in wanted {
            let start = view.ceil_char_boundary((at + skip).min(view.len()));
            let end = view.ceil_char_boundary((start + take).min(view.len()));
            changes.push(Change { range: start..end, text });
            at = end;
        }
        let Ok(replacements) = document.raw_changes(&changes) else {
            return Ok(());
        };
        let new_raw = apply_raw(&raw, &replacements);
        let mut before = 0;
        let mut after = 0;
        for (change, replacement) in changes.iter().zip(&replacements) {
            let range = replacement.range.start as usize..replacement.range.end as usize;
            prop_assert_eq!(&document.raw_range(change.range.clone()), &range);
            let copied = &raw[before..range.start];
            prop_assert_eq!(copied, &new_raw[after..after + copied.len()]);
            before = range.end;
            after += copied.len() + replacement.bytes.len();
        }
        prop_assert_eq!(&raw[before..], &new_raw[after..]);

        let expected = apply_changes(view, &changes);
        let unchanged_reading = document.encoding_after_changes(&replacements, &new_raw, encoding);
        if unchanged_reading == Ok(None) && document.damaged_ranges().is_empty() {
            let read = Document::decode(&new_raw, encoding).expect("text");
            // A CR before an inserted LF becomes part of that line end, and without the last LF all CRs become line
            // ends.
            let alike = |text: &str| text.replace(['\r', '\n'], "");
            if text.contains('\r') {
                prop_assert_eq!(alike(read.view()), alike(&expected));
            } else {
                prop_assert_eq!(read.view(), expected);
            }
        }
    }

    /// In a file of one line end the new text reads back exactly.
    #[test]
    fn uniform_line_ends_round_trip((label, text, wanted) in file_with_edits(), crlf in any::<bool>()) {
        let encoding = Encoding::for_label(ENCODING_LABELS[label]);
        let known = encoding.expect("a known label");
        let text = text.replace('\r', "");
        let end = if crlf { LineEnd::Crlf } else { LineEnd::Cr };
        let Ok(raw) = encode_new(&text, known, end) else {
            return Ok(());
        };
        let document = Document::decode(&raw, encoding).expect("text");
        // Short GBK text can be UTF-8 as well.
        if document.encoding().family() != known.family() {
            return Ok(());
        }
        prop_assert_eq!(document.view(), &text);
        let (skip, take, new) = &wanted[0];
        let start = text.ceil_char_boundary((*skip).min(text.len()));
        let stop = text.ceil_char_boundary((start + take).min(text.len()));
        let change = Change { range: start..stop, text: new.clone() };
        let expected = apply_changes(&text, std::slice::from_ref(&change));
        let Ok(replacements) = document.raw_changes(&[change]) else {
            return Ok(());
        };
        let new_raw = apply_raw(&raw, &replacements);
        if document.encoding_after_changes(&replacements, &new_raw, encoding) == Ok(None) {
            let read = Document::decode(&new_raw, encoding).expect("text");
            prop_assert_eq!(read.view(), expected);
            let same = [document.endings(), Endings::None];
            prop_assert!(document.endings() == Endings::None || same.contains(&read.endings()));
        }
    }
}
