//! Converts the differences between two looks to the files of an operation.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lancet_history::{
    ChangeKind, CheckpointEntry, CheckpointEntryKind, ContentDraft, ContentIdentity, DraftState,
    FileDraft, HistoryError, Operation, OperationStore, RecordedState, Revision, WorkspaceRef,
};
use lancet_text::{Document, difference};
use lancet_workspace::Revision as LinkRevision;

use crate::compare::EntryDifference;
use crate::contents::ContentRecorder;
use crate::kept_state::StoredState;
use crate::moves;
use crate::seen_stat::from_record;

/// Limits of line counting: the size of a content, the number of files, and the work for each.
const MAX_COUNTED_BYTES: u64 = 1 << 20;
const MAX_COUNTED_FILES: usize = 500;
const DIFF_TIME_LIMIT: Duration = Duration::from_millis(20);

/// A file of the operation.
pub(crate) struct ChangedFile {
    pub(crate) path: PathBuf,
    kind: ChangeKind,
    moved_from: Option<PathBuf>,
    before: Option<KnownState>,
    after: Option<KnownState>,
    added: u64,
    removed: u64,
    folders: Vec<PathBuf>,
}

/// The state of a file that an operation records for one side.
#[derive(Clone, PartialEq, Eq)]
struct KnownState {
    revision: Revision,
    size: u64,
    mode: u32,
    inode: Option<u64>,
    /// The target, of a symbolic link.
    link: Option<PathBuf>,
}

/// The files of an operation, and the changes that cannot be restored.
#[derive(Default)]
pub(crate) struct OperationFiles {
    pub(crate) files: Vec<ChangedFile>,
    pub(crate) not_kept: Vec<PathBuf>,
}

/// The folders of the two looks: those that contain entries, and the empty ones.
#[derive(Default)]
pub(crate) struct Folders {
    pub(crate) before: BTreeSet<PathBuf>,
    pub(crate) after: BTreeSet<PathBuf>,
}

impl Folders {
    /// Returns the entries of both looks without folders that were there in both, with entries in one of them.
    fn own_sides(
        &self,
        before: Option<CheckpointEntry>,
        after: Option<CheckpointEntry>,
        path: &Path,
    ) -> (Option<CheckpointEntry>, Option<CheckpointEntry>) {
        match before.is_some() && after.is_some() {
            true => (before, after),
            false => (self.own(before, path), self.own(after, path)),
        }
    }

    /// Returns an entry, unless it is that of a folder which was there in both looks, with entries in one of them.
    fn own(&self, entry: Option<CheckpointEntry>, path: &Path) -> Option<CheckpointEntry> {
        let is_in_both = self.before.contains(path) && self.after.contains(path);
        entry.filter(|entry| entry.kind != CheckpointEntryKind::EmptyFolder || !is_in_both)
    }
}

/// Computes the files of an operation. `between` are the operations recorded in the same period: their writes are
/// attributed to them, and changes between two of them to this operation. `since` is the number of the checkpoint before
/// this operation's call.
pub(crate) fn compute_operation_files(
    root: &Path,
    real: Vec<EntryDifference>,
    folders: &Folders,
    between: &[Operation],
    since: Option<i64>,
    contents: &mut ContentRecorder<'_>,
) -> Result<OperationFiles, HistoryError> {
    let mut out = OperationFiles::default();
    let chains = states_by_path(between, since);
    let (mut gone, mut new) = (Vec::new(), Vec::new());
    for EntryDifference { before, after } in real {
        let name = before.as_ref().or(after.as_ref());
        let path = name.map(|entry| root.join(OsStr::from_bytes(&entry.name)));
        let path = path.unwrap_or_default();
        let (before, after) = folders.own_sides(before, after, &path);
        if before.is_none() && after.is_none() {
            continue;
        }
        let (Some(before), Some(after)) = (
            stored_side(before, contents)?,
            stored_side(after, contents)?,
        ) else {
            // A change that another recorded operation has is not lost.
            if !chains.contains_key(&path) {
                out.not_kept.push(path);
            }
            continue;
        };
        match (chains.get(&path), before, after) {
            (Some(states), before, after) => {
                let known = (
                    before.as_ref().map(KnownState::from_stored),
                    after.as_ref().map(KnownState::from_stored),
                );
                out.files.extend(unexplained_changes(&path, states, known));
            }
            (None, Some(before), None) => gone.push(before),
            (None, None, Some(after)) => new.push(after),
            (None, Some(before), Some(after)) => {
                let file = file_from_stored_states(path, Some(&before), Some(&after));
                out.files.push(file);
            }
            (None, None, None) => {}
        }
    }
    out.files.extend(files_in_one_look(root, &gone, &new));
    out.files.sort_by(|one, other| one.path.cmp(&other.path));
    for file in &mut out.files {
        if file.before.is_none() || file.moved_from.is_some() {
            file.folders = created_folders(root, &file.path, &folders.before);
        }
    }
    Ok(out)
}

