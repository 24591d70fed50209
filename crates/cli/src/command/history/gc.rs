//! `lancet gc`: reduces the size of the history, in steps, so that other processes get access in between and the user
//! sees the progress.

use std::time::Duration;

use lancet::doors::{format_size, path_text};
use lancet::history::{CompressResult, DroppedObjects, PruneResult};
use serde_json::json;

use super::access::{open_history, unreadable_failure};
use super::stats::format_count;
use crate::arguments::GcArguments;
use crate::failure::{Exit, Failure};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{ProgressLine, escape_for_terminal, print};

/// How long one step may take.
const STEP_TIME: Duration = Duration::from_millis(200);
/// The longest time spent on examining the files that ended processes have left.
const CLEANING_TIME: Duration = Duration::from_secs(60);

/// Runs `lancet gc`.
pub(crate) fn gc(arguments: &GcArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let history = open_history(&arguments.place, RootHint::Nothing, around)?;
    if arguments.dry_run {
        let removed = history.preview_tidy().map_err(unreadable_failure)?;
        let dropped = history.dropped_git_objects().map_err(unreadable_failure)?;
        return print_result(arguments, &removed, &CompressResult::default(), &dropped);
    }
    let mut progress_line = ProgressLine::new();
    progress_line.show("looking through what was left behind");
    let swept = history.clean(CLEANING_TIME).map_err(unreadable_failure)?;
    let (mut removed, mut compressed) = (PruneResult::default(), CompressResult::default());
    removed.bytes = swept;
    if arguments.git {
        let from_git = history.remove_dropped_git_objects();
        removed.bytes += from_git.map_err(unreadable_failure)?;
    }
    loop {
        let (more_removed, more_compressed) =
            history.tidy(STEP_TIME).map_err(unreadable_failure)?;
        removed.operations += more_removed.operations;
        removed.contents += more_removed.contents;
        removed.bytes += more_removed.bytes;
        // The step measured the history before it compressed.
        let saved = more_compressed.before.saturating_sub(more_compressed.after);
        removed.left = more_removed.left.saturating_sub(saved);
        // Each step starts with the oldest change again, so the last step's number covers all of them.
        removed.spared = more_removed.spared;
        removed.waiting = more_removed.waiting;
        compressed.contents += more_compressed.contents;
        compressed.before += more_compressed.before;
        compressed.after += more_compressed.after;
        compressed.left = more_compressed.left;
        if !more_removed.unfinished && compressed.left == 0 {
            break;
        }
        progress_line.show(&format!(
            "{} removed, {} compressed, {} to go",
            format_count(removed.operations, "change"),
            format_count(compressed.contents, "content"),
            compressed.left
        ));
    }
    drop(progress_line);
    let dropped = history.dropped_git_objects().map_err(unreadable_failure)?;
    print_result(arguments, &removed, &compressed, &dropped)
}

fn print_result(
    arguments: &GcArguments,
    removed: &PruneResult,
    compressed: &CompressResult,
    dropped: &[DroppedObjects],
) -> Result<Exit, Failure> {
    if arguments.json {
        let roots = dropped.iter().map(|found| {
            json!({ "root": path_text(&found.root), "objects": found.objects, "bytes": found.bytes })
        });
        let mut data = json!({
            "removedOperations": removed.operations, "removedContents": removed.contents,
            "removedBytes": removed.bytes, "compressedContents": compressed.contents,
            "compressedFrom": compressed.before, "compressedTo": compressed.after, "bytes": removed.left,
            "sparedOperations": removed.spared, "waitingOperations": removed.waiting,
            "droppedGitObjects": roots.collect::<Vec<_>>(),
        });
        if arguments.dry_run {
            data["dryRun"] = json!(true);
        }
        print(&format!("{data}\n"))?;
    } else if arguments.dry_run {
        print(&format!(
            "Would remove {} ({}); the history would take about {}.\n",
            format_count(removed.operations, "change"),
            format_size(removed.bytes),
            format_size(removed.left),
        ))?;
    } else {
        let mut words = match (removed.operations, removed.bytes) {
            (0, 0) => "Nothing to remove.".to_owned(),
            (0, bytes) => format!("Removed {} that nothing needed.", format_size(bytes)),
            (number, bytes) => format!(
                "Removed {} ({}).",
                format_count(number, "change"),
                format_size(bytes)
            ),
        };
        if compressed.contents > 0 {
            words.push_str(&format!(
                " Compressed {} ({} to {}).",
                format_count(compressed.contents, "content"),
                format_size(compressed.before),
                format_size(compressed.after)
            ));
        }
        print(&format!(
            "{words} The history takes {} (records and contents in use).\n",
            format_size(removed.left)
        ))?;
    }
    if removed.spared > 0 && !arguments.json {
        print(&format!(
            "{} beyond the limits kept for now: they are how sessions of the last hour (each shell command is one) found their files; a gc an hour later removes them\n",
            format_count(removed.spared, "change")
        ))?;
    }
    if removed.waiting > 0 && !arguments.json {
        print(&format!(
            "{} older than the limit kept for now: a gc a day after the first that finds them so removes them\n",
            format_count(removed.waiting, "change")
        ))?;
    }
    if !arguments.json {
        print_dropped(arguments, dropped)?;
    }
    Ok(Exit::Done)
}

/// Lists what git has dropped and checkpoints may need.
fn print_dropped(arguments: &GcArguments, dropped: &[DroppedObjects]) -> Result<(), Failure> {
    for found in dropped {
        let root = path_text(&found.root);
        let end = match (arguments.git, arguments.dry_run) {
            (true, true) => "would be removed",
            _ => "`lancet gc --git` removes them",
        };
        print(&format!(
            "{} ({}) that git no longer has in {} kept for its checkpoints; {end}\n",
            format_count(found.objects, "object"),
            format_size(found.bytes),
            escape_for_terminal(&root),
        ))?;
    }
    Ok(())
}
