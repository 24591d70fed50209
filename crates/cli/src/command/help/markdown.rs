//! Formats a page of `docs/` as text for a terminal: headings, links and tables lose their Markdown syntax, and
//! paragraphs are filled.

use super::PAGES;
use crate::terminal::{Colour, Style};

/// The width of the text, in columns.
const WIDTH: usize = 98;

/// The longest cell that is printed on the same line as the first one of its row, in characters.
const SHORT_CELL: usize = 16;

/// Formats a page.
pub(super) fn render_page(page: &str, colour: Colour) -> String {
    let mut out = String::new();
    let mut paragraph = Paragraph::default();
    let mut is_code = false;
    let mut table: Vec<Vec<String>> = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            paragraph.flush(&mut out);
            is_code = !is_code;
            continue;
        }
        if is_code {
            out.push_str(&format!("    {line}\n"));
            continue;
        }
        // A comment is for the authors of the page, and always has a separate line.
        if line.starts_with("<!--") {
            continue;
        }
        if let Some(row) = line.strip_prefix('|') {
            paragraph.flush(&mut out);
            let cells: Vec<String> = split_cells(row);
            if !cells
                .iter()
                .all(|cell| cell.chars().all(|c| "-: ".contains(c)))
            {
                table.push(cells);
            }
            continue;
        }
        write_table(&mut out, &std::mem::take(&mut table), colour);
        let marks = line.chars().take_while(|mark| *mark == '#').count();
        if marks > 0 {
            paragraph.flush(&mut out);
            let heading = render_inline(line[marks..].trim());
            out.push_str(&format!("{}\n", colour.paint(Style::Bold, &heading)));
        } else if line.trim().is_empty() {
            paragraph.flush(&mut out);
            if !out.ends_with("\n\n") {
                out.push('\n');
            }
        } else {
            let item = line.trim_start();
            let digits = item.len() - item.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if item.starts_with("- ") {
                paragraph.flush(&mut out);
                paragraph.indent = 2;
            } else if digits > 0 && item[digits..].starts_with(". ") {
                paragraph.flush(&mut out);
                paragraph.indent = digits + 2;
            }
            paragraph.add(line.trim());
        }
    }
    paragraph.flush(&mut out);
    write_table(&mut out, &table, colour);
    out
}

/// Consecutive lines that form a paragraph.
#[derive(Default)]
struct Paragraph {
    text: String,
    /// The indentation of all lines but the first.
    indent: usize,
}

impl Paragraph {
    fn add(&mut self, line: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(line);
    }

    fn flush(&mut self, out: &mut String) {
        let text = render_inline(&std::mem::take(&mut self.text));
        write_wrapped(out, &text, 0, std::mem::take(&mut self.indent));
    }
}

/// Writes a text, broken into lines of at most [`MAX_LINE_WIDTH`] columns. `first` and `further` are the indentation of the
/// first line and of the others.
fn write_wrapped(out: &mut String, text: &str, first: usize, further: usize) {
    if text.is_empty() {
        return;
    }
    let mut used = first;
    out.push_str(&" ".repeat(first));
    let mut is_start = true;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if !is_start && used + 1 + length > WIDTH {
            out.push_str(&format!("\n{}", " ".repeat(further)));
            used = further;
        } else if !is_start {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += length;
        is_start = false;
    }
    out.push('\n');
}

/// Returns the cells of a row.
fn split_cells(row: &str) -> Vec<String> {
    let row = row.trim().trim_end_matches('|').replace("\\|", "\u{1}");
    let cells = row.split('|').map(str::trim);
    cells
        .map(|cell| render_inline(&cell.replace('\u{1}', "|")))
        .collect()
}

