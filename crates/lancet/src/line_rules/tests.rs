//! Rules of line endings: precedence, patterns of both dialects, and that no rule file takes long or panics.

use std::path::Path;

use lancet_text::LineEnd;
use proptest::prelude::*;

use super::pattern::{Dialect, LinePattern};
use super::*;

fn editorconfig(path: &str, files: &[(&str, &str)]) -> Option<LineEnd> {
    line_end_for_new(Path::new(path), &rule_files(files), &[])
}

fn gitattributes(path: &str, files: &[(&str, &str)]) -> Option<LineEnd> {
    line_end_for_new(Path::new(path), &[], &rule_files(files))
}

fn rule_files<'t>(files: &[(&'t str, &'t str)]) -> Vec<RuleFile<'t>> {
    files
        .iter()
        .map(|&(folder, text)| RuleFile {
            folder: Path::new(folder),
            text,
        })
        .collect()
}

#[test]
fn editorconfig_sets_line_ending_by_section() {
    let text = "root = true\n\n; all\n[*]\nindent_style = tab\n[*.ini]\nend_of_line = crlf\n[*.{cmd,bat}]\nEnd_Of_Line = CRLF # dos\n[old/**.txt]\nend_of_line = cr\n";
    for (path, end) in [
        ("conf/app.ini", Some(LineEnd::Crlf)),
        ("run.bat", Some(LineEnd::Crlf)),
        ("d/run.cmd", Some(LineEnd::Crlf)),
        ("old/a/b/c.txt", Some(LineEnd::Cr)),
        ("new/old/c.txt", None),
        ("conf/app.txt", None),
    ] {
        assert_eq!(editorconfig(path, &[("", text)]), end, "{path}");
    }
}

#[test]
fn nearest_editorconfig_wins_up_to_root_editorconfig() {
    let top = "[*]\nend_of_line = crlf\n";
    assert_eq!(
        editorconfig("a/x", &[("", top), ("a", "[*.md]\nend_of_line = lf\n")]),
        Some(LineEnd::Crlf)
    );
    assert_eq!(
        editorconfig("a/x", &[("", top), ("a", "[x]\nend_of_line = lf\n")]),
        Some(LineEnd::Lf)
    );
    assert_eq!(
        editorconfig("a/x", &[("", top), ("a", "[x]\nend_of_line = unset\n")]),
        None
    );
    assert_eq!(
        editorconfig("a/x", &[("", top), ("a", "root=TRUE\n")]),
        None
    );
    assert_eq!(
        editorconfig("a/x", &[("", top), ("a", "[*]\nroot = true\n")]),
        Some(LineEnd::Crlf)
    );
    assert_eq!(
        editorconfig(
            "a/x",
            &[("", "[*]\nend_of_line = lf\n[x]\nend_of_line = crlf\n")]
        ),
        Some(LineEnd::Crlf)
    );
    assert_eq!(editorconfig("b/x", &[("a", top)]), None);
}

#[test]
fn gitattributes_uses_last_match_of_each_attribute() {
    let text = "# comment\n* text=auto\n*.cmd text eol=crlf\n/top.sh eol=lf\ndocs/** eol=crlf\n*.png binary\n*.png eol=crlf\n\"a b.txt\" eol=crlf\n*.old crlf=input\n";
    for (path, end) in [
        ("tools/run.cmd", Some(LineEnd::Crlf)),
        ("top.sh", Some(LineEnd::Lf)),
        ("d/top.sh", None),
        ("docs/a/b", Some(LineEnd::Crlf)),
        ("docs", None),
        ("x/p.png", None),
        ("x/a b.txt", Some(LineEnd::Crlf)),
        // `*` sets `text`, and git checks the legacy attribute `crlf` only if `text` is unspecified.
        ("a.old", None),
        ("a.txt", None),
    ] {
        assert_eq!(gitattributes(path, &[("", text)]), end, "{path}");
    }
    assert_eq!(
        gitattributes("d/x.cmd", &[("", text), ("d", "*.cmd eol=lf\n")]),
        Some(LineEnd::Lf)
    );
    assert_eq!(
        gitattributes("d/x.cmd", &[("", text), ("d", "*.cmd -text\n")]),
        None
    );
    assert_eq!(
        gitattributes("d/x.cmd", &[("", text), ("d", "*.cmd !eol\n")]),
        None
    );
    assert_eq!(
        gitattributes("d/x.png", &[("", text), ("d", "x.png text\n")]),
        Some(LineEnd::Crlf)
    );
    assert_eq!(
        gitattributes("x", &[("", "[attr]dos text eol=crlf\nx dos\n")]),
        Some(LineEnd::Crlf)
    );
    assert_eq!(gitattributes("x", &[("", "x")]), None);
    assert_eq!(
        gitattributes("x", &[("", "x crlf=input\n")]),
        Some(LineEnd::Lf)
    );
    // A macro that is unset later has no effect any more.
    assert_eq!(
        gitattributes("x", &[("", "x eol=lf binary\nx -binary\n")]),
        Some(LineEnd::Lf)
    );
}

