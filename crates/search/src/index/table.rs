//! The table of an index: the folders and files of one tree as a walk finds them, in path order. It reads nothing from
//! the disk; `scan` fills it and `refresh` keeps it current; `order` has its files in the orders of results.

mod left_out;
mod order;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_workspace::{Moment, Stamp, WatchedFolder};

use super::blocks::BlockRange;
use super::contents::ContentPlace;
pub(super) use super::ids::{FileId, FolderId};
use super::ignored::IgnoredEntry;
use super::name_grams::NameGrams;
use super::name_hashes::NameHashes;
use crate::name_key::NameKey;
use crate::rules::IgnoreRules;
use crate::tally::Tally;

/// The treatment of a file by a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    /// The file is searched if its signature lets it through.
    Text,
    /// The file is searched as text, up to a NUL byte far inside.
    CutText,
    /// The file has a NUL byte near its beginning and is never searched.
    Binary,
    /// The file is opened for every search: its size, its encoding or its permissions decide then how it is searched.
    Unsigned,
}

/// A folder that a walk enters.
pub(super) struct Folder {
    pub(super) path: Box<Path>,
    /// The offset where its name begins in the path.
    name_at: usize,
    pub(super) parent: Option<FolderId>,
    /// The ignore rules inside the folder.
    pub(super) rules: IgnoreRules,
    pub(super) watched: Option<WatchedFolder>,
    pub(super) stamp: Stamp,
    /// The files in the folder, by name.
    pub(super) files: Vec<FileId>,
    /// The folders in the folder, by name.
    pub(super) folders: Vec<FolderId>,
    /// The entries that are left out here, counted by reason.
    pub(super) left_out: Tally,
    /// The names of entries that are left out as hidden or as version control: a pattern may name them.
    pub(super) unlisted: Vec<Box<OsStr>>,
    /// The entries that an ignore file leaves out, by name.
    pub(super) ignored: Vec<IgnoredEntry>,
    /// The range of the files below this folder in path order.
    span: Range<u32>,
}

/// A file that a walk finds.
pub(super) struct FileEntry {
    pub(super) folder: FolderId,
    name: Range<u32>,
    pub(super) stamp: Stamp,
    /// The value of [`FileTable::change_count`] when its modification time last changed.
    dated: u32,
    pub(super) kind: TextKind,
    pub(super) blocks: BlockRange,
    pub(super) content: Option<ContentPlace>,
}

/// The most removed files whose paths are remembered.
const MAX_REMEMBERED_REMOVALS: usize = 4_096;

/// The folders and files of a tree.
#[derive(Default)]
pub(super) struct FileTable {
    folders: Vec<Option<Folder>>,
    files: Vec<Option<FileEntry>>,
    names: Vec<u8>,
    /// The same names with their ASCII letters in lower case, and where the name of each file begins.
    folded: Vec<u8>,
    name_starts: Vec<u32>,
    /// The runs of bytes that the folded names contain.
    grams: NameGrams,
    /// The files in path order, and the place of each file in it.
    order: Vec<FileId>,
    ranks: Vec<u32>,
    /// The treatment of each file by a search and where its signature is, in path order, and the places of those that
    /// are opened for every search.
    kinds: Vec<TextKind>,
    blocks: Vec<BlockRange>,
    unsigned: Vec<u32>,
    /// The number of files of each kind.
    kind_counts: [u64; 4],
    /// The entries that are left out in all folders, counted by reason.
    left_out: Tally,
    /// The folders with ignored, hidden or version control entries, which a pattern can name.
    leaving_out: Vec<FolderId>,
    /// Those of them with an ignored file that may have matches. A Grep that finds nothing looks at these. Looking at
    /// all of the folders above took a fifth of its time, since most have only a build object or a hidden file.
    ignoring_texts: Vec<FolderId>,
    /// The names of these entries, and some that were among them.
    left_out_names: NameHashes,
    /// Whether a file or folder was added or removed since `order` was built.
    reordered: bool,
    /// Files that were added, removed or changed since the lists were built.
    changed: Vec<FileId>,
    /// The lists by name, shared with the results whose later pages are cut from them.
    lists: HashMap<NameKey, Arc<Vec<FileId>>>,
    live_files: usize,
    /// The number of times that the table was settled after a change.
    changes: u32,
    /// Files that are gone and that the next page of a list may have to name, with their paths.
    gone: HashMap<FileId, Box<Path>>,
}

impl FileTable {
    pub(super) fn folder(&self, id: FolderId) -> Option<&Folder> {
        self.folders.get(id.0 as usize)?.as_ref()
    }

    pub(super) fn folder_mut(&mut self, id: FolderId) -> Option<&mut Folder> {
        self.folders.get_mut(id.0 as usize)?.as_mut()
    }

