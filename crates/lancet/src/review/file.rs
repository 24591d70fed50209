//! One file of a review: its state at the last look, the state that the newest operation left, and who contributed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_history::{
    ChangeKind, HistoryError, MarkQuery, Operation, OperationStore, PromptMark, RecordedState,
    Revision,
};
use lancet_text::Hunk;

use super::chain::{Chain, revision};
use super::lines::{Lines, compare, group_blocks, hunk_of};
use crate::history::History;
use crate::undo::HunkLines;

/// The largest content that is compared by line, in bytes.
const MAX_COMPARED_CONTENT: u64 = 8 << 20;

/// A file that is to be reviewed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReviewedFile {
    /// The file's absolute path.
    pub path: PathBuf,
    /// The path relative to its root.
    pub relative: PathBuf,
    /// How the file was changed since the last look.
    pub kind: ChangeKind,
    /// The name that it had at the last look, relative to its root, if it was different.
    pub moved_from: Option<PathBuf>,
    /// The revision at the last look; none where there was no file.
    pub before: Option<Revision>,
    /// The revision that the newest operation left; none where it removed the file.
    pub after: Option<Revision>,
    /// The permission bits before and after, where they differ.
    pub modes: Option<(u32, u32)>,
    /// The id of the newest operation, which identifies the state that is shown here.
    pub operation: String,
    /// The index of the file in that operation.
    pub at: usize,
    /// The operations since the last look, newest first.
    pub contributions: Vec<Contribution>,
    /// The difference.
    pub text: ReviewText,
}

/// An operation that contributed to the difference.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Contribution {
    /// The operation.
    pub operation: Arc<Operation>,
    /// The last prompt before it in its session, where the agent's hooks report prompts.
    pub prompt: Option<PromptMark>,
    /// Whether the person who reviews made it ([`Operation::is_made_by_person`]).
    pub is_a_persons: bool,
}

/// The form in which a file's difference can be shown.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ReviewText {
    /// The hunks, with three lines of context.
    Lines {
        /// The hunks, in order.
        hunks: Vec<ReviewHunk>,
        /// How many lines were added.
        added: usize,
        /// How many lines were removed.
        removed: usize,
    },
    /// The rules forbid showing the file's text.
    Withheld,
    /// One of the contents is not text.
    NotText {
        /// The sizes before and after, in bytes.
        sizes: (u64, u64),
    },
    /// There is too much to compare.
    TooLarge {
        /// How many lines were added, where they could be counted.
        added: usize,
        /// How many lines were removed.
        removed: usize,
    },
    /// The file is, or was, a symbolic link.
    Link {
        /// The target before.
        before: Option<PathBuf>,
        /// The target after.
        after: Option<PathBuf>,
    },
    /// It is, or was, an empty folder.
    EmptyFolder,
    /// The text is the same: only the name or the permission bits changed.
    Same,
    /// The content at the last look is no longer stored. Instead: what each operation did, as far as that is stored,
    /// oldest first.
    ByOperation(Vec<(String, Option<String>)>),
}

/// One hunk.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReviewHunk {
    /// The lines that identify the hunk.
    pub lines: HunkLines,
    /// The hunk as it is shown.
    pub hunk: Hunk,
}

/// Returns what is to be reviewed of a file; none where nothing differs.
pub(super) fn review_file(
    history: &History,
    store: &dyn OperationStore,
    path: &Path,
    chain: &Chain,
) -> Result<Option<ReviewedFile>, HistoryError> {
    let Some(newest) = chain.newest() else {
        return Ok(None);
    };
    if !differs(path, chain) {
        return Ok(None);
    }
    let left = newest.change().after.as_ref();
    let (before, after) = (chain.baseline, revision(&newest.change().after));
    let modes = modes(chain);
    let is_moved = is_moved(path, chain);
    let kind = match (before, after) {
        (None, _) => ChangeKind::Create,
        (_, None) => ChangeKind::Delete,
        _ if is_moved => ChangeKind::Move,
        _ => ChangeKind::Update,
    };
    let shown = history.may_show(path) && history.may_show(&chain.first_name);
    let text = match shown {
        true => review_text(history, store, chain, left)?,
        false => ReviewText::Withheld,
    };
    Ok(Some(ReviewedFile {
        path: path.to_path_buf(),
        relative: history.relative_to_root(path).to_path_buf(),
        kind,
        moved_from: is_moved.then(|| history.relative_to_root(&chain.first_name).to_path_buf()),
        before,
        after,
        modes,
        operation: newest.operation.id.clone(),
        at: newest.change().at,
        contributions: contributions(history, chain)?,
        text,
    }))
}

/// Returns the hunks of what one operation did to one of its files; none where it cannot be compared by line or may not
/// be shown.
pub(super) fn hunks_of(
    history: &History,
    store: &dyn OperationStore,
    operation: &Arc<Operation>,
    file: usize,
) -> Result<Vec<ReviewHunk>, HistoryError> {
    let chain = Chain::single_change(Arc::clone(operation), file);
    let change = &operation.files[file];
    if !history.may_show(&change.path) || !history.may_show(&chain.first_name) {
        return Ok(Vec::new());
    }
    Ok(
        match review_text(history, store, &chain, change.after.as_ref())? {
            ReviewText::Lines { hunks, .. } => hunks,
            _ => Vec::new(),
        },
    )
}

