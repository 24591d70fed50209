//! Checks the pages that depend on the code: the changelog has an unreleased section, the table of errors is that of
//! the code, and the examples that pages show are those that are compiled or run.

use super::Finding;
use crate::errors_page;
use crate::repository::Repository;

const CHANGELOG: &str = "CHANGELOG.md";

/// Checks that the changelog has a section for the next change.
pub(super) fn changelog(repository: &Repository) -> Vec<Finding> {
    let kept = repository
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

/// Checks that the page of errors is the one that the table of refusals generates.
pub(super) fn errors(repository: &Repository) -> Vec<Finding> {
    let source = repository.text(errors_page::SOURCE).unwrap_or_default();
    match errors_page::page(source) {
        Err(error) => vec![Finding::of_file(errors_page::SOURCE, format!("{error:#}"))],
        Ok(page) if repository.text(errors_page::PATH) == Some(&page) => Vec::new(),
        Ok(_) => vec![Finding::of_file(
            errors_page::PATH,
            "is not what crates/model/src/refusal.rs says: run `cargo xtask docs`",
        )],
    }
}

/// The page of the library and the examples that it shows, in their order.
const LIBRARY: &str = "docs/library.md";
const EXAMPLES: [&str; 2] = [
    "crates/lancet/examples/first_edit.rs",
    "crates/lancet/examples/tokio.rs",
];
/// The page of the clients and the agents that it shows.
const BUILDERS: &str = "docs/builders.md";
const AGENTS: [(&str, &str); 2] = [
    ("python", "packages/wheel/examples/agent.py"),
    ("js", "packages/npm/examples/agent.mjs"),
];

/// Checks that the Rust code of the library's page is that of the examples, which the tests compile.
pub(super) fn example(repository: &Repository) -> Vec<Finding> {
    let mut shown = code_blocks(repository, LIBRARY, "rust");
    let mut findings = Vec::new();
    for path in EXAMPLES {
        let compiled = repository.text(path).unwrap_or_default();
        if !shown.next().is_some_and(|code| compiled.ends_with(code)) {
            let words = format!("its Rust code must be that of {path}, from the first `use` on");
            findings.push(Finding::of_file(LIBRARY, words));
        }
    }
    findings
}

/// Checks that the page of the clients shows the agents that the tests run.
pub(super) fn agents(repository: &Repository) -> Vec<Finding> {
    let missing = AGENTS.into_iter().filter(|(language, path)| {
        let run = repository.text(path);
        !code_blocks(repository, BUILDERS, language).any(|code| Some(code) == run)
    });
    missing
        .map(|(_, path)| Finding::of_file(BUILDERS, format!("it must show {path} as it is")))
        .collect()
}

/// Returns the code in one language that a page shows.
fn code_blocks<'h>(
    repository: &'h Repository,
    page: &str,
    language: &str,
) -> impl Iterator<Item = &'h str> {
    let opening = format!("```{language}\n");
    let mut rest = repository.text(page).unwrap_or_default();
    std::iter::from_fn(move || {
        let (code, after) = rest.split_once(&opening)?.1.split_once("```")?;
        rest = after;
        Some(code)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changelog_without_room_for_the_next_change_is_found() {
        let kept = Repository::with_files(&[(CHANGELOG, "# Changelog\n\n## Unreleased\n")]);
        assert_eq!(super::changelog(&kept), []);
        let closed = Repository::with_files(&[(CHANGELOG, "# Changelog\n\n## 0.1.0\n")]);
        assert_eq!(super::changelog(&closed).len(), 1);
        assert_eq!(super::changelog(&Repository::with_files(&[])).len(), 1);
    }

    #[test]
    fn a_page_of_errors_that_lags_behind_is_found() {
        let source = "pub const TABLE: &[Row] = &[\n    row(Kind::Stale, 7, Some(3), \"stale\", \"a\", \"b\"),\n];\n";
        let page = errors_page::page(source).expect("a table");
        let repository = |page: &str| {
            Repository::with_files(&[(errors_page::SOURCE, source), (errors_page::PATH, page)])
        };
        assert_eq!(errors(&repository(&page)), []);
        assert_eq!(
            errors(&repository(&page.replace("| 7 |", "| 8 |"))).len(),
            1
        );
        assert_eq!(errors(&Repository::with_files(&[])).len(), 1);
    }

    #[test]
    fn an_agent_that_the_page_shows_otherwise_is_found() {
        let repository = |page: &str| {
            let [(_, python), (_, js)] = AGENTS;
            Repository::with_files(&[(BUILDERS, page), (python, "a()\n"), (js, "b();\n")])
        };
        let page = "```python\nfirst()\n```\n```python\na()\n```\n```js\nb();\n```\n";
        assert_eq!(agents(&repository(page)), []);
        assert_eq!(agents(&repository(&page.replace("a()", "c()"))).len(), 1);
        assert_eq!(agents(&repository("")).len(), 2);
    }

    #[test]
    fn an_example_that_is_not_the_compiled_one_is_found() {
        let repository = |page: &str| {
            Repository::with_files(&[
                (LIBRARY, page),
                (EXAMPLES[0], "//! A.\n\nuse a;\nfn main() {}\n"),
                (EXAMPLES[1], "//! B.\n\nuse z;\nfn main() {}\n"),
            ])
        };
        let page = |letter: &str| {
            let block = |letter| format!("```rust\nuse {letter};\nfn main() {{}}\n```\n");
            format!("# L\n\n{}\n{}", block(letter), block("z"))
        };
        assert_eq!(example(&repository(&page("a"))), []);
        assert_eq!(example(&repository(&page("b"))).len(), 1);
        assert_eq!(example(&repository("# L\n")).len(), 2);
    }
}
