//! Messages and questions of the commands on the history about projects and files that other programs moved.

use std::path::Path;

use lancet::history::{History, LostFile, Operation};
use lancet::{RefusalKind, Reply};

use super::access::unreadable_failure;
use crate::failure::Failure;
use crate::surroundings::Surroundings;
use crate::terminal::{confirm_at_terminal, escape_line_for_terminal, print_error};

/// Reports under which names of the project the older ones of these changes were made, and which folder it is a copy
/// of.
pub(super) fn report_former_names(
    history: &History,
    operations: &[Operation],
) -> Result<(), Failure> {
    for original in history.originals() {
        print_error(&format!(
            "lancet: this folder is a copy of {} (a snapshot or a clone), whose changes are listed there\n",
            escape_line_for_terminal(&original.display().to_string())
        ));
    }
    let mut after = i64::MIN;
    let mut former = history.former_roots().map_err(unreadable_failure)?;
    former.reverse();
    for former in former {
        let made = |operation: &&Operation| {
            operation.sequence > after && operation.sequence <= former.newest
        };
        let number = operations.iter().filter(made).count();
        after = former.newest;
        let changes = match number {
            0 => continue,
            1 => "1 change was".to_owned(),
            more => format!("{more} changes were"),
        };
        print_error(&format!(
            "lancet: {changes} made while this folder was {}\n",
            escape_line_for_terminal(&former.root.display().to_string())
        ));
    }
    Ok(())
}

/// Handles a missing file after an undo: asks whether the one file with exactly its bytes is that file, moved. Returns
/// true if the user says yes, so that the undo can be tried again. If no question can be asked, the file is only named.
pub(super) fn follow_moved_file(
    history: &History,
    reply: &Reply,
    may_ask: bool,
    around: &Surroundings,
) -> Result<bool, Failure> {
    if reply.refusal() != Some(RefusalKind::Conflict) {
        return Ok(false);
    }
    let lost = history.lost_files().map_err(unreadable_failure)?;
    let is_met = |lost: &&LostFile| {
        let path = lost.path.display().to_string();
        reply.text().contains(&path) || reply.text().contains(&around.relative(&lost.path))
    };
    let Some(lost) = lost
        .iter()
        .filter(is_met)
        .find(|lost| !lost.candidates.is_empty())
    else {
        return Ok(false);
    };
    let named = |path: &Path| escape_line_for_terminal(&around.relative(path)).into_owned();
    if let ([only], true) = (lost.candidates.as_slice(), may_ask) {
        let question = format!(
            "{} is not there any more, and {} has exactly the bytes that the last change left. Is it that file, moved? [y/n]",
            named(&lost.path),
            named(only)
        );
        if confirm_at_terminal(&question) == Some(true) {
            return history
                .follow_file(&lost.path, only)
                .map_err(unreadable_failure);
        }
        return Ok(false);
    }
    for candidate in &lost.candidates {
        print_error(&format!(
            "lancet: {} has exactly the bytes that the last change of {} left; if it is that file, moved: `lancet undo --as {}`\n",
            named(candidate),
            named(&lost.path),
            named(candidate)
        ));
    }
    Ok(false)
}

/// Attaches the records of the missing file to the name that the user gives.
pub(super) fn follow_to_path(
    history: &History,
    path: &Path,
    around: &Surroundings,
) -> Result<(), Failure> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let lost = history.lost_files().map_err(unreadable_failure)?;
    let with_bytes = lost.iter().find(|lost| lost.candidates.contains(&path));
    let from = match (with_bytes, lost.as_slice()) {
        (Some(lost), _) => lost,
        (None, [only]) => only,
        (None, []) => {
            return Err(Failure::refused(
                "every recorded file is under its name; --as is for one that another program moved",
            ));
        }
        (None, several) => {
            let names = several.iter().map(|lost| around.relative(&lost.path));
            return Err(Failure::refused(format!(
                "several recorded files are not under their names ({}), and none of them had these bytes",
                names.collect::<Vec<_>>().join(", ")
            )));
        }
    };
    history
        .follow_file(&from.path, &path)
        .map_err(unreadable_failure)?;
    Ok(())
}
