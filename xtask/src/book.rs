//! `cargo xtask docs`: writes the pages that are generated from the code, and builds the site from `docs/SUMMARY.md`
//! with mdBook into `target/book`.
//!
//! The site has pages from outside `docs/` as well (ARCHITECTURE.md, the scenarios), which mdBook cannot read from
//! where they are. So the pages are copied to a folder below `target/`, those of `docs/` at its top, and their links
//! are rewritten. A link to a file that is not part of the site becomes its text.

use std::path::Path;

use anyhow::{Context, ensure};

use crate::errors_page;
use crate::page;
use crate::repository::{Repository, top};
use crate::run::{command, succeeds};
use crate::test::setup;

/// The table of contents.
pub(crate) const SUMMARY: &str = "docs/SUMMARY.md";

/// The settings of mdBook.
const SETTINGS: &str = "docs/book.toml";

/// The folder that mdBook builds from; the settings name the folder below it with the pages.
const STAGE: &str = "target/book-source";
const PAGES: &str = "pages";

/// The folder of the built site, as set in the settings.
const SITE: &str = "target/book";

/// Whether the built site is shown in a browser.
#[derive(Clone, Copy)]
pub(crate) enum Browser {
    Open,
    Leave,
}

/// One line of the table of contents.
pub(crate) struct Entry {
    /// The path of the page from the top of the repository.
    pub(crate) path: String,
    /// The line in the table, from 1.
    pub(crate) line: usize,
}

/// Returns the pages that the table of contents lists.
pub(crate) fn entries(summary: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (line, text) in page::outside_fences(summary) {
        for target in page::targets(text) {
            if let Some((path, _)) = page::resolved(SUMMARY, target) {
                entries.push(Entry { path, line });
            }
        }
    }
    entries
}

/// Writes the generated pages and builds the site; returns true if mdBook succeeded.
pub(crate) fn build(browser: Browser) -> anyhow::Result<bool> {
    errors_page::write()?;
    let mdbook = setup::mdbook()?;
    let stage = top().join(STAGE);
    if stage.exists() {
        std::fs::remove_dir_all(&stage)?;
    }
    for (path, text) in staged(&Repository::open()?)? {
        let path = stage.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        std::fs::write(path, text)?;
    }
    let mut mdbook = command(mdbook, &["build", STAGE]);
    if let Browser::Open = browser {
        mdbook.arg("--open");
    }
    let built = succeeds(&mut mdbook)?;
    if built {
        println!("{SITE}/index.html: the site");
    }
    Ok(built)
}

/// Returns the files for mdBook, by their path below the stage.
fn staged(repository: &Repository) -> anyhow::Result<Vec<(String, String)>> {
    let text = |path: &str| {
        repository
            .text(path)
            .with_context(|| format!("{path} is not there"))
    };
    let summary = text(SUMMARY)?;
    let mut pages: Vec<String> = entries(summary).into_iter().map(|it| it.path).collect();
    ensure!(!pages.is_empty(), "{SUMMARY} lists no page");
    let pictures = repository
        .paths()
        .filter(|path| path.starts_with("docs/") && path.ends_with(".svg"));
    pages.extend(pictures.map(str::to_owned));
    let mut files = vec![("book.toml".to_owned(), text(SETTINGS)?.to_owned())];
    files.push((
        format!("{PAGES}/SUMMARY.md"),
        rewritten(SUMMARY, summary, &pages),
    ));
    for path in &pages {
        let shown = match path.ends_with(".md") {
            true => rewritten(path, text(path)?, &pages),
            false => text(path)?.to_owned(),
        };
        files.push((format!("{PAGES}/{}", place(path)), shown));
    }
    Ok(files)
}

/// Returns the path of a file in the site. The pages of `docs/` are at its top, because the first page is shown there;
/// a README is the index of its folder.
fn place(path: &str) -> String {
    let path = path.strip_prefix("docs/").unwrap_or(path);
    match path.strip_suffix("README.md") {
        Some(folder) => format!("{folder}index.md"),
        None => path.to_owned(),
    }
}

/// Returns a page with its links rewritten for the site.
fn rewritten(from: &str, text: &str, pages: &[String]) -> String {
    let up = "../".repeat(place(from).matches('/').count());
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (number, line) in page::outside_fences(text) {
        let mut shown = line.to_owned();
        for target in page::targets(line) {
            let Some((path, anchor)) = page::resolved(from, target) else {
                continue;
            };
            if target.starts_with('#') {
                continue;
            }
            if !pages.contains(&path) {
                shown = without_link(&shown, &format!("]({target})"));
                continue;
            }
            let anchor = anchor.map_or(String::new(), |anchor| format!("#{anchor}"));
            let new = format!("{up}{}{anchor}", place(&path));
            for (opening, closing) in [("](", ")"), ("=\"", "\"")] {
                shown = shown.replace(
                    &format!("{opening}{target}{closing}"),
                    &format!("{opening}{new}{closing}"),
                );
            }
        }
        if let Some(kept) = lines.get_mut(number - 1) {
            *kept = shown;
        }
    }
    lines.join("\n") + "\n"
}

/// Returns a line in which `[words](target)` is replaced by the words.
fn without_link(line: &str, link: &str) -> String {
    let Some((before, after)) = line.split_once(link) else {
        return line.to_owned();
    };
    match before.rsplit_once('[') {
        Some((start, words)) => format!("{start}{words}{after}"),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(files: &[(&str, &str)]) -> Vec<(String, String)> {
        staged(&Repository::with_files(files)).expect("a table of contents")
    }

    #[test]
    fn pages_link_to_each_other_at_their_new_places() {
        let files = stage(&[
            (
                SUMMARY,
                "[Start](README.md)\n\n- [How](../HOW.md)\n- [Play](../plays/README.md)\n",
            ),
            (SETTINGS, "[book]\n"),
            (
                "docs/README.md",
                "[how](../HOW.md#a), [code](../src/a.rs), [out](https://example.org), [down](#b)\n```\n[x](../src/a.rs)\n```\n",
            ),
            ("docs/a.svg", "<svg/>"),
            (
                "HOW.md",
                "<img src=\"docs/a.svg\"> [start](docs/README.md)\n",
            ),
            (
                "plays/README.md",
                "[start](../docs/README.md) [how](../HOW.md)\n",
            ),
            ("src/a.rs", ""),
        ]);
        let expected = [
            ("book.toml", "[book]\n"),
            (
                "pages/SUMMARY.md",
                "[Start](index.md)\n\n- [How](HOW.md)\n- [Play](plays/index.md)\n",
            ),
            (
                "pages/index.md",
                "[how](HOW.md#a), code, [out](https://example.org), [down](#b)\n```\n[x](../src/a.rs)\n```\n",
            ),
            ("pages/HOW.md", "<img src=\"a.svg\"> [start](index.md)\n"),
            (
                "pages/plays/index.md",
                "[start](../index.md) [how](../HOW.md)\n",
            ),
            ("pages/a.svg", "<svg/>"),
        ];
        assert_eq!(
            files,
            expected.map(|(path, text)| (path.to_owned(), text.to_owned()))
        );
    }

    #[test]
    fn a_page_that_is_listed_and_not_there_is_an_error() {
        let listed = [(SUMMARY, "[Start](README.md)\n"), (SETTINGS, "")];
        assert!(staged(&Repository::with_files(&listed)).is_err());
        assert!(
            staged(&Repository::with_files(&[
                (SUMMARY, "# Summary\n"),
                (SETTINGS, "")
            ]))
            .is_err()
        );
    }
}
