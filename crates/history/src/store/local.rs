//! The machine-local part of the same database: the journal of writes, and the displaced files that may still be
//! written to.

mod journal;
mod unsealed;

use std::io;
use std::path::Path;

use lancet_local_state::{LeftIntent, LocalState, SetAside, Unsealed, process};
use rusqlite::Connection;

use super::Store;
use super::files::file_in;

impl LocalState for Store {
    fn open_intent(&self, intent: &[u8]) -> io::Result<i64> {
        self.run_locally(|connection| journal::open(connection, intent, &self.process()))
    }

    fn decide_intent(&self, id: i64) -> io::Result<()> {
        self.run_locally(|connection| journal::decide(connection, id))
    }

    fn close_intent(&self, id: i64) -> io::Result<()> {
        self.run_locally(|connection| journal::close(connection, id))
    }

    fn left_intents(&self) -> io::Result<Vec<LeftIntent>> {
        if !file_in(self.folder()).exists() {
            return Ok(Vec::new());
        }
        self.run_locally(|connection| journal::take_left(connection, self))
    }

    fn undecided_intents(&self) -> io::Result<Vec<LeftIntent>> {
        if !self.is_open() && !file_in(self.folder()).exists() {
            return Ok(Vec::new());
        }
        // Each write asks this under its locks.
        if self.nothing_waits() {
            return Ok(Vec::new());
        }
        self.run_locally(|connection| journal::undecided(connection))
    }

    fn let_go_intent(&self, id: i64) -> io::Result<()> {
        self.run_locally(|connection| journal::let_go(connection, id))
    }

    fn put_unsealed(&self, unsealed: &Unsealed) -> io::Result<()> {
        self.run_locally(|connection| unsealed::put(connection, unsealed, &self.process()))
    }

    fn unsealed(&self) -> io::Result<Vec<Unsealed>> {
        let all = self.run_locally(|connection| unsealed::all(connection))?;
        let left = all
            .into_iter()
            .filter(|(_, process)| !process::is_alive(self.folder(), process));
        Ok(left.map(|(unsealed, _)| unsealed).collect())
    }

    fn drop_unsealed(&self, file: &Path) -> io::Result<()> {
        self.run_locally(|connection| unsealed::remove(connection, file))
    }

    fn set_aside(&self) -> Vec<SetAside> {
        self.all_set_aside()
    }

    fn losses(&self) -> usize {
        let aside = self.all_set_aside();
        aside
            .iter()
            .filter(|aside| aside.moved_to.is_none())
            .count()
    }
}

impl Store {
    /// Runs `work` on the open database, with the errors of a file.
    fn run_locally<T>(
        &self,
        work: impl Fn(&mut Connection) -> rusqlite::Result<T>,
    ) -> io::Result<T> {
        let (value, _) = self.run(work).map_err(io::Error::other)?;
        Ok(value)
    }
}
