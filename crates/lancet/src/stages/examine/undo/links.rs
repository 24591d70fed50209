//! Undo of changes of symbolic links: how their names are located, and the plans that make or remove a link. A link has no
//! text, so the answer names its target instead of a diff.

use std::path::{Path, PathBuf};

use lancet_history::SeenRanges;
use lancet_workspace::{ExecutableChange, ExpectedState};

use super::current_file::CurrentFile;
use super::select::FileRow;
use super::view::FORM_OF_BINARY;
use crate::message::message;
use crate::stages::locate::{Intent, Target};
use crate::stages::plan::{ChangeView, FilePlan, NewContent};
use crate::wording::quote_path;

/// Returns how a name is located: where one of the changes made, changed or removed a symbolic link or an empty folder,
/// the one that has the name now is meant itself.
pub(super) fn intent_for(path: &Path, rows: &[&FileRow]) -> Intent {
    let rows = rows.iter().filter(|row| row.change.path == *path);
    let mut intent = Intent::Replace;
    for row in rows {
        if row.concerns_folder() {
            return Intent::Folder;
        }
        if row.concerns_link() {
            intent = Intent::Take;
        }
    }
    intent
}

/// Returns the plan that gives a name to a symbolic link, whatever has the name now.
pub(super) fn made(
    target: Target,
    expected: ExpectedState,
    current: Option<CurrentFile>,
    link: &Path,
) -> FilePlan {
    let mut view = ChangeView::default();
    if !target.is_withheld() {
        view.notices
            .push(message!("it is a symbolic link to {}", quote_path(link)));
    }
    let base = current.and_then(CurrentFile::into_snapshot);
    let new = NewContent::Link {
        target: link.as_os_str().to_owned(),
    };
    FilePlan {
        base,
        ..plan(target, expected, new, view)
    }
}

/// Returns the plan that removes a symbolic link, and these folders if they are then empty.
pub(super) fn removed(target: Target, expected: ExpectedState, folders: Vec<PathBuf>) -> FilePlan {
    plan(
        target,
        expected,
        NewContent::Removed { folders },
        ChangeView::default(),
    )
}

/// Returns the plan for a name that something without text gets or leaves.
pub(super) fn plan(
    target: Target,
    expected: ExpectedState,
    new: NewContent,
    view: ChangeView,
) -> FilePlan {
    FilePlan {
        target,
        expected,
        base: None,
        new,
        view,
        encoding: FORM_OF_BINARY.0,
        endings: FORM_OF_BINARY.1,
        seen: SeenRanges::default(),
        executable: ExecutableChange::Keep,
    }
}
