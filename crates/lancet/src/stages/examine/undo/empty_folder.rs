//! Plans that make, replace and remove empty folders. A folder has no text, so the answer says what it is instead of a
//! diff.

use lancet_history::SeenRanges;
use lancet_workspace::{ExecutableChange, ExpectedState};

use super::current_file::CurrentFile;
use super::view::FORM_OF_BINARY;
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
