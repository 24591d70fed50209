//! Properties of any bytes as a file: decoding does not panic, the parts of the view map to bytes in order, and a
//! splice changes only what it says. The first byte chooses a configured encoding, the second a line.

use lancet_text::{Change, Document, Encoding, apply_changes, apply_raw};

const CONFIGURED: [&str; 8] = [
    "windows-1252",
    "gbk",
    "shift_jis",
    "euc-jp",
    "big5",
    "utf-16le",
    "utf-8",
    "gb18030",
];

pub(crate) fn check(data: &[u8]) {
    let [kind, place, raw @ ..] = data else {
        return;
    };
    let configured = CONFIGURED
        .get(usize::from(*kind))
        .and_then(|label| Encoding::for_label(label));
    let Ok(document) = Document::decode(raw, configured) else {
        return;
    };
    let view = document.view();

    // Together, the lines cover the view, and their bytes cover the file after the byte order mark.
    let mut at = 0;
    let mut raw_at = None;
    for line in 0..document.line_count() {
        let whole = document.line_range_with_end(line);
        assert_eq!(
            whole.start, at,
            "line {line} begins where the one before ended"
        );
        let bytes = document.raw_range(whole.clone());
        if let Some(raw_at) = raw_at {
            assert_eq!(
                bytes.start, raw_at,
                "the bytes of line {line} follow those before"
            );
        }
        assert!(bytes.start <= bytes.end && bytes.end <= raw.len());
        at = whole.end;
        raw_at = Some(bytes.end);
    }
    assert_eq!(at, view.len());
    if let Some(raw_at) = raw_at {
        assert_eq!(raw_at, raw.len());
    }
    for damage in document.damaged_ranges() {
        assert_eq!(&view[damage.clone()], "\u{fffd}");
    }
    assert_eq!(document.raw_changes(&[]), Ok(Vec::new()));

    // Insert one more line, in plain letters.
    let lines = document.line_count();
    let line = if lines == 0 {
        0
    } else {
        usize::from(*place) % lines
    };
    let start = if lines == 0 {
        0
    } else {
        document.line_range(line).start
    };
    let changes = [Change {
        range: start..start,
        text: "new line\n".to_owned(),
    }];
    let Ok(replacements) = document.raw_changes(&changes) else {
        return;
    };
    let result = apply_raw(raw, &replacements);
    let before = document.raw_range(0..start).end;
    assert_eq!(result[..before], raw[..before], "the bytes before stay");
    let behind = raw.len() - before;
    assert_eq!(
        result[result.len() - behind..],
        raw[before..],
        "the bytes behind stay"
    );
    let same_reading =
        document.encoding_after_changes(&replacements, &result, configured) == Ok(None);
    let ends_with_same_word = Document::decode(&result, configured)
        .is_ok_and(|after| after.endings() == document.endings());
    if same_reading && ends_with_same_word {
        let after = Document::decode(&result, configured).expect("it decoded a moment ago");
        assert_eq!(
            after.view(),
            apply_changes(view, &changes),
            "the new line is read back"
        );
    }
}
