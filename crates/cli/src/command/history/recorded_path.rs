//! The path under which the history has the changes of a typed file, and the name that lists show for a recorded path.

use std::path::{Path, PathBuf};

use lancet::doors::{path_from_text, path_text};
use lancet::history::{History, LogQuery};

use super::access::unreadable_failure;
use crate::failure::Failure;
use crate::surroundings::Surroundings;
use crate::terminal::escape_line_for_terminal;

/// Returns the absolute path of a typed file. A name that is not UTF-8 may be typed as it is, or as answers have it, with
/// `\xNN` for each odd byte.
pub(super) fn typed_path(typed: &Path, around: &Surroundings) -> Result<PathBuf, Failure> {
    let path = around.absolute(typed)?;
    let is_there = path.symlink_metadata().is_ok();
    let decoded = path_from_text(path.as_os_str()).filter(|_| !is_there);
    Ok(decoded.unwrap_or(path))
}

/// Returns the path under which the history has the changes of a typed file. It has resolved paths, so symbolic links in
/// the path are resolved, except a link that was itself changed.
pub(super) fn recorded_path(history: &History, typed: PathBuf) -> Result<PathBuf, Failure> {
    if let Some(own) = own_path(&typed) {
        let query = LogQuery {
            path: Some(own.clone()),
            limit: Some(1),
            ..LogQuery::default()
        };
        if !history.log(&query).map_err(unreadable_failure)?.is_empty() {
            return Ok(own);
        }
    }
    Ok(typed.canonicalize().unwrap_or(typed))
}

/// Returns a recorded path as lists show it: relative to its root and on one line, without a tab that would look like
/// the gap between two columns.
pub(super) fn listed_name(history: &History, path: &Path) -> String {
    let name = path_text(history.relative_to_root(path));
    escape_line_for_terminal(&name).replace('\t', "\u{2409}")
}

/// Returns the path of a symbolic link itself, in its resolved folder; none where the path is not that of a link.
pub(super) fn own_path(typed: &Path) -> Option<PathBuf> {
    let name = typed.file_name()?;
    let is_link = typed
        .symlink_metadata()
        .is_ok_and(|found| found.is_symlink());
    let folder = typed.parent().filter(|_| is_link)?.canonicalize().ok()?;
    Some(folder.join(name))
}
