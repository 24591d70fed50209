//! `lancet log --format patch`: changes as a series of mails that `git am` takes, oldest first. No colours, no paging:
//! the bytes are for a program.

use lancet::{History, Operation};

use super::{time, unreadable};
use crate::failure::{Exit, Failure};
use crate::terminal::print;

/// Prints the series.
pub(super) fn series(history: &History, operations: &[Operation]) -> Result<Exit, Failure> {
    let total = operations.len();
    for (at, operation) in operations.iter().rev().enumerate() {
        print(&mail(history, operation, at + 1, total)?)?;
    }
    Ok(Exit::Done)
}

fn mail(
    history: &History,
    operation: &Operation,
    number: usize,
    total: usize,
) -> Result<String, Failure> {
    let names: Vec<String> = operation
        .files
        .iter()
        .map(|file| history.relative(&file.path).display().to_string())
        .collect();
    // git wants a commit in the first line and does not look at it.
    let mut out = format!(
        "From {:040} Mon Sep 17 00:00:00 2001\nFrom: {} <lancet@localhost>\nDate: {}\nSubject: [PATCH {number}/{total}] {} {}\n\nOperation {} of session {}\n---\n",
        0,
        plain(operation.client.as_deref().unwrap_or("lancet")),
        time::for_mail(operation.time),
        plain(&operation.tool),
        plain(&names.join(", ")),
        operation.id,
        plain(&operation.session),
    );
    for change in &operation.files {
        if let Some(patch) = history.patch(change).map_err(unreadable)? {
            out.push_str(&patch);
        }
    }
    out.push_str("-- \nlancet\n\n");
    Ok(out)
}

/// A text for the head of a mail: one line, nothing that a mail reader takes for an address.
fn plain(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '<' | '>' | '"' => '\'',
            _ if character.is_control() => ' ',
            _ => character,
        })
        .collect()
}
