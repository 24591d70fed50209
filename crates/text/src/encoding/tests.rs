//! Detection of encodings, and encoding of text.

use super::*;
use crate::laws;
use proptest::prelude::*;

fn encoding_named(label: &str) -> Encoding {
    Encoding::for_label(label).expect("a known label")
}

fn detected_name(raw: &[u8]) -> &'static str {
    detect_encoding(raw, None).expect("text").name()
}

fn encode_in(text: &str, label: &str) -> Vec<u8> {
    encoding_named(label).encode(text).expect("encodable")
}

const FRENCH: &str =
    "Le café est situé près de la gare.\nLa pâtisserie prépare des éclairs dès l'aube.\n";
const JAPANESE: &str =
    "これは日本語のテキストファイルです。\n設定を変更する場合は、次の行を編集してください。\n";
const CHINESE: &str =
    "项目说明：本工具用于编辑源代码文件，保持原有的编码和换行符不变。\n作者：张三\n";
const KOREAN: &str = "이 파일은 한국어로 작성된 설정 문서입니다.\n아래의 값을 바꾸면 프로그램의 동작이 달라집니다.\n";
const RUSSIAN: &str =
    "Этот файл сохранен в старой кодировке.\nПожалуйста, не меняйте строки выше.\n";

#[test]
fn byte_order_mark_decides_encoding() {
    assert_eq!(detected_name(b"\xEF\xBB\xBFhello"), "utf-8-bom");
    assert_eq!(detected_name(b"\xFF\xFEa\0"), "utf-16le");
    assert_eq!(detected_name(b"\xFE\xFF\0a"), "utf-16be");
    let utf32 = NotText::Binary {
        kind: "UTF-32 text",
    };
    assert_eq!(detect_encoding(b"\xFF\xFE\0\0a\0\0\0", None), Err(utf32));
    assert_eq!(detect_encoding(b"\0\0\xFE\xFF\0\0\0a", None), Err(utf32));
}

#[test]
fn detects_utf16_without_mark_by_nul_bytes() {
    for label in ["utf-16le", "utf-16be"] {
        let plain = encode_in("alpha = 1\r\nbeta = 2\r\n", label);
        assert_eq!(detected_name(&plain), label);
        // U+4E00 has a NUL byte on the other side.
        let wide = encode_in(
            "一二三四五六七八九十\r\n项目说明：本工具用于编辑\r\n",
            label,
        );
        assert_eq!(detected_name(&wide), label);
    }
}

#[test]
fn rules_out_text_by_first_bytes() {
    let utf16 = Encoding::for_label("utf-16le");
    assert!(rule_out_text(&[0; 512], None).is_some());
    assert!(rule_out_text(&[0; 512], utf16).is_some());
    assert!(rule_out_text(b"\x7FELF\x02\x01\x01\0\0\0\0\0\0", None).is_some());
    assert!(rule_out_text(b"\xFF\xFE\0\0", None).is_some());
    // Heads that may still turn out to be text: no NUL so far, or NULs as UTF-16 has them.
    assert_eq!(rule_out_text(b"plain text", None), None);
    assert_eq!(rule_out_text(b"a\0b\0c\0", None), None);
    assert_eq!(rule_out_text(b"\xFF\xFEa\0b\0", None), None);
    // A private-use character, which is text only if the settings name the encoding.
    assert!(rule_out_text(b"a\0\0\xE0\0\x01a\0", None).is_some());
    assert_eq!(rule_out_text(b"a\0\0\xE0\0\x01a\0", utf16), None);
}

