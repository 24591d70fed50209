//! Checks the pages beside the code: the changelog has an unreleased section, the table of errors is that of the code,
//! and links between pages lead to a file.

use super::Finding;
use crate::errors_page;
use crate::house::House;

const CHANGELOG: &str = "CHANGELOG.md";

/// The changelog has a section for the next change.
pub(super) fn changelog(house: &House) -> Vec<Finding> {
    let kept = house
        .text(CHANGELOG)
        .is_some_and(|text| text.lines().any(|line| line.trim_end() == "## Unreleased"));
    if kept {
        Vec::new()
    } else {
        vec![Finding::of_file(
            CHANGELOG,
            "needs a section `## Unreleased`",
        )]
    }
}

/// The page of errors is the one that the table of refusals generates.
pub(super) fn errors(house: &House) -> Vec<Finding> {
    let source = house.text(errors_page::SOURCE).unwrap_or_default();
    match errors_page::page(source) {
        Err(error) => vec![Finding::of_file(errors_page::SOURCE, format!("{error:#}"))],
        Ok(page) if house.text(errors_page::PATH) == Some(&page) => Vec::new(),
        Ok(_) => vec![Finding::of_file(
            errors_page::PATH,
            "is not what crates/lancet/src/refusal.rs says: run `cargo xtask docs`",
        )],
    }
}

/// A link from one page to a file of the repository leads to an existing file.
pub(super) fn links(house: &House) -> Vec<Finding> {
    let mut findings = Vec::new();
    for page in house.texts().filter(|file| file.path.ends_with(".md")) {
        let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (number, line) in outside_fences(page.text) {
            for target in targets(line) {
                let Some(path) = resolved(folder, target) else {
                    continue;
                };
                let inside = format!("{path}/");
                let there = path.is_empty()
                    || house
                        .paths()
                        .any(|known| known == path || known.starts_with(&inside));
                if !there {
                    findings.push(Finding::at(
                        page.path,
                        number,
                        format!("the link to {target} leads nowhere"),
                    ));
                }
            }
        }
    }
    findings
}

/// The lines of a page outside code fences, with their numbers from 1.
fn outside_fences(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<usize> = None;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            Some(open) if ticks >= open && line.trim_end().len() == ticks => fence = None,
            None if ticks >= 3 => fence = Some(ticks),
            None => return Some((at + 1, line)),
            Some(_) => {}
        }
        None
    })
}

/// The targets of the links on a line, the text in `](…)`.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
}

/// The path from the top of the repository; none for a link to elsewhere or into the same page.
fn resolved(folder: &str, target: &str) -> Option<String> {
    let path = target.split('#').next().unwrap_or(target);
    if path.is_empty() || path.contains("://") || path.starts_with("mailto:") {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changelog_without_room_for_the_next_change_is_found() {
        let kept = House::of(&[(CHANGELOG, "# Changelog\n\n## Unreleased\n")]);
        assert_eq!(super::changelog(&kept), []);
        let closed = House::of(&[(CHANGELOG, "# Changelog\n\n## 0.1.0\n")]);
        assert_eq!(super::changelog(&closed).len(), 1);
        assert_eq!(super::changelog(&House::of(&[])).len(), 1);
    }

    #[test]
    fn a_page_of_errors_that_lags_behind_is_found() {
        let source = "pub const TABLE: &[Row] = &[\n    row(Kind::Stale, 7, Some(3), \"stale\", \"a\", \"b\"),\n];\n";
        let page = errors_page::page(source).expect("a table");
        let house =
            |page: &str| House::of(&[(errors_page::SOURCE, source), (errors_page::PATH, page)]);
        assert_eq!(errors(&house(&page)), []);
        assert_eq!(errors(&house(&page.replace("| 7 |", "| 8 |"))).len(), 1);
        assert_eq!(errors(&House::of(&[])).len(), 1);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        let house = House::of(&[
            (
                "docs/README.md",
                "[a](errors.md#codes) [b](../scenarios/) [c](gone.md) [d](https://example.org/x)\n\n```\n[e](not-a-link.md)\n```\n",
            ),
            ("docs/errors.md", "# Errors\n"),
            ("scenarios/edit.md", "# Edit\n"),
        ]);
        let found: Vec<_> = links(&house).into_iter().map(|it| it.words).collect();
        assert_eq!(found, ["the link to gone.md leads nowhere"]);
    }
}
