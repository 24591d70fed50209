//! The hunks of a file that selected operations wrote and that are not in git's HEAD yet. The recorded states of the
//! file are put in their order, from the committed one to the present one, and replayed.

mod chain;
mod replay;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use lancet_history::{FileChange, HistoryError, Operation, OperationKind, RecordedState, Revision};

use self::chain::{StateChange, StateKey, find_chain};
use self::replay::Replay;
use super::certain_places::mark_uncertain_places;
use super::line_owners::{Writer, WrittenHunk};
use super::patch::{FileVersion, recorded_version};
use super::{History, NetFile};

/// The most changes of one file that are replayed.
const MAX_CHANGES: usize = 2_000;
/// The mode of a symbolic link, as git writes it.
const LINK_MODE: &str = "120000";

/// A version of a file as it is in the work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeVersion {
    /// The content; of a symbolic link its target.
    pub bytes: Vec<u8>,
    /// The mode as git writes it: `100644`, `100755` or `120000`.
    pub mode: String,
}

/// Whether versions that differ only in their line ends are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEndUse {
    /// Every byte counts.
    Exact,
    /// git stores CRLF as LF, so that both are the same.
    Normalized,
}

/// The versions of a file between which hunks are found.
#[derive(Clone, Debug)]
pub struct ComparedVersions {
    /// The version of HEAD; none where HEAD has no such file.
    pub committed: Option<TreeVersion>,
    /// The version in the work tree; none where there is no file.
    pub present: Option<TreeVersion>,
    /// The version in git's index; none where it has no such file.
    pub staged: Option<TreeVersion>,
    /// How line ends are compared.
    pub line_ends: LineEndUse,
}

/// A program that changed a file and is not among the selected operations.
#[derive(Clone, Debug)]
pub enum OtherWriter {
    /// A recorded operation.
    Operation(Arc<Operation>),
    /// A program that lancet did not record, or a change before the selected ones.
    Unknown,
}

/// Who made a part of a difference.
#[derive(Clone, Debug)]
pub enum PartOwner {
    /// The selected operations alone.
    Selected,
    /// Others alone.
    Others(Vec<OtherWriter>),
    /// The selected operations, and these others at the same place.
    Both(Vec<OtherWriter>),
}

/// A range of lines in which the present version differs from the committed one.
#[derive(Clone, Debug)]
pub struct UncommittedHunk {
    /// The lines of the committed version, counted from 0.
    pub old: Range<usize>,
    /// The lines of the present version in their place.
    pub new: Range<usize>,
    /// Who wrote it.
    pub owner: PartOwner,
}

/// The uncommitted parts of a file.
#[derive(Clone, Debug)]
pub struct UncommittedFile {
    /// The hunks, in order.
    pub hunks: Vec<UncommittedHunk>,
    /// Who created or removed the file; none where both versions exist, or neither.
    pub presence: Option<PartOwner>,
    /// Who changed the mode; none where it is the same.
    pub mode: Option<PartOwner>,
    /// Who gave the file its present name; none where it has the name that it has in HEAD.
    pub name: Option<PartOwner>,
    /// The selected operations that wrote a part of the difference.
    pub operations: Vec<Arc<Operation>>,
    /// Whether the staged version is one that the selected operations alone left on the way to the present one.
    pub is_staged_version_own: bool,
    /// Whether a recorded content is no longer stored, so that a hunk may have no known writer.
    pub is_incomplete: bool,
}

