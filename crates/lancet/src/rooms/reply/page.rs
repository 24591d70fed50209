//! The answer to a Read: numbered lines, notices outside of them, and the page's place in the file for programs.

use crate::outcome::{Outcome, ReadKind, ReadOutcome};
use crate::reply::Reply;
use crate::rooms::examine::read::{Page, Shape};
use crate::wording::{count, quote_path};

/// The answer to a Read.
pub(crate) fn page(page: Page) -> Reply {
    let mut text = page.text;
    for notice in &page.notices {
        text.push_str(&format!("[lancet: {notice}]\n"));
    }
    text.truncate(text.trim_end_matches('\n').len());
    let relative = quote_path(page.target.located.relative());
    let person = match page.lines {
        0 => format!("read {relative}: nothing to show"),
        lines => format!(
            "read {relative}: {} of {}",
            count(lines, page.unit),
            page.total
        ),
    };
    let outcome = ReadOutcome {
        kind: match page.shape {
            Shape::Text => ReadKind::Text,
            Shape::Notebook => ReadKind::Notebook,
            Shape::Unchanged => ReadKind::Unchanged,
        },
        path: page.target.path().to_path_buf(),
        start_line: page.start,
        num_lines: page.lines,
        total_lines: page.total,
        encoding: page.encoding,
        line_endings: page.endings,
        truncated: page.truncated,
        revision: page.revision,
    };
    Reply::new(text, Outcome::Read(outcome), person)
}
