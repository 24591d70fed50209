//! The request of a proof: where, how long, and how its other processes are started.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use super::check::Check;

/// The progress of a proof: the current check, and how many of its parts are done.
#[derive(Clone, Copy, Debug)]
pub struct ProofProgress {
    /// The check.
    pub check: Check,
    /// Its parts that are done.
    pub done: u32,
    /// All of its parts.
    pub total: u32,
}

/// The request of a proof.
pub struct ProofRequest<'r> {
    /// The folder to be tested.
    pub folder: &'r Path,
    /// How many writers are killed.
    pub kills: u32,
    /// Starts this program again with these arguments, which it passes to [`play_proof_role`](crate::play_proof_role).
    pub start: &'r dyn Fn(&[OsString]) -> Command,
    /// Ends the proof early when it is set.
    pub stop: &'r AtomicBool,
    /// Called as the proof progresses.
    pub progress: &'r dyn Fn(ProofProgress),
}

impl fmt::Debug for ProofRequest<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ProofRequest")
            .field("folder", &self.folder)
            .field("kills", &self.kills)
            .finish_non_exhaustive()
    }
}

impl ProofRequest<'_> {
    /// Returns the command of another process of the proof.
    pub(super) fn role_command(&self, words: &[OsString]) -> Command {
        (self.start)(words)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Fails if the proof is to end.
    pub(super) fn check_stop(&self) -> io::Result<()> {
        match self.is_stopped() {
            true => Err(io::ErrorKind::Interrupted.into()),
            false => Ok(()),
        }
    }

    pub(super) fn report_progress(&self, check: Check, done: u32, total: u32) {
        (self.progress)(ProofProgress { check, done, total });
    }
}
