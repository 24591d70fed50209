//! The entries that folders leave out as ignored, hidden or version control. A pattern that names one of them literally
//! is answered by a walk. Most patterns name none of them, which the hashes of all these names show at once.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use super::{FileTable, Folder, FolderId, IgnoredEntry, NameHashes};
use crate::tally::Tally;

/// When the hashes exceed twice the number of names by this many, those of names that are gone are dropped.
const MAX_STALE_HASHES: usize = 1024;

impl FileTable {
    /// Sets the entries that a folder leaves out.
    pub(in crate::index) fn record_left_out(
        &mut self,
        id: FolderId,
        left_out: Tally,
        unlisted: Vec<Box<OsStr>>,
        ignored: Vec<IgnoredEntry>,
    ) {
        add_names(&mut self.left_out_names, &unlisted, &ignored);
        if let Some(folder) = self.folder_mut(id) {
            folder.left_out = left_out;
            folder.unlisted = unlisted;
            folder.ignored = ignored;
        }
    }

    /// Returns the entries that are left out in all folders, counted by reason.
    pub(in crate::index) fn left_out_tally(&self) -> Tally {
        self.left_out
    }

    /// Returns whether an entry of this name may be left out somewhere; `false` is certain. Checking each folder took a
    /// sixth of a Glob by name.
    pub(in crate::index) fn may_have_left_out(&self, name: &OsStr) -> bool {
        self.left_out_names.may_contain(name)
    }

    /// Iterates over a folder and those below it in which an ignored, hidden or version control entry is left out.
    pub(in crate::index) fn folders_leaving_out(
        &self,
        top: FolderId,
    ) -> impl Iterator<Item = &Folder> {
        self.folders_below(top, &self.leaving_out)
    }

    /// Iterates over a folder and those below it in which an ignore file leaves out a file that may have matches.
    pub(in crate::index) fn folders_ignoring_texts(
        &self,
        top: FolderId,
    ) -> impl Iterator<Item = &Folder> {
        self.folders_below(top, &self.ignoring_texts)
    }

    /// Iterates over those of `folders` that are `top` or below it.
    fn folders_below(&self, top: FolderId, folders: &[FolderId]) -> impl Iterator<Item = &Folder> {
        let is_all = top == FolderId(0);
        let top = self
            .folder(top)
            .map(|folder| folder.path.as_os_str().as_bytes());
        let folders = folders.iter().filter_map(|id| self.folder(*id));
        folders.filter(move |folder| {
            // Comparing each path would access cold memory.
            if is_all {
                return true;
            }
            let path = folder.path.as_os_str().as_bytes();
            let rest = top.and_then(|top| path.strip_prefix(top));
            top == Some(b"/") || rest.is_some_and(|rest| matches!(rest, [] | [b'/', ..]))
        })
    }

    /// Sums up what the folders leave out.
    pub(super) fn sum_up_left_out(&mut self) {
        self.left_out = Tally::default();
        self.leaving_out.clear();
        self.ignoring_texts.clear();
        let mut names = 0;
        for (id, folder) in (0..).map(FolderId).zip(&self.folders) {
            let Some(folder) = folder else { continue };
            self.left_out += folder.left_out;
            let own = folder.ignored.len() + folder.unlisted.len();
            names += own;
            if own > 0 {
                self.leaving_out.push(id);
            }
            if folder.ignored.iter().any(IgnoredEntry::may_have_text) {
                self.ignoring_texts.push(id);
            }
        }
        if self.left_out_names.len() > 2 * names + MAX_STALE_HASHES {
            let mut current = NameHashes::default();
            for folder in self.folders.iter().flatten() {
                add_names(&mut current, &folder.unlisted, &folder.ignored);
            }
            self.left_out_names = current;
        }
    }
}

fn add_names(names: &mut NameHashes, unlisted: &[Box<OsStr>], ignored: &[IgnoredEntry]) {
    let ignored = ignored.iter().map(|entry| &entry.name);
    for name in unlisted.iter().chain(ignored) {
        names.add(name);
    }
}
