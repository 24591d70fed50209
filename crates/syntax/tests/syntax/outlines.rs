//! The outline of a small text in each language. A file of `outlines/` contains the text and, after a line of dashes,
//! its outline; `LANCET_BLESS=1` rewrites the outlines.

use std::path::{Path, PathBuf};

use lancet_formats::syntax::SyntaxReader as _;
use lancet_syntax::Language;

use super::reader;

const RULE: &str = "\n----------------------------------------\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/syntax/outlines")
}

fn outline(name: &str, text: &str) -> String {
    let outline = reader().outline(Path::new(name), text).expect(name);
    let lines = outline.symbols.iter().map(|symbol| {
        let (first, last) = (symbol.lines.start(), symbol.lines.end());
        let indent = "  ".repeat(symbol.depth);
        format!("{indent}{first}-{last} {} {}\n", symbol.kind, symbol.name)
    });
    lines.collect()
}

#[test]
fn each_language_has_its_outline() {
    let mut seen = Vec::new();
    for entry in std::fs::read_dir(folder()).expect("the folder of outlines") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .expect("a name");
        let kept = std::fs::read_to_string(&path).expect("a text");
        let text = kept.split(RULE).next().expect("a text before the rule");
        let text = format!("{text}\n");
        let now = format!("{text}{}{}", &RULE[1..], outline(name, &text));
        if std::env::var_os("LANCET_BLESS").is_some() {
            std::fs::write(&path, &now).expect("written");
        } else {
            assert_eq!(now, kept, "{name}");
        }
        seen.extend(Language::from_path(Path::new(name)));
    }
    for language in Language::ALL {
        assert!(seen.contains(&language), "no outline of {language:?}");
    }
}

#[test]
fn an_outline_is_bounded() {
    let many: String = (0..5_000).map(|at| format!("fn f{at}() {{}}\n")).collect();
    let outline = reader()
        .outline(Path::new("a.rs"), &many)
        .expect("an outline");
    assert_eq!((outline.symbols.len(), outline.left_out), (2_000, 3_000));
    let deep = format!("{}{}", "mod m { ".repeat(50), "}".repeat(50));
    let outline = reader()
        .outline(Path::new("a.rs"), &deep)
        .expect("an outline");
    assert_eq!(outline.symbols.len(), 6);
    let long = format!("fn {}() {{}}", "a".repeat(5_000));
    let outline = reader()
        .outline(Path::new("a.rs"), &long)
        .expect("an outline");
    assert_eq!(outline.symbols[0].name.chars().count(), 101);
}

#[test]
fn what_is_not_known_or_too_large_has_no_outline() {
    assert_eq!(reader().language(Path::new("notes.txt")), None);
    assert_eq!(reader().outline(Path::new("notes.txt"), "a\n"), None);
    let large = "// a\n".repeat(300_000);
    assert_eq!(reader().outline(Path::new("a.rs"), &large), None);
}

#[test]
fn a_text_with_an_error_still_has_an_outline() {
    let text = "fn a() {}\n\nfn b( {\n\nfn c() {}\n";
    assert!(outline("a.rs", text).starts_with("1-1 fn a\n"));
}
