//! `lancet log --format patch`: changes as a series of mails that `git am` accepts, oldest first. The output has no
//! colours and no pager, because a program reads it.

use lancet::history::{History, Operation, OperationKind};

use super::access::unreadable_failure;
use super::time;
use crate::failure::{Exit, Failure};
use crate::terminal::{escape_for_terminal, print_error, print_streamed};

/// Prints the series.
pub(super) fn print_series(history: &History, operations: &[Operation]) -> Result<Exit, Failure> {
    // Bytes of a late writer were never in the file under its name, so no other change is based on them.
    let operations: Vec<&Operation> = operations
        .iter()
        .rev()
        .filter(|operation| operation.kind != OperationKind::Late)
        .collect();
    for (at, operation) in operations.iter().enumerate() {
        let patches = patches(history, operation)?;
        // git stops at a mail without a patch.
        if !patches.is_empty() {
            let head = patch_header(history, operation, at + 1, operations.len());
            print_streamed(|out| {
                out.write_all(head.as_bytes())?;
                out.write_all(&patches)?;
                out.write_all(b"-- \nlancet\n\n")
            })?;
        }
    }
    Ok(Exit::Done)
}

/// Returns the patches of an operation. Content that a patch cannot express is reported, because later patches may not
/// apply without it.
fn patches(history: &History, operation: &Operation) -> Result<Vec<u8>, Failure> {
    let mut all = Vec::new();
    for change in &operation.files {
        match history.git_patch(change).map_err(unreadable_failure)? {
            Some(patch) => all.extend(patch),
            None => print_error(&format!(
                "lancet: left out of the series: {} in operation {}, whose text is secret or no longer stored\n",
                escape_for_terminal(&change.path.display().to_string()),
                operation.id
            )),
        }
    }
    Ok(all)
}

fn patch_header(history: &History, operation: &Operation, number: usize, total: usize) -> String {
    let names: Vec<String> = operation
        .files
        .iter()
        .map(|file| history.relative_to_root(&file.path).display().to_string())
        .collect();
    // git requires a commit id in the first line and ignores its value.
    format!(
        "From {:040} Mon Sep 17 00:00:00 2001\nFrom: {} <lancet@localhost>\nDate: {}\nSubject: [PATCH {number}/{total}] {} {}\n\nOperation {} of session {}\n---\n",
        0,
        sanitize_header_text(operation.client.as_deref().unwrap_or("lancet")),
        time::format_mail_date(operation.time),
        sanitize_header_text(&operation.tool),
        sanitize_header_text(&names.join(", ")),
        operation.id,
        sanitize_header_text(&operation.session),
    )
}

/// Returns a text for a mail header: one line, without characters that a mail reader takes for an address.
fn sanitize_header_text(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '<' | '>' | '"' => '\'',
            _ if character.is_control() => ' ',
            _ => character,
        })
        .collect()
}
