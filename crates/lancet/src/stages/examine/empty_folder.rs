//! The *examine* stage for an empty folder that is made or removed.

use lancet_history::SeenRanges;
use lancet_workspace::{ExecutableChange, ExpectedState, FileType, Stamp};

use super::edit::TEXT_LENGTH_PER_FILE;
use super::folder_permission::{NameChange, require_writable_folder};
use super::undo::is_empty_folder;
use super::whole_file::encoding_and_line_ends;
use crate::message::message;
use crate::refusal::{Refusal, RefusalKind};
use crate::request::FolderChange;
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::plan::{ChangeView, FilePlan, NewContent};
use crate::wording::quote_path;

/// Works out the plan that makes or removes an empty folder.
pub(super) fn examine_folder(
    context: &CallContext<'_>,
    target: Target,
    change: &FolderChange,
) -> Result<FilePlan, Refusal> {
    context.charge_sentence(
        2 * context.length(&quote_path(target.path()).to_string()) + TEXT_LENGTH_PER_FILE,
    );
    let mut view = ChangeView::default();
    let (expected, new) = match change {
        FolderChange::Make { mode } => {
            require_free(&target)?;
            require_writable_folder(&target, NameChange::Made)?;
            view.notices.push(message!("it is an empty folder"));
            let mode = mode & 0o7777;
            (ExpectedState::Missing, NewContent::EmptyFolder { mode })
        }
        FolderChange::Remove { folders } => {
            let stamp = require_empty(context, &target)?;
            require_writable_folder(&target, NameChange::Removed)?;
            let folders = folders.clone();
            (
                ExpectedState::EmptyFolder { stamp },
                NewContent::Removed { folders },
            )
        }
    };
    let (encoding, endings) = encoding_and_line_ends(None);
    Ok(FilePlan {
        target,
        expected,
        base: None,
        new,
        view,
        encoding,
        endings,
        seen: SeenRanges::default(),
        executable: ExecutableChange::Keep,
    })
}

/// Refuses a name that something has.
fn require_free(target: &Target) -> Result<(), Refusal> {
    if target.located.kind() == FileType::Missing {
        return Ok(());
    }
    let path = target.display_name();
    let text = message!(
        "{} is there already, and a folder is never made over what is there. Give another path, or remove it first.",
        &path
    );
    Err(Refusal::from_message(RefusalKind::Exists, text).with_field("file_path", path))
}

/// Returns the stamp of the folder; refuses one that has entries, and anything else.
fn require_empty(context: &CallContext<'_>, target: &Target) -> Result<Stamp, Refusal> {
    let is_folder = target.located.kind() == FileType::Directory;
    let stamp = target.located.stat().filter(|_| is_folder);
    if let Some(stamp) = stamp
        && is_empty_folder(context, target.path())
    {
        return Ok(stamp);
    }
    let path = target.display_name();
    let text = message!(
        "{} is not an empty folder any more. Nothing was changed.",
        &path
    );
    Err(Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", path))
}
