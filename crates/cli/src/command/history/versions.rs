//! The versions of a file, for `lancet restore FILE` without a change.

use std::ffi::OsStr;
use std::path::Path;

use lancet::doors::path_text;
use lancet::history::LogQuery;
use serde_json::json;

use super::access::{open_history, unreadable_failure};
use super::log::print_operations;
use super::operation_json::object;
use super::recorded_path::{recorded_path, typed_path};
use crate::arguments::RestoreArguments;
use crate::failure::{Exit, Failure};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{print, print_error};

/// Lists the changes of a file that a restore could name.
pub(super) fn list_versions(
    typed: &OsStr,
    arguments: &RestoreArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let file = typed_path(typed.as_ref(), around)?;
    let typed = path_text(Path::new(typed));
    let place = &arguments.flags.place;
    let history = open_history(place, RootHint::At(&file), around)?;
    let _ = history.follow_moved_files();
    let query = LogQuery {
        path: Some(recorded_path(&history, file)?),
        ..LogQuery::default()
    };
    let operations = history.log(&query).map_err(unreadable_failure)?;
    if operations.is_empty() {
        return Err(Failure::refused(format!(
            "there is no version of {typed} in the history"
        )));
    }
    if arguments.flags.json {
        let objects = operations
            .iter()
            .map(|operation| format!("{}\n", object(operation, &history, &|_| true)));
        let total = json!({ "total": operations.len() });
        print(&format!("{}{total}\n", objects.collect::<String>()))?;
        return Ok(Exit::Done);
    }
    print_operations(&history, &operations, around)?;
    if let Some(first) = operations.last() {
        let short = history.short_ids(std::slice::from_ref(first));
        let short = short.map_err(unreadable_failure)?;
        let short = short.first().map_or(first.id.as_str(), |short| short.shown);
        print(&format!(
            "{short}^  as it was before all of these changes\n"
        ))?;
    }
    print_error(&format!(
        "lancet: restore one of these with `lancet restore {typed}@ID`, or with ID^ as it was before that change\n"
    ));
    Ok(Exit::Done)
}
