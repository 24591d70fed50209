//! The machine-local part of the same database: the journal of writes, and the displaced files that may still be
//! written to.

mod journal;
mod unsealed;

use std::io;
use std::path::Path;

use lancet_local_state::{LocalState, OrphanedIntent, SetAsideDatabase, UnsealedFile, process};
use rusqlite::Connection;

use super::Store;
use super::files::database_path;

impl LocalState for Store {
    fn open_intent(&self, intent: &[u8]) -> io::Result<i64> {
        self.run_as_io(|connection| {
            journal::insert_intent(connection, intent, &self.process_name())
        })
    }

    fn decide_intent(&self, id: i64) -> io::Result<()> {
        self.run_as_io(|connection| journal::mark_decided(connection, id))
    }

    fn close_intent(&self, id: i64) -> io::Result<()> {
        self.run_as_io(|connection| journal::delete_intent(connection, id))
    }

    fn take_over_intents(&self) -> io::Result<Vec<OrphanedIntent>> {
        if !database_path(self.folder()).exists() {
            return Ok(Vec::new());
        }
        self.run_as_io(|connection| journal::take_over_intents(connection, self))
    }

    fn undecided_intents(&self) -> io::Result<Vec<OrphanedIntent>> {
        if !self.is_open() && !database_path(self.folder()).exists() {
            return Ok(Vec::new());
        }
        // Each write asks this under its locks.
        if self.nothing_waits() {
            return Ok(Vec::new());
        }
        self.run_as_io(|connection| journal::undecided_intents(connection))
    }

    fn release_intent(&self, id: i64) -> io::Result<()> {
        self.run_as_io(|connection| journal::release_intent(connection, id))
    }

    fn save_unsealed(&self, unsealed: &UnsealedFile) -> io::Result<()> {
        self.run_as_io(|connection| {
            unsealed::save_unsealed(connection, unsealed, &self.process_name())
        })
    }

    fn orphaned_unsealed_files(&self) -> io::Result<Vec<UnsealedFile>> {
        let all = self.run_as_io(|connection| unsealed::list_unsealed(connection))?;
        let left = all
            .into_iter()
            .filter(|(_, process)| !process::is_alive(self.folder(), process));
        Ok(left.map(|(unsealed, _)| unsealed).collect())
    }

    fn remove_unsealed(&self, file: &Path) -> io::Result<()> {
        self.run_as_io(|connection| unsealed::remove_unsealed(connection, file))
    }

    fn databases_set_aside(&self) -> Vec<SetAsideDatabase> {
        self.list_set_aside()
    }

    fn database_loss_count(&self) -> usize {
        let aside = self.list_set_aside();
        aside
            .iter()
            .filter(|aside| aside.moved_to.is_none())
            .count()
    }
}

impl Store {
    /// Runs `work` on the open database, with the errors of a file.
    fn run_as_io<T>(&self, work: impl Fn(&mut Connection) -> rusqlite::Result<T>) -> io::Result<T> {
        let (value, _) = self.run_on_database(work).map_err(io::Error::other)?;
        Ok(value)
    }
}
