//! `lancet verify`: checks that the history and the files agree, or reports where they do not.

use std::path::Path;

use lancet::doors::escape_line_for_terminal;
use lancet::history::{FaultKind, HistoryFault, Verification, VerifyProgress};
use serde_json::{Value, json};

use super::access::{open_history, unreadable_failure};
use super::stats::format_count;
use crate::arguments::VerifyArguments;
use crate::failure::{Exit, Failure};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{ProgressLine, print};

/// How many paths or faults are printed.
const MAX_PRINTED: usize = 20;

/// Runs `lancet verify`.
pub(crate) fn verify(arguments: &VerifyArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let history = open_history(&arguments.place, RootHint::Nothing, around)?;
    let mut line = ProgressLine::new();
    let found = history.verify(&mut |progress| {
        line.show(&match progress {
            VerifyProgress::Operations(number) => {
                format!("{} read", format_count(number, "change"))
            }
            VerifyProgress::Contents(number) => {
                format!("{} checked", format_count(number, "content"))
            }
            VerifyProgress::Files(number, all) => format!("{number} of {all} files compared"),
            _ => String::new(),
        });
    });
    drop(line);
    let found = found.map_err(unreadable_failure)?;
    match arguments.json {
        true => print(&format!("{}\n", report_json(&found)))?,
        false => print(&format_report(&found, around))?,
    }
    Ok(match found.faults.is_empty() {
        true => Exit::Done,
        false => Exit::Refused,
    })
}

fn format_report(found: &Verification, around: &Surroundings) -> String {
    let mut words = format!(
        "Checked {} and {}.\n",
        format_count(found.operations, "change"),
        format_count(found.contents, "content")
    );
    if found.files > 0 {
        words.push_str(&format!(
            "{} changed here: {} as the newest change left {}, {} in an earlier state that is recorded, {} written or removed by someone else since.\n",
            format_count(found.files, "file"),
            found.as_left,
            if found.as_left == 1 { "it" } else { "them" },
            found.earlier,
            found.by_others.len()
        ));
    }
    list_items(
        &mut words,
        found
            .by_others
            .iter()
            .map(|path| display_path(path, around)),
    );
    if !found.unread.is_empty() {
        words.push_str(&format!(
            "{} cannot be read from here:\n",
            format_count(found.unread.len() as u64, "file")
        ));
        list_items(
            &mut words,
            found.unread.iter().map(|path| display_path(path, around)),
        );
    }
    if found.after_others > 0 {
        words.push_str(&format!(
            "{} found what someone else had written in between; it is recorded.\n",
            format_count(found.after_others, "change")
        ));
    }
    if found.faults.is_empty() {
        words
            .push_str("Every content has its hash, and every change can be followed. No faults.\n");
        return words;
    }
    words.push_str(&format!(
        "{}:\n",
        format_count(found.faults.len() as u64, "fault")
    ));
    list_items(
        &mut words,
        found
            .faults
            .iter()
            .map(|fault| describe_fault(fault, around)),
    );
    words
}

fn display_path(path: &Path, around: &Surroundings) -> String {
    escape_line_for_terminal(&around.relative(path)).into_owned()
}

fn list_items(words: &mut String, all: impl ExactSizeIterator<Item = String>) {
    let left = all.len().saturating_sub(MAX_PRINTED);
    for one in all.take(MAX_PRINTED) {
        words.push_str(&format!("  {one}\n"));
    }
    if left > 0 {
        words.push_str(&format!("  and {left} more (--json lists all)\n"));
    }
}

fn describe_fault(fault: &HistoryFault, around: &Surroundings) -> String {
    let path = fault.path.as_ref().map(|path| display_path(path, around));
    let place = [fault.operation.clone(), path].into_iter().flatten();
    let place = place.collect::<Vec<_>>().join(" ");
    let what = match &fault.kind {
        FaultKind::Database(words) => return words.clone(),
        FaultKind::ContentMissing => {
            "a content is missing: this change cannot be undone or restored".to_owned()
        }
        FaultKind::ContentDamaged => {
            "a content has another hash: this change cannot be undone or restored".to_owned()
        }
        FaultKind::Unsure => {
            "its process was interrupted, and the file does not tell whether it was made".to_owned()
        }
        FaultKind::UndoMissing(by) => {
            format!("it is marked as undone by {by}, which is not recorded")
        }
        _ => "unknown".to_owned(),
    };
    format!("{place}: {what}")
}

fn report_json(found: &Verification) -> Value {
    let paths = |paths: &[std::path::PathBuf]| -> Vec<String> {
        let paths = paths.iter();
        paths
            .map(|path| path.to_string_lossy().into_owned())
            .collect()
    };
    let faults: Vec<Value> = found
        .faults
        .iter()
        .map(|fault| {
            let mut data = json!({ "kind": fault.kind.as_str() });
            if let Some(operation) = &fault.operation {
                data["operation"] = json!(operation);
            }
            if let Some(path) = &fault.path {
                data["path"] = json!(path.to_string_lossy());
            }
            match &fault.kind {
                FaultKind::Database(words) => data["text"] = json!(words),
                FaultKind::UndoMissing(by) => data["undoneBy"] = json!(by),
                _ => {}
            }
            data
        })
        .collect();
    json!({
        "ok": found.faults.is_empty(),
        "operations": found.operations, "changes": found.changes, "contents": found.contents,
        "files": found.files, "asLeft": found.as_left, "earlierState": found.earlier,
        "byOthers": paths(&found.by_others), "unread": paths(&found.unread),
        "changesAfterOthers": found.after_others, "faults": faults,
    })
}
