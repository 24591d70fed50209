//! What a wrong command line is answered with, beyond what clap says by itself.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Commands that other programs have, and the one that does it here.
const OTHER_COMMANDS: &[(&[&str], &str)] = &[
    (
        &["cat", "view", "less", "open"],
        "`lancet read` shows files",
    ),
    (&["find", "ls", "fd", "files"], "`lancet glob` lists files"),
    (&["search", "rg", "ag"], "`lancet grep` searches files"),
    (&["replace", "sed", "sd"], "`lancet edit` replaces text"),
    (
        &["create", "new", "append"],
        "`lancet write` creates, replaces and extends files",
    ),
    (
        &["diff"],
        "`lancet show` shows the newest change, `lancet log --patch` all of them",
    ),
    (
        &["history", "status", "changes"],
        "`lancet log` lists the changes",
    ),
    (
        &["sessions", "session"],
        "`lancet stats` lists the sessions",
    ),
    (
        &["revert", "rollback", "back"],
        "`lancet undo` undoes changes",
    ),
    (
        &["checkout", "recover"],
        "`lancet restore` brings files back",
    ),
    (
        &["patch"],
        "`lancet apply` applies the edits in a model's reply",
    ),
    (
        &["config", "settings"],
        "`lancet doctor` shows the settings, `lancet help settings` explains them",
    ),
];

/// Adds a tip for a command or a number that another program would take, and leaves out clap's advice to put a flag behind
/// `--`, which is wrong wherever no text can begin with a dash.
pub(crate) fn explained(mut error: clap::Error, typed: &[OsString]) -> clap::Error {
    let command = typed
        .get(1)
        .and_then(|word| word.to_str())
        .unwrap_or_default();
    if command != "grep"
        && let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested)
    {
        tips.retain(|tip| !tip.to_string().starts_with("to pass "));
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    if let Some(tip) = tip(&error, command) {
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    }
    error
}

fn tip(error: &clap::Error, command: &str) -> Option<String> {
    match (error.kind(), command) {
        (ErrorKind::InvalidSubcommand, word) => {
            let mut others = OTHER_COMMANDS.iter();
            let (_, words) = others.find(|(names, _)| names.contains(&word))?;
            Some((*words).to_owned())
        }
        (ErrorKind::UnknownArgument, "log" | "undo") => {
            let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else {
                return None;
            };
            let number: u32 = flag.strip_prefix('-')?.parse().ok()?;
            Some(format!("for the newest {number} use -n {number}"))
        }
        _ => None,
    }
}
