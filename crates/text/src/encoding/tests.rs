//! Detection of encodings, and encoding of text.

use super::*;
use crate::laws;
use proptest::prelude::*;

fn named(label: &str) -> Encoding {
    Encoding::for_label(label).expect("a known label")
}

fn name_of(raw: &[u8]) -> &'static str {
    detect(raw, None).expect("text").name()
}

fn written(text: &str, label: &str) -> Vec<u8> {
    named(label).encode(text).expect("encodable")
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
fn marks_come_first() {
    assert_eq!(name_of(b"\xEF\xBB\xBFhello"), "utf-8-bom");
    assert_eq!(name_of(b"\xFF\xFEa\0"), "utf-16le");
    assert_eq!(name_of(b"\xFE\xFF\0a"), "utf-16be");
    let utf32 = NotText::Binary {
        kind: "UTF-32 text",
    };
    assert_eq!(detect(b"\xFF\xFE\0\0a\0\0\0", None), Err(utf32));
    assert_eq!(detect(b"\0\0\xFE\xFF\0\0\0a", None), Err(utf32));
}

#[test]
fn utf16_without_a_mark_is_told_by_its_nul_bytes() {
    for label in ["utf-16le", "utf-16be"] {
        let plain = written("alpha = 1\r\nbeta = 2\r\n", label);
        assert_eq!(name_of(&plain), label);
        // U+4E00 has a NUL byte on the other side.
        let wide = written(
            "一二三四五六七八九十\r\n项目说明：本工具用于编辑\r\n",
            label,
        );
        assert_eq!(name_of(&wide), label);
    }
}

#[test]
fn the_beginning_of_a_file_tells_that_it_is_no_text() {
    let utf16 = Encoding::for_label("utf-16le");
    assert!(never_text(&[0; 512], None).is_some());
    assert!(never_text(&[0; 512], utf16).is_some());
    assert!(never_text(b"\x7FELF\x02\x01\x01\0\0\0\0\0\0", None).is_some());
    assert!(never_text(b"\xFF\xFE\0\0", None).is_some());
    // Heads that may still turn out to be text: no NUL so far, or NULs as UTF-16 has them.
    assert_eq!(never_text(b"plain text", None), None);
    assert_eq!(never_text(b"a\0b\0c\0", None), None);
    assert_eq!(never_text(b"\xFF\xFEa\0b\0", None), None);
    // A private-use character, which is text only if the settings name the encoding.
    assert!(never_text(b"a\0\0\xE0\0\x01a\0", None).is_some());
    assert_eq!(never_text(b"a\0\0\xE0\0\x01a\0", utf16), None);
}

#[test]
fn nul_bytes_that_are_no_utf16_are_binary() {
    let kind = |raw: &[u8]| match detect(raw, None) {
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
fn a_pdf_without_nul_bytes_is_told_by_its_header_and_its_end() {
    let kind = |raw: &[u8]| match detect(raw, None) {
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
fn texts_of_many_languages_are_recognised() {
    for (text, label) in [
        (FRENCH, "windows-1252"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"),
        (CHINESE, "gbk"),
        (KOREAN, "euc-kr"),
        (RUSSIAN, "windows-1251"),
    ] {
        assert_eq!(name_of(&written(text, label)), label);
        assert_eq!(name_of(text.as_bytes()), "utf-8");
    }
}

#[test]
fn a_sequence_of_four_bytes_makes_gbk_gb18030() {
    let rare = format!("{CHINESE}\u{20000}\n");
    assert_eq!(name_of(&written(&rare, "gb18030")), "gb18030");
    let refused = named("gbk").encode("㐀\u{20000}").expect_err("not in GBK");
    assert_eq!(refused.character, '㐀');
    let configured = detect(&written(&rare, "gb18030"), Encoding::for_label("gbk"));
    assert_eq!(configured, Ok(named("gb18030")));
}

#[test]
fn a_few_bad_bytes_leave_utf8_what_it_is() {
    assert_eq!(
        name_of(b"Gr\xC3\xB6\xC3\x9Fe f\xC3\xBCr 5 \xE2\x82 netto\n"),
        "utf-8"
    );
    assert_ne!(name_of(b"caf\xC3\xA9 \xE9t\xE9 caf\xE9\n"), "utf-8");
}

#[test]
fn any_byte_is_a_character_where_nothing_else_fits() {
    let raw = b"top = 1\n\x80\x81\x8D\x8F\x90\x9D\xA0\xFE\xFF\nmid = 2\n\xC3(\xF8\x88\nend = 3\n";
    let encoding = detect(raw, None).expect("text");
    let all: Vec<u8> = (1..=255).collect();
    assert!(detect(&all, None).is_ok());
    assert!(matches!(encoding.family(), Family::Legacy(_)));
}

#[test]
fn a_configured_encoding_holds_where_the_bytes_say_nothing() {
    let configured = Encoding::for_label("windows-1250");
    let name = |raw: &[u8]| detect(raw, configured).expect("text").name();
    assert_eq!(name(b"// kol \xE8. 5\n"), "windows-1250");
    assert_eq!(name(b"plain ASCII\n"), "windows-1250");
    assert_eq!(name(b""), "windows-1250");
    assert_eq!(name("// kol č. 5\n".as_bytes()), "utf-8");
    assert_eq!(name(b"\xEF\xBB\xBFplain"), "utf-8-bom");
    let wide = Encoding::for_label("utf-16");
    assert_eq!(detect(b"plain ASCII\n", wide), Ok(Encoding::UTF8));
    assert_eq!(detect(b"", wide).map(Encoding::has_mark), Ok(true));
}

#[test]
fn labels_name_encodings() {
    for (label, name) in [
        ("UTF-8", "utf-8"),
        ("utf-8-sig", "utf-8-bom"),
        ("latin1", "windows-1252"),
        ("cp1251", "windows-1251"),
        ("cp932", "shift_jis"),
        ("euc_kr", "euc-kr"),
        ("gb2312", "gbk"),
    ] {
        assert_eq!(named(label).name(), name, "{label}");
    }
    for name in LEGACY_NAMES {
        assert_eq!(named(name).name(), name);
    }
    assert_eq!(Encoding::for_label("iso-2022-jp"), None);
    assert_eq!(Encoding::for_label("klingon"), None);
}

#[test]
fn a_character_that_would_come_back_as_another_is_refused() {
    let refused = named("shift_jis")
        .encode("円 = ¥")
        .expect_err("a backslash");
    assert_eq!(refused.character, '¥');
    assert_eq!(refused.to_string(), "U+00A5 has no bytes in shift_jis");
    let refused = named("windows-1252")
        .encode("crème 😀")
        .expect_err("no emoji");
    assert_eq!(refused.character, '😀');
}

proptest! {
    #![proptest_config(laws::config())]

    /// A refusal by the beginning of a file equals that of the whole file: in any encoding that settings name, wherever
    /// the file is cut.
    #[test]
    fn the_beginning_says_nothing_that_the_whole_would_not(
        raw in proptest::collection::vec(prop_oneof![Just(0u8), Just(b'a'), Just(0xD8), Just(0xDC), Just(0xFF), Just(0xFE), any::<u8>()], 0..24),
        cut in 0..24usize,
        wide in any::<bool>(),
    ) {
        let configured = wide.then(|| named("utf-16be"));
        let head = &raw[..cut.min(raw.len())];
        if never_text(head, configured).is_some() {
            prop_assert!(detect(&raw, configured).is_err());
        }
    }

    /// Encoded text is decoded to the same text.
    #[test]
    fn encoded_text_reads_back(text in "[a-z\n àéß–€дЖ一二漢あア가😀¥‾\u{E5E5}\u{CA}\u{304}]{0,30}", label in 0..LEGACY_NAMES.len()) {
        let encoding = named(LEGACY_NAMES[label]);
        if let (Ok(bytes), Family::Legacy(table)) = (encoding.encode(&text), encoding.family()) {
            let read = table.decode_without_bom_handling_and_without_replacement(&bytes);
            prop_assert_eq!(read.as_deref(), Some(text.as_str()));
        }
    }
}
