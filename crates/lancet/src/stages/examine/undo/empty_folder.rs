//! Plans that make, replace and remove empty folders. A folder has no text, so the answer says what it is instead of a
//! diff.

use lancet_workspace::ExpectedState;

use super::current_file::CurrentFile;
use super::links;
use crate::message::message;
use crate::stages::locate::Target;
use crate::stages::plan::{ChangeView, FilePlan, NewContent};

/// Returns the plan that gives a name to an empty folder, whatever has the name now.
pub(super) fn made(
    target: Target,
    expected: ExpectedState,
    current: Option<CurrentFile>,
    mode: u32,
) -> FilePlan {
    let base = current.and_then(CurrentFile::into_snapshot);
    let new = NewContent::EmptyFolder {
        mode: mode & 0o7777,
    };
    FilePlan {
        base,
        ..plan(target, expected, new)
    }
}

/// Returns the plan for a name that an empty folder gets or leaves.
pub(super) fn plan(target: Target, expected: ExpectedState, new: NewContent) -> FilePlan {
    let mut view = ChangeView::default();
    view.notices.push(message!("it is an empty folder"));
    links::plan(target, expected, new, view)
}
