//! The files of a tree that ignore files leave out. They are not part of the tree, but a search that finds nothing says
//! whether one of them has a match. Their signatures save it from opening the others. A file that was created or
//! changed after the tree was built has no signature until the tree is rebuilt, and each such search opens it. What is
//! inside an ignored folder is not known here.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use lancet_workspace::{EntryKind, FileType, FolderHandle};

use super::blocks::BlockRange;
use super::fill::{MAX_CACHED_FILE_BYTES, SearchedText, has_own_encoding};
use super::table::{Folder, FolderId};
use super::{IndexScope, NotResident, ReadAllowance, TreeIndex};
use crate::pattern::Pattern;

/// The limit of ignored files that are read to be signed. Folders of data can hold far more than the tree itself.
pub(super) const SIGNED_LIMIT: ReadAllowance = ReadAllowance {
    files: 4_096,
    bytes: 64 << 20,
};

/// After the tree is built no ignored file is read, because a search would wait for it.
pub(super) const EXHAUSTED_ALLOWANCE: ReadAllowance = ReadAllowance { files: 0, bytes: 0 };

/// An entry that an ignore file leaves out.
pub(super) struct IgnoredEntry {
    pub(super) name: Box<OsStr>,
    kind: EntryKind,
    text: IgnoredText,
}

/// The known facts about the text of an ignored entry.
#[derive(Clone, Copy)]
enum IgnoredText {
    Unknown,
    /// The entry is never searched.
    Binary,
    /// The entry is searched if its signature lets it through.
    Signed(BlockRange),
}

impl IgnoredEntry {
    fn is_hidden(&self) -> bool {
        self.name.as_encoded_bytes().starts_with(b".")
    }

    /// Returns whether a search that includes ignored files may find a match in the entry.
    pub(super) fn may_have_text(&self) -> bool {
        !self.is_hidden() && !matches!(self.text, IgnoredText::Binary)
    }

    pub(super) fn new(name: OsString, kind: EntryKind) -> Self {
        IgnoredEntry {
            name: name.into_boxed_os_str(),
            kind,
            text: IgnoredText::Unknown,
        }
    }
}

/// Copies what is known about the entries that were already in `before`; both lists are sorted by name.
pub(super) fn copy_known_entries(before: &[IgnoredEntry], now: &mut [IgnoredEntry]) {
    for entry in now {
        if let Ok(at) = before.binary_search_by(|known| known.name.cmp(&entry.name))
            && before[at].kind == entry.kind
        {
            entry.text = before[at].text;
        }
    }
}

impl TreeIndex {
    /// Signs the ignored files of a folder that may be read.
    pub(super) fn sign_ignored(
        &mut self,
        scope: &IndexScope<'_>,
        folder: &Path,
        handle: &FolderHandle,
        ignored: &mut [IgnoredEntry],
    ) -> Result<(), NotResident> {
        for entry in ignored {
            if self.ignored_allowance.files == 0 {
                break;
            }
            // Hidden files are not searched even where ignored ones are.
            if entry.kind != EntryKind::File || entry.is_hidden() {
                continue;
            }
            let path = folder.join(&*entry.name);
            if scope.gate.may_read(&path, EntryKind::File) && !has_own_encoding(scope, &path) {
                entry.text = self.sign_ignored_file(handle, &entry.name)?;
            }
        }
        Ok(())
    }

    fn sign_ignored_file(
        &mut self,
        handle: &FolderHandle,
        name: &OsStr,
    ) -> Result<IgnoredText, NotResident> {
        let Ok(mut reader) = handle.open(name) else {
            return Ok(IgnoredText::Unknown);
        };
        // A file with several names can be written through a name in a folder that is not watched.
        let Ok(stamp) = reader.stat() else {
            return Ok(IgnoredText::Unknown);
        };
        let is_signed = stamp.kind() == FileType::File
            && stamp.links == 1
            && stamp.size <= MAX_CACHED_FILE_BYTES
            && self.ignored_allowance.subtract(stamp.size).is_ok();
        if !is_signed {
            return Ok(IgnoredText::Unknown);
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let whole = reader.read_whole(&mut buffer, MAX_CACHED_FILE_BYTES as usize);
        let text = match whole {
            Ok(true) => match SearchedText::from_bytes(&buffer) {
                SearchedText::Undecided => IgnoredText::Unknown,
                SearchedText::Binary => IgnoredText::Binary,
                SearchedText::Cut(text) | SearchedText::Whole(text) => {
                    IgnoredText::Signed(self.blocks.add_whole(None, text)?)
                }
            },
            _ => IgnoredText::Unknown,
        };
        self.buffer = buffer;
        Ok(text)
    }

    /// Discards what is known about an entry of a folder that has changed, if it is an ignored one.
    pub(super) fn forget_ignored(&mut self, folder: FolderId, name: &OsStr) {
        let Some(folder) = self.table.folder_mut(folder) else {
            return;
        };
        let place = folder
            .ignored
            .binary_search_by(|entry| (*entry.name).cmp(name));
        if let Ok(at) = place {
            folder.ignored[at].text = IgnoredText::Unknown;
        }
    }

    /// Returns the ignored entries below a folder, without files that cannot match a pattern.
    pub(super) fn ignored_below(&self, top: FolderId, pattern: Option<&Pattern>) -> Vec<PathBuf> {
        let columns = pattern.map(|pattern| self.blocks.candidates(pattern.literal_query()));
        let can_match = |entry: &&IgnoredEntry| match (&columns, entry.text) {
            (None, _) | (_, IgnoredText::Unknown) => true,
            (Some(_), IgnoredText::Binary) => false,
            (Some(columns), IgnoredText::Signed(range)) => {
                self.blocks.has_column_in(columns, range)
            }
        };
        let mut found = Vec::new();
        let mut add = |folder: &Folder| {
            let entries = folder.ignored.iter().filter(can_match);
            // Hidden files are not searched even where ignored ones are.
            let entries = entries.filter(|entry| !entry.is_hidden());
            found.extend(entries.map(|entry| folder.path.join(&*entry.name)));
        };
        match pattern {
            Some(_) => self.table.folders_ignoring_texts(top).for_each(&mut add),
            None => self.table.folders_leaving_out(top).for_each(&mut add),
        }
        found
    }
}
