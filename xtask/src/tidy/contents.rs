//! Checks the table of contents of the site: every page of the documentation is in `docs/SUMMARY.md`, once.

use super::Finding;
use crate::book;
use crate::repository::Repository;

/// The folders whose pages belong to the site.
const FOLDERS: [&str; 2] = ["docs/", "scenarios/"];

/// Checks that every page of `docs/` and `scenarios/` is in the table of contents, and none twice.
pub(super) fn complete(repository: &Repository) -> Vec<Finding> {
    let Some(summary) = repository.text(book::SUMMARY) else {
        return vec![Finding::of_file(book::SUMMARY, "is missing")];
    };
    let entries = book::entries(summary);
    let mut findings = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        if entries[..at].iter().any(|before| before.path == entry.path) {
            findings.push(Finding::at(
                book::SUMMARY,
                entry.line,
                format!("{} is listed a second time", entry.path),
            ));
        }
    }
    for page in repository.paths().filter(|path| is_page(path)) {
        if !entries.iter().any(|entry| entry.path == page) {
            findings.push(Finding::of_file(
                page,
                format!(
                    "is not in {}: add it to the chapter where a reader looks for it",
                    book::SUMMARY
                ),
            ));
        }
    }
    findings
}

fn is_page(path: &str) -> bool {
    path.ends_with(".md")
        && path != book::SUMMARY
        && FOLDERS.iter().any(|folder| path.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_is_not_listed_or_listed_twice_is_found() {
        let files = [
            (
                book::SUMMARY,
                "# Summary\n\n[Start](README.md)\n\n- [A](a.md)\n  - [Edit](../scenarios/edit.md)\n- [A again](a.md)\n",
            ),
            ("docs/README.md", ""),
            ("docs/a.md", ""),
            ("docs/b.md", ""),
            ("docs/a.svg", ""),
            ("scenarios/edit.md", ""),
            ("scenarios/shell/log.md", ""),
            ("crates/a/notes.md", ""),
        ];
        let found: Vec<_> = complete(&Repository::with_files(&files))
            .into_iter()
            .map(|finding| (finding.path, finding.line))
            .collect();
        let expected = [
            (book::SUMMARY, 7),
            ("docs/b.md", 0),
            ("scenarios/shell/log.md", 0),
        ];
        assert_eq!(found, expected.map(|(path, line)| (path.to_owned(), line)));
    }

    #[test]
    fn a_missing_table_of_contents_is_found() {
        assert_eq!(complete(&Repository::with_files(&[])).len(), 1);
    }
}
