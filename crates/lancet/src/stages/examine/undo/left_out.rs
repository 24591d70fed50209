//! Files that are in conflict: they refuse the whole undo, or are left out of it where the request allows that.

use std::path::{Path, PathBuf};

use super::MAX_LIST_LENGTH;
use super::select::FileRow;
use crate::message::{Message, message};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::plan::ConflictingFile;
use crate::undo::{Conflicts, UndoRequest};
use crate::wording::{QuotedPath, quote_path};

/// Returns a file that is in conflict and is left out, if the request allows that; otherwise the conflict.
pub(super) fn conflicting_file(
    path: PathBuf,
    rows: &[&FileRow],
    refusal: Refusal,
    asked: &UndoRequest,
) -> Result<ConflictingFile, Refusal> {
    let may = asked.conflicts == Conflicts::LeaveOut;
    if !may || refusal.kind() != RefusalKind::Conflict {
        return Err(refusal);
    }
    let newest = rows.first().map(|row| row.operation.clone());
    Ok(ConflictingFile {
        path,
        operation: newest.unwrap_or_default(),
        refusal,
    })
}

/// Returns the refusal where every file is in conflict.
pub(super) fn all_left_out_refusal(mut left: Vec<ConflictingFile>) -> Refusal {
    if left.len() == 1
        && let Some(only) = left.pop()
    {
        return only.refusal;
    }
    let paths: Vec<QuotedPath> = left.iter().map(|file| quote_path(&file.path)).collect();
    let text = message!(
        "None of these files is what the changes left: {}. Nothing was changed. Each by itself (`lancet undo --file FILE`) shows what was changed since.",
        Message::joined(&paths, ", ").truncate(MAX_LIST_LENGTH)
    );
    Refusal::from_message(RefusalKind::Conflict, text).with_field("leftOut", paths)
}

/// Leaves out the changes of files that have one of these names, if the request allows that, and returns the others.
pub(super) fn leave_out_names(
    rows: Vec<FileRow>,
    names: &[PathBuf],
    refusal: &dyn Fn(&Path) -> Refusal,
    left_out: &mut Vec<ConflictingFile>,
    asked: &UndoRequest,
) -> Result<Vec<FileRow>, Refusal> {
    let has = |row: &FileRow, wanted: &Path| row.names().any(|name| name == wanted);
    let (staying, others): (Vec<FileRow>, Vec<FileRow>) = rows
        .into_iter()
        .partition(|row| names.iter().any(|name| has(row, name)));
    for name in names {
        let own: Vec<&FileRow> = staying.iter().filter(|row| has(row, name)).collect();
        let file = conflicting_file(name.clone(), &own, refusal(name), asked)?;
        left_out.push(file);
    }
    Ok(others)
}
