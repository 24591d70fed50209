//! Verifies that the history and the files agree. Every file must be in a state that some recorded change left or that
//! another program wrote, the changes of every file must follow on each other, and every stored content must have its
//! hash.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lancet_history::{ContentFault, Operation, OperationKind, OperationState, Revision};

use super::{ALREADY_UNDONE_MARK, History, HistoryError, LogQuery};
use crate::stages::heal::{self, NameContent};

/// How many operations are read at a time.
const OPERATIONS_PER_READ: usize = 1_000;
/// How long one step of checking contents may take, because the database is locked meanwhile.
const STEP_BUDGET: Duration = Duration::from_millis(100);

/// The findings of [`History::verify`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verification {
    /// The number of recorded operations.
    pub operations: u64,
    /// The number of changes of single files in them.
    pub changes: u64,
    /// The number of stored contents.
    pub contents: u64,
    /// The number of files below the roots that were changed.
    pub files: u64,
    /// The number of those that are in the state that their newest change left.
    pub as_left: u64,
    /// The number of those that are in a state that an earlier change left or found.
    pub earlier: u64,
    /// Those that another program has written, moved or removed since.
    pub by_others: Vec<PathBuf>,
    /// Those that this process cannot read.
    pub unread: Vec<PathBuf>,
    /// The number of changes that found another state than the change before had left, because another program wrote
    /// the file in between.
    pub after_others: u64,
    /// The faults in the history itself.
    pub faults: Vec<HistoryFault>,
}

/// A fault in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryFault {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The operation that it concerns.
    pub operation: Option<String>,
    /// The file that it concerns.
    pub path: Option<PathBuf>,
}

/// The kinds of faults.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The database was damaged, and was set aside.
    Database(String),
    /// A content of the change is missing, so that the change cannot be undone or redone.
    ContentMissing,
    /// A content of the change has another hash than it is stored under.
    ContentDamaged,
    /// The process of the change was interrupted, and how it ended cannot be known.
    Unsure,
    /// The change is marked as undone by an operation that is not recorded.
    UndoMissing(String),
}

impl FaultKind {
    /// Returns the word for this value in JSON output.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Database(_) => "database",
            Self::ContentMissing => "content_missing",
            Self::ContentDamaged => "content_damaged",
            Self::Unsure => "unsure",
            Self::UndoMissing(_) => "undo_missing",
        }
    }
}

/// The progress of a verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyProgress {
    /// The number of operations read so far.
    Operations(u64),
    /// The number of contents checked so far.
    Contents(u64),
    /// The number of files compared so far, and the number of all files.
    Files(u64, u64),
}

/// What the history records of one file below the roots.
#[derive(Default)]
struct RecordedFile {
    /// The state that the newest change left; none where it left no file.
    newest: Option<Revision>,
    /// All states that a change left or found; `None` means no file.
    states: HashSet<Option<Revision>>,
    /// The state that the change after the present one found.
    next: Option<Revision>,
}

