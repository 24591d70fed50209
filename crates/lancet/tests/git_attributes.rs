//! Compares how `.gitattributes` is read with git itself.

use std::path::Path;
use std::process::Command;

use lancet::doors::{RuleFile, line_end_for_new};
use lancet_testing::TestFolder;
use lancet_text::LineEnd;

const PATHS: [&str; 12] = [
    "a",
    "b",
    "a.x",
    "b.x",
    "a/b",
    "a/a.x",
    "b/a/b",
    "a/b/a.x",
    "ab/b.x",
    "a/ab/b",
    "b/b/b/b.x",
    "a b",
];

const RULES: [&str; 33] = [
    "* eol=crlf",
    "*.x eol=crlf",
    "a/* eol=crlf",
    "/a eol=crlf",
    "a/** eol=crlf",
    "**/b eol=crlf",
    "a/**/b eol=crlf",
    "***/b eol=crlf",
    "a**b eol=crlf",
    "[ab] eol=crlf",
    "[!a] eol=crlf",
    "? eol=crlf",
    "\\a eol=crlf",
    "{a,b} eol=crlf",
    "a/ eol=crlf",
    "\"a b\" eol=crlf",
    "* eol=crlf\n*.x eol=lf",
    "*.x eol=lf\n* eol=crlf",
    "* eol=crlf\n*.x -text",
    "* eol=crlf\n*.x binary",
    "* eol=crlf\n*.x binary\na.x text",
    "* eol=crlf\n*.x !eol",
    "* eol=crlf\n*.x -eol",
    "* text=auto",
    "* text=auto eol=crlf",
    "*.x crlf=input",
    "* eol=crlf\n*.x -crlf",
    "[attr]dos text eol=crlf\n*.x dos",
    "* eol=crlf binary\n*.x -binary",
    "* eol=crlf binary\n*.x !binary",
    "* text=auto\n*.x crlf=input",
    "# * eol=crlf",
    "!a eol=crlf",
];

#[test]
fn git_reads_the_same_line_ending() {
    let folder = TestFolder::new();
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(folder.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .expect("git is needed as the judge");
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "-q"]);
    for rules in RULES {
        std::fs::write(folder.join(".gitattributes"), rules).unwrap();
        let answer = git(&[
            &["check-attr", "-z", "text", "crlf", "eol", "--"],
            PATHS.as_slice(),
        ]
        .concat());
        let fields: Vec<&str> = answer.split('\0').collect();
        for (index, path) in PATHS.iter().enumerate() {
            let value = |attribute: usize| fields[(index * 3 + attribute) * 3 + 2];
            assert_eq!(fields[index * 9], *path);
            let binary = value(0) == "unset" || (value(0) == "unspecified" && value(1) == "unset");
            let judged = match (value(2), value(1)) {
                _ if binary => None,
                ("crlf", _) => Some(LineEnd::Crlf),
                ("lf", _) => Some(LineEnd::Lf),
                ("unspecified", "input") if value(0) == "unspecified" => Some(LineEnd::Lf),
                _ => None,
            };
            let file = RuleFile {
                folder: Path::new(""),
                text: rules,
            };
            assert_eq!(
                line_end_for_new(Path::new(path), &[], &[file]),
                judged,
                "{rules:?} for {path:?}"
            );
        }
    }
}
