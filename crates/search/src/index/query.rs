//! Answers searches from resident trees: brings them up to date, and determines whether the search can be answered from
//! them at all. `candidates` finds the files that can match, `count` finds matches (`blockwise` in large files,
//! `shared` by several threads), `names` lists files.

mod blockwise;
mod candidates;
mod count;
mod names;
mod shared;

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use super::contents::ContentPlace;
use super::table::{FileId, FileTable, FolderId, TextKind};
use super::{IndexScope, IndexSize, NotResident, TreeIndex};
use crate::held::{FileInMemory, HeldContents};
use crate::list::{ListedFile, ResultOrder};
use crate::name_key::NameKey;
use crate::pattern::Pattern;
use crate::summary::{LinkedFileFilter, SearchSummary};
use crate::tally::Tally;
use crate::walk::{HiddenFiles, IgnoreFiles, Walk, WalkedFile};

/// A resident tree that several searches use at once.
pub struct ResidentTree {
    pub(super) index: RwLock<TreeIndex>,
}

impl fmt::Debug for ResidentTree {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ResidentTree")
            .finish_non_exhaustive()
    }
}

/// The part of a result that is needed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageNeed {
    /// The number of entries that the page shows.
    pub entries: u64,
    /// The kind of an entry.
    pub unit: PageUnit,
    /// The time for which further matches are counted once the page is full; `None` counts all of them.
    pub counting: Option<Duration>,
}

impl PageNeed {
    /// The whole result.
    pub const ALL: PageNeed = PageNeed {
        entries: u64::MAX,
        unit: PageUnit::Files,
        counting: None,
    };
}

/// The entries that a page consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageUnit {
    /// Files.
    Files,
    /// Matches.
    Matches,
}

/// Why trees cannot answer a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CannotAnswer {
    /// The search needs a walk: it includes files that are not in the trees.
    Walk,
    /// The tree with this index in the list has to be rebuilt.
    Lost(usize, NotResident),
}

impl ResidentTree {
    /// Shares an index.
    pub fn new(index: TreeIndex) -> Self {
        ResidentTree {
            index: RwLock::new(index),
        }
    }

    /// Returns what the index takes.
    pub fn size(&self) -> IndexSize {
        self.read().size()
    }

    /// Returns the absolute path of the tree.
    pub fn path(&self) -> PathBuf {
        self.read().path().to_path_buf()
    }

    /// Frees the memory of the contents. Searches then read from the disk the files that the signatures let through.
    pub fn drop_contents(&self) {
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        index.drop_contents();
    }

    /// Compares every file and folder with the disk. An error means that something changed without being reported by
    /// the kernel.
    ///
    /// # Errors
    /// Returns why the tree has to be rebuilt.
    pub fn compare_with_disk(&self, scope: &IndexScope<'_>) -> Result<(), NotResident> {
        self.refresh(scope, None)?;
        self.read().compare_with_disk(scope)
    }

    /// Returns the entries below a folder that ignore files leave out, without those that cannot match a pattern. A
    /// folder that is not entered is one entry. `None` where the folder is not in the tree, or the tree has to be
    /// rebuilt.
    pub fn ignored_below(
        &self,
        scope: &IndexScope<'_>,
        folder: &Path,
        pattern: Option<&Pattern>,
    ) -> Option<Vec<PathBuf>> {
        // The search before this may have been a walk, and the tree may have become resident since.
        self.refresh(scope, None).ok()?;
        let index = self.read();
        let top = index.table.find_folder(folder)?;
        Some(index.ignored_below(top, pattern))
    }

    /// Returns files below a folder whose names contain a text, regardless of the case of ASCII letters; at most
    /// `most`. `None` where the folder is not in the tree.
    pub fn files_named_like(&self, folder: &Path, text: &str, most: usize) -> Option<Vec<PathBuf>> {
        let index = self.read();
        let table = &index.table;
        let span = table.path_span(table.find_folder(folder)?);
        let found = table.named_like(text.as_bytes(), &span, most);
        Some(found.into_iter().filter_map(|id| table.path(id)).collect())
    }

