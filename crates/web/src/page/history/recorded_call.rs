//! The call of another program that made a change, as the page of the change shows it.

use std::path::PathBuf;

use lancet::doors::escape_line_for_terminal;
use lancet::history::History;
use lancet::recording::RecordedCall;

use crate::page::links;

/// The number of files that are named in each list.
const MOST_FILES: usize = 12;

/// A call of another program.
pub(super) struct CallView {
    pub(super) name: Option<String>,
    pub(super) command: Option<String>,
    pub(super) exit_code: Option<i32>,
    /// Its duration, with the unit.
    pub(super) took: String,
    /// The files whose bytes before it are not stored.
    pub(super) not_kept: String,
    /// The files that another call may have changed instead.
    pub(super) shared: String,
    /// The sessions of these other calls.
    pub(super) shared_with: String,
    /// The number of files that are as git has them.
    pub(super) as_in_git: u64,
}

impl CallView {
    pub(super) fn from_call(call: &RecordedCall, history: &History) -> Self {
        let text = |text: &Option<String>| {
            text.as_deref()
                .map(|text| escape_line_for_terminal(text).into_owned())
        };
        Self {
            name: text(&call.name),
            command: text(&call.command),
            exit_code: call.exit_code,
            took: duration_text(call.duration),
            not_kept: join_names(&call.not_kept, history),
            shared: join_names(&call.shared, history),
            shared_with: escape_line_for_terminal(&call.shared_with.join(", ")).into_owned(),
            as_in_git: call.as_in_git,
        }
    }
}

/// Returns the name or the command line of a call, for lists.
pub(super) fn call_title(call: &RecordedCall) -> Option<String> {
    let title = call.name.as_deref().or(call.command.as_deref())?;
    Some(escape_line_for_terminal(title).into_owned())
}

fn duration_text(milliseconds: i64) -> String {
    match milliseconds {
        ..1_000 => format!("{milliseconds} ms"),
        _ => format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100),
    }
}

fn join_names(paths: &[PathBuf], history: &History) -> String {
    let shown = paths.iter().take(MOST_FILES);
    let shown: Vec<String> = shown
        .map(|path| links::display_path(history, path))
        .collect();
    match paths.len().saturating_sub(MOST_FILES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_the_unit_that_fits() {
        for (milliseconds, wanted) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1_000, "1.0 s"),
            (61_250, "61.2 s"),
        ] {
            assert_eq!(duration_text(milliseconds), wanted);
        }
    }
}
