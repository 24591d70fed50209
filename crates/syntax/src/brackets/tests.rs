//! Brackets in the literals of each language do not count, and the one that lacks its partner is found.

use super::*;

fn find_fault(language: Language, text: &str) -> Option<(usize, String)> {
    match check_brackets(language, text, 0) {
        BracketCheck::Broken(fault) => {
            let line = text[..fault.at].matches('\n').count() + 1;
            Some((line, fault.kind.describe()))
        }
        _ => None,
    }
}

#[test]
fn ignores_brackets_inside_literals() {
    let cases = [
        (
            Language::Rust,
            r####"let a = '{'; let b: &'a str = "}\""; /* ( /* [ */ */ // ]"####,
        ),
        (
            Language::Rust,
            r###"let a = r#"{"("#; let b = br"["; let c = b'\''; let d = '\u{7d}';"###,
        ),
        (Language::Rust, "loop { break 'outer; }"),
        (Language::Python, "a = '(' + \"[\" + '''{\n\"''' # ]\n"),
        (Language::Python, "f'{a}' r'\\d(' b'('"),
        (
            Language::JavaScript,
            "a = /[(]\\/{/; b = 1 / (2) / 3; c = `${f({})} ${`}`} (`;",
        ),
        (Language::Tsx, "const a = <p>Don't (really)</p>;"),
        (Language::Go, "a := `\n(` + \"{\" + string('[')\n"),
        (
            Language::Java,
            "String a = \"\"\"\n  { \" (\n  \"\"\"; char b = '{';",
        ),
        (
            Language::C,
            "char a = '{'; int b = 1'000; /* ( */ const char *c = \"[\\\"\";",
        ),
        (
            Language::Cpp,
            "auto a = R\"x(()\" )y\" {)x\"; int b = 0x1'F;",
        ),
        (Language::Json, "{\"a\": \"[\\\"\"}"),
    ];
    for (language, text) in cases {
        assert_eq!(find_fault(language, text), None, "{language:?}: {text}");
    }
}

#[test]
fn counts_one_of_several_preprocessor_branches() {
    let text =
        "void f() {\n#ifdef A\n  if (a) {\n#elif B\n  if (b) {\n#else\n  {\n#endif\n  }\n}\n";
    assert_eq!(find_fault(Language::C, text), None);
    let text = "#error don't (do this\nint a;\n";
    assert_eq!(find_fault(Language::C, text), None);
}

#[test]
fn names_unmatched_bracket() {
    let text = "fn a() {\n    if b {\n        c();\n    d();\n}\n\nfn e() {}\n";
    assert_eq!(
        find_fault(Language::Rust, text),
        Some((2, "\"{\" is not closed".into()))
    );
    let text = "mod m {\n    fn a() {\n        b(\n            c,\n        }\n    }\n}\n";
    assert_eq!(
        find_fault(Language::Rust, text),
        Some((3, "\"(\" is not closed".into()))
    );
    let text = "mod m {\n    fn a() {\n        if b\n            c();\n        }\n    }\n}\n";
    assert_eq!(
        find_fault(Language::Rust, text),
        Some((5, "\"}\" closes nothing".into()))
    );
    let text = "void a() {\n  b();\n\nvoid c(int d,\n       int e) {\n  f();\n}\n";
    assert_eq!(
        find_fault(Language::C, text),
        Some((1, "\"{\" is not closed".into()))
    );
    assert_eq!(
        find_fault(Language::Rust, "fn a() {\n    b 1);\n}\n"),
        Some((2, "\")\" closes nothing".into()))
    );
    assert_eq!(
        find_fault(Language::Rust, "fn a() {\n}\n}\n"),
        Some((3, "\"}\" closes nothing".into()))
    );
    assert_eq!(
        find_fault(Language::Go, "a := \"b\nc := 1\n"),
        Some((1, "a string that begins here does not end".into()))
    );
    assert_eq!(
        find_fault(Language::C, "int a;\n/* b\nint c;\n"),
        Some((2, "a comment that begins here does not end".into()))
    );
    assert_eq!(
        find_fault(Language::Python, "a = [\n    (1, 2],\n"),
        Some((2, "\"(\" is not closed".into()))
    );
}

#[test]
fn reports_too_deep_nesting_without_fault() {
    assert_eq!(
        check_brackets(Language::Rust, &"{".repeat(100_000), 0),
        BracketCheck::TooDeep
    );
}
