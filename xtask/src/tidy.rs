//! `cargo xtask tidy`: the rules of the repository that a program can check. Each rule is a function from the
//! repository to its violations, with tests that show that it can fail. CONTRIBUTING.md explains the rules.

mod arrows;
mod circles;
mod contents;
mod disk;
mod function_names;
mod functions;
mod links;
mod nouns;
mod pages;
mod plain;
mod shape;
mod words;

use std::fmt;

use crate::repository::Repository;

/// One violation of a rule, with what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    path: String,
    /// The line, from 1; 0 for the file as a whole.
    line: usize,
    words: String,
}

impl Finding {
    fn at(path: &str, line: usize, words: impl Into<String>) -> Finding {
        Finding {
            path: path.to_owned(),
            line,
            words: words.into(),
        }
    }

    fn of_file(path: &str, words: impl Into<String>) -> Finding {
        Finding::at(path, 0, words)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(out, "{}: {}", self.path, self.words),
            line => write!(out, "{}:{line}: {}", self.path, self.words),
        }
    }
}

/// All rules.
const RULES: [fn(&Repository) -> Vec<Finding>; 21] = [
    arrows::between_rooms,
    arrows::to_libraries,
    circles::largest,
    contents::complete,
    disk::only_workspace,
    function_names::describe_results,
    functions::length,
    links::lead_somewhere,
    nouns::one_meaning,
    pages::changelog,
    pages::errors,
    pages::example,
    pages::agents,
    plain::english,
    shape::length,
    shape::purpose,
    shape::no_mod_rs,
    shape::names,
    words::unfinished,
    words::registries,
    words::ignored_tests,
];

/// Prints the violations; returns true if there are none.
pub(crate) fn print() -> anyhow::Result<bool> {
    let repository = Repository::open()?;
    let findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(&repository)).collect();
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => println!("tidy: {} rules hold", RULES.len()),
        1 => println!("tidy: 1 finding"),
        many => println!("tidy: {many} findings"),
    }
    Ok(findings.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_names_file_and_line() {
        assert_eq!(
            Finding::at("a.rs", 3, "too long").to_string(),
            "a.rs:3: too long"
        );
        assert_eq!(
            Finding::of_file("a.rs", "too long").to_string(),
            "a.rs: too long"
        );
    }
}
