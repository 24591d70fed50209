//! Review: what was written since a person's last look, file by file as one difference over several operations. The
//! person marks it as seen, undoes one hunk, or comments on lines. Comments reach the session once, with its next
//! answer or prompt.
//!
//! There is one last look at each file in a state folder. A file is to be reviewed if an operation touched it since.
//! For a file that was never looked at, the last look is when the state folder began to record looks, so that nothing
//! of what an older lancet recorded is to be reviewed. Operations that a person made on the page, and undo, redo and
//! restore at the shell, need no review by themselves.
//!
//! A hunk is removed from the disk's bytes by counting through the difference between what was shown and what is there
//! now; a difference that touches the hunk is a conflict. The operation names the changes of which it undid a part
//! (`parts_taken_back`); these changes stay in effect. An undo of such a change includes the parts if all of them are
//! meant, and merges otherwise.

pub(crate) mod chain;
pub(crate) mod contributors;
pub(crate) mod file;
pub(crate) mod lines;

mod comments;
mod count;
mod groups;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_history::{IdMatch, NewLook, Operation, OperationStore, ReplacedLook, UnseenQuery};

pub use crate::undo::{HunkLines, HunkSource, HunkUndoRequest, InvalidHunk};
pub use comments::{CommentError, MAX_COMMENT_LENGTH, NewComment};
pub use count::{MAX_COUNTED_FILES, ReviewTally};
pub use file::{Contribution, ReviewHunk, ReviewText, ReviewedFile};
pub use groups::{ReviewGroup, group_files};
pub use lancet_history::{
    Comment, CommentKind, DeliveredWith, HistoryError, PAGE_CLIENT, SHELL_CLIENT, UnseenFile,
};

use crate::approval::{Answer, Approver, Question, Wait};
use crate::call::Caller;
use crate::engine::Lancet;
use crate::history::History;
use crate::reply::Reply;
use crate::stages;
use chain::Chain;

/// The review of the files below the roots of one engine.
///
/// ```
/// use lancet::review::ReviewText;
/// use lancet::tools::WriteArguments;
/// use lancet::{Lancet, Mode};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (folder, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// let lancet = Lancet::builder()
///     .root(folder.path())
///     .state_dir(state.path())
///     .mode(Mode::AcceptEdits)
///     .open()?;
/// lancet.new_session().write(WriteArguments::new(folder.path().join("a.txt"), "a\n"));
/// let review = lancet.review().ok_or("no state folder")?;
/// let list = review.list(10)?;
/// assert!(matches!(&list.files[0].text, ReviewText::Lines { hunks, .. } if hunks.len() == 1));
/// review.mark_seen(&list.files[0].path, &list.files[0].operation)?;
/// assert!(review.list(10)?.files.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Reviews {
    lancet: Lancet,
    history: History,
    store: Arc<dyn OperationStore>,
}

/// The files to review.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReviewList {
    /// The files with the newest operations, as many as were requested.
    pub files: Vec<ReviewedFile>,
    /// The other files, by name.
    pub others: Vec<UnseenFile>,
    /// The sequence of the newest operation in the list, as [`mark_all_seen`](Reviews::mark_all_seen) takes it.
    pub upto: i64,
}

/// Files that were marked as seen, as [`mark_unseen`](Reviews::mark_unseen) takes them.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct MarkedSeen {
    /// The number of files.
    pub files: usize,
    /// The looks, with what they replaced; a file that was moved has one for each of its names.
    replaced: Vec<ReplacedLook>,
}

impl Lancet {
    /// Opens the review; none without a state folder.
    pub fn review(&self) -> Option<Reviews> {
        Some(Reviews {
            lancet: self.clone(),
            history: self.history()?,
            store: Arc::clone(self.engine().history()?),
        })
    }
}