#[test]
fn nul_bytes_outside_utf16_are_binary() {
    let kind = |raw: &[u8]| match detect_encoding(raw, None) {
        Err(NotText::Binary { kind }) => kind,
        Ok(encoding) => encoding.name(),
    };
    assert_eq!(
        kind(b"\x7FELF\x02\x01\x01\0\0\0\0\0word\0\0\xFF\xFE"),
        "ELF program"
    );
    assert_eq!(kind(b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR"), "PNG picture");
    assert_eq!(kind(b"RIFF\x10\0\0\0WEBPVP8 "), "WebP picture");
    assert_eq!(
        kind(b"foo\0bar\0baz\0qux\0one\0two\0six\0ten\0"),
        "unknown binary data"
    );
    assert_eq!(kind(b"text with one \0 in it\n"), "unknown binary data");
    assert_eq!(kind(b"\xEF\xBB\xBFtext\0"), "unknown binary data");
    assert_eq!(kind(b"\xFF\xFEa\0\0\0b\0"), "unknown binary data");
    assert_eq!(kind(b"%PDF-1.4 without a NUL is text\n"), "utf-8");
}

#[test]
fn detects_pdf_without_nul_bytes_by_header_and_end() {
    let kind = |raw: &[u8]| match detect_encoding(raw, None) {
        Err(NotText::Binary { kind }) => kind,
        Ok(encoding) => encoding.name(),
    };
    let body = b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n";
    assert_eq!(
        kind(&[body.as_slice(), b"%%EOF\n"].concat()),
        "PDF document"
    );
    assert_ne!(kind(body), "PDF document", "it has no end");
    let quoted = [b"A PDF begins with %PDF- and ends with %%EOF\n".as_slice()].concat();
    assert_eq!(kind(&quoted), "utf-8");
    let far = [b"%PDF-1.7\n%%EOF\n".as_slice(), &[b'x'; 2_000]].concat();
    assert_eq!(kind(&far), "utf-8", "its end is not at the end");
}

#[test]
fn recognises_encodings_of_many_languages() {
    for (text, label) in [
        (FRENCH, "windows-1252"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"),
        (CHINESE, "gbk"),
        (KOREAN, "euc-kr"),
        (RUSSIAN, "windows-1251"),
    ] {
        assert_eq!(detected_name(&encode_in(text, label)), label);
        assert_eq!(detected_name(text.as_bytes()), "utf-8");
    }
}

#[test]
fn four_byte_sequence_selects_gb18030_over_gbk() {
    let rare = format!("{CHINESE}\u{20000}\n");
    assert_eq!(detected_name(&encode_in(&rare, "gb18030")), "gb18030");
    let refused = encoding_named("gbk")
        .encode("㐀\u{20000}")
        .expect_err("not in GBK");
    assert_eq!(refused.character, '㐀');
    let configured = detect_encoding(&encode_in(&rare, "gb18030"), Encoding::for_label("gbk"));
    assert_eq!(configured, Ok(encoding_named("gb18030")));
}

#[test]
fn few_malformed_bytes_stay_utf8() {
    assert_eq!(
        detected_name(b"Gr\xC3\xB6\xC3\x9Fe f\xC3\xBCr 5 \xE2\x82 netto\n"),
        "utf-8"
    );
    assert_ne!(detected_name(b"caf\xC3\xA9 \xE9t\xE9 caf\xE9\n"), "utf-8");
}

#[test]
fn falls_back_to_encoding_that_accepts_every_byte() {
    let raw = b"top = 1\n\x80\x81\x8D\x8F\x90\x9D\xA0\xFE\xFF\nmid = 2\n\xC3(\xF8\x88\nend = 3\n";
    let encoding = detect_encoding(raw, None).expect("text");
    let all: Vec<u8> = (1..=255).collect();
    assert!(detect_encoding(&all, None).is_ok());
    assert!(matches!(encoding.family(), EncodingFamily::Legacy(_)));
}

#[test]
fn configured_encoding_applies_to_undecided_bytes() {
    let configured = Encoding::for_label("windows-1250");
    let name = |raw: &[u8]| detect_encoding(raw, configured).expect("text").name();
    assert_eq!(name(b"// kol \xE8. 5\n"), "windows-1250");
    assert_eq!(name(b"plain ASCII\n"), "windows-1250");
    assert_eq!(name(b""), "windows-1250");
    assert_eq!(name("// kol č. 5\n".as_bytes()), "utf-8");
    assert_eq!(name(b"\xEF\xBB\xBFplain"), "utf-8-bom");
    let wide = Encoding::for_label("utf-16");
    assert_eq!(detect_encoding(b"plain ASCII\n", wide), Ok(Encoding::UTF8));
    assert_eq!(detect_encoding(b"", wide).map(Encoding::has_mark), Ok(true));
}

#[test]
fn finds_encodings_by_label() {
    for (label, name) in [
        ("UTF-8", "utf-8"),
        ("utf-8-sig", "utf-8-bom"),
        ("latin1", "windows-1252"),
        ("cp1251", "windows-1251"),
        ("cp932", "shift_jis"),
        ("euc_kr", "euc-kr"),
        ("gb2312", "gbk"),
    ] {
        assert_eq!(encoding_named(label).name(), name, "{label}");
    }
    for name in LEGACY_NAMES {
        assert_eq!(encoding_named(name).name(), name);
    }
    assert_eq!(Encoding::for_label("iso-2022-jp"), None);
    assert_eq!(Encoding::for_label("klingon"), None);
}

#[test]
fn refuses_characters_that_do_not_round_trip() {
    let refused = encoding_named("shift_jis")
        .encode("円 = ¥")
        .expect_err("a backslash");
    assert_eq!(refused.character, '¥');
    assert_eq!(refused.to_string(), "U+00A5 has no bytes in shift_jis");
    let refused = encoding_named("windows-1252")
        .encode("crème 😀")
        .expect_err("no emoji");
    assert_eq!(refused.character, '😀');
}

proptest! {
    #![proptest_config(laws::config())]

    /// A refusal by the beginning of a file equals that of the whole file: in any encoding that settings name, wherever
    /// the file is cut.
    #[test]
    fn refusal_by_first_bytes_equals_refusal_of_whole_file(
        raw in proptest::collection::vec(prop_oneof![Just(0u8), Just(b'a'), Just(0xD8), Just(0xDC), Just(0xFF), Just(0xFE), any::<u8>()], 0..24),
        cut in 0..24usize,
        wide in any::<bool>(),
    ) {
        let configured = wide.then(|| encoding_named("utf-16be"));
        let head = &raw[..cut.min(raw.len())];
        if rule_out_text(head, configured).is_some() {
            prop_assert!(detect_encoding(&raw, configured).is_err());
        }
    }

    /// Encoded text is decoded to the same text.
    #[test]
    fn encoded_text_decodes_to_same_text(text in "[a-z\n àéß–€дЖ一二漢あア가😀¥‾\u{E5E5}\u{CA}\u{304}]{0,30}", label in 0..LEGACY_NAMES.len()) {
        let encoding = encoding_named(LEGACY_NAMES[label]);
        if let (Ok(bytes), EncodingFamily::Legacy(table)) = (encoding.encode(&text), encoding.family()) {
            let read = table.decode_without_bom_handling_and_without_replacement(&bytes);
            prop_assert_eq!(read.as_deref(), Some(text.as_str()));
        }
    }
}
