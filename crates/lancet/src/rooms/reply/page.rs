//! The answer to a Read: numbered lines, notices outside of them, and the page's place in the file for programs.

use serde_json::json;

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
    let data = json!({
        "type": if page.shape == Shape::Text { "text" } else { "unchanged" },
        "file_path": quote_path(page.target.path()),
        "startLine": page.start,
        "numLines": page.lines,
        "totalLines": page.total,
        "encoding": page.encoding,
        "lineEndings": page.endings.name(),
        "truncated": page.truncated,
        "revision": page.revision,
    });
    let relative = quote_path(page.target.located.relative());
    let person = match page.lines {
        0 => format!("read {relative}: nothing to show"),
        lines => format!(
            "read {relative}: {} of {}",
            count(lines, "line"),
            page.total
        ),
    };
    Reply::done(text, data, person)
}
