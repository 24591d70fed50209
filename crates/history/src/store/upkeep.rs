//! The contents of files in the store, and their upkeep: limits of size and age, compression, orphaned files.

use std::path::Path;
use std::time::Duration;

use super::error::not_writable;
use super::files::has_set_aside;
use super::{HistoryError, Store, blobs, compress, contents, forecast, prune, streamed, verify};
use crate::entry::Revision;
use crate::kept::KeptContent;
use crate::operation::{CheckedContents, Compressed, ContentStore, Limits, Removed, StoreUpkeep};

impl ContentStore for Store {
    fn content(&self, revision: &Revision) -> Result<Option<Vec<u8>>, HistoryError> {
        Ok(self
            .run(|connection| contents::get(connection, self.folder(), revision))?
            .0)
    }

    fn open_content(&self, revision: &Revision) -> Result<Option<KeptContent>, HistoryError> {
        let (opened, _) = self.run(|connection| {
            Ok(streamed::open(connection, self.folder(), revision)?.transpose())
        })?;
        opened.map_err(|source| not_writable(self.folder(), source))
    }

    fn check_contents(
        &self,
        after: i64,
        budget: Duration,
    ) -> Result<CheckedContents, HistoryError> {
        Ok(self
            .run(|connection| verify::check(connection, self.folder(), after, budget))?
            .0)
    }

    fn adopt(&self, revision: &Revision, file: &Path) -> Result<(), HistoryError> {
        let (form, _) = self.run(|connection| contents::form_of(connection, revision))?;
        let Some(form) = form else {
            return Ok(());
        };
        let adopted = if form & contents::FORM == contents::FILE {
            blobs::adopt(self.folder(), revision, file)
        } else {
            std::fs::remove_file(file)
        };
        adopted.map_err(|source| not_writable(file, source))
    }
}

impl StoreUpkeep for Store {
    fn prune(&self, limits: &Limits, budget: Duration) -> Result<Removed, HistoryError> {
        Ok(self
            .run(|connection| prune::prune(connection, self.folder(), limits, budget))?
            .0)
    }

    fn forecast(&self, limits: &Limits) -> Result<Removed, HistoryError> {
        Ok(self
            .run(|connection| forecast::forecast(connection, limits))?
            .0)
    }

    fn compress(&self, budget: Duration) -> Result<Compressed, HistoryError> {
        Ok(self
            .run(|connection| compress::compress(connection, self.folder(), budget))?
            .0)
    }

    fn sweep(&self) -> Result<u64, HistoryError> {
        // A damaged database that was set aside may name these files; they are preserved as long as it exists.
        if has_set_aside(self.folder()) {
            return Ok(0);
        }
        let is_known = |revision: &Revision| {
            self.run(|connection| contents::id_of(connection, revision))
                .map_or(true, |(id, _)| id.is_some())
        };
        Ok(blobs::sweep(self.folder(), &is_known))
    }
}
