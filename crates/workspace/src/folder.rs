//! What stands in a folder: its entries for a reader, its names for "did you mean". Not a search.

use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;

use crate::disk::EntryKind;
use crate::locate::{FileType, Located};
use crate::snapshot::ReadError;

/// More entries of a folder are not looked at.
const MOST_ENTRIES: usize = 100_000;

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    /// Its name.
    pub name: OsString,
    /// Its kind.
    pub kind: EntryKind,
}

/// The first entries of a folder, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderListing {
    /// Sorted by the bytes of their names.
    pub entries: Vec<FolderEntry>,
    /// How many there are in all (at least that many in a folder of over 100,000).
    pub total: usize,
}

impl Located {
    /// The first `most` entries of this folder for which `keep` holds. Files that a commit is just staging are no
    /// entries.
    pub fn entries(
        &self,
        most: usize,
        keep: &dyn Fn(&OsStr, EntryKind) -> bool,
    ) -> Result<FolderListing, ReadError> {
        if self.kind() != FileType::Directory {
            return Err(ReadError::NotAFile(self.kind()));
        }
        let mut entries = Vec::new();
        self.disk.list(self.folder(), &mut |name, kind| {
            if !is_temporary(name) && keep(name, kind) {
                entries.push(FolderEntry {
                    name: name.to_owned(),
                    kind,
                });
            }
            if entries.len() < MOST_ENTRIES {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        let total = entries.len();
        entries.truncate(most);
        Ok(FolderListing { entries, total })
    }

    /// Of a missing name: at most `most` names that stand where its first missing part should stand.
    pub fn siblings(&self, most: usize) -> Result<Vec<OsString>, ReadError> {
        let mut names = Vec::new();
        if most == 0 {
            return Ok(names);
        }
        self.disk.list(self.folder(), &mut |name, _| {
            if !is_temporary(name) {
                names.push(name.to_owned());
            }
            if names.len() < most {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        Ok(names)
    }
}

/// Is this the name of a file that a commit stages or keeps for a moment?
pub(crate) fn is_temporary(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.starts_with(b".lancet-") && (name.ends_with(b".tmp") || name.ends_with(b".tmp.old"))
}
