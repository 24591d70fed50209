//! The contents of files in the store, and their upkeep: limits of size and age, compression, orphaned files.

use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, Instant};

use super::error::not_writable;
use super::files::has_set_aside;
use super::{
    SetAside, Store, StoreError, blobs, compress, contents, forecast, process, prune, streamed,
    unsealed, verify,
};
use crate::entry::Revision;
use crate::kept::KeptContent;
use crate::operation::{
    CheckedContents, Compressed, ContentStore, Limits, Removed, StoreUpkeep, Unsealed,
};

impl ContentStore for Store {
    fn content(&self, revision: &Revision) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self
            .run(|connection| contents::get(connection, self.folder(), revision))?
            .0)
    }

    fn open_content(&self, revision: &Revision) -> Result<Option<KeptContent>, StoreError> {
        let (opened, _) = self.run(|connection| {
            Ok(streamed::open(connection, self.folder(), revision)?.transpose())
        })?;
        opened.map_err(|source| not_writable(self.folder(), source))
    }

    fn check_contents(&self, after: i64, budget: Duration) -> Result<CheckedContents, StoreError> {
        Ok(self
            .run(|connection| verify::check(connection, self.folder(), after, budget))?
            .0)
    }

    fn adopt(&self, revision: &Revision, file: &Path) -> Result<(), StoreError> {
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

    fn adopt_left(
        &self,
        folder: &str,
        is_sealed: &dyn Fn(&OsStr) -> bool,
        budget: Duration,
    ) -> Result<(), StoreError> {
        let deadline = Instant::now() + budget;
        let folder = self.folder().join(folder);
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(not_writable(&folder, error)),
        };
        for entry in entries.flatten() {
            if !is_sealed(&entry.file_name()) || Instant::now() >= deadline {
                continue;
            }
            // A failure is left alone: the process that displaced the file may be adopting it at the same time.
            if let Ok(revision) = blobs::hash_of(&entry.path()) {
                let _ = self.adopt(&revision, &entry.path());
            }
        }
        Ok(())
    }

    fn put_unsealed(&self, unsealed: &Unsealed) -> Result<(), StoreError> {
        self.run(|connection| unsealed::put(connection, unsealed, &self.process()))?;
        Ok(())
    }

    fn unsealed(&self) -> Result<Vec<Unsealed>, StoreError> {
        let (all, _) = self.run(|connection| unsealed::all(connection))?;
        let left = all
            .into_iter()
            .filter(|(_, process)| !process::is_alive(self.folder(), process));
        Ok(left.map(|(unsealed, _)| unsealed).collect())
    }

    fn drop_unsealed(&self, file: &Path) -> Result<(), StoreError> {
        self.run(|connection| unsealed::remove(connection, file))?;
        Ok(())
    }
}

impl StoreUpkeep for Store {
    fn set_aside(&self) -> Vec<SetAside> {
        self.all_set_aside()
    }

    fn prune(&self, limits: &Limits, budget: Duration) -> Result<Removed, StoreError> {
        Ok(self
            .run(|connection| prune::prune(connection, self.folder(), limits, budget))?
            .0)
    }

    fn forecast(&self, limits: &Limits) -> Result<Removed, StoreError> {
        Ok(self
            .run(|connection| forecast::forecast(connection, limits))?
            .0)
    }

    fn compress(&self, budget: Duration) -> Result<Compressed, StoreError> {
        Ok(self
            .run(|connection| compress::compress(connection, self.folder(), budget))?
            .0)
    }

    fn sweep(&self) -> Result<u64, StoreError> {
        // A damaged database that was set aside may name these files; they are kept as long as it is.
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
