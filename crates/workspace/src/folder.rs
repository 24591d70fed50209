//! Lists a folder for a reader, and names for "did you mean". Searches use `FolderHandle`.

use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;

use crate::disk::EntryKind;
use crate::locate::Located;
use crate::snapshot::ReadError;
use crate::stamp::FileType;

/// Further entries of a folder are ignored.
const MAX_ENTRIES: usize = 100_000;

/// An entry of a folder listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    /// The file name.
    pub name: OsString,
    /// The kind of the entry according to the listing; a link is not followed.
    pub kind: EntryKind,
}

/// The first entries of a folder, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderListing {
    /// The entries, sorted by the bytes of their names.
    pub entries: Vec<FolderEntry>,
    /// The number of all entries (a lower bound in a folder of over 100,000).
    pub total: usize,
}

impl Located {
    /// Returns the first `most` entries of this folder for which `keep` holds. Temporary files of a commit are left
    /// out.
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
            if entries.len() < MAX_ENTRIES {
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

    /// For a missing name: returns at most `most` names from the folder in which its first missing component should
    /// be.
    pub fn names_near_missing(&self, most: usize) -> Result<Vec<OsString>, ReadError> {
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

/// Returns whether this is the name of a temporary file of a commit.
pub(crate) fn is_temporary(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.starts_with(b".lancet-") && (name.ends_with(b".tmp") || name.ends_with(b".tmp.old"))
}