impl History {
    /// Checks the whole history against its own hashes, and the files below the roots against the history. Nothing is
    /// changed, apart from the unfinished operations that are settled whenever the history is opened.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn verify(
        &self,
        progress: &mut dyn FnMut(VerifyProgress),
    ) -> Result<Verification, HistoryError> {
        let mut found = Verification::default();
        let local = self.engine.local();
        for aside in local.map_or_else(Vec::new, |local| local.databases_set_aside()) {
            found.faults.push(HistoryFault {
                kind: FaultKind::Database(aside.to_string()),
                operation: None,
                path: None,
            });
        }
        let faulty = self.faulty_contents(&mut found, progress)?;
        let files = self.follow_chains(&mut found, &faulty, progress)?;
        let all = files.len() as u64;
        for (at, (path, recorded)) in files.into_iter().enumerate() {
            if at % 64 == 0 {
                progress(VerifyProgress::Files(at as u64, all));
            }
            self.compare(&mut found, path, &recorded);
        }
        found.files = all;
        Ok(found)
    }

    fn faulty_contents(
        &self,
        found: &mut Verification,
        progress: &mut dyn FnMut(VerifyProgress),
    ) -> Result<HashMap<Revision, ContentFault>, HistoryError> {
        let mut faulty = HashMap::new();
        let mut after = 0;
        loop {
            let step = self.query_store(|store| store.check_contents(after, STEP_BUDGET))?;
            found.contents += step.number;
            faulty.extend(step.faults);
            after = step.upto;
            if !step.is_unfinished {
                return Ok(faulty);
            }
            progress(VerifyProgress::Contents(found.contents));
        }
    }

    /// Goes through all operations, newest first, and gathers what they say of the files below the roots.
    fn follow_chains(
        &self,
        found: &mut Verification,
        faulty: &HashMap<Revision, ContentFault>,
        progress: &mut dyn FnMut(VerifyProgress),
    ) -> Result<BTreeMap<PathBuf, RecordedFile>, HistoryError> {
        let others = self.engine.other_workspaces()?;
        let mut files: BTreeMap<PathBuf, RecordedFile> = BTreeMap::new();
        let mut undos: Vec<(String, PathBuf, String)> = Vec::new();
        let mut ids: HashSet<String> = HashSet::new();
        let mut before = None;
        loop {
            // All projects: a content may belong to any of them.
            let query = LogQuery {
                before: before.take(),
                limit: Some(OPERATIONS_PER_READ),
                ..LogQuery::default()
            };
            let page = self.query_store(|store| store.query_log(&query))?;
            let Some(last) = page.last() else { break };
            before = Some(last.id.clone());
            for operation in page {
                note_faults(found, &operation, faulty);
                let is_here =
                    operation.kind != OperationKind::Late && !others.include_changes_of(&operation);
                for file in &operation.files {
                    found.changes += 1;
                    if let Some(by) = file
                        .undone_by
                        .as_ref()
                        .filter(|by| *by != ALREADY_UNDONE_MARK)
                    {
                        undos.push((operation.id.clone(), file.path.clone(), by.clone()));
                    }
                    if is_here && self.is_below_roots(&file.path) {
                        let after = file.after.as_ref().map(|state| state.revision);
                        let before = file.before.as_ref().map(|state| state.revision);
                        match &file.moved_from {
                            None => {
                                add_recorded_change(found, &mut files, &file.path, before, after)
                            }
                            Some(from) => {
                                add_recorded_change(found, &mut files, &file.path, None, after);
                                add_recorded_change(found, &mut files, from, before, None);
                            }
                        }
                    }
                }
                found.operations += 1;
                ids.insert(operation.id);
            }
            progress(VerifyProgress::Operations(found.operations));
        }
        for (operation, path, by) in undos {
            if !ids.contains(&by) {
                found.faults.push(HistoryFault {
                    kind: FaultKind::UndoMissing(by),
                    operation: Some(operation),
                    path: Some(path),
                });
            }
        }
        Ok(files)
    }

    fn compare(&self, found: &mut Verification, path: PathBuf, recorded: &RecordedFile) {
        let now = match heal::examine_name(&self.engine, &path) {
            None => return found.unread.push(path),
            Some(NameContent::Nothing) => None,
            Some(NameContent::File { revision, .. }) => Some(revision),
            Some(NameContent::Other) => return found.by_others.push(path),
        };
        if now == recorded.newest {
            found.as_left += 1;
        } else if recorded.states.contains(&now) {
            found.earlier += 1;
        } else {
            found.by_others.push(path);
        }
    }
}

/// Adds one change to the record of a file. The changes come newest first.
fn add_recorded_change(
    found: &mut Verification,
    files: &mut BTreeMap<PathBuf, RecordedFile>,
    path: &Path,
    before: Option<Revision>,
    after: Option<Revision>,
) {
    match files.get_mut(path) {
        None => {
            let recorded = RecordedFile {
                newest: after,
                states: HashSet::from([before, after]),
                next: before,
            };
            files.insert(path.to_path_buf(), recorded);
        }
        Some(recorded) => {
            found.after_others += u64::from(recorded.next != after);
            recorded.next = before;
            recorded.states.extend([before, after]);
        }
    }
}

fn note_faults(
    found: &mut Verification,
    operation: &Operation,
    faulty: &HashMap<Revision, ContentFault>,
) {
    if operation.state == OperationState::Unsure {
        let path = operation.files.first().map(|file| file.path.clone());
        found.faults.push(HistoryFault {
            kind: FaultKind::Unsure,
            operation: Some(operation.id.clone()),
            path,
        });
    }
    for file in &operation.files {
        let states = [&file.before, &file.after].into_iter().flatten();
        let fault = states
            .filter_map(|state| faulty.get(&state.revision))
            .next();
        if let Some(fault) = fault {
            found.faults.push(HistoryFault {
                kind: match fault {
                    ContentFault::Damaged => FaultKind::ContentDamaged,
                    _ => FaultKind::ContentMissing,
                },
                operation: Some(operation.id.clone()),
                path: Some(file.path.clone()),
            });
        }
    }
}