impl Reviews {
    /// Lists the files to review: `most` files with their differences, and the names of the others.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn list(&self, most: usize) -> Result<ReviewList, HistoryError> {
        let mut unseen = self.unseen_files()?.into_iter();
        let upto = unseen.as_slice().iter().map(|file| file.newest).max();
        let mut files = Vec::new();
        while files.len() < most {
            let Some(next) = unseen.next() else { break };
            files.extend(self.file(&next.path)?);
        }
        Ok(ReviewList {
            files,
            others: unseen.collect(),
            upto: upto.unwrap_or(0),
        })
    }

    /// Returns the names of the files that have operations since the last look. Some of them may be as they were at the
    /// last look.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn unseen_files(&self) -> Result<Vec<UnseenFile>, HistoryError> {
        self.store.unseen_files(&self.unseen_query()?)
    }

    /// Returns what is to be reviewed of one file; none where nothing is.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn file(&self, path: &Path) -> Result<Option<ReviewedFile>, HistoryError> {
        let Some(chain) = Chain::load(&*self.store, path, None, &self.other_workspace_ids()?)?
        else {
            return Ok(None);
        };
        let is_all_own = chain
            .steps
            .iter()
            .all(|step| step.operation.is_made_by_person());
        match is_all_own || !self.covers(path) {
            true => Ok(None),
            false => file::review_file(&self.history, &*self.store, path, &chain),
        }
    }

    /// Returns the path of the file at index `at` of an operation, or `None` if no such file is below the roots.
    /// `operation` is the whole id.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn path_of(&self, operation: &str, at: usize) -> Result<Option<PathBuf>, HistoryError> {
        let IdMatch::One(found) = self.store.find(operation, &self.lancet.roots())? else {
            return Ok(None);
        };
        let mut files = found.files.iter();
        let file = files.find(|file| file.at == at && found.id == operation);
        let path = file.map(|file| file.path.clone());
        Ok(path.filter(|path| self.covers(path)))
    }

    /// Moves the last look at a file to the state that the operation with this id left: to exactly what was shown, not
    /// to what was written meanwhile. False if the file has no such operation.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn mark_seen(&self, path: &Path, operation: &str) -> Result<bool, HistoryError> {
        let marked = self.mark_each_seen(&[(path.to_path_buf(), operation.to_owned())])?;
        Ok(marked.files == 1)
    }

    /// Moves the last look at several files at once, each to the newest operation that was shown of it. Files that are
    /// not files of their operations are left out.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn mark_each_seen(&self, shown: &[(PathBuf, String)]) -> Result<MarkedSeen, HistoryError> {
        let mut looks = Vec::new();
        let mut number = 0;
        for (path, id) in shown {
            let IdMatch::One(operation) = self.store.find(id, &self.lancet.roots())? else {
                continue;
            };
            let mut files = operation.files.iter();
            let change = files.find(|file| file.path == *path && operation.id == *id);
            let Some(change) = change.filter(|_| self.covers(path)) else {
                continue;
            };
            number += 1;
            let workspace = change.workspace.as_ref().map(|found| found.id);
            let look = |path: &Path, revision| NewLook {
                path: path.to_path_buf(),
                workspace,
                revision,
                sequence: operation.sequence,
            };
            looks.push(look(path, chain::revision(&change.after)));
            // The file's earlier names are marked as seen, too.
            let chain = Chain::load(&*self.store, path, Some(id), &self.other_workspace_ids()?)?;
            for step in chain.iter().flat_map(|chain| &chain.steps) {
                let old = step.change().moved_from.as_deref();
                looks.extend(old.map(|old| NewLook {
                    sequence: step.operation.sequence,
                    ..look(old, None)
                }));
            }
        }
        let replaced = self.store.record_looks(&looks)?;
        Ok(MarkedSeen {
            files: number,
            replaced,
        })
    }

    /// Moves the last look at the files of an operation that a person has read before it was written: at those of which
    /// nothing else is to be reviewed.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn mark_read_operation(&self, operation: &Operation) -> Result<MarkedSeen, HistoryError> {
        let mut read = Vec::new();
        for file in &operation.files {
            let unseen = self.store.unseen_files(&UnseenQuery {
                path: Some(file.path.clone()),
                ..self.unseen_query()?
            })?;
            let is_only_one =
                |file: &UnseenFile| file.operations == 1 && file.operation == operation.id;
            if unseen.iter().all(is_only_one) && !unseen.is_empty() {
                read.push((file.path.clone(), operation.id.clone()));
            }
        }
        self.mark_each_seen(&read)
    }

    /// Moves the last look at every file that is to be reviewed to the state that the operation with the sequence
    /// `upto`, or the last one before it, left.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn mark_all_seen(&self, upto: i64) -> Result<MarkedSeen, HistoryError> {
        let replaced = self
            .store
            .record_looks_at_all(&self.unseen_query()?, upto)?;
        Ok(MarkedSeen {
            files: replaced.len(),
            replaced,
        })
    }

    /// Withdraws looks: what they covered is to be reviewed again. A file that was looked at since keeps the newer
    /// look. Returns the number of looks that were withdrawn.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn mark_unseen(&self, marked: &MarkedSeen) -> Result<usize, HistoryError> {
        self.store.take_looks_back(&marked.replaced)
    }

    /// Returns the hunks of each file of an operation, as a request to undo a hunk names them. A file that cannot be
    /// compared by line, or may not be shown, has none.
    ///
    /// # Errors
    /// The state folder cannot be read.
    pub fn hunks(&self, operation: &Operation) -> Result<Vec<Vec<ReviewHunk>>, HistoryError> {
        let operation = Arc::new(operation.clone());
        let files = 0..operation.files.len();
        files
            .map(|file| file::hunks_of(&self.history, &*self.store, &operation, file))
            .collect()
    }

    /// Undoes exactly one hunk, as a separate operation, if its lines are on the disk as they were shown. Otherwise the
    /// answer is the refusal `conflict`, and the file stays as it is. The caller must have the person's yes. Protected
    /// names and what the policy denies are refused all the same.
    pub fn undo_hunk(&self, asked: HunkUndoRequest) -> Reply {
        let caller = Caller::client(PAGE_CLIENT, env!("CARGO_PKG_VERSION"));
        let session = self.lancet.new_session().with_approver(RequestedByPerson);
        stages::run_hunk_undo(&session, caller, asked)
    }

    fn unseen_query(&self) -> Result<UnseenQuery, HistoryError> {
        Ok(UnseenQuery {
            below: self.lancet.roots(),
            without: self.other_workspace_ids()?,
            ..UnseenQuery::default()
        })
    }

    fn other_workspace_ids(&self) -> Result<Vec<[u8; 32]>, HistoryError> {
        Ok(self.lancet.engine().other_workspaces()?.ids())
    }

    fn covers(&self, path: &Path) -> bool {
        self.lancet.engine().is_writable(path)
    }
}

/// Answers the question about a change that the person has just requested.
struct RequestedByPerson;

impl Approver for RequestedByPerson {
    fn ask(&self, question: &Question, _: &Wait) -> Answer {
        match question.is_protected() {
            true => Answer::No(Some(
                "its name is protected, or it may not be read; `lancet undo` at a terminal asks about such files".into(),
            )),
            false => Answer::Yes,
        }
    }

    fn consent_given_in_advance(&self, _protected: bool) -> Option<String> {
        Some("a person on the page".to_owned())
    }
}
