//! A cache of what file systems are and lack, by device, so that each is probed once.

use std::collections::HashMap;
use std::os::fd::BorrowedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::disk::{Disk, FileSystemKind};

/// A feature that a file system may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingFeature {
    /// Exchanging two names (`RENAME_EXCHANGE`).
    Exchange,
    /// Unnamed files (`O_TMPFILE`).
    UnnamedFiles,
}

#[derive(Debug, Default)]
pub(crate) struct Mounts {
    lacks: Mutex<HashMap<u64, Vec<MissingFeature>>>,
    natures: Mutex<HashMap<u64, FileSystemKind>>,
    leases: Mutex<HashMap<u64, LeaseCoverage>>,
}

/// Which writers a lease on a file detects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeaseCoverage {
    /// Every program that has the file open for writing or mapped.
    AllWriters,
    /// Not every program: depending on the file system it misses mappings, other hard links or other machines.
    SomeWriters,
}

impl Mounts {
    pub(crate) fn lacks(&self, device: u64, what: MissingFeature) -> bool {
        self.table()
            .get(&device)
            .is_some_and(|lacking| lacking.contains(&what))
    }

    pub(crate) fn note(&self, device: u64, what: MissingFeature) {
        let mut table = self.table();
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

    /// Returns which writers a lease on this file detects. `device` is that of the file's folder: a file of overlayfs
    /// may carry the device of a layer, where leases detect more.
    pub(crate) fn lease_coverage(
        &self,
        disk: &dyn Disk,
        file: BorrowedFd<'_>,
        device: Option<u64>,
    ) -> LeaseCoverage {
        let known = || self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lease_coverage) = device.and_then(|device| known().get(&device).copied()) {
            return lease_coverage;
        }
        // A failed probe counts as the weaker case and is not cached.
        let Ok(all) = disk.lease_sees_all(file) else {
            return LeaseCoverage::SomeWriters;
        };
        let lease_coverage = if all {
            LeaseCoverage::AllWriters
        } else {
            LeaseCoverage::SomeWriters
        };
        if let Some(device) = device {
            known().insert(device, lease_coverage);
        }
        lease_coverage
    }

    fn table(&self) -> MutexGuard<'_, HashMap<u64, Vec<MissingFeature>>> {
        self.lacks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
