//! A type name has one meaning: a name that means different things in several crates would have to be looked up every
//! time.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use crate::repository::Repository;

/// The maximum number of crates that may define a type of one name.
const MOST_CRATES: usize = 2;

/// Checks that no type name is defined in more than two crates.
pub(super) fn one_meaning(repository: &Repository) -> Vec<Finding> {
    let mut places: BTreeMap<&str, BTreeMap<&str, (&str, usize)>> = BTreeMap::new();
    for file in repository.rust().filter(|file| file.is_source()) {
        let Some(folder) = file.crate_folder() else {
            continue;
        };
        for (number, line) in file.outside_tests().lines().enumerate() {
            if let Some(name) = defined(line) {
                let crates = places.entry(name).or_default();
                crates.entry(folder).or_insert((file.path, number + 1));
            }
        }
    }
    let crowded = places
        .into_iter()
        .filter(|(_, crates)| crates.len() > MOST_CRATES);
    crowded
        .flat_map(|(name, crates)| {
            let names: BTreeSet<&str> = crates.keys().copied().collect();
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            crates.into_values().map(move |(path, line)| {
                let words = format!(
                    "the type name {name} is defined in {names}: give it the name of what it is here"
                );
                Finding::at(path, line, words)
            })
        })
        .collect()
}

/// Returns the name of the type that a line defines; error types are called `Error` in every crate.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(')')?.1.trim_start(),
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let rest = ["struct ", "enum ", "trait "]
        .iter()
        .find_map(|word| line.strip_prefix(word))?;
    let end = rest
        .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .unwrap_or(rest.len());
    Some(&rest[..end]).filter(|name| !name.is_empty() && *name != "Error")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_three_crates_is_found_and_one_in_two_is_not() {
        let mut files = vec![
            ("crates/a/src/lib.rs", "pub struct Kind;\n"),
            ("crates/b/src/lib.rs", "pub(crate) enum Kind<T> { A(T) }\n"),
            ("crates/b/src/x.rs", "struct Kind(u8);\n"),
        ];
        assert_eq!(one_meaning(&Repository::with_files(&files)), []);
        files.push(("crates/c/src/x.rs", "fn f() {\n    struct Kind;\n}\n"));
        let findings = one_meaning(&Repository::with_files(&files));
        assert_eq!(findings.len(), 3);
        assert_eq!(
            (findings[2].path.as_str(), findings[2].line),
            ("crates/c/src/x.rs", 2)
        );
    }

    #[test]
    fn words_in_tests_and_comments_are_no_types() {
        let repository = Repository::with_files(&[
            ("crates/a/src/lib.rs", "// struct Kind\n"),
            (
                "crates/b/src/lib.rs",
                "//! enum Kind\n#[cfg(test)]\nmod tests {\n    struct Kind;\n}\n",
            ),
            ("crates/c/src/tests/x.rs", "struct Kind;\n"),
            ("crates/d/src/x.rs", "struct Kind;\n"),
        ]);
        assert_eq!(one_meaning(&repository), []);
    }
}
