//! The contents of files in the store, and their upkeep: limits of size and age, compression, orphaned files.

use std::path::Path;
use std::time::Duration;

use super::error::not_writable_error;
use super::files::has_files_set_aside;
use super::{
    HistoryError, Store, blobs, compress, contents, dropped_objects, forecast, prune, streamed,
    verify,
};
use crate::checkpoint::DroppedObjects;
use crate::entry::Revision;
use crate::kept::StoredContent;
use crate::operation::{
    CheckedContents, CompressResult, ContentStore, HistoryLimits, PruneResult, StoreUpkeep,
};

impl ContentStore for Store {
    fn content(&self, revision: &Revision) -> Result<Option<Vec<u8>>, HistoryError> {
        Ok(self
            .run_on_database(|connection| {
                contents::read_content(connection, self.folder(), revision)
            })?
            .0)
    }

    fn open_content(&self, revision: &Revision) -> Result<Option<StoredContent>, HistoryError> {
        let (opened, _) = self.run_on_database(|connection| {
            Ok(streamed::open_streamed(connection, self.folder(), revision)?.transpose())
        })?;
        opened.map_err(|source| not_writable_error(self.folder(), source))
    }

    fn check_contents(
        &self,
        after: i64,
        budget: Duration,
    ) -> Result<CheckedContents, HistoryError> {
        Ok(self
            .run_on_database(|connection| {
                verify::check_contents(connection, self.folder(), after, budget)
            })?
            .0)
    }

    fn adopt_file(&self, revision: &Revision, file: &Path) -> Result<(), HistoryError> {
        let (form, _) =
            self.run_on_database(|connection| contents::content_form(connection, revision))?;
        let Some(form) = form else {
            return Ok(());
        };
        let adopted = if form & contents::FORM_MASK == contents::FORM_FILE {
            blobs::adopt_file(self.folder(), revision, file)
        } else {
            std::fs::remove_file(file)
        };
        adopted.map_err(|source| not_writable_error(file, source))
    }
}

impl StoreUpkeep for Store {
    fn prune(&self, limits: &HistoryLimits, budget: Duration) -> Result<PruneResult, HistoryError> {
        Ok(self
            .run_on_database(|connection| {
                prune::prune_operations(connection, self.folder(), limits, budget)
            })?
            .0)
    }

    fn forecast_prune(&self, limits: &HistoryLimits) -> Result<PruneResult, HistoryError> {
        Ok(self
            .run_on_database(|connection| forecast::forecast_prune(connection, limits))?
            .0)
    }

    fn dropped_objects(&self) -> Result<Vec<DroppedObjects>, HistoryError> {
        Ok(self
            .run_on_database(|connection| dropped_objects::list_dropped(connection, self.folder()))?
            .0)
    }

    fn remove_dropped_objects(&self) -> Result<u64, HistoryError> {
        Ok(self
            .run_on_database(|connection| {
                dropped_objects::remove_dropped(connection, self.folder())
            })?
            .0)
    }

    fn compress(&self, budget: Duration) -> Result<CompressResult, HistoryError> {
        Ok(self
            .run_on_database(|connection| {
                compress::compress_contents(connection, self.folder(), budget)
            })?
            .0)
    }

    fn remove_orphans(&self) -> Result<u64, HistoryError> {
        // A damaged database that was set aside may name these files; they are preserved as long as it exists.
        if has_files_set_aside(self.folder()) {
            return Ok(0);
        }
        let is_known = |revision: &Revision| {
            self.run_on_database(|connection| contents::content_id(connection, revision))
                .map_or(true, |(id, _)| id.is_some())
        };
        Ok(blobs::remove_orphans(self.folder(), &is_known))
    }
}