    pub(super) fn read(&self) -> RwLockReadGuard<'_, TreeIndex> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn refresh(&self, scope: &IndexScope<'_>, names: Option<&NameKey>) -> Result<(), NotResident> {
        // If a thread panicked while it took in a change, the index may be inconsistent and must not answer.
        let mut index = self.index.write().map_err(|_| NotResident::Changing)?;
        index.refresh_changes(scope)?;
        if let Some(names) = names {
            index.table.build_newest(names);
        }
        Ok(())
    }
}

impl HeldContents for ResidentTree {
    fn content_in_memory(&self, path: &Path) -> Option<FileInMemory<'_>> {
        let index = self.read();
        let folder = index.table.find_folder(path.parent()?)?;
        let file = index.table.file_named(folder, path.file_name()?)?;
        let entry = index.table.file(file)?;
        let (stamp, place) = (entry.stamp, entry.content?);
        index.contents.as_ref()?;
        Some(FileInMemory {
            bytes: Box::new(LockedContent { index, place }),
            stamp,
        })
    }
}

/// A content that is borrowed from its tree. It holds the tree's read lock, so that the tree takes in no change
/// meanwhile.
struct LockedContent<'t> {
    index: RwLockReadGuard<'t, TreeIndex>,
    place: ContentPlace,
}

impl AsRef<[u8]> for LockedContent<'_> {
    fn as_ref(&self) -> &[u8] {
        let contents = self.index.contents.as_ref();
        contents.map_or(&[], |contents| contents.get(self.place))
    }
}

/// Contents of several trees.
#[derive(Debug)]
struct TreesInMemory(Vec<Arc<ResidentTree>>);

impl HeldContents for TreesInMemory {
    fn content_in_memory(&self, path: &Path) -> Option<FileInMemory<'_>> {
        self.0.iter().find_map(|tree| tree.content_in_memory(path))
    }
}

/// Lists the wanted files of a walk, as [`list_files`](crate::list_files) does, from resident trees.
///
/// # Errors
/// Returns why a walk has to answer.
pub fn list_resident(
    trees: &[Arc<ResidentTree>],
    scope: &IndexScope<'_>,
    walk: &Walk<'_>,
    order: ResultOrder,
    linked: LinkedFileFilter<'_>,
) -> Result<SearchSummary, CannotAnswer> {
    let key = walk.filter.name_key();
    let indexes = update_and_lock(trees, scope, key.as_ref())?;
    let parts = tree_parts(&indexes, walk)?;
    Ok(names::list_files(
        trees,
        &parts,
        walk,
        order,
        linked,
        key.as_ref(),
    ))
}

/// Counts matches, as [`count_matches`](crate::count_matches) does, in resident trees.
///
/// # Errors
/// Returns why a walk has to answer.
pub fn count_resident(
    trees: &[Arc<ResidentTree>],
    scope: &IndexScope<'_>,
    walk: &Walk<'_>,
    pattern: &Pattern,
    order: ResultOrder,
    linked: LinkedFileFilter<'_>,
    page: PageNeed,
) -> Result<SearchSummary, CannotAnswer> {
    let key = walk.filter.name_key();
    let indexes = update_and_lock(trees, scope, key.as_ref())?;
    let parts = tree_parts(&indexes, walk)?;
    let mut summary = count::count_matches(
        &parts,
        scope,
        walk,
        pattern,
        order,
        linked,
        page,
        key.as_ref(),
    );
    summary.held = Some(Arc::new(TreesInMemory(trees.to_vec())));
    Ok(summary)
}

/// Brings all trees up to date and locks them against changes.
fn update_and_lock<'t>(
    trees: &'t [Arc<ResidentTree>],
    scope: &IndexScope<'_>,
    names: Option<&NameKey>,
) -> Result<Vec<RwLockReadGuard<'t, TreeIndex>>, CannotAnswer> {
    let mut indexes = Vec::with_capacity(trees.len());
    for (at, tree) in trees.iter().enumerate() {
        tree.refresh(scope, names)
            .map_err(|why| CannotAnswer::Lost(at, why))?;
        indexes.push(tree.read());
    }
    Ok(indexes)
}

/// The part of a tree that is below one start of a walk.
struct TreePart<'i> {
    tree: usize,
    index: &'i TreeIndex,
    /// The index of the start.
    start: usize,
    folder: FolderId,
    /// The length of the start's path in bytes.
    base: usize,
    /// The range of its files in path order.
    span: Range<u32>,
}

