//! Finds the entries that a look compares: what a process that watches the root reports, what differs from the root's
//! listing, or all that a scan finds.

use lancet_history::Checkpoint;
use lancet_workspace::FolderHandle;

use crate::extent::FoundEntries;
use crate::git_view::GitView;
use crate::listing::ListingBuilder;
use crate::look::{FoundLook, LookSource, RecordError};
use crate::recorder::Recorder;
use crate::scan::ScanScope;

impl Recorder<'_> {
    /// Finds the entries that may differ from the newest checkpoint: those of a report, or what the disk has. A root that
    /// was removed has none. `since` is
    /// the checkpoint since which changes become an operation.
    pub(crate) fn find_entries(
        &self,
        root: &FolderHandle,
        report: Option<FoundEntries>,
        newest: Option<&Checkpoint>,
        since: Option<i64>,
    ) -> Result<FoundLook<'_>, RecordError> {
        if self.is_root_removed() {
            return Ok(FoundLook {
                found: FoundEntries::from_scan(Vec::new()),
                git: self.open_git(),
                source: LookSource::Report,
            });
        }
        let (found, source) = match report {
            Some(found) => (found, LookSource::Report),
            None => match self.look_by_listing(root, newest)? {
                Some(look) => (look.found, LookSource::Listing(look.missing_record)),
                None => return self.scan(root),
            },
        };
        let newest = newest.map(|newest| newest.number);
        let is_nothing = found.is_nothing() && since.is_none_or(|_| since == newest);
        let git = match is_nothing {
            true => GitView::with_head_only(self.workspace.root, &self.disk),
            false => self.open_git(),
        };
        Ok(FoundLook { found, git, source })
    }

    /// Scans the whole root, and builds its listing.
    fn scan(&self, root: &FolderHandle) -> Result<FoundLook<'_>, RecordError> {
        let git = self.open_git();
        let (path, coverage) = (self.workspace.root, &self.coverage);
        let mut built = ListingBuilder::new(path, coverage.excludes, git.index.clone());
        let scope = ScanScope {
            root,
            path,
            coverage,
            tracked: git.index.as_deref(),
        };
        let entries = scope.scan_all(&mut built);
        let entries = entries.map_err(|source| RecordError::Unreadable {
            root: path.to_path_buf(),
            source,
        })?;
        Ok(FoundLook {
            found: FoundEntries::from_scan(entries),
            git,
            source: LookSource::Scan(Box::new(built)),
        })
    }
}
