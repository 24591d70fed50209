//! A cache of the properties and missing features of file systems, by device, so that each is probed once.

use std::collections::HashMap;
use std::os::fd::BorrowedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::disk::{Disk, FileSystemHost, FileSystemKind, MountId};

/// A feature that a file system may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingFeature {
    /// Exchanging two names (`RENAME_EXCHANGE`).
    Exchange,
    /// Unnamed files (`O_TMPFILE`).
    UnnamedFiles,
}

#[derive(Debug, Default)]
pub(crate) struct MountKnowledge {
    lacks: Mutex<HashMap<u64, Vec<MissingFeature>>>,
    natures: Mutex<HashMap<u64, FileSystemKind>>,
    /// Whether an exchange exchanges, by mount, if that had to be tested.
    exchanges: Mutex<HashMap<MountId, ExchangeProof>>,
}

/// How far the flags of a rename can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RenameTrust {
    /// The kernel carries renames out: a flag is respected, or the call is refused.
    Exact,
    /// A program or another machine carries them out: a flag may be ignored without an error, and names and contents
    /// may be answered from the kernel's cache.
    Doubtful,
}

/// The result of testing an exchange on a mount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExchangeProof {
    Proved,
    NotProved,
}

/// Which writers a lease on a file detects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeaseCoverage {
    /// Every program that has the file open for writing or mapped.
    AllWriters,
    /// Not every program: depending on the file system it misses mappings, other hard links or other machines.
    SomeWriters,
}

impl MountKnowledge {
    pub(crate) fn lacks_feature(&self, device: u64, what: MissingFeature) -> bool {
        self.lock_missing_features()
            .get(&device)
            .is_some_and(|lacking| lacking.contains(&what))
    }

    pub(crate) fn record_missing(&self, device: u64, what: MissingFeature) {
        let mut table = self.lock_missing_features();
        let lacking = table.entry(device).or_default();
        if !lacking.contains(&what) {
            lacking.push(what);
        }
    }

    /// Returns the kind of the file system with this device. One that cannot be probed counts as plain.
    pub(crate) fn file_system_kind(
        &self,
        disk: &dyn Disk,
        folder: BorrowedFd<'_>,
        device: u64,
    ) -> FileSystemKind {
        let known = || self.natures.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file_system_kind) = known().get(&device) {
            return *file_system_kind;
        }
        let file_system_kind = disk
            .file_system_kind(folder)
            .unwrap_or(FileSystemKind::Plain);
        known().insert(device, file_system_kind);
        file_system_kind
    }

    /// Returns which writers a lease on this file detects. A failed probe counts as the weaker case. Not cached: a
    /// device number may be that of another file system after an unmount.
    pub(crate) fn lease_coverage(&self, disk: &dyn Disk, file: BorrowedFd<'_>) -> LeaseCoverage {
        match disk.file_system_host(file) {
            Ok(FileSystemHost::Kernel) => LeaseCoverage::AllWriters,
            _ => LeaseCoverage::SomeWriters,
        }
    }

    /// Returns what an exchange was seen to do on this mount.
    pub(crate) fn exchange_proof(&self, mount: MountId) -> Option<ExchangeProof> {
        self.lock_proofs().get(&mount).copied()
    }

    /// Records what an exchange did on this mount.
    pub(crate) fn note_exchange(&self, mount: MountId, proof: ExchangeProof) {
        self.lock_proofs().insert(mount, proof);
    }

    fn lock_proofs(&self) -> MutexGuard<'_, HashMap<MountId, ExchangeProof>> {
        let known = self.exchanges.lock();
        known.unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_missing_features(&self) -> MutexGuard<'_, HashMap<u64, Vec<MissingFeature>>> {
        self.lacks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns how far the flags of a rename in this folder can be relied on; not at all if that cannot be determined.
pub(crate) fn rename_trust(disk: &dyn Disk, folder: BorrowedFd<'_>) -> RenameTrust {
    match disk
        .file_system_host(folder)
        .map(FileSystemHost::respects_rename_flags)
    {
        Ok(true) => RenameTrust::Exact,
        Ok(false) | Err(_) => RenameTrust::Doubtful,
    }
}
