//! What a process that watches a root reports to a look: the entries that changed since a checkpoint.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use lancet_workspace::EntryKind;

use crate::coverage::ScanCoverage;
use crate::scan::ScannedEntry;

/// The state of a root as the process that watches it knows it.
#[derive(Clone)]
pub struct ReportedChanges {
    /// Counts the states of the root since the process began.
    pub(crate) position: u64,
    /// The number of all entries.
    pub(crate) files: u64,
    /// What changed since the checkpoint; none if the process does not know the checkpoint, or too much has changed.
    pub(crate) changes: Option<Vec<ReportedEntry>>,
}

impl ReportedChanges {
    /// Leaves out what this process does not cover: the other one may have been started with other settings.
    pub(crate) fn only_covered(mut self, root: &Path, coverage: &ScanCoverage<'_>) -> Self {
        if let Some(changes) = &mut self.changes {
            changes.retain(|change| {
                let relative = Path::new(OsStr::from_bytes(&change.name));
                !(coverage.leaves_out)(relative)
                    && coverage
                        .gate
                        .may_read(&root.join(relative), EntryKind::File)
            });
        }
        self
    }
}

/// A name whose entry may have changed.
#[derive(Clone)]
pub(crate) struct ReportedEntry {
    pub(crate) name: Vec<u8>,
    /// Its present entry; none if there is none.
    pub(crate) now: Option<ScannedEntry>,
}

/// A process that watches a root.
pub trait ChangeSource {
    /// Returns what changed since a checkpoint; none if no process watches the root, or it does not answer in time.
    fn changes_since(&self, checkpoint: Option<i64>) -> Option<ReportedChanges>;

    /// Notes that a new checkpoint has the state of a position.
    fn note_checkpoint(&self, number: i64, position: u64);
}
