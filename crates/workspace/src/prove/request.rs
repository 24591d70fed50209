//! What a proof is asked for: where, how long, and how its other processes are started.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use super::check::Check;

/// How far a proof is: the check that is made, and how many of its parts are done.
#[derive(Clone, Copy, Debug)]
pub struct ProofProgress {
    /// The check.
    pub check: Check,
    /// Its parts that are done.
    pub done: u32,
    /// All of its parts.
    pub total: u32,
}

/// What a proof is asked for.
pub struct ProofRequest<'r> {
    /// The folder that is asked about.
    pub folder: &'r Path,
    /// How many writers are killed.
    pub kills: u32,
    /// Starts this program again with these words, which it hands to [`play_proof_role`](crate::play_proof_role).
    pub start: &'r dyn Fn(&[OsString]) -> Command,
    /// Ends the proof early when it is set.
    pub stop: &'r AtomicBool,
    /// Called as the proof goes on.
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
    /// The command of another process of the proof.
    pub(super) fn role(&self, words: &[OsString]) -> Command {
        (self.start)(words)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Fails where the proof is to end.
    pub(super) fn check_stop(&self) -> io::Result<()> {
        match self.is_stopped() {
            true => Err(io::ErrorKind::Interrupted.into()),
            false => Ok(()),
        }
    }

    pub(super) fn tell(&self, check: Check, done: u32, total: u32) {
        (self.progress)(ProofProgress { check, done, total });
    }
}