impl History {
    /// Finds out who wrote the uncommitted parts of a file that selected operations touched. None where the selected
    /// operations have no part in them.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn uncommitted_hunks(
        &self,
        file: &NetFile,
        selected: &[Operation],
        versions: &ComparedVersions,
    ) -> Result<Option<UncommittedFile>, HistoryError> {
        let mut states = StateReader {
            history: self,
            line_ends: versions.line_ends,
            keys: HashMap::new(),
        };
        let changes = self.changes_of_file(file, selected, &mut states)?;
        let [committed, present, staged] =
            [&versions.committed, &versions.present, &versions.staged]
                .map(|version| version.as_ref().map(|version| states.normalize(version)));
        let key = |version: &Option<TreeVersion>| version.as_ref().map(content_key);
        let chain = find_chain(&changes.list, key(&committed), key(&present));
        let mode = mode_writer(&changes, versions);
        let name = file.moved_from.as_ref().map(|_| changes.name_writer(file));
        let steps = chain.steps.iter().map(|step| step.writer);
        let mut writers = steps.chain([mode, name].into_iter().flatten());
        if !writers.any(Writer::is_selected) {
            return Ok(None);
        }
        let mut replay = Replay::new(committed.as_ref(), key(&committed));
        if let Some((state, key)) = &chain.baseline {
            let version = states.load(state)?;
            replay.apply(version.as_ref(), *key, Writer::Baseline);
        }
        for step in &chain.steps {
            let version = states.load(&step.to)?;
            replay.apply(version.as_ref(), step.key, step.writer);
        }
        if chain.ends_unrecorded {
            replay.apply(present.as_ref(), key(&present), Writer::Unknown);
        }
        let mut found = changes.describe(&replay, [mode, name]);
        if let (Some(committed), Some(present)) = (&committed, &present) {
            mark_uncertain_places(&mut found.hunks, &committed.bytes, &present.bytes);
        }
        found.is_staged_version_own = replay.is_own_version(key(&staged));
        Ok(Some(found))
    }

    /// Lists the recorded changes of a file in the order of recording. A content that is no longer stored leaves a gap.
    fn changes_of_file(
        &self,
        file: &NetFile,
        selected: &[Operation],
        states: &mut StateReader<'_>,
    ) -> Result<FileChanges, HistoryError> {
        let sequences: Vec<i64> = selected.iter().map(|one| one.sequence).collect();
        let mut found = FileChanges::default();
        let mut name = file.path.clone();
        let mut has_begun = false;
        for event in self.life(&file.path, None, MAX_CHANGES)?.events {
            if event.operation.kind == OperationKind::Late {
                continue;
            }
            let is_selected = sequences.contains(&event.operation.sequence);
            let operation = found.operations.len();
            let mut earlier_name = None;
            for change in event.operation.files.iter().rev() {
                let is_renamed = change.path == name && change.moved_from.is_some();
                let is_other = change.path != name && change.moved_from.as_ref() != Some(&name);
                if is_other || has_begun {
                    continue;
                }
                match (is_renamed, &file.moved_from) {
                    (true, Some(_)) => earlier_name.clone_from(&change.moved_from),
                    (true, None) => has_begun = true,
                    (false, _) => {}
                }
                let [before, after] = states_under_name(change, file, is_renamed);
                match [states.key(&before)?, states.key(&after)?] {
                    [Some(old), Some(new)] => found.list.push(StateChange {
                        operation,
                        before,
                        after,
                        keys: [old, new],
                        is_selected,
                    }),
                    _ => found.is_incomplete = true,
                }
            }
            name = earlier_name.unwrap_or(name);
            found.operations.push(Arc::new(event.operation));
        }
        found.list.reverse();
        Ok(found)
    }
}

/// Returns the states of a file before and after a change. A file that was moved away no longer exists under its name,
/// and one whose move is not followed did not exist before.
fn states_under_name(
    change: &FileChange,
    file: &NetFile,
    is_renamed: bool,
) -> [Option<RecordedState>; 2] {
    let follows = file.moved_from.is_some();
    let is_moved_away = change.moved_from.is_some() && !is_renamed;
    let before = change.before.clone().filter(|_| !is_renamed || follows);
    let after = change.after.clone().filter(|_| !is_moved_away);
    [before, after].map(|state| state.filter(|state| !state.is_folder()))
}

/// The recorded changes of a file.
#[derive(Default)]
struct FileChanges {
    /// The operations, newest first.
    operations: Vec<Arc<Operation>>,
    /// The changes, oldest first.
    list: Vec<StateChange>,
    is_incomplete: bool,
}

impl FileChanges {
    /// Returns who gave a file its present name.
    fn name_writer(&self, file: &NetFile) -> Writer {
        for (index, change) in self.list.iter().enumerate().rev() {
            let files = self.operations.get(change.operation);
            let files = files.map_or(&[][..], |operation| &operation.files);
            for entry in files.iter().filter(|entry| entry.path == file.path) {
                if entry.former_path.is_some() {
                    return Writer::Unknown;
                }
                if entry.moved_from.is_some() {
                    return change.writer(index);
                }
            }
        }
        Writer::Unknown
    }