    pub(super) fn file(&self, id: FileId) -> Option<&FileEntry> {
        self.files.get(id.0 as usize)?.as_ref()
    }

    pub(super) fn name(&self, id: FileId) -> &OsStr {
        OsStr::from_bytes(self.name_bytes(id))
    }

    fn name_bytes(&self, id: FileId) -> &[u8] {
        self.file(id).map_or(&[], |file| {
            &self.names[file.name.start as usize..file.name.end as usize]
        })
    }

    /// Returns the absolute path of a file.
    pub(super) fn path(&self, id: FileId) -> Option<PathBuf> {
        let mut path = PathBuf::new();
        self.write_path(id, &mut path).then_some(path)
    }

    /// Writes the absolute path of a file over another path; returns whether there is such a file.
    pub(super) fn write_path(&self, id: FileId, path: &mut PathBuf) -> bool {
        let file = self.file(id);
        let Some(folder) = file.and_then(|file| self.folder(file.folder)) else {
            return false;
        };
        let name = self.name(id);
        let path = path.as_mut_os_string();
        path.clear();
        path.reserve(folder.path.as_os_str().len() + 1 + name.len());
        path.push(&*folder.path);
        // The root of the file system ends in a slash itself.
        if !path.as_encoded_bytes().ends_with(b"/") {
            path.push("/");
        }
        path.push(name);
        true
    }

    /// Returns the number of changes so far, for [`FileTable::path_and_time_since`].
    pub(super) fn change_count(&self) -> u32 {
        self.changes
    }

    /// Returns the path and the modification time of a file for a list that was built after `changes` changes. The time
    /// is one that no file has if the file is gone or its time has changed since, so that the caller that shows the
    /// list notices. `None` where the path is no longer known.
    pub(super) fn path_and_time_since(
        &self,
        id: FileId,
        changes: u32,
    ) -> Option<(PathBuf, Moment)> {
        let Some(file) = self.file(id) else {
            return Some((self.gone.get(&id)?.to_path_buf(), Moment::default()));
        };
        let modified = match file.dated < changes {
            true => file.stamp.mtime,
            false => Moment::default(),
        };
        Some((self.path(id)?, modified))
    }

    /// Returns the number of files.
    pub(super) fn len(&self) -> usize {
        self.live_files
    }

    /// Returns the approximate memory of the table in bytes.
    pub(super) fn bytes(&self) -> usize {
        /// The path, the lists and the rules of a folder of average size.
        const FOLDER_BYTES: usize = std::mem::size_of::<Option<Folder>>() + 256;
        const FILE_BYTES: usize =
            std::mem::size_of::<Option<FileEntry>>() + 5 * std::mem::size_of::<FileId>();
        const HASH_BYTES: usize = 16;
        let entries = self.folders.len() * FOLDER_BYTES + self.files.len() * FILE_BYTES;
        entries + 2 * self.names.len() + self.grams.bytes() + self.left_out_names.len() * HASH_BYTES
    }

    pub(super) fn live_folders(&self) -> impl Iterator<Item = (FolderId, &Folder)> {
        let numbered = (0..).map(FolderId).zip(&self.folders);
        numbered.filter_map(|(id, folder)| Some((id, folder.as_ref()?)))
    }

    pub(super) fn live_files(&self) -> impl Iterator<Item = (FileId, &FileEntry)> {
        let numbered = (0..).map(FileId).zip(&self.files);
        numbered.filter_map(|(id, file)| Some((id, file.as_ref()?)))
    }

    /// Adds a folder to its parent's.
    pub(super) fn add_folder(
        &mut self,
        path: &Path,
        parent: Option<FolderId>,
        rules: IgnoreRules,
        watched: Option<WatchedFolder>,
        stamp: Stamp,
    ) -> FolderId {
        let id = FolderId(u32::try_from(self.folders.len()).unwrap_or(u32::MAX));
        if let Some(parent) = parent {
            let at = self.folder_place(parent, path.file_name().unwrap_or_default());
            if let Some(parent) = self.folder_mut(parent) {
                parent.folders.insert(at.unwrap_or_else(|at| at), id);
            }
        }
        self.folders.push(Some(Folder {
            path: path.into(),
            name_at: path.as_os_str().len() - path.file_name().map_or(0, OsStr::len),
            parent,
            rules,
            watched,
            stamp,
            files: Vec::new(),
            folders: Vec::new(),
            left_out: Tally::default(),
            unlisted: Vec::new(),
            ignored: Vec::new(),
            span: 0..0,
        }));
        self.reordered = true;
        id
    }

