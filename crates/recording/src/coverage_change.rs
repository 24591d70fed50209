//! Differences that come only from what a look covers: a file that an ignore file names now, or no longer names, and a
//! folder that only became empty, or is no longer empty. They are not changes of files.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use lancet_git::CleanFiles;
use lancet_history::{CheckpointEntry, CheckpointEntryKind, HistoryError};
use lancet_workspace::{EntryKind, FileType, FolderHandle, Stamp};

use crate::compare::{EntryDifference, identify_entry, is_same_entry};
use crate::contents::ContentRecorder;
use crate::coverage::ScanCoverage;
use crate::scan::ScannedEntry;
use crate::seen_stat::inode;

/// How far the time of a file may be behind the clock, in milliseconds: file systems use the time of the last tick.
const TICK: i64 = 20;

/// The circumstances of two looks whose differences are examined.
pub(crate) struct CoverageCheck<'c> {
    pub(crate) root: &'c FolderHandle,
    pub(crate) path: &'c Path,
    pub(crate) coverage: &'c ScanCoverage<'c>,
    /// The folders that had entries at the earlier look, and those that were empty.
    pub(crate) folders: &'c BTreeSet<PathBuf>,
    /// When the earlier look began, in milliseconds since 1970.
    pub(crate) since: i64,
    /// The files that no longer have the names of the earlier look, by device and inode.
    pub(crate) left: &'c HashSet<(i64, i64)>,
}

impl CoverageCheck<'_> {
    /// Returns the differences that are changes of files.
    pub(crate) fn real(
        &self,
        differences: Vec<EntryDifference>,
        clean: &mut Option<CleanFiles>,
        contents: &mut ContentRecorder<'_>,
    ) -> Result<Vec<EntryDifference>, HistoryError> {
        let mut real = Vec::with_capacity(differences.len());
        for difference in differences {
            let EntryDifference { before, after } = difference;
            let difference = match (before, after) {
                (Some(before), None) => self.of_missing(before, clean, contents)?,
                (None, Some(after)) => self.of_new(after),
                (before, after) => Some(EntryDifference { before, after }),
            };
            real.extend(difference);
        }
        Ok(real)
    }

    /// Returns the change of an entry that the later look does not have: it is gone, or only no longer covered.
    fn of_missing(
        &self,
        before: CheckpointEntry,
        clean: &mut Option<CleanFiles>,
        contents: &mut ContentRecorder<'_>,
    ) -> Result<Option<EntryDifference>, HistoryError> {
        let gone = |before| {
            Ok(Some(EntryDifference {
                before: Some(before),
                after: None,
            }))
        };
        let relative = PathBuf::from(OsStr::from_bytes(&before.name));
        if before.kind == CheckpointEntryKind::EmptyFolder {
            return match self.root.open_folder_below(&relative) {
                Ok(_) => Ok(None),
                Err(error) if is_out_of_reach(&error) => Ok(None),
                Err(_) => gone(before),
            };
        }
        let (stamp, link) = match self.find(&relative) {
            Ok(found) => found,
            // In a folder without permission it may be as it was.
            Err(error) if is_out_of_reach(&error) => return Ok(None),
            Err(_) => return gone(before),
        };
        let kind = match (stamp.kind(), &link) {
            (FileType::File, _) => CheckpointEntryKind::File,
            (_, Some(_)) => CheckpointEntryKind::Link,
            _ => return gone(before),
        };
        let path = self.path.join(&relative);
        let is_hidden = (self.coverage.leaves_out)(&relative)
            || !self.coverage.gate.may_read(&path, EntryKind::File);
        if is_hidden {
            return Ok(None);
        }
        let name = before.name.clone();
        let seen = ScannedEntry {
            name,
            kind,
            stamp,
            link,
        };
        let now = identify_entry(seen, clean, contents)?;
        let is_same = is_same_entry(&before, &now, contents);
        Ok((!is_same).then_some(EntryDifference {
            before: Some(before),
            after: Some(now),
        }))
    }

    /// Returns the change of an entry that the earlier look does not have: it is new, or only newly covered.
    fn of_new(&self, after: CheckpointEntry) -> Option<EntryDifference> {
        let was_there = match after.kind {
            CheckpointEntryKind::EmptyFolder => {
                let path = self.path.join(OsStr::from_bytes(&after.name));
                self.folders.contains(&path)
            }
            // A new file, and one that gets another name, has its inode changed; one in a folder that does has not.
            CheckpointEntryKind::File | CheckpointEntryKind::Link => {
                let changed = after.stamp.0[5] * 1_000 + after.stamp.0[6] / 1_000_000;
                changed < self.since - TICK && !self.left.contains(&inode(&after.stamp))
            }
        };
        (!was_there).then_some(EntryDifference {
            before: None,
            after: Some(after),
        })
    }

    /// Returns the stat of what is at a name now, and the target if it is a link.
    fn find(&self, relative: &Path) -> io::Result<(Stamp, Option<Vec<u8>>)> {
        let last = relative.file_name().unwrap_or_default();
        let parent = relative.parent();
        let folder = match parent.filter(|parent| !parent.as_os_str().is_empty()) {
            Some(parent) => self.root.open_folder_below(parent)?,
            None => self.root.clone(),
        };
        let stamp = folder.stat(last)?;
        let link = match stamp.kind() {
            FileType::Special("symbolic link") => Some(folder.link_target(last)?),
            _ => None,
        };
        Ok((stamp, link.map(|target| target.as_bytes().to_vec())))
    }
}

/// Returns whether an entry cannot be looked at although it may be there.
fn is_out_of_reach(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}
