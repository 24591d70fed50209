//! Finds the files in which a substitution would change something, before one change of all of them is planned.

use std::path::{Path, PathBuf};

use lancet_search::Substitution;

use super::super::edit::source::MAX_RESULT_SIZE;
use crate::refusal::{Refusal, RefusalKind};
use crate::session::Session;
use crate::stages::locate::{Intent, locate};
use crate::stages::open::{
    MAX_IN_MEMORY_SIZE, decode, refuse_binary_head, refuse_notebook, require_file, snapshot,
};

/// The files that a substitution affects.
#[derive(Debug, Default)]
pub struct MatchedFiles {
    /// The files with matches, each with the number of matches that would change.
    pub files: Vec<(PathBuf, usize)>,
    /// The files that cannot be edited, and why.
    pub skipped: Vec<(PathBuf, Refusal)>,
    /// The number of files that were examined.
    pub searched: usize,
}

impl MatchedFiles {
    /// Examines some files in the order given. Each must be a file, and the same file may be named only once.
    pub fn find<'p>(
        session: &Session,
        files: impl IntoIterator<Item = &'p Path>,
        substitution: &Substitution,
    ) -> Self {
        let mut matched = MatchedFiles::default();
        for file in files {
            matched.searched += 1;
            match count_changes(session, file, substitution) {
                Ok(0) => {}
                Ok(number) => matched.files.push((file.to_path_buf(), number)),
                Err(refusal) => matched.skipped.push((file.to_path_buf(), refusal)),
            }
        }
        matched
    }
}

/// Returns the number of changes in one file.
fn count_changes(
    session: &Session,
    file: &Path,
    substitution: &Substitution,
) -> Result<usize, Refusal> {
    let engine = &*session.lancet.engine();
    let Some(path) = file.to_str() else {
        let text =
            "The name of the file is no UTF-8 text; lancet edits only files whose names are.";
        return Err(Refusal::from_message(RefusalKind::Invalid, text));
    };
    let target = locate(engine, path, Intent::Edit)?;
    require_file(engine, &target)?;
    if target.is_withheld() {
        let text = "It is a secret file, whose text is not searched. Name it alone to edit it.";
        return Err(Refusal::from_message(RefusalKind::Secret, text));
    }
    if target
        .located
        .stat()
        .is_some_and(|stamp| stamp.size > MAX_IN_MEMORY_SIZE)
    {
        refuse_binary_head(engine, &target)?;
    }
    let base = snapshot(session, &target)?;
    refuse_notebook(engine, &target, &base.bytes)?;
    let document = decode(engine, &target, &base.bytes)?;
    // Why something cannot be replaced is reported when the change is planned.
    let changes = substitution.compute_changes(document.view(), MAX_RESULT_SIZE, &|| false);
    Ok(changes.map_or(1, |changes| changes.len()))
}
