//! Comments and documentation are in plain English: the project's former private words do not come back. They were
//! short, and a reader could not know what they meant.

use super::Finding;
use crate::repository::{File, Repository};

/// The words that are refused, each with the usual ones. A word here has been replaced everywhere.
const PRIVATE: [(&str, &str); 9] = [
    ("stands", "is, contains, applies, occurs"),
    ("stood", "was, contained"),
    ("told", "reported, informed, sent, distinguished"),
    ("goes by", "uses, follows"),
    ("went by", "used, followed"),
    ("anew", "again"),
    ("taken back", "undone"),
    ("somebody", "another process, the user, a person"),
    ("nobody", "no process, no client, no person"),
];

/// Checks that no comment and no page of the documentation contains a private word.
pub(super) fn english(repository: &Repository) -> Vec<Finding> {
    let comments = repository.rust().flat_map(|file| in_comments(&file));
    let pages = repository.texts().filter(|file| is_page(file.path));
    comments
        .chain(pages.flat_map(|file| in_page(&file)))
        .collect()
}

/// Returns whether a file is documentation for readers.
fn is_page(path: &str) -> bool {
    let is_below = |folder: &str| path.starts_with(folder);
    path.ends_with(".md") && (!path.contains('/') || is_below("docs/") || is_below("scenarios/"))
}

/// Checks the comments of a file, without the examples in the comments of items.
fn in_comments(file: &File<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut is_example = false;
    for (number, line) in file.text.lines().enumerate() {
        let Some(comment) = comment(line) else {
            is_example = false;
            continue;
        };
        if comment.contains("```") {
            is_example = !is_example;
        } else if !is_example {
            findings.extend(finding(file, number, comment));
        }
    }
    findings
}

/// Checks the lines of a page outside of fenced blocks, which show what programs print.
fn in_page(file: &File<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut is_fenced = false;
    for (number, line) in file.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced {
            findings.extend(finding(file, number, line));
        }
    }
    findings
}

/// Returns the comment on a line, which is the whole line or follows code after one or two spaces.
fn comment(line: &str) -> Option<&str> {
    let start = line.trim_start();
    if start.starts_with("//") {
        return Some(start);
    }
    // A `//` inside of a string is mostly part of a URL, which has no space after it.
    let (_, comment) = line.split_once(" // ")?;
    Some(comment)
}

fn finding(file: &File<'_>, number: usize, text: &str) -> Option<Finding> {
    let text = without_code(text).to_lowercase();
    let (word, usual) = PRIVATE.iter().find(|(word, _)| contains(&text, word))?;
    let words = format!("`{word}` is not plain English here; the usual words are: {usual}");
    Some(Finding::at(file.path, number + 1, words))
}

/// Returns the text without the parts between back quotes, such as the name of an item.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// Returns whether the text contains the phrase as whole words.
fn contains(text: &str, phrase: &str) -> bool {
    let is_letter =
        |letter: Option<char>| letter.is_some_and(|at| at.is_alphanumeric() || at == '_');
    text.match_indices(phrase).any(|(at, _)| {
        !is_letter(text[..at].chars().next_back())
            && !is_letter(text[at + phrase.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(files: &[(&str, &str)]) -> Vec<usize> {
        let findings = english(&Repository::with_files(files));
        findings.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_private_word_in_a_comment_is_found() {
        let text = concat!(
            "//! A.\nlet told = 1; /",
            "/ what was told\n/// It stands here.\nfn stands() {}\n"
        );
        assert_eq!(lines(&[("crates/text/src/a.rs", text)]), [2, 3]);
    }

    #[test]
    fn an_example_in_a_comment_is_code() {
        let text = "//! A.\n//! ```\n//! told();\n//! ```\n//! It stands.\n";
        assert_eq!(lines(&[("crates/text/src/a.rs", text)]), [5]);
    }

    #[test]
    fn names_strings_and_longer_words_are_not_comments() {
        let text = "//! `told` understands.\nlet url = \"https://told.example\";\nlet nobody = \"nobody\";\n";
        assert_eq!(lines(&[("crates/text/src/a.rs", text)]), [0_usize; 0]);
    }

    #[test]
    fn a_private_word_in_a_page_is_found_outside_of_blocks() {
        let text = "# Page\nThe change is taken back.\n```\nnobody\n```\n";
        assert_eq!(
            lines(&[("docs/a.md", text), ("acceptance/README.md", text)]),
            [2]
        );
    }
}
