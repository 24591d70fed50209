//! `docs/errors.md`, made from the table of refusals in `lancet`, which is the only place they are declared.

use std::fmt::Write;

use lancet::refusal::TABLE;

use crate::house::top;

/// Where the page stands.
pub(crate) const PATH: &str = "docs/errors.md";

const HEAD: &str = "\
# Errors

Every refusal of lancet. It leaves the file as it was, has a stable name and a stable number, and its text carries what the next
call needs. The name is the same in all tools; the number is that of the tool's own table (Read uses the first column). Over MCP
they stand in `_meta[\"lancet/result\"].error`; in the shell a refusal ends with exit code 1, `io` and `internal` with 3.
[scenarios/refusals.md](../scenarios/refusals.md) shows the texts.

| Read, Edit, MultiEdit | Write | name | when | what to do next |
|---|---|---|---|---|
";

const TAIL: &str = "
Where several apply, the first of these is told: `invalid`, `outside`, `denied`, `special`, `missing` or `exists`, `notebook`,
`too_large`, `binary`, `damaged`, `no_change` (as sent), `not_read` (never read), `stale`, `not_found`, `ambiguous`, `count`,
`not_read` (these lines), `conflict`, `leaked`, `unencodable`, `no_change` (the result), `secret`, `declined`. MultiEdit tells the
first failing edit in the order sent.

This page is made by `cargo xtask docs` from `crates/lancet/src/refusal.rs`.
";

/// The page as it must be.
pub(crate) fn page() -> String {
    let mut page = HEAD.to_owned();
    for row in TABLE {
        let write = row.write.map_or(String::new(), |code| code.to_string());
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "| {} | {write} | `{}` | {} | {} |",
            row.edit,
            row.name,
            told(row.when),
            told(row.next)
        );
    }
    page + TAIL
}

/// Names of fields and tools in the table's sentences, set as code.
fn told(words: &str) -> String {
    words
        .split(' ')
        .map(|word| {
            let bare = word.trim_end_matches([',', ';', ':', '.']);
            if bare.contains('_') {
                format!("`{bare}`{}", &word[bare.len()..])
            } else {
                word.to_owned()
            }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Writes the page; true always, for the command line.
pub(crate) fn write() -> anyhow::Result<bool> {
    std::fs::write(top().join(PATH), page())?;
    println!("{PATH}: {} refusals", TABLE.len());
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_refusal() {
        let page = page();
        assert!(page.contains("| 8 |  | `not_found` |"), "{page}");
        assert_eq!(page.matches("\n| ").count(), TABLE.len() + 1);
    }

    #[test]
    fn names_of_fields_are_code() {
        assert_eq!(
            told("an empty old_string, then"),
            "an empty `old_string`, then"
        );
    }
}
