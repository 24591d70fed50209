//! The proof that the history and the files agree: every file is a state that some recorded change left or that somebody else
//! wrote, the changes of every file follow on each other, and every stored content has its hash.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lancet_history::{ContentFault, Operation, OperationKind, OperationState, Revision};

use super::{ALREADY_UNDONE, History, HistoryError, LogQuery};
use crate::rooms::heal::{self, AtName};

/// How many operations are read at a time.
const PAGE: usize = 1_000;
/// How long one step of checking contents may take: the database is held meanwhile.
const STEP: Duration = Duration::from_millis(100);

/// What [`History::verify`] found.
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
    /// The number of those that are what their newest change left.
    pub as_left: u64,
    /// The number of those that are what an earlier change left or found.
    pub earlier: u64,
    /// Those that somebody else has written, moved or removed since.
    pub by_others: Vec<PathBuf>,
    /// Those that cannot be read from here.
    pub unread: Vec<PathBuf>,
    /// The number of changes that found something else than the change before had left: somebody else wrote the file in between.
    pub after_others: u64,
    /// What is not as it should be.
    pub faults: Vec<HistoryFault>,
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryFault {
    /// What it is.
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
    /// The word for this value in JSON output.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Database(_) => "database",
            Self::ContentMissing => "content_missing",
            Self::ContentDamaged => "content_damaged",
            Self::Unsure => "unsure",
            Self::UndoMissing(_) => "undo_missing",
        }
    }
}

/// How far a verification has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyProgress {
    /// So many operations were read.
    Operations(u64),
    /// So many contents were checked.
    Contents(u64),
    /// So many files of so many were compared.
    Files(u64, u64),
}

/// What the history has of one file below the roots.
#[derive(Default)]
struct Recorded {
    /// The state that the newest change left; none where it left no file.
    newest: Option<Revision>,
    /// All states that a change left or found, `None` for no file.
    states: HashSet<Option<Revision>>,
    /// What the change after the one at hand found.
    next: Option<Revision>,
}

impl History {
    /// Checks the whole history against its own hashes, and the files below the roots against the history. Nothing is changed,
    /// apart from what is settled whenever the history is opened.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn verify(
        &self,
        progress: &mut dyn FnMut(VerifyProgress),
    ) -> Result<Verification, HistoryError> {
        let mut found = Verification::default();
        let local = self.engine.local();
        for aside in local.map_or_else(Vec::new, |local| local.set_aside()) {
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
            let step = self.ask(|store| store.check_contents(after, STEP))?;
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
    ) -> Result<BTreeMap<PathBuf, Recorded>, HistoryError> {
        let others = self.engine.other_workspaces()?;
        let mut files: BTreeMap<PathBuf, Recorded> = BTreeMap::new();
        let mut undos: Vec<(String, PathBuf, String)> = Vec::new();
        let mut ids: HashSet<String> = HashSet::new();
        let mut before = None;
        loop {
            // All projects: a content may belong to any of them.
            let query = LogQuery {
                before: before.take(),
                limit: Some(PAGE),
                ..LogQuery::default()
            };
            let page = self.ask(|store| store.log(&query))?;
            let Some(last) = page.last() else { break };
            before = Some(last.id.clone());
            for operation in page {
                note_faults(found, &operation, faulty);
                let is_here = operation.kind != OperationKind::Late && !others.have(&operation);
                for file in &operation.files {
                    found.changes += 1;
                    if let Some(by) = file.undone_by.as_ref().filter(|by| *by != ALREADY_UNDONE) {
                        undos.push((operation.id.clone(), file.path.clone(), by.clone()));
                    }
                    if is_here && self.is_below_roots(&file.path) {
                        let after = file.after.as_ref().map(|state| state.revision);
                        let before = file.before.as_ref().map(|state| state.revision);
                        match &file.moved_from {
                            None => link(found, &mut files, &file.path, before, after),
                            Some(from) => {
                                link(found, &mut files, &file.path, None, after);
                                link(found, &mut files, from, before, None);
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

    fn is_below_roots(&self, path: &Path) -> bool {
        let mut roots = self.engine.roots().iter();
        roots.any(|root| path.starts_with(root))
    }

    fn compare(&self, found: &mut Verification, path: PathBuf, recorded: &Recorded) {
        let now = match heal::find(&self.engine, &path) {
            None => return found.unread.push(path),
            Some(AtName::Nothing) => None,
            Some(AtName::File { revision, .. }) => Some(revision),
            Some(AtName::Other) => return found.by_others.push(path),
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

/// Adds one change to what is known of a file. The changes come newest first.
fn link(
    found: &mut Verification,
    files: &mut BTreeMap<PathBuf, Recorded>,
    path: &Path,
    before: Option<Revision>,
    after: Option<Revision>,
) {
    match files.get_mut(path) {
        None => {
            let recorded = Recorded {
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
