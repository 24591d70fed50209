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
use super::table::{FileId, FolderId, Table, TextKind};
use super::{Index, IndexScope, IndexSize, NotResident};
use crate::held::{HeldContents, HeldFile};
use crate::list::{ListedFile, Order};
use crate::name_key::NameKey;
use crate::pattern::Pattern;
use crate::summary::{LinkedFileFilter, SearchSummary};
use crate::tally::Tally;
use crate::walk::{File, HiddenFiles, IgnoreFiles, Walk};

/// A resident tree that several searches use at once.
pub struct ResidentTree {
    pub(super) index: RwLock<Index>,
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
pub enum Unanswered {
    /// The search needs a walk: it includes files that are not in the trees.
    Walk,
    /// The tree with this index in the list has to be rebuilt.
    Lost(usize, NotResident),
}

impl ResidentTree {
    /// Shares an index.
    pub fn new(index: Index) -> Self {
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
    pub fn sweep(&self, scope: &IndexScope<'_>) -> Result<(), NotResident> {
        self.refresh(scope, None)?;
        self.read().compare(scope)
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
        let top = index.table.find(folder)?;
        Some(index.ignored_below(top, pattern))
    }

    /// Returns files below a folder whose names contain a text, regardless of the case of ASCII letters; at most
    /// `most`. `None` where the folder is not in the tree.
    pub fn named_like(&self, folder: &Path, text: &str, most: usize) -> Option<Vec<PathBuf>> {
        let index = self.read();
        let table = &index.table;
        let span = table.span(table.find(folder)?);
        let found = table.named_like(text.as_bytes(), &span, most);
        Some(found.into_iter().filter_map(|id| table.path(id)).collect())
    }

    pub(super) fn read(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn refresh(&self, scope: &IndexScope<'_>, names: Option<&NameKey>) -> Result<(), NotResident> {
        // If a thread panicked while it took in a change, the index may be inconsistent and must not answer.
        let mut index = self.index.write().map_err(|_| NotResident::Changing)?;
        index.refresh(scope)?;
        if let Some(names) = names {
            index.table.make_newest(names);
        }
        Ok(())
    }
}

impl HeldContents for ResidentTree {
    fn held_file(&self, path: &Path) -> Option<HeldFile<'_>> {
        let index = self.read();
        let folder = index.table.find(path.parent()?)?;
        let file = index.table.file_named(folder, path.file_name()?)?;
        let entry = index.table.file(file)?;
        let (stamp, place) = (entry.stamp, entry.content?);
        index.contents.as_ref()?;
        Some(HeldFile {
            bytes: Box::new(LockedContent { index, place }),
            stamp,
        })
    }
}

/// A content that is borrowed from its tree. It holds the tree's read lock, so that the tree takes in no change
/// meanwhile.
struct LockedContent<'t> {
    index: RwLockReadGuard<'t, Index>,
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
struct HeldTrees(Vec<Arc<ResidentTree>>);

impl HeldContents for HeldTrees {
    fn held_file(&self, path: &Path) -> Option<HeldFile<'_>> {
        self.0.iter().find_map(|tree| tree.held_file(path))
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
    order: Order,
    linked: LinkedFileFilter<'_>,
) -> Result<SearchSummary, Unanswered> {
    let key = walk.filter.name_key();
    let indexes = current(trees, scope, key.as_ref())?;
    let parts = parts(&indexes, walk)?;
    Ok(names::list(
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
    order: Order,
    linked: LinkedFileFilter<'_>,
    page: PageNeed,
) -> Result<SearchSummary, Unanswered> {
    let key = walk.filter.name_key();
    let indexes = current(trees, scope, key.as_ref())?;
    let parts = parts(&indexes, walk)?;
    let mut summary = count::count(
        &parts,
        scope,
        walk,
        pattern,
        order,
        linked,
        page,
        key.as_ref(),
    );
    summary.held = Some(Arc::new(HeldTrees(trees.to_vec())));
    Ok(summary)
}

/// Brings all trees up to date and locks them against changes.
fn current<'t>(
    trees: &'t [Arc<ResidentTree>],
    scope: &IndexScope<'_>,
    names: Option<&NameKey>,
) -> Result<Vec<RwLockReadGuard<'t, Index>>, Unanswered> {
    let mut indexes = Vec::with_capacity(trees.len());
    for (at, tree) in trees.iter().enumerate() {
        tree.refresh(scope, names)
            .map_err(|why| Unanswered::Lost(at, why))?;
        indexes.push(tree.read());
    }
    Ok(indexes)
}

/// The part of a tree that is below one start of a walk.
struct Part<'i> {
    tree: usize,
    index: &'i Index,
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
fn parts<'i>(
    indexes: &'i [RwLockReadGuard<'_, Index>],
    walk: &Walk<'_>,
) -> Result<Vec<Part<'i>>, Unanswered> {
    let plain = walk.ignoring == IgnoreFiles::Respect
        && walk.hidden == HiddenFiles::Skip
        && !walk.filter.is_negated();
    if !plain {
        return Err(Unanswered::Walk);
    }
    let mut parts = Vec::with_capacity(walk.starts.len());
    for (start, begin) in walk.starts.iter().enumerate() {
        let path = begin.path();
        let found = indexes.iter().enumerate().find_map(|(tree, index)| {
            let folder = index.table.find(path)?;
            Some((tree, &**index, folder))
        });
        let (tree, index, folder) = found.ok_or(Unanswered::Walk)?;
        let table = &index.table;
        let known = table.folder(folder).ok_or(Unanswered::Walk)?;
        // Another folder may be at the path by now.
        let now = begin.located.stat().ok_or(Unanswered::Walk)?;
        let base = path.as_os_str().len();
        if !now.same_file(&known.stamp) || names_unlisted(table, folder, base, walk) {
            return Err(Unanswered::Walk);
        }
        parts.push(Part {
            tree,
            index,
            start,
            folder,
            base,
            span: table.span(folder),
        });
    }
    Ok(parts)
}

/// Returns whether the walk names an entry literally that is otherwise left out.
fn names_unlisted(table: &Table, top: FolderId, base: usize, walk: &Walk<'_>) -> bool {
    if !walk.named.literals().any(|name| table.may_leave_out(name)) {
        return false;
    }
    table.leaving_out(top).any(|folder| {
        let ignored = folder.ignored.iter().map(|entry| &entry.name);
        let unlisted = folder.unlisted.iter().chain(ignored);
        unlisted
            .filter(|name| walk.named.has(name))
            .map(|name| folder.path.join(&**name))
            .any(|path| walk.named.names(crate::walk::folder::below(&path, base)))
    })
}

impl Part<'_> {
    /// Returns what is left out below the start, by reason.
    fn left_out(&self) -> Tally {
        let table = &self.index.table;
        let mut tally = Tally::default();
        if self.is_whole() {
            return table.left_out();
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

    fn entry(&self, id: FileId, path: &Path, matches: u64) -> ListedFile {
        let modified = self.index.table.file(id).map(|file| file.stamp.mtime);
        ListedFile {
            start: self.start,
            relative: crate::walk::folder::below(path, self.base).into(),
            modified: modified.unwrap_or_default(),
            matches,
        }
    }

    /// Returns whether a file with several hard links may be listed.
    fn may_list(&self, id: FileId, path: &Path, linked: LinkedFileFilter<'_>) -> bool {
        let Some(stamp) = self.index.table.file(id).map(|file| &file.stamp) else {
            return false;
        };
        let file = File::resident(
            self.start,
            path,
            crate::walk::folder::below(path, self.base),
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