/// Returns whether a file differs from its state at the last look, in its text, its name or its permission bits.
pub(super) fn differs(path: &Path, chain: &Chain) -> bool {
    let newest = chain.newest();
    newest.is_some_and(|newest| revision(&newest.change().after) != chain.baseline)
        || modes(chain).is_some()
        || is_moved(path, chain)
}

/// Returns the permission bits before and after, where they differ.
fn modes(chain: &Chain) -> Option<(u32, u32)> {
    let left = chain.newest()?.change().after.as_ref()?;
    let modes = (chain.baseline_state()?.mode & 0o7777, left.mode & 0o7777);
    (modes.0 != modes.1 && modes.0 != 0 && modes.1 != 0).then_some(modes)
}

fn is_moved(path: &Path, chain: &Chain) -> bool {
    chain.first_name != path && chain.baseline.is_some()
}

fn review_text(
    history: &History,
    store: &dyn OperationStore,
    chain: &Chain,
    left: Option<&RecordedState>,
) -> Result<ReviewText, HistoryError> {
    let baseline = chain.baseline_state();
    let link = |state: Option<&RecordedState>| state.and_then(|state| state.link.clone());
    let (before, after) = (link(baseline), link(left));
    if before.is_some() || after.is_some() {
        return Ok(ReviewText::Link { before, after });
    }
    if [baseline, left]
        .into_iter()
        .flatten()
        .any(RecordedState::is_folder)
    {
        return Ok(ReviewText::EmptyFolder);
    }
    let new = left.map(|left| left.revision);
    if chain.baseline == new {
        return Ok(ReviewText::Same);
    }
    let size = |revision: Option<Revision>| match revision {
        None => Ok(Some(0)),
        Some(revision) => Ok(store.open_content(&revision)?.map(|kept| kept.size())),
    };
    let (Some(old_size), Some(new_size)) = (size(chain.baseline)?, size(new)?) else {
        return changes_by_operation(history, chain);
    };
    if old_size.max(new_size) > MAX_COMPARED_CONTENT {
        return Ok(ReviewText::TooLarge {
            added: 0,
            removed: 0,
        });
    }
    let bytes = |revision: Option<Revision>| match revision {
        None => Ok(Some(Vec::new())),
        Some(revision) => store.content(&revision),
    };
    let (Some(old), Some(new)) = (bytes(chain.baseline)?, bytes(new)?) else {
        return changes_by_operation(history, chain);
    };
    let (Some(old), Some(new)) = (Lines::from_bytes(&old), Lines::from_bytes(&new)) else {
        return Ok(ReviewText::NotText {
            sizes: (old_size, new_size),
        });
    };
    let compared = compare(&old, &new);
    if compared.coarse {
        return Ok(ReviewText::TooLarge {
            added: compared.added,
            removed: compared.removed,
        });
    }
    let hunks = group_blocks(&compared.blocks).into_iter().map(|group| {
        let hunk = hunk_of(&old, &new, group);
        ReviewHunk {
            lines: HunkLines::from_hunk(&hunk),
            hunk,
        }
    });
    Ok(ReviewText::Lines {
        hunks: hunks.collect(),
        added: compared.added,
        removed: compared.removed,
    })
}

/// Returns what each operation did, for a file whose content at the last look is no longer stored.
fn changes_by_operation(history: &History, chain: &Chain) -> Result<ReviewText, HistoryError> {
    let mut patches = Vec::with_capacity(chain.steps.len());
    for step in &chain.steps {
        let patch = history.patch(step.change())?;
        patches.push((step.operation.id.clone(), patch));
    }
    Ok(ReviewText::ByOperation(patches))
}

/// Returns the operations of a chain, newest first, each with the prompt that it followed.
fn contributions(history: &History, chain: &Chain) -> Result<Vec<Contribution>, HistoryError> {
    let mut known: Vec<(String, Vec<PromptMark>)> = Vec::new();
    let mut contributions = Vec::with_capacity(chain.steps.len());
    for step in chain.steps.iter().rev() {
        let session = &step.operation.session;
        if !known.iter().any(|(name, _)| name == session) {
            let query = MarkQuery {
                session: Some(session.clone()),
                ..MarkQuery::default()
            };
            known.push((session.clone(), history.recorded_prompts(&query)?));
        }
        let marks = known.iter().find(|(name, _)| name == session);
        let mut marks = marks.into_iter().flat_map(|(_, marks)| marks);
        let prompt = marks.find(|mark| mark.sequence < step.operation.sequence);
        contributions.push(Contribution {
            prompt: prompt.cloned(),
            is_a_persons: step.operation.is_made_by_person(),
            operation: Arc::clone(&step.operation),
        });
    }
    Ok(contributions)
}