    /// Adds a file to its folder.
    pub(super) fn add_file(&mut self, folder: FolderId, name: &OsStr, stamp: Stamp) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        let start = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.extend_from_slice(name.as_bytes());
        self.folded
            .extend(name.as_bytes().iter().map(u8::to_ascii_lowercase));
        self.name_starts.push(start);
        self.grams.add(&self.folded[start as usize..]);
        let end = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let at = self.file_place(folder, name).unwrap_or_else(|at| at);
        self.files.push(Some(FileEntry {
            folder,
            name: start..end,
            stamp,
            dated: self.changes,
            kind: TextKind::Unsigned,
            blocks: BlockRange::default(),
            content: None,
        }));
        self.ranks.push(u32::MAX);
        if let Some(folder) = self.folder_mut(folder) {
            folder.files.insert(at, id);
        }
        self.live_files += 1;
        self.reordered = true;
        self.changed.push(id);
        id
    }

    /// Returns a file to be changed, whose time or text is different now.
    pub(super) fn change_file(&mut self, id: FileId) -> Option<&mut FileEntry> {
        self.changed.push(id);
        self.files.get_mut(id.0 as usize)?.as_mut()
    }

    /// Records where the content of a file is in memory, if it is.
    pub(super) fn set_content(&mut self, id: FileId, content: Option<ContentPlace>) {
        if let Some(Some(file)) = self.files.get_mut(id.0 as usize) {
            file.content = content;
        }
    }

    /// Records the current stamp of a file.
    pub(super) fn set_stamp(&mut self, id: FileId, stamp: Stamp) {
        let changes = self.changes;
        if let Some(Some(file)) = self.files.get_mut(id.0 as usize) {
            if file.stamp.mtime != stamp.mtime {
                file.dated = changes;
            }
            file.stamp = stamp;
        }
    }

    /// Removes a file and returns its entry.
    pub(super) fn remove_file(&mut self, id: FileId) -> Option<FileEntry> {
        if self.gone.len() < MAX_REMEMBERED_REMOVALS
            && let Some(path) = self.path(id)
        {
            self.gone.insert(id, path.into());
        }
        let entry = self.files.get_mut(id.0 as usize)?.take()?;
        if let Some(folder) = self.folder_mut(entry.folder) {
            folder.files.retain(|file| *file != id);
        }
        self.live_files -= 1;
        self.reordered = true;
        self.changed.push(id);
        Some(entry)
    }

    /// Removes a folder, which must no longer contain files or folders.
    pub(super) fn remove_folder(&mut self, id: FolderId) -> Option<Folder> {
        let folder = self.folders.get_mut(id.0 as usize)?.take()?;
        if let Some(parent) = folder.parent.and_then(|parent| self.folder_mut(parent)) {
            parent.folders.retain(|child| *child != id);
        }
        self.reordered = true;
        Some(folder)
    }

    /// Returns the file of this name in a folder.
    pub(super) fn file_named(&self, folder: FolderId, name: &OsStr) -> Option<FileId> {
        let at = self.file_place(folder, name).ok()?;
        Some(self.folder(folder)?.files[at])
    }

    /// Returns the folder of this name in a folder.
    pub(super) fn folder_named(&self, folder: FolderId, name: &OsStr) -> Option<FolderId> {
        let at = self.folder_place(folder, name).ok()?;
        Some(self.folder(folder)?.folders[at])
    }

    fn file_place(&self, folder: FolderId, name: &OsStr) -> Result<usize, usize> {
        let files = self.folder(folder).map_or(&[][..], |folder| &folder.files);
        // A scan adds names in their order.
        if files.last().is_none_or(|last| self.name(*last) < name) {
            return Err(files.len());
        }
        files.binary_search_by(|file| self.name(*file).cmp(name))
    }

    fn folder_place(&self, folder: FolderId, name: &OsStr) -> Result<usize, usize> {
        let folders = self
            .folder(folder)
            .map_or(&[][..], |folder| &folder.folders);
        folders.binary_search_by(|child| self.folder_name(*child).cmp(name))
    }

    fn folder_name(&self, id: FolderId) -> &OsStr {
        let name = self.folder(id).map(|folder| {
            let path = folder.path.as_os_str().as_bytes();
            OsStr::from_bytes(&path[folder.name_at..])
        });
        name.unwrap_or_default()
    }

    /// Finds the folder with this path below the outermost one.
    pub(super) fn find_folder(&self, path: &Path) -> Option<FolderId> {
        let top = FolderId(0);
        let relative = path.strip_prefix(&self.folder(top)?.path).ok()?;
        relative
            .iter()
            .try_fold(top, |folder, name| self.folder_named(folder, name))
    }

    /// Returns the ids of a folder and of all folders below it, each before those inside it.
    pub(super) fn subtree(&self, top: FolderId) -> Vec<FolderId> {
        let mut found = vec![top];
        let mut at = 0;
        while let Some(id) = found.get(at) {
            if let Some(folder) = self.folder(*id) {
                found.extend(&folder.folders);
            }
            at += 1;
        }
        found
    }
}
