//! Fills an index from the disk: lists folders, applies the rules of the walk to their entries, reads and signs the
//! files. A folder is watched before it is listed, and a file is read after its folder is watched, so that no change is
//! missed in between.

use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use lancet_workspace::{
    EntryKind, FileReader, FileType, FolderHandle, ReadError, Stamp, is_told_of,
};

use super::ignored::IgnoredEntry;
use super::table::{FileId, FolderId};
use super::{IndexScope, NotResident, TreeIndex};
use crate::rules::{IgnoreRules, RuleFiles};
use crate::tally::Tally;
use crate::walk::folder::{EntryVerdict, judge_entry};
use crate::walk::names::EntryPath;

/// A folder whose entries are being added.
struct PendingFolder {
    id: FolderId,
    handle: FolderHandle,
    /// The accepted entries that are still to be added, the last one first.
    entries: Vec<(OsString, EntryKind)>,
}

/// The entries of a folder as listed.
pub(super) struct ListedFolder {
    pub(super) present: RuleFiles,
    pub(super) entries: Vec<(OsString, EntryKind)>,
    unreadable: bool,
}

/// The entries of a folder after the rules were applied.
pub(super) struct JudgedEntries {
    /// The accepted entries, by name.
    pub(super) accepted: Vec<(OsString, EntryKind)>,
    pub(super) left_out: Tally,
    pub(super) unlisted: Vec<Box<OsStr>>,
    /// The ignored entries, by name.
    pub(super) ignored: Vec<IgnoredEntry>,
}

/// Lists a folder.
pub(super) fn list_folder(handle: &FolderHandle) -> ListedFolder {
    let mut listed = ListedFolder {
        present: RuleFiles::default(),
        entries: Vec::new(),
        unreadable: false,
    };
    let done = handle.list(&mut |name, kind| {
        listed.present.record_name(name);
        listed.entries.push((name.to_owned(), kind));
        ControlFlow::Continue(())
    });
    listed.unreadable = done.is_err();
    listed
}

/// Applies the rules inside a folder to its entries.
pub(super) fn apply_rules(
    scope: &IndexScope<'_>,
    folder: &Path,
    base: usize,
    rules: &IgnoreRules,
    listed: ListedFolder,
) -> JudgedEntries {
    let mut judged = JudgedEntries {
        accepted: Vec::new(),
        left_out: Tally::default(),
        unlisted: Vec::new(),
        ignored: Vec::new(),
    };
    judged.left_out.unreadable += u64::from(listed.unreadable);
    let mut path = EntryPath::new(folder);
    scope.run_as_walk(|walk| {
        for (name, kind) in listed.entries {
            let entry = judge_entry(walk, rules, path.join_name(&name), base, &name, kind);
            entry.count(&mut judged.left_out);
            match entry {
                EntryVerdict::Accepted => judged.accepted.push((name, kind)),
                EntryVerdict::Ignored => judged.ignored.push(IgnoredEntry::new(name, kind)),
                EntryVerdict::Hidden | EntryVerdict::VersionControl => {
                    judged.unlisted.push(name.into_boxed_os_str());
                }
                // The name of a denied entry is not stored.
                EntryVerdict::Denied | EntryVerdict::Link | EntryVerdict::Special => {}
            }
        }
    });
    judged
        .accepted
        .sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    judged
        .ignored
        .sort_unstable_by(|one, other| one.name.cmp(&other.name));
    judged
}

impl TreeIndex {
    /// Adds the outermost folder with everything below it.
    pub(super) fn add_root(
        &mut self,
        scope: &IndexScope<'_>,
        handle: FolderHandle,
        path: &Path,
    ) -> Result<(), NotResident> {
        let above = IgnoreRules::read_above(path, scope.excludes);
        let root = self.enter_folder(scope, None, handle, path, &above)?;
        self.add_tree(scope, root)
    }

    /// Adds a folder inside another with everything below it.
    pub(super) fn add_subfolder(
        &mut self,
        scope: &IndexScope<'_>,
        parent: FolderId,
        entered: io::Result<FolderHandle>,
        name: &OsStr,
    ) -> Result<(), NotResident> {
        match self.enter_subfolder(scope, parent, entered, name)? {
            Some(inner) => self.add_tree(scope, inner),
            None => Ok(()),
        }
    }

