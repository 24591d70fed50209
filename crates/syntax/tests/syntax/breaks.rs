//! A change that breaks a text is reported with its place, in each language; an uncertain one is not reported.

use super::newly_broken;

/// A change of a file: its name, its text, the replacement, and the expected line and message.
type Case = (
    &'static str,
    &'static str,
    (&'static str, &'static str),
    Option<(usize, &'static str)>,
);

fn check(cases: &[Case]) {
    for (name, before, (old, new), told) in cases {
        assert_eq!(before.matches(old).count(), 1, "{name}: {old:?} once");
        let after = before.replacen(old, new, 1);
        let found = newly_broken(name, before, &after);
        let found = found.map(|error| (error.line, error.words));
        let told = told.map(|(line, words)| (line, words.to_owned()));
        assert_eq!(found, told, "{name}: {old:?} becomes {new:?}\n{after}");
        assert_eq!(newly_broken(name, &after, before), None, "{name} mended");
        assert_eq!(
            newly_broken(name, &after, &after),
            None,
            "{name} was broken"
        );
    }
}

const RUST: &str = "fn a(x: &str) {\n    if x.is_empty() {\n        b(\"c\");\n    } // end\n    d();\n}\n\nfn e() {}\n";
const PYTHON: &str =
    "def a(x):\n    if x:\n        b(\"c\", [1, 2])  # end\n    return 1\n\n\ndef e():\n    pass\n";
const SCRIPT: &str =
    "function a(x) {\n  if (x) {\n    b(\"c\");\n  } // end\n  d();\n}\n\nfunction e() {}\n";
const GO: &str =
    "package a\n\nfunc a(x bool) {\n\tif x {\n\t\tb(\"c\")\n\t} // end\n\td()\n}\n\nfunc e() {}\n";
const JAVA: &str = "class A {\n    void a(boolean x) {\n        if (x) {\n            b(\"c\");\n        } // end\n        d();\n    }\n\n    void e() {}\n}\n";
const C: &str = "int a(int x)\n{\n    if (x) {\n        b(\"c\");\n    } // end\n    return d();\n}\n\nvoid e(void) {}\n";
const JSON: &str = "{\n  \"a\": [1, 2],\n  \"b\": {\n    \"c\": \"d\"\n  }\n}\n";

#[test]
fn a_closing_brace_that_is_gone_is_told_at_its_partner() {
    let open = |line| Some((line, "\"{\" is not closed"));
    check(&[
        ("a.rs", RUST, ("} // end", "// end"), open(2)),
        (
            "a.py",
            PYTHON,
            ("2])", "2)"),
            Some((3, "\"[\" is not closed")),
        ),
        ("a.js", SCRIPT, ("} // end", "// end"), open(2)),
        ("a.ts", SCRIPT, ("} // end", "// end"), open(2)),
        ("a.tsx", SCRIPT, ("} // end", "// end"), open(2)),
        ("a.go", GO, ("} // end", "// end"), open(4)),
        ("a.java", JAVA, ("} // end", "// end"), open(3)),
        ("a.c", C, ("} // end", "// end"), open(3)),
        ("a.h", C, ("} // end", "// end"), open(3)),
        ("a.cpp", C, ("} // end", "// end"), open(3)),
        ("a.json", JSON, ("  }\n}", "}"), open(3)),
    ]);
}

#[test]
fn a_brace_too_many_is_told() {
    let stray = |line| Some((line, "\"}\" closes nothing"));
    check(&[
        ("a.rs", RUST, ("e() {}", "e() {}}"), stray(8)),
        ("a.js", SCRIPT, ("e() {}", "e() {}}"), stray(8)),
        ("a.ts", SCRIPT, ("e() {}", "e() {}}"), stray(8)),
        ("a.go", GO, ("e() {}", "e() {}}"), stray(10)),
        ("a.java", JAVA, ("e() {}\n}", "e() {}\n}}"), stray(10)),
        ("a.c", C, ("e(void) {}", "e(void) {}}"), stray(9)),
        ("a.cpp", C, ("e(void) {}", "e(void) {}}"), stray(9)),
    ]);
}

#[test]
fn a_string_that_does_not_end_is_told_where_it_begins() {
    let string = |line| Some((line, "a string that begins here does not end"));
    check(&[
        ("a.rs", RUST, ("c\"", "c"), string(3)),
        ("a.py", PYTHON, ("c\"", "c"), string(3)),
        ("a.go", GO, ("c\"", "c"), string(5)),
        ("a.java", JAVA, ("c\"", "c"), string(4)),
        ("a.c", C, ("c\"", "c"), string(4)),
        ("a.cpp", C, ("c\"", "c"), string(4)),
        ("a.json", JSON, ("d\"", "d"), string(4)),
        ("a.js", SCRIPT, ("c\"", "c"), Some((3, "unexpected \");\""))),
    ]);
}

#[test]
fn other_errors_are_told_where_the_grammar_is_sure() {
    check(&[
        (
            "a.py",
            PYTHON,
            ("if x:", "if x"),
            Some((2, "unexpected end of the line")),
        ),
        (
            "a.py",
            PYTHON,
            ("return 1", "return 1 +"),
            Some((4, "unexpected \"+\"")),
        ),
        (
            "a.js",
            SCRIPT,
            ("d();", "d(1 2);"),
            Some((5, "unexpected \"2);\"")),
        ),
        (
            "a.go",
            GO,
            ("d()", "d() := := 1"),
            Some((7, "unexpected \":=\"")),
        ),
        (
            "a.json",
            JSON,
            ("2],", "2]"),
            Some((2, "unexpected end of the line")),
        ),
        (
            "a.json",
            JSON,
            ("\"d\"", "\"d\","),
            Some((4, "unexpected \",\"")),
        ),
    ]);
}

#[test]
fn what_a_grammar_may_not_know_is_not_told() {
    check(&[
        // Macros of C need no semicolon.
        ("a.c", C, ("return d();", "BEGIN(x) return d();"), None),
        (
            "a.cpp",
            C,
            ("int a(int x)", "EXPORTED int a(int x) NOEXCEPT_IF(true)"),
            None,
        ),
        // Forms that this grammar does not have.
        ("a.rs", RUST, ("d();", "let _ = str![[r#\"\n\"#]];"), None),
        (
            "a.ts",
            SCRIPT,
            ("function e() {}", "export type * from './e.js';"),
            None,
        ),
    ]);
    let loose = "{\n  \"a\": 1\n}\n";
    let comma = "{\n  \"a\": 1,\n}\n";
    for name in ["tsconfig.json", ".vscode/settings.json", ".eslintrc.json"] {
        assert_eq!(newly_broken(name, loose, comma), None, "{name}");
    }
    assert!(newly_broken("package.json", loose, comma).is_some());
    let commented = "{\n  // b\n  \"a\": 1\n}\n";
    assert_eq!(
        newly_broken("a.json", commented, &commented.replace("1", "1,")),
        None
    );
}

#[test]
fn branches_of_the_preprocessor_are_no_alarm() {
    let branches = "#ifdef X\n    if (x) {\n#else\n    if (!x) {\n#endif";
    check(&[("a.c", C, ("    if (x) {", branches), None)]);
}

#[test]
fn an_unknown_language_and_a_large_text_are_not_looked_at() {
    assert_eq!(newly_broken("a.txt", "()", "("), None);
    assert_eq!(newly_broken("Makefile", "()", "("), None);
    let large = "fn a() {}\n".repeat(200_000);
    assert_eq!(newly_broken("a.rs", &large, &format!("{large}{{")), None);
}
