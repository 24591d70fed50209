//! The interface of the store of the machine's half: the journal of the write, and the displaced files that may still
//! be written to. Its errors are I/O errors, because the store is in files.

use std::fmt;
use std::io;
use std::path::Path;

use crate::set_aside::SetAsideDatabase;
use crate::unsealed::UnsealedFile;

/// An intent of a process that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrphanedIntent {
    /// The row id of the intent.
    pub id: i64,
    /// The encoded intent.
    pub intent: Vec<u8>,
    /// Whether all files were changed, so that the intent is to be completed and not rolled back.
    pub decided: bool,
}

/// The store of unfinished writes on this machine. Several processes may use one state folder at once.
///
/// An intent says what a write of several files is about to do. It is flushed to the disk before the first file is
/// changed, and removed when nothing is left to do. Its bytes are opaque here; the caller encodes and decodes them.
pub trait LocalState: fmt::Debug + Send + Sync {
    /// Records an intent and flushes it; returns its row id.
    ///
    /// # Errors
    /// The state folder cannot be written.
    fn open_intent(&self, intent: &[u8]) -> io::Result<i64>;

    /// Records that all files were changed, and flushes that.
    ///
    /// # Errors
    /// The state folder cannot be written.
    fn decide_intent(&self, id: i64) -> io::Result<()>;

    /// Removes an intent that is completed or rolled back.
    ///
    /// # Errors
    /// The state folder cannot be written.
    fn close_intent(&self, id: i64) -> io::Result<()>;

    /// Takes over the intents of processes that have ended; no other process gets them. If nothing is stored, nothing
    /// is created.
    ///
    /// # Errors
    /// The state folder cannot be read.
    fn take_over_intents(&self) -> io::Result<Vec<OrphanedIntent>>;

    /// Returns the intents of all processes, running ones included, that are not decided.
    ///
    /// # Errors
    /// The state folder cannot be read.
    fn undecided_intents(&self) -> io::Result<Vec<OrphanedIntent>>;

    /// Releases an intent, so that another process can take it over.
    ///
    /// # Errors
    /// The state folder cannot be written.
    fn release_intent(&self, id: i64) -> io::Result<()>;

    /// Records a displaced file that may still be written, or updates its record. This process is its owner from now
    /// on.
    ///
    /// # Errors
    /// The state folder cannot be written.
    fn save_unsealed(&self, unsealed: &UnsealedFile) -> io::Result<()>;

    /// Returns the displaced files that may still be written and whose owners have ended.
    ///
    /// # Errors
    /// The state folder cannot be read.
    fn orphaned_unsealed_files(&self) -> io::Result<Vec<UnsealedFile>>;

    /// Removes the record of a displaced file that needs no further work.
    ///
    /// # Errors
    /// The state folder cannot be written.
    fn remove_unsealed(&self, file: &Path) -> io::Result<()>;

    /// Returns the damaged databases that were set aside since this value was created, oldest first.
    fn databases_set_aside(&self) -> Vec<SetAsideDatabase>;

    /// Returns how often the database was removed while this value used it, perhaps with its folder.
    fn database_loss_count(&self) -> usize;
}