    fn add_tree(
        &mut self,
        scope: &IndexScope<'_>,
        first: PendingFolder,
    ) -> Result<(), NotResident> {
        let mut frames = vec![first];
        while let Some(frame) = frames.last_mut() {
            let Some((name, kind)) = frame.entries.pop() else {
                frames.pop();
                continue;
            };
            if scope.stop.should_stop() {
                return Err(NotResident::Stopped);
            }
            let id = frame.id;
            if kind == EntryKind::File {
                let handle = frame.handle.clone();
                self.add_file(scope, id, &handle, &name)?;
                continue;
            }
            let entered = frame.handle.open_subfolder(&name);
            frames.extend(self.enter_subfolder(scope, id, entered, &name)?);
        }
        Ok(())
    }

    /// Adds one folder inside another, without what is below it; returns `None` where it is gone or cannot be opened.
    fn enter_subfolder(
        &mut self,
        scope: &IndexScope<'_>,
        parent: FolderId,
        entered: io::Result<FolderHandle>,
        name: &OsStr,
    ) -> Result<Option<PendingFolder>, NotResident> {
        let Some(folder) = self.table.folder_mut(parent) else {
            return Ok(None);
        };
        match entered {
            Ok(handle) => {
                let (path, above) = (folder.path.join(name), folder.rules.clone());
                let entered = self.enter_folder(scope, Some(parent), handle, &path, &above);
                entered.map(Some)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(_) => {
                folder.left_out.unreadable += 1;
                Ok(None)
            }
        }
    }

    fn enter_folder(
        &mut self,
        scope: &IndexScope<'_>,
        parent: Option<FolderId>,
        handle: FolderHandle,
        path: &Path,
        above: &IgnoreRules,
    ) -> Result<PendingFolder, NotResident> {
        let watched = self.watch_folder(&handle)?;
        let stamp = handle.stat_folder().map_err(|_| NotResident::Changing)?;
        let above_device = parent
            .and_then(|parent| self.table.folder(parent))
            .map(|parent| parent.stamp.device);
        if above_device != Some(stamp.device) && !is_told_of(path) {
            return Err(NotResident::Untold);
        }
        let listed = list_folder(&handle);
        self.rule_files.add_folder(path, listed.present);
        let rules = above.enter_folder(path, listed.present);
        let mut judged = apply_rules(scope, path, self.base, &rules, listed);
        self.sign_ignored(scope, path, &handle, &mut judged.ignored)?;
        let id = self
            .table
            .add_folder(path, parent, rules, Some(watched), stamp);
        self.watched.insert(watched, id);
        self.table
            .record_left_out(id, judged.left_out, judged.unlisted, judged.ignored);
        let mut entries = judged.accepted;
        entries.reverse();
        Ok(PendingFolder {
            id,
            handle,
            entries,
        })
    }

    /// Adds a file to its folder, unless it is gone.
    pub(super) fn add_file(
        &mut self,
        scope: &IndexScope<'_>,
        folder: FolderId,
        handle: &FolderHandle,
        name: &OsStr,
    ) -> Result<(), NotResident> {
        let Some((reader, stamp)) = open_file(handle, name) else {
            return Ok(());
        };
        let id = self.table.add_file(folder, name, stamp);
        self.index_file(scope, id, reader, stamp)
    }

    /// Reads a file of the table again; returns whether it still exists.
    pub(super) fn reread_file(
        &mut self,
        scope: &IndexScope<'_>,
        id: FileId,
        handle: &FolderHandle,
    ) -> Result<FilePresence, NotResident> {
        let Some((reader, stamp)) = open_file(handle, self.table.name(id)) else {
            return Ok(FilePresence::Gone);
        };
        self.forget_text(id);
        self.index_file(scope, id, reader, stamp)?;
        Ok(FilePresence::There)
    }

    /// Removes the text of a file from signatures and contents.
    pub(super) fn forget_text(&mut self, id: FileId) {
        self.linked.remove(&id);
        let Some(entry) = self.table.change_file(id) else {
            return;
        };
        let blocks = std::mem::take(&mut entry.blocks);
        let size = entry.stamp.size;
        let content = entry.content.take();
        if let (Some(contents), Some(place)) = (&mut self.contents, content) {
            contents.mark_unneeded(place);
        }
        self.blocks.remove(id, blocks, size);
    }
}

/// Whether a file still exists at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilePresence {
    There,
    Gone,
}

/// Opens a file of a folder. The reader is `None` where the system refuses to open it; the result is `None` where it is
/// gone or no longer a file.
fn open_file(handle: &FolderHandle, name: &OsStr) -> Option<(Option<FileReader>, Stamp)> {
    let (reader, stamp) = match handle.open(name) {
        Ok(reader) => {
            let stamp = reader.stat().ok()?;
            (Some(reader), stamp)
        }
        Err(ReadError::Missing | ReadError::NotAFile(_)) => return None,
        Err(_) => (None, handle.stat(name).ok()?),
    };
    (stamp.kind() == FileType::File).then_some((reader, stamp))
}
