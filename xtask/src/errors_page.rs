//! Generates `docs/errors.md` from the table of refusals in `crates/lancet`, the only place where they are declared.

use std::fmt::Write;

use anyhow::{Context, ensure};

use crate::repository::top;

/// The path of the page.
pub(crate) const PATH: &str = "docs/errors.md";

/// The path of the table.
pub(crate) const SOURCE: &str = "crates/model/src/refusal.rs";

const HEAD: &str = "\
# Errors

Every refusal of lancet. A refused call leaves the file unchanged. Each refusal has a stable name, a stable number and,
in its text, what the next call needs. The name is the same in all tools; the number is that of the tool's own table
(Read uses the first column). Over MCP both are in `_meta[\"lancet/result\"].error`. In the shell a refusal ends with
exit code 1, `io` and `internal` with 3 ([the texts](../scenarios/refusals.md)).

If the right call is known, the data has it as `error.next`, ready to be sent in the same session:

```json
\"next\": [{
  \"tool\": \"Edit\",
  \"arguments\": { \"file_path\": \"/p/a.py\", \"old_string\": \"…\", \"new_string\": \"…\" },
  \"why\": \"for line 12\"
}]
```

`not_found` and `leaked` have one call. `ambiguous` has one for each of the first five places. `not_read`, `stale` and
`missing` have the Read that helps. For a text with several edits (ApplyPatch, `lancet apply`) each call makes all of its
changes. A list of more than 4,000 bytes is left out. A call never has `insist`, has
`replace_all` only if the refused call had it, and is never a Write. Each call is checked first: one that rules, mode or
the record of what was read would refuse is left out.

| Read, Edit, MultiEdit, NotebookEdit | Write | name | when | what to do next |
|---|---|---|---|---|
";

const TAIL: &str = "
Where several apply, the answer has the first of these: `invalid`, `outside`, `denied`, `special`, `missing` or `exists`, `notebook`,
`too_large`, `binary`, `damaged`, `no_change` (as sent), `not_read` (never read), `stale`, `not_found`, `ambiguous`, `count`,
`not_read` (these lines), `conflict`, `leaked`, `unencodable`, `no_change` (the result), `secret`, `declined`. MultiEdit reports the
first failing edit in the order sent.

<!-- This page is made by `cargo xtask docs` from `crates/model/src/refusal.rs`. -->
";

/// One row of the table, as it is in the source.
struct ErrorRow<'t> {
    edit: &'t str,
    write: Option<&'t str>,
    name: &'t str,
    when: &'t str,
    next: &'t str,
}

/// Returns the page for this source; an error names the line of the table that cannot be parsed.
pub(crate) fn page(source: &str) -> anyhow::Result<String> {
    let mut page = HEAD.to_owned();
    for row in rows(source)? {
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "| {} | {} | `{}` | {} | {} |",
            row.edit,
            row.write.unwrap_or_default(),
            row.name,
            one_line(row.when),
            one_line(row.next)
        );
    }
    Ok(page + TAIL)
}

/// Parses the table from the source rather than using the library, so that the tidy rules need no build of lancet: one
/// row per line, `row(RefusalKind::Name, 1, Some(2), "name", "when", "next"),`.
fn rows(source: &str) -> anyhow::Result<Vec<ErrorRow<'_>>> {
    let rows: Vec<ErrorRow<'_>> = source
        .lines()
        .skip_while(|line| !line.starts_with("pub const TABLE"))
        .take_while(|line| *line != "];")
        .map(str::trim)
        .filter(|line| line.starts_with("row("))
        .map(|line| row(line).with_context(|| format!("cannot read this row: {line}")))
        .collect::<Result<_, _>>()?;
    ensure!(
        !rows.is_empty(),
        "no rows between `pub const TABLE` and `];`"
    );
    Ok(rows)
}

fn row(line: &str) -> Option<ErrorRow<'_>> {
    let parts: Vec<&str> = line.split('"').collect();
    let [numbers, name, ", ", when, ", ", next, "),"] = parts.as_slice() else {
        return None;
    };
    let mut numbers = numbers.split(", ").skip(1);
    Some(ErrorRow {
        edit: numbers.next()?,
        write: match numbers.next()? {
            "None" => None,
            some => Some(some.strip_prefix("Some(")?.strip_suffix(')')?),
        },
        name,
        when,
        next,
    })
}

/// Marks the names of fields and tools in the table's sentences as code.
fn one_line(words: &str) -> String {
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

/// Writes the page.
pub(crate) fn write() -> anyhow::Result<()> {
    let source = std::fs::read_to_string(top().join(SOURCE))?;
    std::fs::write(top().join(PATH), page(&source)?)?;
    println!("{PATH}: written from {SOURCE}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "pub const TABLE: &[ErrorRow] = &[\n    row(RefusalKind::Stale, 7, Some(3), \"stale\", \"changed since\", \"read it\"),\n    row(RefusalKind::NotFound, 8, None, \"not_found\", \"not there\", \"send old_string, again\"),\n];\n";

    #[test]
    fn every_row_is_on_the_page() {
        let page = page(TABLE).expect("a table");
        assert!(
            page.contains("\n| 7 | 3 | `stale` | changed since | read it |\n"),
            "{page}"
        );
        assert!(page.contains("\n| 8 |  | `not_found` | not there | send `old_string`, again |\n"));
    }

    #[test]
    fn a_table_that_cannot_be_read_is_told() {
        assert!(page("pub const TABLE: &[ErrorRow] = &[];\n").is_err());
        assert!(page(&TABLE.replace("None, ", "")).is_err());
    }

    #[test]
    fn the_real_table_is_read_whole() {
        let source = std::fs::read_to_string(top().join(SOURCE)).expect("the source");
        let kinds = source.matches(" row(RefusalKind::").count();
        assert_eq!(rows(&source).expect("a table").len(), kinds);
    }
}
