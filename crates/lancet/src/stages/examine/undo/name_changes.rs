//! The effect of the chains of moved files on names: which names a file leaves, and which names a file arrives at.

use std::path::{Path, PathBuf};

/// The state that a chain starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChainStart {
    /// The file or absence that is on the disk under its name.
    Disk,
    /// No file, although one is there by now: that is the file of a later chain, which moves it away.
    Nothing,
}

impl ChainStart {
    /// Returns the start of a chain that has the file `own`, where the disk has `on_disk` under the name.
    pub(super) fn for_chain<F>(own: Option<&F>, on_disk: Option<&F>) -> ChainStart {
        match own.is_none() && on_disk.is_some() {
            true => ChainStart::Nothing,
            false => ChainStart::Disk,
        }
    }
}

/// The effect of a chain on its names.
pub(super) struct NameChange {
    pub(super) from: PathBuf,
    pub(super) to: PathBuf,
    pub(super) start: ChainStart,
    /// Whether the file is removed.
    pub(super) is_gone: bool,
}

impl NameChange {
    /// Returns whether the chain brings a file to a name where it is not yet, though another file may be there.
    pub(super) fn brings_file(&self) -> bool {
        !self.is_gone && (self.from != self.to || self.start == ChainStart::Nothing)
    }
}

/// The effects of the chains on names, those of the latest changes first.
#[derive(Default)]
pub(super) struct NameChanges(pub(super) Vec<NameChange>);

impl NameChanges {
    /// Returns whether a chain brings a file to this name.
    pub(super) fn brings_file_to(&self, name: &Path) -> bool {
        let mut changes = self.0.iter();
        changes.any(|change| change.brings_file() && change.to == name)
    }

    /// Returns whether a chain moves the file at this name away.
    pub(super) fn moves_file_away_from(&self, name: &Path) -> bool {
        let mut changes = self.0.iter();
        changes.any(|change| {
            change.start == ChainStart::Disk
                && change.from == name
                && (change.is_gone || change.to != name)
        })
    }
}