#[test]
fn editorconfig_takes_precedence_over_gitattributes() {
    let (path, lf, crlf) = (
        Path::new("a.x"),
        rule_files(&[("", "[*]\nend_of_line=lf")]),
        rule_files(&[("", "* eol=crlf")]),
    );
    assert_eq!(line_end_for_new(path, &lf, &crlf), Some(LineEnd::Lf));
    assert_eq!(line_end_for_new(path, &[], &crlf), Some(LineEnd::Crlf));
}

#[test]
fn lists_rule_folders_from_root_down() {
    let folders = rule_folders(Path::new("a/b/c.txt"));
    assert_eq!(folders, [Path::new(""), Path::new("a"), Path::new("a/b")]);
    assert_eq!(rule_folders(Path::new("c.txt")), [Path::new("")]);
}

#[test]
fn patterns_match_by_dialect() {
    use Dialect::{EditorConfig, Git};
    for (dialect, pattern, path, fits) in [
        (EditorConfig, "*", "a/b", true),
        (EditorConfig, "a/*", "a/b", true),
        (EditorConfig, "a/*", "a/b/c", false),
        (EditorConfig, "a/**", "a/b/c", true),
        (EditorConfig, "/x", "x", true),
        (EditorConfig, "/x", "a/x", false),
        (EditorConfig, "**/x", "a/b/x", true),
        (EditorConfig, "{a,b{c,d}}.x", "bd.x", true),
        (EditorConfig, "{a,b{c,d}}.x", "b.x", false),
        (EditorConfig, "{single}.x", "{single}.x", true),
        (EditorConfig, "{single}.x", "single.x", false),
        (EditorConfig, "{,a}b", "b", true),
        (EditorConfig, "v{1..12}", "v7", true),
        (EditorConfig, "v{1..12}", "v12", true),
        (EditorConfig, "v{1..12}", "v13", false),
        (EditorConfig, "v{-3..3}", "v-2", true),
        (EditorConfig, "[a-c]?.x", "bz.x", true),
        (EditorConfig, "[!a-c].x", "b.x", false),
        (EditorConfig, "[!a-c].x", "d.x", true),
        (EditorConfig, "[ab.x", "[ab.x", true),
        (EditorConfig, "\\*.x", "*.x", true),
        (EditorConfig, "\\*.x", "a.x", false),
        (EditorConfig, "", "", false),
        (Git, "*.x", "a/b.x", true),
        (Git, "a/*.x", "b/a/c.x", false),
        (Git, "**/a/b", "a/b", true),
        (Git, "**/a/b", "c/d/a/b", true),
        (Git, "a/**/b", "a/b", true),
        (Git, "a/**/b", "a/c/d/b", true),
        (Git, "a/**/b", "ab", false),
        (Git, "a**b/c", "axb/c", true),
        (Git, "a**b/c", "ax/yb/c", false),
        (Git, "{a,b}", "a", false),
        (Git, "{a,b}", "{a,b}", true),
        (Git, "[^a]", "b", true),
    ] {
        assert_eq!(
            LinePattern::compile(pattern, dialect).matches(path),
            fits,
            "{dialect:?} {pattern} {path}"
        );
    }
}

#[test]
fn exponential_pattern_terminates() {
    let text = "a".repeat(2_000);
    for pattern in [
        "*a".repeat(500) + "b",
        "{*a,*aa}".repeat(120) + "b",
        "{".repeat(1_000),
        "{a,".repeat(300),
        "{0..9}".repeat(150),
    ] {
        assert!(
            !LinePattern::compile(&pattern, Dialect::EditorConfig).matches(&text),
            "{}",
            &pattern[..10]
        );
    }
}

fn rule_text() -> impl Strategy<Value = String> {
    let words = [
        "[",
        "]",
        "{",
        "}",
        "*",
        "?",
        "!",
        ",",
        "..",
        "1",
        "-",
        "a",
        "/",
        "\\",
        "\"",
        " ",
        "=",
        "eol",
        "crlf",
        "text",
        "end_of_line",
        "root",
        "true",
        "\n",
        "é",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..32)
        .prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn rules_never_panic(text in rule_text(), path in "[a-c/é]{0,8}") {
        let files = [RuleFile { folder: Path::new(""), text: &text }];
        let _ = line_end_for_new(Path::new(&path), &files, &files);
    }

    #[test]
    fn plain_name_matches_only_itself(name in "[a-z.]{1,8}", more in "[a-z]{1,3}") {
        for dialect in [Dialect::EditorConfig, Dialect::Git] {
            let pattern = LinePattern::compile(&name, dialect);
            prop_assert!(pattern.matches(&name));
            let deeper = format!("x/{name}");
            prop_assert!(pattern.matches(&deeper));
            let longer = format!("{name}{more}");
            prop_assert!(!pattern.matches(&longer));
        }
    }
}