    /// Describes the outcome of a replay, and the mode and the name.
    fn describe(&self, replay: &Replay, [mode, name]: [Option<Writer>; 2]) -> UncommittedFile {
        let hunks = replay.hunks();
        let presence = replay.presence();
        let once = [presence, mode, name].into_iter().flatten();
        let writers = hunks.iter().flat_map(|hunk| hunk.writers.iter().copied());
        let own = writers.chain(once).filter(|writer| writer.is_selected());
        let mut own: Vec<usize> = own
            .filter_map(|writer| self.operation_index(writer))
            .collect();
        own.sort_unstable();
        own.dedup();
        let operations = own.iter().filter_map(|index| self.operations.get(*index));
        let owner = |writer: Option<Writer>| writer.map(|writer| self.owner(&[writer]));
        let hunk = |WrittenHunk { old, new, writers }| UncommittedHunk {
            owner: self.owner(&writers),
            old,
            new,
        };
        UncommittedFile {
            operations: operations.map(Arc::clone).collect(),
            presence: owner(presence),
            mode: owner(mode),
            name: owner(name),
            hunks: hunks.into_iter().map(hunk).collect(),
            is_staged_version_own: false,
            is_incomplete: self.is_incomplete,
        }
    }

    fn operation_index(&self, writer: Writer) -> Option<usize> {
        match writer {
            Writer::Selected(index) | Writer::Other(index) => {
                self.list.get(index).map(|change| change.operation)
            }
            Writer::Unknown | Writer::Baseline => None,
        }
    }

    fn owner(&self, writers: &[Writer]) -> PartOwner {
        let others = writers.iter().filter(|writer| !writer.is_selected());
        let others: Vec<OtherWriter> = others
            .map(|writer| {
                let index = self.operation_index(*writer);
                let operation = index.and_then(|index| self.operations.get(index));
                operation.map_or(OtherWriter::Unknown, |operation| {
                    OtherWriter::Operation(Arc::clone(operation))
                })
            })
            .collect();
        match (others.len(), writers.len()) {
            (0, _) => PartOwner::Selected,
            (some, all) if some == all => PartOwner::Others(others),
            _ => PartOwner::Both(others),
        }
    }
}

/// Returns who changed the mode; none where it is the same, or a version is no file.
fn mode_writer(changes: &FileChanges, versions: &ComparedVersions) -> Option<Writer> {
    let (committed, present) = (versions.committed.as_ref()?, versions.present.as_ref()?);
    let is_link = committed.mode == LINK_MODE || present.mode == LINK_MODE;
    if is_link || committed.mode == present.mode {
        return None;
    }
    let mode = |state: &RecordedState| {
        FileVersion::new(Vec::new(), state.mode, state.link.is_some()).mode == present.mode
    };
    for (index, change) in changes.list.iter().enumerate().rev() {
        let had = change.before.as_ref().is_some_and(mode);
        let has = change.after.as_ref().is_some_and(mode);
        if has && !had {
            return Some(change.writer(index));
        }
    }
    Some(Writer::Unknown)
}

/// Reads recorded states and compares them by their contents.
struct StateReader<'h> {
    history: &'h History,
    line_ends: LineEndUse,
    /// The keys of contents that are still stored, by revision and whether it is that of a link.
    keys: HashMap<(Revision, bool), Option<[u8; 32]>>,
}

impl StateReader<'_> {
    /// Returns the key of a recorded state; none where its content is no longer stored.
    fn key(&mut self, state: &Option<RecordedState>) -> Result<Option<StateKey>, HistoryError> {
        let Some(recorded) = state else {
            return Ok(Some(None));
        };
        let name = (recorded.revision, recorded.link.is_some());
        if let Some(known) = self.keys.get(&name) {
            return Ok(known.map(Some));
        }
        let key = self.load(state)?.as_ref().map(content_key);
        self.keys.insert(name, key);
        Ok(key.map(Some))
    }

    /// Reads a recorded state; none where there was no file, or its content is no longer stored.
    fn load(&self, state: &Option<RecordedState>) -> Result<Option<TreeVersion>, HistoryError> {
        let found = self
            .history
            .query_store(|store| recorded_version(store, state))?;
        Ok(found.flatten().map(|FileVersion { bytes, mode }| {
            self.normalize(&TreeVersion {
                bytes,
                mode: mode.to_owned(),
            })
        }))
    }

    /// Returns a version with the line ends by which it is compared.
    fn normalize(&self, version: &TreeVersion) -> TreeVersion {
        let mut version = version.clone();
        if self.line_ends == LineEndUse::Normalized && version.mode != LINK_MODE {
            version.bytes = without_carriage_returns(&version.bytes);
        }
        version
    }
}

fn content_key(version: &TreeVersion) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[u8::from(version.mode == LINK_MODE)]);
    hasher.update(&version.bytes);
    *hasher.finalize().as_bytes()
}

/// Turns each CRLF into LF.
fn without_carriage_returns(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            plain.push(*byte);
        }
    }
    plain
}