/// Returns the files of the entries that only one of the looks has: the moved, the removed and the new files.
fn files_in_one_look(root: &Path, gone: &[StoredState], new: &[StoredState]) -> Vec<ChangedFile> {
    let path = |side: &StoredState| root.join(OsStr::from_bytes(&side.entry.name));
    let pairs = moves::pair_moved_files(gone, new);
    let mut files = Vec::new();
    for (from, to) in &pairs {
        let (from, to) = (&gone[*from], &new[*to]);
        files.push(ChangedFile {
            kind: ChangeKind::Move,
            moved_from: Some(path(from)),
            ..file_from_stored_states(path(to), Some(from), Some(to))
        });
    }
    for (at, side) in gone.iter().enumerate() {
        if pairs.iter().all(|(from, _)| *from != at) {
            files.push(file_from_stored_states(path(side), Some(side), None));
        }
    }
    for (at, side) in new.iter().enumerate() {
        if pairs.iter().all(|(_, to)| *to != at) {
            files.push(file_from_stored_states(path(side), None, Some(side)));
        }
    }
    files
}

/// Returns the state of an entry; `Some(None)` if there was nothing, none if it cannot be restored.
#[expect(
    clippy::option_option,
    reason = "nothing and not kept are different answers"
)]
fn stored_side(
    entry: Option<CheckpointEntry>,
    contents: &mut ContentRecorder<'_>,
) -> Result<Option<Option<StoredState>>, HistoryError> {
    let Some(entry) = entry else {
        return Ok(Some(None));
    };
    let revision = match (entry.kind, entry.identity) {
        (CheckpointEntryKind::EmptyFolder, _) => Some(*LinkRevision::of_empty_folder().as_bytes()),
        (CheckpointEntryKind::Link, _) => {
            let target = entry.link.as_deref().map(OsStr::from_bytes);
            target.map(|target| *LinkRevision::from_link(target).as_bytes())
        }
        (CheckpointEntryKind::File, ContentIdentity::Unknown) => None,
        (CheckpointEntryKind::File, ContentIdentity::Revision(revision)) => {
            contents.has_revision(&revision)?.then_some(revision)
        }
        (CheckpointEntryKind::File, ContentIdentity::Blob(blob)) => contents.store_blob(blob)?,
    };
    Ok(revision.map(|revision| Some(StoredState { entry, revision })))
}

impl KnownState {
    fn from_stored(side: &StoredState) -> KnownState {
        let inode = from_record(&side.entry.stamp).inode;
        let is_folder = side.entry.kind == CheckpointEntryKind::EmptyFolder;
        let link = side.entry.link.as_deref();
        KnownState {
            revision: side.revision,
            size: side.entry.size,
            mode: side.entry.mode,
            inode: (inode != 0 && !is_folder).then_some(inode),
            link: link.map(|target| PathBuf::from(OsStr::from_bytes(target))),
        }
    }

    fn is_folder(&self) -> bool {
        RecordedState::from_file(self.revision, self.size, self.mode).is_folder()
    }

    fn from_recorded(state: &RecordedState) -> KnownState {
        KnownState {
            revision: state.revision,
            size: state.size,
            mode: state.mode,
            inode: None,
            link: state.link.clone(),
        }
    }

    /// Returns the state in the form of the history, which has the bytes already.
    fn to_draft_state(&self) -> DraftState<'_> {
        DraftState {
            revision: self.revision,
            size: self.size,
            mode: self.mode,
            link: self.link.as_deref(),
            inode: self.inode,
            content: ContentDraft::Displaced,
        }
    }
}

fn file_from_stored_states(
    path: PathBuf,
    before: Option<&StoredState>,
    after: Option<&StoredState>,
) -> ChangedFile {
    changed_file_entry(
        path,
        before.map(KnownState::from_stored),
        after.map(KnownState::from_stored),
    )
}

fn changed_file_entry(
    path: PathBuf,
    before: Option<KnownState>,
    after: Option<KnownState>,
) -> ChangedFile {
    ChangedFile {
        path,
        kind: match (&before, &after) {
            (None, _) => ChangeKind::Create,
            (_, None) => ChangeKind::Delete,
            (Some(before), Some(after)) if before.revision == after.revision => ChangeKind::Mode,
            _ => ChangeKind::Update,
        },
        moved_from: None,
        before,
        after,
        added: 0,
        removed: 0,
        folders: Vec::new(),
    }
}

