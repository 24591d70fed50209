//! The shape of source files: length, first line, and names.

use super::Finding;
use crate::repository::Repository;

/// The maximum number of lines of a file; a longer one has to be split by meaning.
const LONGEST: usize = 400;

/// Names that do not describe their content.
const EMPTY_NAMES: [&str; 8] = [
    "utils", "util", "helpers", "helper", "common", "manager", "managers", "misc",
];

/// Checks that no file is longer than [`LONGEST`] lines, not counting the unit tests at its bottom.
pub(super) fn length(repository: &Repository) -> Vec<Finding> {
    repository
        .rust()
        .filter(|file| !file.is_test())
        .filter_map(|file| {
            let lines = file.outside_tests().lines().count();
            (lines > LONGEST).then(|| {
                Finding::of_file(
                    file.path,
                    format!("{lines} lines outside tests, at most {LONGEST}: split it by meaning"),
                )
            })
        })
        .collect()
}

/// Checks that the first line of every file describes its purpose.
pub(super) fn purpose(repository: &Repository) -> Vec<Finding> {
    repository
        .rust()
        .filter(|file| {
            !file.text.strip_prefix("//!").is_some_and(|rest| {
                rest.lines()
                    .next()
                    .is_some_and(|line| line.trim().len() > 5)
            })
        })
        .map(|file| {
            Finding::at(
                file.path,
                1,
                "the first line says what the file is for: `//! …`",
            )
        })
        .collect()
}

/// Checks that a module's file is `room.rs` next to `room/`, never `room/mod.rs`.
pub(super) fn no_mod_rs(repository: &Repository) -> Vec<Finding> {
    repository
        .paths()
        .filter(|path| path.rsplit('/').next() == Some("mod.rs"))
        .map(|path| Finding::of_file(path, "no mod.rs: `room.rs` stands beside `room/`"))
        .collect()
}

/// Checks that no file, folder, module or type has a meaningless name.
pub(super) fn names(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in repository.paths() {
        for part in path.split('/') {
            let stem = part.split('.').next().unwrap_or(part);
            if EMPTY_NAMES.contains(&stem) {
                findings.push(Finding::of_file(
                    path,
                    format!("`{stem}` says nothing: name it by what is inside"),
                ));
            }
        }
    }
    for file in repository.rust() {
        for (number, line) in file.text.lines().enumerate() {
            if let Some(name) = declared(line)
                && EMPTY_NAMES
                    .iter()
                    .any(|empty| name.to_lowercase().ends_with(empty))
            {
                findings.push(Finding::at(
                    file.path,
                    number + 1,
                    format!("`{name}` says nothing: name it by what it is"),
                ));
            }
        }
    }
    findings
}

/// Returns the name of a module or type that the line declares.
fn declared(line: &str) -> Option<&str> {
    let mut words = line
        .split(|character: char| !(character.is_alphanumeric() || character == '_'))
        .filter(|word| !word.is_empty())
        .skip_while(|word| matches!(*word, "pub" | "crate" | "super" | "in"));
    match words.next()? {
        "mod" | "struct" | "enum" | "trait" | "type" => words.next(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_found_and_its_tests_do_not_count() {
        let body = format!("//! Long file.\n{}", "fn a() {}\n".repeat(LONGEST - 1));
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "\n".repeat(500));
        let fits = format!("{body}{tests}");
        let repository = Repository::with_files(&[("crates/text/src/a.rs", &fits)]);
        assert_eq!(length(&repository), []);
        let over = format!("{body}fn b() {{}}\n{tests}");
        let repository = Repository::with_files(&[("crates/text/src/a.rs", &over)]);
        assert_eq!(length(&repository).len(), 1);
    }

    #[test]
    fn a_file_without_a_purpose_is_found() {
        let repository = Repository::with_files(&[
            ("a.rs", "//! What it is for.\n"),
            ("b.rs", "use std::io;\n"),
            ("c.rs", "//!\n//! Too late.\n"),
            ("d.rs", ""),
        ]);
        let found: Vec<_> = purpose(&repository).into_iter().map(|it| it.path).collect();
        assert_eq!(found, ["b.rs", "c.rs", "d.rs"]);
    }

    #[test]
    fn mod_rs_is_found() {
        let repository =
            Repository::with_files(&[("crates/text/src/ladder/mod.rs", "//! Ladder.\n")]);
        assert_eq!(no_mod_rs(&repository).len(), 1);
    }

    #[test]
    fn names_that_say_nothing_are_found() {
        let repository = Repository::with_files(&[
            ("crates/text/src/utils.rs", "//! All sorts.\n"),
            ("crates/text/tests/common/lines.rs", "//! Lines.\n"),
            (
                "crates/text/src/a.rs",
                "//! A.\npub(crate) struct LineManager;\nmod helpers {}\n",
            ),
            (
                "crates/text/src/b.rs",
                "//! B.\nlet commonest = 1;\nstruct Commonest;\n",
            ),
        ]);
        let found: Vec<_> = names(&repository)
            .into_iter()
            .map(|it| (it.path, it.line))
            .collect();
        assert_eq!(
            found,
            [
                ("crates/text/src/utils.rs".to_owned(), 0),
                ("crates/text/tests/common/lines.rs".to_owned(), 0),
                ("crates/text/src/a.rs".to_owned(), 2),
                ("crates/text/src/a.rs".to_owned(), 3),
            ]
        );
    }
}
