//! What is on the disk under the name of a file that an undo or restore concerns.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use lancet_workspace::{ExpectedState, FileType, Revision, Snapshot, Stamp};

use crate::engine::FileSurvey;
use crate::message::message;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::examine::large;
use crate::stages::locate::Target;
use crate::stages::open::{MAX_IN_MEMORY_SIZE, expected_content, snapshot_to_change};
use crate::wording::quote_path;

/// The file, symbolic link or empty folder that is on the disk under a name now.
pub(super) struct CurrentFile {
    pub(super) revision: Revision,
    pub(super) stamp: Stamp,
    pub(super) content: DiskContent,
}

/// The content of what is on the disk, as far as it is in memory.
pub(super) enum DiskContent {
    /// The whole content, in memory.
    Held(Snapshot),
    /// The survey of a file that is too large for memory.
    Large(Arc<FileSurvey>),
    /// The target of a symbolic link.
    Link(OsString),
    /// None: it is a folder without entries.
    EmptyFolder,
}

impl CurrentFile {
    /// Returns the content that is in memory.
    pub(super) fn into_snapshot(self) -> Option<Snapshot> {
        match self.content {
            DiskContent::Held(snapshot) => Some(snapshot),
            DiskContent::Large(_) | DiskContent::Link(_) | DiskContent::EmptyFolder => None,
        }
    }

    /// Returns the content that the disk must still have when the file is written.
    pub(super) fn expected(&self) -> ExpectedState {
        match &self.content {
            DiskContent::Held(snapshot) => expected_content(snapshot),
            DiskContent::Large(survey) => survey.expected(),
            DiskContent::Link(target) => ExpectedState::Link {
                target: target.clone(),
                stamp: self.stamp,
            },
            DiskContent::EmptyFolder => ExpectedState::EmptyFolder { stamp: self.stamp },
        }
    }
}

/// Reads what is on the disk under a name now; none where there is nothing.
pub(super) fn read_current(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    target: &Target,
) -> Result<Option<CurrentFile>, Refusal> {
    if let Some((stamp, link)) = link_at(target) {
        return Ok(Some(CurrentFile {
            revision: Revision::from_link(&link),
            stamp,
            content: DiskContent::Link(link),
        }));
    }
    if let Some(stamp) = empty_folder_at(context, target) {
        return Ok(Some(CurrentFile {
            revision: Revision::of_empty_folder(),
            stamp,
            content: DiskContent::EmptyFolder,
        }));
    }
    match target.located.kind() {
        FileType::Missing => Ok(None),
        FileType::File
            if target
                .located
                .current_stamp()
                .is_some_and(|now| now.size > MAX_IN_MEMORY_SIZE) =>
        {
            let survey = large::survey(context, target)?;
            Ok(Some(CurrentFile {
                revision: survey.revision,
                stamp: survey.stamp,
                content: DiskContent::Large(survey),
            }))
        }
        FileType::File => {
            let snapshot = snapshot_to_change(context, attempt, target)?;
            Ok(Some(CurrentFile {
                revision: snapshot.revision,
                stamp: snapshot.stamp,
                content: DiskContent::Held(snapshot),
            }))
        }
        FileType::Directory | FileType::Special(_) => {
            let text = message!(
                "{} is no file any more. Nothing was changed.",
                quote_path(target.path())
            );
            Err(Refusal::from_message(RefusalKind::Conflict, text)
                .with_field("file_path", quote_path(target.path())))
        }
    }
}

/// Returns the link itself, where the name was located as one.
fn link_at(target: &Target) -> Option<(Stamp, OsString)> {
    let stamp = target.located.stat()?;
    let link = target.located.is_link().then_some(&target.located)?;
    Some((stamp, link.link_target()?))
}

/// Returns whether a folder has no entries.
pub(in crate::stages::examine) fn is_empty(context: &CallContext<'_>, path: &Path) -> bool {
    let located = context.engine().workspace.locate_as_spelled(path);
    located
        .ok()
        .and_then(|folder| folder.entries(1, &|_, _| true).ok())
        .is_some_and(|listing| listing.total == 0)
}

/// Returns the stamp of the folder without entries that a target is; none if it is anything else.
fn empty_folder_at(context: &CallContext<'_>, target: &Target) -> Option<Stamp> {
    let is_folder = target.located.kind() == FileType::Directory;
    let stamp = target.located.stat().filter(|_| is_folder)?;
    is_empty(context, target.path()).then_some(stamp)
}