/// A state that an operation found or left at a name; none if there was no file.
type Known = Option<KnownState>;

/// The states that an operation in between found and left. What it found is not compared if its call began earlier
/// than this one: then it found a state from before this call.
type ChainStates = (Option<Known>, Known);

/// Returns the states that the operations in between found and left at each name, in order.
fn states_by_path(between: &[Operation], since: Option<i64>) -> HashMap<PathBuf, Vec<ChainStates>> {
    let mut chains: HashMap<PathBuf, Vec<ChainStates>> = HashMap::new();
    let mut operations: Vec<&Operation> = between.iter().collect();
    operations.sort_by_key(|operation| operation.sequence);
    for operation in operations {
        let begun = operation.recorded.as_ref().and_then(|call| call.since);
        let began_earlier = begun.zip(since).is_some_and(|(begun, since)| begun < since);
        let found = |state: Known| (!began_earlier).then_some(state);
        for file in &operation.files {
            let before = file.before.as_ref().map(KnownState::from_recorded);
            let after = file.after.as_ref().map(KnownState::from_recorded);
            let mut add = |path: &PathBuf, before: Known, after: Known| {
                let states = chains.entry(path.clone()).or_default();
                states.push((found(before), after));
            };
            match &file.moved_from {
                None => add(&file.path, before, after),
                Some(from) => {
                    add(from, before, None);
                    add(&file.path, None, after);
                }
            }
        }
    }
    chains
}

/// Returns the gaps between the known states of a name.
fn unexplained_changes(
    path: &Path,
    states: &[ChainStates],
    ends: (Known, Known),
) -> Vec<ChangedFile> {
    let mut gaps = Vec::new();
    let (mut left, last) = ends;
    for (found, after) in states.iter().cloned().chain([(Some(last), None)]) {
        if let Some(found) = found
            && !is_same(left.as_ref(), found.as_ref())
        {
            gaps.push(changed_file_entry(path.to_path_buf(), left, found));
        }
        left = after;
    }
    gaps
}

fn is_same(one: Option<&KnownState>, other: Option<&KnownState>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            let modes = one.mode == 0 || other.mode == 0 || one.mode == other.mode;
            one.revision == other.revision && modes
        }
        _ => false,
    }
}

/// Returns the folders of a new file that did not exist before, outermost first.
fn created_folders(root: &Path, path: &Path, known: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1);
    let inside = above.take_while(|folder| *folder != root && folder.starts_with(root));
    let mut made: Vec<PathBuf> = inside
        .filter(|folder| !known.contains(*folder))
        .map(Path::to_path_buf)
        .collect();
    made.reverse();
    made
}

/// Counts the lines that each file gained and lost.
pub(crate) fn count_lines(
    files: &mut [ChangedFile],
    store: &dyn OperationStore,
) -> Result<(), HistoryError> {
    for file in files.iter_mut().take(MAX_COUNTED_FILES) {
        let sizes = [&file.before, &file.after].into_iter().flatten();
        let is_same = file.before.as_ref().map(|state| state.revision)
            == file.after.as_ref().map(|state| state.revision);
        let mut states = [&file.before, &file.after].into_iter().flatten();
        let has_lines = !states.any(|state| state.link.is_some() || state.is_folder());
        if is_same || !has_lines || sizes.map(|state| state.size).max() > Some(MAX_COUNTED_BYTES) {
            continue;
        }
        let bytes = |state: &Option<KnownState>| match state {
            Some(state) => store.content(&state.revision),
            None => Ok(Some(Vec::new())),
        };
        let (Some(old), Some(new)) = (bytes(&file.before)?, bytes(&file.after)?) else {
            continue;
        };
        let texts = (Document::decode(&old, None), Document::decode(&new, None));
        if let (Ok(old), Ok(new)) = texts {
            let found = difference(old.view(), new.view(), 0, DIFF_TIME_LIMIT);
            (file.added, file.removed) = (found.added as u64, found.removed as u64);
        }
    }
    Ok(())
}

/// Returns the files in the form of the history.
pub(crate) fn file_drafts<'f>(
    files: &'f [ChangedFile],
    workspace: WorkspaceRef<'f>,
) -> Vec<FileDraft<'f>> {
    let draft = |file: &'f ChangedFile| FileDraft {
        path: &file.path,
        kind: file.kind,
        moved_from: file.moved_from.as_deref(),
        before: file.before.as_ref().map(KnownState::to_draft_state),
        after: file.after.as_ref().map(KnownState::to_draft_state),
        added: file.added,
        removed: file.removed,
        folders: file.folders.clone(),
        workspace: Some(workspace),
    };
    files.iter().map(draft).collect()
}
