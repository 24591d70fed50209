//! A page of `docs/` as text for a terminal: headings, links and tables lose their marks, and paragraphs are filled.

use crate::terminal::{Colour, Style};

/// The pages of the documentation that `lancet help` shows.
const PAGES: &[&str] = &["agents", "errors", "history", "permissions", "sessions"];
/// The width of the text, in columns.
const WIDTH: usize = 98;

/// Formats a page.
pub(super) fn plain(page: &str, colour: Colour) -> String {
    let mut out = String::new();
    let mut paragraph = Paragraph::default();
    let mut is_code = false;
    let mut table: Vec<Vec<String>> = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            paragraph.end(&mut out);
            is_code = !is_code;
            continue;
        }
        if is_code {
            out.push_str(&format!("    {line}\n"));
            continue;
        }
        if let Some(row) = line.strip_prefix('|') {
            paragraph.end(&mut out);
            let cells: Vec<String> = cells(row);
            if !cells
                .iter()
                .all(|cell| cell.chars().all(|c| "-: ".contains(c)))
            {
                table.push(cells);
            }
            continue;
        }
        rows(&mut out, &std::mem::take(&mut table), colour);
        let marks = line.chars().take_while(|mark| *mark == '#').count();
        if marks > 0 {
            paragraph.end(&mut out);
            let heading = unlinked(line[marks..].trim());
            out.push_str(&format!("{}\n", colour.paint(Style::Bold, &heading)));
        } else if line.trim().is_empty() {
            paragraph.end(&mut out);
            if !out.ends_with("\n\n") {
                out.push('\n');
            }
        } else {
            let item = line.trim_start();
            let digits = item.len() - item.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if item.starts_with("- ") {
                paragraph.end(&mut out);
                paragraph.indent = 2;
            } else if digits > 0 && item[digits..].starts_with(". ") {
                paragraph.end(&mut out);
                paragraph.indent = digits + 2;
            }
            paragraph.add(line.trim());
        }
    }
    paragraph.end(&mut out);
    rows(&mut out, &table, colour);
    out
}

/// Lines that belong together.
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

    fn end(&mut self, out: &mut String) {
        let text = unlinked(&std::mem::take(&mut self.text));
        fill(out, &text, 0, std::mem::take(&mut self.indent));
    }
}

/// Writes a text, broken into lines of at most [`WIDTH`] columns; `first` and `further` are the indentation of the first line
/// and of the others.
fn fill(out: &mut String, text: &str, first: usize, further: usize) {
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

/// The cells of a row.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim().trim_end_matches('|').replace("\\|", "\u{1}");
    let cells = row.split('|').map(str::trim);
    cells
        .map(|cell| unlinked(&cell.replace('\u{1}', "|")))
        .collect()
}

/// Writes the rows of a table, without its header: the first cell and short ones after it on one line, the others below.
fn rows(out: &mut String, table: &[Vec<String>], colour: Colour) {
    for row in table.iter().skip(1) {
        let mut head: Vec<&str> = Vec::new();
        let mut rest: Vec<&str> = Vec::new();
        for cell in row
            .iter()
            .map(String::as_str)
            .filter(|cell| !cell.is_empty())
        {
            match rest.is_empty() && (head.is_empty() || cell.chars().count() <= 16) {
                true => head.push(cell),
                false => rest.push(cell),
            }
        }
        let head = head.join("  ");
        out.push_str(&format!("  {}\n", colour.paint(Style::Cyan, &head)));
        for cell in rest {
            fill(out, cell, 6, 6);
        }
    }
}

/// A text without the addresses of its links.
fn unlinked(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let link = after.split_once("](").and_then(|(words, tail)| {
            let (_, tail) = tail.split_once(')')?;
            (!words.contains('[')).then_some((words, tail))
        });
        out.push_str(before);
        match link {
            Some((words, tail)) => {
                // Files of the documentation are not on the reader's disk; some are pages of `lancet help`.
                let name = words.trim_matches('`');
                match name.strip_suffix(".md") {
                    Some(page) => {
                        let page = page.rsplit('/').next().unwrap_or(page);
                        match PAGES.contains(&page) {
                            true => out.push_str(&format!("`lancet help {page}`")),
                            false => out.push_str(&format!("the documentation ({page})")),
                        }
                    }
                    None => out.push_str(words),
                }
                rest = tail;
            }
            None => {
                out.push('[');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out.replace("**", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_words_stay() {
        let page = "# Title\n\nOne [page](a.md), [history.md](history.md) and\n`code[0]` more.\n\n- first\n  goes on\n- second\n\n1. one\n2. two\n\n| key | means |\n|---|---|\n| `y` | writes it, as it was shown |\n\n```sh\nlancet [x](y)\n```\n";
        assert_eq!(
            plain(page, Colour::Off),
            "Title\n\nOne page, `lancet help history` and `code[0]` more.\n\n- first goes on\n- second\n\n1. one\n2. two\n\n  `y`\n      writes it, as it was shown\n\n    lancet [x](y)\n"
        );
    }

    #[test]
    fn no_line_is_wide() {
        let words = "word ".repeat(200);
        let page = plain(&format!("{words}\n\n- {words}\n"), Colour::Off);
        assert!(page.lines().all(|line| line.chars().count() <= WIDTH));
    }
}