/// Finds the starts of a walk in the trees; returns an error where the walk would find files that the trees do not
/// have.
fn tree_parts<'i>(
    indexes: &'i [RwLockReadGuard<'_, TreeIndex>],
    walk: &Walk<'_>,
) -> Result<Vec<TreePart<'i>>, CannotAnswer> {
    let plain = walk.ignoring == IgnoreFiles::Respect
        && walk.hidden == HiddenFiles::Skip
        && !walk.filter.is_negated();
    if !plain {
        return Err(CannotAnswer::Walk);
    }
    let mut parts = Vec::with_capacity(walk.starts.len());
    for (start, begin) in walk.starts.iter().enumerate() {
        let path = begin.path();
        let found = indexes.iter().enumerate().find_map(|(tree, index)| {
            let folder = index.table.find_folder(path)?;
            Some((tree, &**index, folder))
        });
        let (tree, index, folder) = found.ok_or(CannotAnswer::Walk)?;
        let table = &index.table;
        let known = table.folder(folder).ok_or(CannotAnswer::Walk)?;
        // Another folder may be at the path by now.
        let now = begin.located.stat().ok_or(CannotAnswer::Walk)?;
        let base = path.as_os_str().len();
        if !now.is_same_file(&known.stamp) || may_name_unlisted(table, folder, base, walk) {
            return Err(CannotAnswer::Walk);
        }
        parts.push(TreePart {
            tree,
            index,
            start,
            folder,
            base,
            span: table.path_span(folder),
        });
    }
    Ok(parts)
}

/// Returns whether the walk names an entry literally that is otherwise left out.
fn may_name_unlisted(table: &FileTable, top: FolderId, base: usize, walk: &Walk<'_>) -> bool {
    if !walk
        .named
        .literals()
        .any(|name| table.may_have_left_out(name))
    {
        return false;
    }
    table.folders_leaving_out(top).any(|folder| {
        let ignored = folder.ignored.iter().map(|entry| &entry.name);
        let unlisted = folder.unlisted.iter().chain(ignored);
        unlisted
            .filter(|name| walk.named.has_component(name))
            .map(|name| folder.path.join(&**name))
            .any(|path| {
                walk.named
                    .names_literally(crate::walk::folder::relative_to_start(&path, base))
            })
    })
}

impl TreePart<'_> {
    /// Returns what is left out below the start, by reason.
    fn left_out_tally(&self) -> Tally {
        let table = &self.index.table;
        let mut tally = Tally::default();
        if self.is_whole() {
            return table.left_out_tally();
        }
        for id in table.subtree(self.folder) {
            if let Some(folder) = table.folder(id) {
                tally += folder.left_out;
            }
        }
        tally
    }

    /// Returns whether the part is the whole tree.
    fn is_whole(&self) -> bool {
        self.folder == FolderId(0)
    }

    /// Returns its files in path order.
    fn files(&self) -> &[FileId] {
        self.index.table.files_in(self.span.clone())
    }

    fn new_entry(&self, id: FileId, path: &Path, matches: u64) -> ListedFile {
        let modified = self.index.table.file(id).map(|file| file.stamp.mtime);
        ListedFile {
            start: self.start,
            relative: crate::walk::folder::relative_to_start(path, self.base).into(),
            modified: modified.unwrap_or_default(),
            matches,
        }
    }

    /// Returns whether a file with several hard links may be listed.
    fn may_list(&self, id: FileId, path: &Path, linked: LinkedFileFilter<'_>) -> bool {
        let Some(stamp) = self.index.table.file(id).map(|file| &file.stamp) else {
            return false;
        };
        let file = WalkedFile::from_resident_tree(
            self.start,
            path,
            crate::walk::folder::relative_to_start(path, self.base),
            stamp,
        );
        stamp.links <= 1 || linked(&file, stamp.links)
    }

    /// Counts files by how a search treats them.
    fn count_kinds<'k>(kinds: impl IntoIterator<Item = &'k TextKind>, tally: &mut Tally) {
        let mut counts = [0_u64; 4];
        for kind in kinds {
            counts[*kind as usize] += 1;
        }
        tally.searched += counts[TextKind::Text as usize] + counts[TextKind::CutText as usize];
        tally.cut += counts[TextKind::CutText as usize];
        tally.binary += counts[TextKind::Binary as usize];
    }
}
