//! A function's name says what it returns or does. The names that are refused here were used for hundreds of functions
//! that return different things, so that a call such as `words(…)` could only be understood by opening the function.

use super::Finding;
use crate::repository::Repository;

/// The refused names. `new`, `from_…`, `parse`, `as_str`, `describe` and `display_…` say more.
const REFUSED: [&str; 11] = [
    "of", "word", "words", "told", "said", "shown", "asked", "kept", "held", "somebody", "nobody",
];

/// No function has a refused name.
pub(super) fn describe_results(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in repository.rust() {
        for (number, line) in file.text.lines().enumerate() {
            if let Some(name) = declared(line).filter(|name| REFUSED.contains(name)) {
                let words = format!(
                    "the function name `{name}` does not say what the function returns or does"
                );
                findings.push(Finding::at(file.path, number + 1, words));
            }
        }
    }
    findings
}

/// Returns the name of the function that a line declares.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let (before, rest) = line.split_once("fn ")?;
    // In a comment or a string, `fn` declares nothing.
    let is_code = !before.contains("//") && !before.contains('"');
    if !is_code || !(before.is_empty() || before.ends_with(' ')) {
        return None;
    }
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
    matches!(rest[end..].chars().next(), Some('(' | '<')).then_some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_says_nothing_is_found() {
        let text = "//! A.\npub(crate) fn words(&self) {}\nfn of<T>(one: T) {}\n";
        let found = describe_results(&Repository::with_files(&[("crates/text/src/a.rs", text)]));
        let lines: Vec<usize> = found.iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [2, 3]);
    }

    #[test]
    fn longer_names_and_comments_are_not_found() {
        let text = "//! fn of(x).\nfn kept_words() {}\nfn offset() {}\nlet f: fn (u8) = shown;\n";
        let found = describe_results(&Repository::with_files(&[("crates/text/src/a.rs", text)]));
        assert_eq!(found, []);
    }
}
