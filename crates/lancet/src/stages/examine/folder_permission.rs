//! The early check that the folder around a name lets the name be made or removed. The commit would find out, too, but
//! only after the question, and in a dry run never.

use crate::message::{message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::locate::Target;

/// What happens to a name in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameChange {
    /// The name is made.
    Made,
    /// The name is removed.
    Removed,
    /// The name is removed, and the file gets another one.
    Moved,
}

impl NameChange {
    fn participle(self) -> &'static str {
        match self {
            NameChange::Made => "made",
            NameChange::Removed => "removed",
            NameChange::Moved => "moved",
        }
    }
}

/// Refuses a name in a folder that may not be written.
pub(super) fn require_writable_folder(target: &Target, change: NameChange) -> Result<(), Refusal> {
    if target.located.has_writable_folder() {
        return Ok(());
    }
    let path = target.display_name();
    let text = message!(
        "{} cannot be {}: its folder has no write permission. Nothing was changed.",
        &path,
        verbatim(change.participle())
    );
    Err(Refusal::from_message(RefusalKind::Io, text).with_field("file_path", path))
}
