//! A survey in parts finds the same as a document of the whole file.

use super::*;
use crate::document::Document;
use crate::laws;
use proptest::prelude::*;

fn survey_in_pieces(raw: &[u8], piece: usize) -> SurveyFacts {
    let mut survey = Survey::new();
    raw.chunks(piece.max(1))
        .for_each(|piece| survey.feed(piece));
    survey.finish()
}

#[test]
fn accepts_pieces_that_split_line_ends_and_characters() {
    let raw = "zürich 😀\r\nx\r\r\ny\r\n".as_bytes();
    for piece in 1..raw.len() {
        let facts = survey_in_pieces(raw, piece);
        assert_eq!(facts.endings(), Endings::Mixed);
        assert_eq!(facts.line_count(), 3);
        assert_eq!(facts.encoding(None), Some(Encoding::UTF8));
    }
    assert_eq!(survey_in_pieces(&raw[..10], 3).encoding(None), None);
}

#[test]
fn finds_lines_from_their_block() {
    let text: String = (0..50_000).map(|line| format!("line {line}\r\n")).collect();
    let facts = survey_in_pieces(text.as_bytes(), 256 << 10);
    assert_eq!(facts.endings(), Endings::Crlf);
    assert_eq!(facts.length(), text.len() as u64);
    for line in [0, 1, 7_000, 30_000, 49_999] {
        let block = facts.block_of_line(line);
        let from = block.offset as usize;
        assert!(text[from..].len() <= text.len());
        let start = match line - block.lines_before {
            0 => from,
            count => {
                let ends = memchr::memchr_iter(facts.line_end_byte(), &text.as_bytes()[from..]);
                from + ends.take(count as usize).last().expect("a line end") + 1
            }
        };
        assert!(
            text[start..].starts_with(&format!("line {line}\r\n")),
            "{line}"
        );
        assert!(start - from <= INDEX_BLOCK, "the block before");
    }
}

#[test]
fn reports_no_encoding_for_other_files() {
    assert_eq!(survey_in_pieces(b"caf\xE9\n", 4).encoding(None), None);
    let binary = survey_in_pieces(b"\x7FELF\0\0", 2);
    assert_eq!(binary.encoding(None), None);
    assert_eq!(
        binary.not_text(),
        NotText::Binary {
            kind: "ELF program"
        }
    );
    let marked = survey_in_pieces(b"\xEF\xBB\xBFa\n", 2);
    assert_eq!(marked.encoding(None), Some(Encoding::UTF8_BOM));
    assert_eq!(marked.text_start(), 3);
    let configured = Encoding::for_label("gbk");
    assert_eq!(
        survey_in_pieces(b"ascii\n", 2).encoding(configured),
        configured
    );
    assert_eq!(
        survey_in_pieces("ü\n".as_bytes(), 2).encoding(configured),
        Some(Encoding::UTF8)
    );
}

#[test]
fn detects_pdf_without_nul_bytes_by_first_and_last_bytes() {
    let long = [b"%PDF-1.4\n".as_slice(), &[b'x'; 5_000], b"\n%%EOF\n"].concat();
    for piece in [1, 7, 2_000, 10_000] {
        let kind = survey_in_pieces(&long, piece).not_text_reason();
        assert_eq!(
            kind,
            Some(NotText::Binary {
                kind: "PDF document"
            }),
            "in pieces of {piece}"
        );
        assert_eq!(
            survey_in_pieces(&long[..3_000], piece).not_text_reason(),
            None
        );
        assert_eq!(survey_in_pieces(&long[1..], piece).not_text_reason(), None);
    }
}

proptest! {
    #![proptest_config(laws::config())]

    #[test]
    fn survey_agrees_with_document(text in "([a-zé😀]{0,3}(\r\n|\n|\r|\r\r\n)){0,20}[a-z]{0,2}", lf_free in any::<bool>(), piece in 1_usize..20) {
        let text = if lf_free { text.replace('\n', "") } else { text };
        let document = Document::decode(text.as_bytes(), None).expect("text");
        let facts = survey_in_pieces(text.as_bytes(), piece);
        prop_assert_eq!(facts.endings(), document.endings());
        prop_assert_eq!(facts.line_count(), document.line_count() as u64);
        prop_assert_eq!(facts.encoding(None), Some(document.encoding()));
    }

    #[test]
    fn reports_encoding_exactly_for_valid_utf8(raw in proptest::collection::vec(prop_oneof![b'a'..=b'c', 0xC2_u8..=0xC4, 0x80_u8..=0x82, 0xE2_u8..=0xE2], 0..12), piece in 1_usize..5) {
        let valid = std::str::from_utf8(&raw).is_ok();
        prop_assert_eq!(survey_in_pieces(&raw, piece).encoding(None).is_some(), valid);
    }
}
