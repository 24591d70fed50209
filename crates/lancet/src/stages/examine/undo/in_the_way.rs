//! Files that an undo cannot restore yet, because something that the same undo removes is in their way: a file where their
//! folder was, or a folder with files where they were. They are left out, and undone by the same undo again.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use lancet_history::RecordedState;
use lancet_workspace::FileType;

use super::select::FileRow;
use crate::message::message;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::plan::ConflictingFile;
use crate::wording::quote_path;

/// Takes out the rows of files that something else of the undo is in the way of. If that is so for all rows, none is
/// taken out.
pub(super) fn set_apart(
    context: &CallContext<'_>,
    rows: Vec<FileRow>,
) -> (Vec<FileRow>, Vec<ConflictingFile>) {
    let blocked = blocked_names(context, &rows);
    let is_blocked = |row: &FileRow| row.names().any(|name| blocked.contains(name));
    if blocked.is_empty() || rows.iter().all(is_blocked) {
        return (rows, Vec::new());
    }
    let (later, now): (Vec<FileRow>, Vec<FileRow>) = rows.into_iter().partition(is_blocked);
    let mut left_out: Vec<ConflictingFile> = Vec::new();
    for row in later {
        let path = row.old_name();
        if left_out.iter().all(|left| left.path != *path) {
            left_out.push(ConflictingFile {
                path: path.to_path_buf(),
                refusal: refusal(path),
                operation: row.operation.clone(),
            });
        }
    }
    (now, left_out)
}

/// Returns the names that something is in the way of, with all names of the same files.
fn blocked_names(context: &CallContext<'_>, rows: &[FileRow]) -> HashSet<PathBuf> {
    let leaves = |row: &&FileRow| row.change.after.is_some();
    let leaving: HashSet<&Path> = rows
        .iter()
        .filter(leaves)
        .filter(|row| {
            !row.change
                .after
                .as_ref()
                .is_some_and(RecordedState::is_folder)
        })
        .map(|row| row.change.path.as_path())
        .collect();
    let filled: HashSet<&Path> = rows
        .iter()
        .filter(leaves)
        .flat_map(|row| row.change.path.ancestors().skip(1))
        .collect();
    let is_blocked = |row: &&FileRow| {
        let name = row.old_name();
        let mut above = name.ancestors().skip(1);
        row.change.before.is_some()
            && (above.any(|above| leaving.contains(above) && !is_folder(context, above))
                || (filled.contains(name) && is_folder(context, name)))
    };
    let names = rows.iter().filter(is_blocked).flat_map(FileRow::names);
    let mut blocked: HashSet<PathBuf> = names.map(Path::to_path_buf).collect();
    loop {
        let known = blocked.len();
        for row in rows {
            if row.names().any(|name| blocked.contains(name)) {
                blocked.extend(row.names().map(Path::to_path_buf));
            }
        }
        if blocked.len() == known {
            return blocked;
        }
    }
}

/// Returns whether a name is that of a folder, and not of a link to one.
fn is_folder(context: &CallContext<'_>, path: &Path) -> bool {
    let workspace = &context.engine().workspace;
    let is_link = workspace.locate_link(path).is_ok_and(|link| link.is_some());
    let found = workspace.locate_as_spelled(path);
    !is_link && found.is_ok_and(|found| found.kind() == FileType::Directory)
}

fn refusal(path: &Path) -> Refusal {
    let text = message!(
        "{} is not restored yet: something that this undo removes is in its way. Undo the same change again for it.",
        quote_path(path)
    );
    Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", quote_path(path))
}
