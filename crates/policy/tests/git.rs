//! Patterns mean what they mean to git: compares with `git check-ignore`.

#![allow(clippy::print_stdout, reason = "what was counted or skipped is told")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lancet_policy::{LayeredRule, Locations, Mode, NameKind, Policy, Rule, RuleEffect, RuleLayer};
use lancet_testing::{TestFolder, judges};

const PATTERNS: &[&str] = &[
    "a",
    "a/",
    "/a",
    "a/b",
    "/a/b",
    "*.rs",
    "/*.rs",
    "src/*.rs",
    "src/**",
    "**/b",
    "a/**/b",
    "a/*",
    "*",
    "a*",
    "*a*",
    "?",
    "??",
    "[ab]",
    "[!ab]",
    "[a-c]*",
    "a\\*",
    "**",
    "**/",
    "src/",
    "**/src/**",
    "a/**/",
    "x.y",
    "*.x.*",
    "a?b",
    "src/**/c/*.rs",
    "deep/*/c",
    "/deep/**/z",
    "[]a]",
    "[^a]",
];

const PATHS: &[&str] = &[
    "a",
    "b",
    "a/b",
    "b/a",
    "a/b/c",
    "src/x.rs",
    "x.rs",
    "src/d/x.rs",
    "src/d/c/y.rs",
    "deep/1/c",
    "deep/1/2/c",
    "deep/1/2/z",
    "deep/z",
    "aa",
    "ab",
    "ba",
    "a*",
    "x.y",
    "p.x.q",
    "a-b",
    "b/src/q",
    "abc",
    "c",
    "]",
    "a/x/y/b",
    "a/x/b/q",
    "z/deep/z",
];

/// Returns which of the paths git ignores under one pattern; none if git cannot be run.
fn ignored(folder: &Path, pattern: &str) -> Option<Vec<bool>> {
    std::fs::write(folder.join(".gitignore"), format!("{pattern}\n")).expect("a file");
    let mut git = Command::new("git")
        .args([
            "check-ignore",
            "--no-index",
            "--verbose",
            "--non-matching",
            "--stdin",
        ])
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = git.stdin.take()?;
    input.write_all((PATHS.join("\n") + "\n").as_bytes()).ok()?;
    drop(input);
    let output = git.wait_with_output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Some(text.lines().map(|line| !line.starts_with("::")).collect())
}

#[test]
fn patterns_match_what_git_matches() {
    let folder = TestFolder::new();
    let started = Command::new("git")
        .args(["init", "--quiet"])
        .current_dir(folder.path())
        .status();
    if !started.is_ok_and(|status| status.success()) {
        return judges::missing("git");
    }
    let mut wrong = Vec::new();
    for pattern in PATTERNS {
        let entry = LayeredRule {
            effect: RuleEffect::Deny,
            rule: Rule::parse(&format!("Read({pattern})")).expect(pattern),
            layer: RuleLayer::User,
            source: String::new(),
            stands_for: None,
        };
        let ground = Locations {
            roots: vec!["/w".into()],
            ..Locations::default()
        };
        let policy = Policy::new(
            ground,
            Mode::Ask,
            vec![entry],
            Vec::new(),
            &Path::to_path_buf,
        );
        let judged = ignored(folder.path(), pattern).expect("git answers");
        assert_eq!(judged.len(), PATHS.len(), "{pattern}");
        for (path, wanted) in PATHS.iter().zip(judged) {
            let full = PathBuf::from("/w").join(path);
            if policy.may_read(&full, NameKind::File).is_denied() != wanted {
                wrong.push(format!("{pattern} on {path}: git says {wanted}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
