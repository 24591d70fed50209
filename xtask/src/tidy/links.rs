//! Checks the links between the pages of the repository: each target is an existing file or folder, and an anchor an
//! existing heading.

use super::Finding;
use crate::page;
use crate::repository::Repository;

/// Checks that every link and picture of a page has an existing target.
pub(super) fn lead_somewhere(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in repository.texts().filter(|file| file.path.ends_with(".md")) {
        for (number, line) in page::outside_fences(file.text) {
            for target in page::targets(line) {
                if let Some(words) = fault(repository, file.path, target) {
                    findings.push(Finding::at(file.path, number, words));
                }
            }
        }
    }
    findings
}

/// Returns what is wrong with a link of a page.
fn fault(repository: &Repository, from: &str, target: &str) -> Option<String> {
    let (path, anchor) = page::resolved(from, target)?;
    let inside = format!("{path}/");
    let there = path.is_empty()
        || repository
            .paths()
            .any(|known| known == path || known.starts_with(&inside));
    if !there {
        return Some(format!("the link to {target} leads nowhere"));
    }
    let anchor = anchor?;
    let text = repository.text(&path).filter(|_| path.ends_with(".md"))?;
    let anchors = page::anchors(text);
    (!anchors.iter().any(|known| known == anchor))
        .then(|| format!("the link to {target}: {path} has no heading for #{anchor}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let findings = lead_somewhere(&Repository::with_files(files));
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        let page = "[a](errors.md#codes) [b](../scenarios/) [c](gone.md) [d](https://example.org/x)\n\n```\n[e](not-a-link.md)\n```\n";
        let files = [
            ("docs/README.md", page),
            ("docs/errors.md", "# Errors\n\n## Codes\n"),
            ("scenarios/edit.md", "# Edit\n"),
        ];
        assert_eq!(
            found(&files),
            ["docs/README.md:1: the link to gone.md leads nowhere"]
        );
    }

    #[test]
    fn an_anchor_without_a_heading_is_found() {
        let files = [
            (
                "README.md",
                "# Top\n[a](#top) [b](#bottom) [c](docs/a.md#two)\n[d](docs/a.md#one) [e](src/a.rs#L3)\n",
            ),
            ("docs/a.md", "# One\n"),
            ("src/a.rs", ""),
        ];
        assert_eq!(
            found(&files),
            [
                "README.md:2: the link to #bottom: README.md has no heading for #bottom",
                "README.md:2: the link to docs/a.md#two: docs/a.md has no heading for #two",
            ]
        );
    }

    #[test]
    fn a_picture_that_is_not_there_is_found() {
        let files = [
            (
                "README.md",
                "<img src=\"docs/a.svg\">\n<source srcset=\"docs/b.svg\">\n",
            ),
            ("docs/a.svg", "<svg/>"),
        ];
        assert_eq!(
            found(&files),
            ["README.md:2: the link to docs/b.svg leads nowhere"]
        );
    }
}
