//! What `lancet commit` prints: the patch, what is left out, what prevents the commit, and the commit.

use std::ops::Range;
use std::path::Path;

use lancet::doors::path_text;
use lancet::history::{History, OtherWriter};
use serde_json::{Value, json};

use super::plan::{Conflict, Plan};
use super::record::MadeCommit;
use super::repository::GitRepository;
use crate::answer::OutputFormat;
use crate::command::history::who::client_display_name;
use crate::failure::{Exit, Failure};
use crate::surroundings::Surroundings;
use crate::terminal::{
    escape_for_terminal, print, print_error, print_paged, print_streamed, stdout_is_terminal,
};

/// How many places and files a message names.
const MAX_NAMED: usize = 10;
/// How many characters of a commit's id are shown.
const SHOWN_ID_LENGTH: usize = 10;

/// Fails if others wrote at the places of the selected changes.
pub(super) fn refuse_conflicts(plan: &Plan, history: &History) -> Result<(), Failure> {
    let places: Vec<String> = plan
        .conflicts
        .iter()
        .flat_map(|conflict| describe_conflict(conflict, history))
        .collect();
    if places.is_empty() {
        return Ok(());
    }
    let mut list: String = places
        .iter()
        .take(MAX_NAMED)
        .map(|place| format!("  {place}\n"))
        .collect();
    if places.len() > MAX_NAMED {
        list.push_str(&format!("  and {} more\n", places.len() - MAX_NAMED));
    }
    Err(Failure::refused(format!(
        "uncommitted changes of others are at the same place as the selected ones, or next to them:\n{list}Nothing was committed. Commit those changes first or select them as well; `git add -p` divides them by hand"
    )))
}

fn describe_conflict(conflict: &Conflict, history: &History) -> Vec<String> {
    let name = display_name(history.relative_to_root(&conflict.path));
    if conflict.foreign.is_empty() {
        return vec![format!("{name}: what is staged of it")];
    }
    let place = |lines: &Option<Range<usize>>| match lines {
        None => name.clone(),
        Some(lines) if lines.len() > 1 => {
            format!("{name}, lines {} to {}", lines.start + 1, lines.end)
        }
        Some(lines) => format!("{name}, line {}", lines.start + 1),
    };
    let parts = conflict.foreign.iter();
    parts
        .map(|part| {
            let mut writers: Vec<String> = part.writers.iter().map(describe_writer).collect();
            writers.dedup();
            format!("{}: {}", place(&part.lines), writers.join(", "))
        })
        .collect()
}

fn describe_writer(writer: &OtherWriter) -> String {
    match writer {
        OtherWriter::Operation(operation) => {
            let client = operation.client.as_deref();
            let client = client.map_or(&*operation.tool, client_display_name);
            format!("{} ({})", escape_for_terminal(client), operation.id)
        }
        OtherWriter::Unknown => "another program, or an earlier change".to_owned(),
    }
}

/// Names the files that differ and are not part of the commit, on standard error.
pub(super) fn report_left_out(plan: &Plan, history: &History) {
    for (path, why) in &plan.left_out {
        let name = display_name(history.relative_to_root(path));
        print_error(&format!("lancet: left out: {name}: {why}\n"));
    }
}

/// Returns the sums of a plan: "2 files, +3 -1".
pub(super) fn format_sums(plan: &Plan) -> String {
    let added: usize = plan.files.iter().map(|file| file.committed.added).sum();
    let removed: usize = plan.files.iter().map(|file| file.committed.removed).sum();
    match plan.files.len() {
        1 => format!("1 file, +{added} -{removed}"),
        files => format!("{files} files, +{added} -{removed}"),
    }
}

/// Shows the patch before the question: on standard output if that is a terminal, else on standard error.
pub(super) fn show_patch(
    patch: &[u8],
    trailers: &[String],
    around: &Surroundings,
) -> Result<(), Failure> {
    let patch = String::from_utf8_lossy(patch);
    let trailers: String = trailers.iter().map(|one| format!("{one}\n")).collect();
    if !stdout_is_terminal() {
        print_error(&format!("{}{trailers}", escape_for_terminal(&patch)));
        return Ok(());
    }
    let colour = around.colour(true);
    let trailers = escape_for_terminal(&trailers).into_owned();
    print_paged(&format!("{}{trailers}", colour.paint_diff(&patch)), around)
}

/// Prints what would be committed: to a program byte for byte, to a person in colours and through the pager.
pub(super) fn print_preview(
    plan: &Plan,
    patch: &[u8],
    trailers: &[String],
    output: OutputFormat,
    around: &Surroundings,
) -> Result<(), Failure> {
    let text = String::from_utf8_lossy(patch);
    if output == OutputFormat::Json {
        let data = json!({
            "dryRun": true,
            "files": files_json(plan),
            "leftOut": left_out_json(plan),
            "trailers": trailers,
            "text": text,
        });
        return print(&format!("{data}\n"));
    }
    let colour = around.colour(stdout_is_terminal());
    if stdout_is_terminal() || colour == crate::terminal::Colour::On {
        return print_paged(&colour.paint_diff(&text), around);
    }
    print_streamed(|out| out.write_all(patch))
}

/// Prints the commit.
pub(super) fn print_commit(
    made: &MadeCommit,
    plan: &Plan,
    repository: &GitRepository,
    output: OutputFormat,
) -> Result<Exit, Failure> {
    let id = made.id.get(..SHOWN_ID_LENGTH).unwrap_or(&made.id);
    let branch = repository.branch.as_deref();
    let branch = branch.map_or_else(String::new, |branch| {
        format!(" on {}", escape_for_terminal(branch))
    });
    let mut text = format!("Committed {id}{branch}: {}\n", format_sums(plan));
    let names: Vec<String> = made
        .changed_by_hooks
        .iter()
        .map(|path| display_name(path))
        .collect();
    let mut exit = Exit::Done;
    if !names.is_empty() {
        let mut shown = names.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>();
        if names.len() > MAX_NAMED {
            shown.push(format!("and {} more", names.len() - MAX_NAMED));
        }
        text.push_str(&format!(
            "Hooks changed {}. git's index is as it was before; `git reset -q -- FILE` makes it that of the commit.\n",
            shown.join(", ")
        ));
    }
    if let Some(why) = &made.index_failure {
        text.push_str(&format!(
            "git's index could not be changed: {}. `git reset -q -- FILE` makes it that of the commit.\n",
            escape_for_terminal(why)
        ));
        exit = Exit::System;
    }
    if output != OutputFormat::Json {
        print(&text)?;
        return Ok(exit);
    }
    let data = json!({
        "commit": made.id,
        "branch": repository.branch,
        "files": files_json(plan),
        "leftOut": left_out_json(plan),
        "changedByHooks": names,
        "text": text,
    });
    print(&format!("{data}\n"))?;
    Ok(exit)
}

/// Returns a path as it is shown.
fn display_name(path: &Path) -> String {
    escape_for_terminal(&path.to_string_lossy()).into_owned()
}

fn files_json(plan: &Plan) -> Vec<Value> {
    let one = |file: &super::plan::PlannedFile| {
        json!({
            "file_path": path_text(&file.path),
            "added": file.committed.added,
            "removed": file.committed.removed,
        })
    };
    plan.files.iter().map(one).collect()
}

fn left_out_json(plan: &Plan) -> Vec<Value> {
    let one = |(path, why): &(std::path::PathBuf, &str)| json!({ "file_path": path_text(Path::new(path)), "reason": why });
    plan.left_out.iter().map(one).collect()
}