/// Writes a table: the first cell of each row and any short ones after it on one line, the others below. A table of two
/// columns has its headings above; in a wider one each cell is preceded by its heading.
fn write_table(out: &mut String, table: &[Vec<String>], colour: Colour) {
    let Some((headings, rows)) = table.split_first() else {
        return;
    };
    let is_wide = headings.len() > 2;
    for (at, heading) in headings.iter().enumerate() {
        match at {
            0 => out.push_str(&format!("  {}\n", colour.paint(Style::Bold, heading))),
            _ if !is_wide => write_wrapped(out, &colour.paint(Style::Bold, heading), 6, 6),
            _ => {}
        }
    }
    for row in rows {
        let mut head: Vec<String> = Vec::new();
        let mut rest: Vec<String> = Vec::new();
        for (at, cell) in row.iter().enumerate() {
            if cell.is_empty() {
                continue;
            }
            let heading = headings
                .get(at)
                .filter(|heading| at > 0 && !heading.is_empty());
            let labelled = match heading {
                Some(heading) if is_wide => format!("{heading}: {cell}"),
                _ => cell.clone(),
            };
            match rest.is_empty() && (head.is_empty() || cell.chars().count() <= SHORT_CELL) {
                true => head.push(labelled),
                false => rest.push(labelled),
            }
        }
        let mut lines = String::new();
        write_wrapped(&mut lines, &head.join(", "), 2, 4);
        out.push_str(&format!(
            "{}\n",
            colour.paint(Style::Cyan, lines.trim_end())
        ));
        for cell in rest {
            write_wrapped(out, &cell, 6, 6);
        }
    }
}

/// Returns a text without the addresses of its links. A reader of `lancet help` has its pages and no other file. So a
/// link to a page becomes the command that shows it, and a parenthesis that is only a link to something else is left
/// out.
fn render_inline(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let link = after.split_once("](").and_then(|(words, tail)| {
            let (target, tail) = tail.split_once(')')?;
            (!words.contains('[')).then_some((words, target, tail))
        });
        out.push_str(before);
        let Some((words, target, tail)) = link else {
            out.push('[');
            rest = after;
            continue;
        };
        let page = help_page_for_link(target);
        rest = tail;
        if page.is_none()
            && !target.contains("://")
            && let Some(before) = out.strip_suffix('(')
            && let Some(tail) = tail.strip_prefix(')')
        {
            out = before.trim_end().to_owned();
            rest = tail;
        } else if let Some(page) = page.filter(|_| words.trim_matches('`').ends_with(".md")) {
            out.push_str(&format!("`lancet help {page}`"));
        } else {
            out.push_str(words);
        }
    }
    out.push_str(rest);
    out.replace("**", "")
}

/// Returns the page of `lancet help` that a link leads to.
fn help_page_for_link(target: &str) -> Option<&'static str> {
    let file = target.split('#').next()?.strip_suffix(".md")?;
    let mut names = PAGES.iter().map(|(name, _)| *name);
    names.find(|name| *name == file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_markup_and_keeps_text() {
        let page = "# Title\n\nOne [page](a.md), [history.md](history.md#kept) and\n`code[0]` more ([x.md](../x.md)).\n<!-- made -->\n\n- first\n  goes on\n- second\n\n1. one\n2. two\n\n| key | means |\n|---|---|\n| `y` | writes it, as it was shown |\n\n```sh\nlancet [x](y)\n```\n";
        assert_eq!(
            render_page(page, Colour::Off),
            "Title\n\nOne page, `lancet help history` and `code[0]` more.\n\n- first goes on\n- second\n\n1. one\n2. two\n\n  key\n      means\n  `y`\n      writes it, as it was shown\n\n    lancet [x](y)\n"
        );
    }

    #[test]
    fn labels_cells_of_wide_tables_with_headings() {
        let page = "| agent | session | turn | source |\n|---|---|---|---|\n| goose | `id` | | its own published source |\n";
        assert_eq!(
            render_page(page, Colour::Off),
            "  agent\n  goose, session: `id`\n      source: its own published source\n"
        );
    }

    #[test]
    fn wraps_long_lines() {
        let words = "word ".repeat(200);
        let page = render_page(&format!("{words}\n\n- {words}\n"), Colour::Off);
        assert!(page.lines().all(|line| line.chars().count() <= WIDTH));
    }
}
