//! An operation on one line, for a list of several.

use lancet_history::Operation;

use crate::wording::quote_path;

/// Describes an operation on one line.
pub(super) fn describe_operation(operation: &Operation) -> String {
    let mut names: Vec<String> = operation
        .files
        .iter()
        .take(3)
        .map(|file| quote_path(&file.path).to_string())
        .collect();
    if operation.files.len() > names.len() {
        names.push("…".to_owned());
    }
    format!("{operation}  {}  {}\n", operation.tool, names.join(", "))
}
