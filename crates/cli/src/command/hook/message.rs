//! The diff of a change as a message that an agent shows its user.

use lancet::history::{FileChange, History, LogQuery, Operation, OperationKind};

use crate::terminal::escape_for_terminal;

/// How many of the newest changes are searched for the change.
const MAX_SEARCHED_CHANGES: usize = 50;
/// The most lines of diffs in a message, and the most characters of a line.
const MAX_LINES: usize = 60;
const MAX_LINE_WIDTH: usize = 300;
/// The most files that are named one by one.
const MAX_FILES: usize = 5;
/// The phrase before the revision of the changed file in an answer.
const AT_REVISION: &str = "now at revision ";
/// The hexadecimal digits of a revision in an answer.
const REVISION_DIGITS: usize = 16;

/// Returns the message about the change that a call made; none where it made none.
pub(super) fn change_message(
    history: &History,
    call: Option<&str>,
    answer: &str,
) -> Option<String> {
    let newest = LogQuery {
        limit: Some(MAX_SEARCHED_CHANGES),
        ..LogQuery::default()
    };
    let operations = history.log(&newest).ok()?;
    // The server knows the agent's own id of the call if the agent sends it. The answer names the revision that the
    // change left.
    let of_call = |operation: &&Operation| call.is_some() && operation.call.as_deref() == call;
    let found = operations.iter().find(of_call).or_else(|| {
        let unnamed = |operation: &&Operation| operation.call.is_none();
        let named = |operation: &&Operation| reports_change(operation, answer);
        operations.iter().filter(unnamed).find(named)
    })?;
    format_message(history, found)
}

/// Reports whether an answer says that a file got a revision that an operation left. An answer that only names the
/// revision, as a refusal or a view does, reports no change.
fn reports_change(operation: &Operation, answer: &str) -> bool {
    let left = operation
        .files
        .iter()
        .filter_map(|file| file.after.as_ref());
    let mut revisions = left.map(|state| {
        let digits = state.revision.iter().map(|byte| format!("{byte:02x}"));
        digits.collect::<String>()
    });
    revisions.any(|digits| answer.contains(&format!("{AT_REVISION}{}", &digits[..REVISION_DIGITS])))
}

fn format_message(history: &History, operation: &Operation) -> Option<String> {
    let short = history.short_ids(std::slice::from_ref(operation)).ok()?;
    let short = short.first()?.shown;
    let verb = match operation.kind {
        OperationKind::Undo => "undid",
        OperationKind::Redo => "redid",
        _ => "changed",
    };
    let named = operation.files.iter().take(MAX_FILES).map(|file| {
        let path = history.relative_to_root(&file.path).display().to_string();
        format!(
            "{} +{} -{}",
            escape_for_terminal(&path),
            file.added,
            file.removed
        )
    });
    let mut out = format!("lancet {verb} {}", named.collect::<Vec<_>>().join(", "));
    if let Some(more @ 1..) = operation.files.len().checked_sub(MAX_FILES) {
        out.push_str(&format!(" and {more} more files"));
    }
    out.push_str(&format!(" (lancet undo {short} takes it back)"));
    let diffs: Vec<String> = operation
        .files
        .iter()
        .take(MAX_FILES)
        .flat_map(|file| diff_lines(history, file))
        .collect();
    for line in diffs.iter().take(MAX_LINES) {
        out.push_str(&format!("\n{line}"));
    }
    if let Some(more @ 1..) = diffs.len().checked_sub(MAX_LINES) {
        out.push_str(&format!("\n… {more} more lines: lancet show {short}"));
    }
    Some(out)
}

fn diff_lines(history: &History, change: &FileChange) -> Vec<String> {
    let Ok(Some(patch)) = history.patch(change) else {
        return Vec::new();
    };
    let cut = |line: &str| match line.char_indices().nth(MAX_LINE_WIDTH) {
        Some((at, _)) => format!("{}…", escape_for_terminal(&line[..at])),
        None => escape_for_terminal(line).into_owned(),
    };
    patch.lines().map(cut).collect()
}
