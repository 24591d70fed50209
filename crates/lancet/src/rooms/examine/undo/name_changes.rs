//! What the chains of moved files do to names: which of them a file leaves, and which of them a file comes to.

use std::path::{Path, PathBuf};

/// What a chain starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// What is on the disk under its name: its file, or nothing.
    Disk,
    /// Nothing, although a file is there by now: that is the file of a later chain, which takes it away.
    Nothing,
}

impl Start {
    /// The start of a chain with this file of its own, where the disk has this one under the name.
    pub(super) fn of<F>(own: Option<&F>, on_disk: Option<&F>) -> Start {
        match own.is_none() && on_disk.is_some() {
            true => Start::Nothing,
            false => Start::Disk,
        }
    }
}

/// What a chain does to its names.
pub(super) struct NameChange {
    pub(super) from: PathBuf,
    pub(super) to: PathBuf,
    pub(super) start: Start,
    /// Whether the file is removed.
    pub(super) is_gone: bool,
}

impl NameChange {
    /// Whether the chain brings a file to a name where it is not yet, though another one may be.
    pub(super) fn arrives(&self) -> bool {
        !self.is_gone && (self.from != self.to || self.start == Start::Nothing)
    }
}

/// What the chains do to names, those of the latest changes first.
#[derive(Default)]
pub(super) struct NameChanges(pub(super) Vec<NameChange>);

impl NameChanges {
    /// Whether a chain brings a file to this name.
    pub(super) fn is_arrived_at(&self, name: &Path) -> bool {
        let mut changes = self.0.iter();
        changes.any(|change| change.arrives() && change.to == name)
    }

    /// Whether a chain moves the file at this name away.
    pub(super) fn is_left(&self, name: &Path) -> bool {
        let mut changes = self.0.iter();
        changes.any(|change| {
            change.start == Start::Disk
                && change.from == name
                && (change.is_gone || change.to != name)
        })
    }
}
