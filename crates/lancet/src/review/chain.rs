//! The history of one file since the last look: its operations through its names, and the state that they began with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_history::{
    FileChange, HistoryError, IdMatch, LogQuery, Operation, OperationKind, OperationStore,
    RecordedState, Revision,
};

/// How many operations are read from the log at a time.
const OPERATIONS_PER_READ: usize = 100;
/// The most operations of one file that are followed. The state before the oldest of them is then the baseline.
const MAX_OPERATIONS: usize = 2_000;

/// The operations on a file since the last look.
pub(crate) struct Chain {
    /// The content at the last look; none where there was no file.
    pub(crate) baseline: Option<Revision>,
    /// The name that the file had then.
    pub(crate) first_name: PathBuf,
    /// The operations, oldest first; never empty.
    pub(crate) steps: Vec<ChainStep>,
}

/// The change that one operation made to the file.
#[derive(Clone)]
pub(crate) struct ChainStep {
    pub(crate) operation: Arc<Operation>,
    /// The index of the file in the operation's list of files.
    file: usize,
}

impl ChainStep {
    /// Returns the change of the file.
    pub(crate) fn change(&self) -> &FileChange {
        &self.operation.files[self.file]
    }
}

/// Returns the revision of a recorded state; none where there is no file.
pub(crate) fn revision(state: &Option<RecordedState>) -> Option<Revision> {
    state.as_ref().map(|state| state.revision)
}

impl Chain {
    /// Follows a file back from its newest operation, or from the one with the id `upto`, to the last look. None where
    /// nothing is to be reviewed, or the file was moved away.
    pub(crate) fn load(
        store: &dyn OperationStore,
        path: &Path,
        upto: Option<&str>,
        without: &[[u8; 32]],
    ) -> Result<Option<Self>, HistoryError> {
        let mut name = path.to_path_buf();
        let (mut look, mut since) = store.last_look(&name, without)?;
        let mut steps: Vec<ChainStep> = Vec::new();
        let mut before: Option<String> = None;
        let mut awaited = upto;
        let mut began_here = false;
        'pages: loop {
            let page = store.query_log(&LogQuery {
                path: Some(name.clone()),
                after: Some(since),
                before: before.clone(),
                without: without.to_vec(),
                limit: Some(OPERATIONS_PER_READ),
                ..LogQuery::default()
            })?;
            let Some(last) = page.last() else { break };
            before = Some(last.id.clone());
            for operation in page {
                if awaited.is_some_and(|id| id != operation.id) {
                    continue;
                }
                awaited = None;
                if operation.kind == OperationKind::Late {
                    continue;
                }
                let mut files = operation.files.iter();
                let Some(file) = files.position(|file| file.path == name) else {
                    let mut left = operation.files.iter();
                    if !left.any(|file| file.moved_from.as_deref() == Some(&*name)) {
                        continue;
                    }
                    // The file that had the name before was moved away, and is another file.
                    began_here = true;
                    break 'pages;
                };
                let step = ChainStep {
                    operation: Arc::new(operation),
                    file,
                };
                let moved_from = step.change().moved_from.clone();
                let id = step.operation.id.clone();
                steps.push(step);
                if steps.len() == MAX_OPERATIONS {
                    break 'pages;
                }
                if let Some(old) = moved_from {
                    name = old;
                    (look, since) = store.last_look(&name, without)?;
                    before = Some(id);
                    continue 'pages;
                }
            }
        }
        steps.reverse();
        let Some(first) = steps.first() else {
            return Ok(None);
        };
        let is_whole = steps.len() < MAX_OPERATIONS && !began_here;
        let baseline = match look.filter(|_| is_whole) {
            Some(look) => look.revision,
            None => revision(&first.change().before),
        };
        let mut chain = Self {
            baseline,
            first_name: name,
            steps,
        };
        chain.skip_user_operations();
        Ok((!chain.steps.is_empty()).then_some(chain))
    }

    /// Returns the change of a file by one operation alone, by its whole id; none where there is no such change.
    pub(crate) fn from_operation(
        store: &dyn OperationStore,
        path: &Path,
        id: &str,
    ) -> Result<Option<Self>, HistoryError> {
        let IdMatch::One(operation) = store.find(id, &[])? else {
            return Ok(None);
        };
        let file = operation.files.iter().position(|file| file.path == path);
        let Some(file) = file.filter(|_| operation.id == id) else {
            return Ok(None);
        };
        Ok(Some(Self::single_change(Arc::new(*operation), file)))
    }

    /// Returns one change of an operation alone.
    pub(crate) fn single_change(operation: Arc<Operation>, file: usize) -> Self {
        let step = ChainStep { operation, file };
        let change = step.change();
        let first_name = change.moved_from.as_ref().unwrap_or(&change.path).clone();
        Self {
            baseline: revision(&change.before),
            first_name,
            steps: vec![step],
        }
    }

    /// Treats a person's own operations that come first as seen, as long as nothing else was written in between.
    fn skip_user_operations(&mut self) {
        let mut own = 0;
        for step in &self.steps {
            let change = step.change();
            if !step.operation.is_made_by_person() || revision(&change.before) != self.baseline {
                break;
            }
            self.baseline = revision(&change.after);
            self.first_name.clone_from(&change.path);
            own += 1;
        }
        self.steps.drain(..own);
    }

    /// Returns the newest change.
    pub(crate) fn newest(&self) -> Option<&ChainStep> {
        self.steps.last()
    }

    /// Returns a recorded state with the content of the baseline, which has its permission bits.
    pub(crate) fn baseline_state(&self) -> Option<&RecordedState> {
        let states = self.steps.iter().flat_map(|step| {
            let change = step.change();
            [change.before.as_ref(), change.after.as_ref()]
        });
        let mut states = states.flatten();
        states.find(|state| Some(state.revision) == self.baseline)
    }
}
