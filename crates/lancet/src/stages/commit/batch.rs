//! The batch of writes that carries a plan out. A move is a single rename, or two writes where it also changes the file
//! or leads to another file system: a copy that keeps owner, permission bits and attributes, and the removal of the
//! original.

use lancet_workspace::{
    CommitError, ExecutableChange, ExpectedState, FileWrite, NewBytes, WriteOutcome,
};

use super::write_options;
use crate::stages::announce::PendingOperation;
use crate::stages::context::CallContext;
use crate::stages::plan::{FilePlan, NewContent, Plan, PlannedMove};

/// How each file of a plan is written.
pub(super) struct Batch<'p> {
    plan: &'p Plan,
    /// Whether each file of the plan is moved by a copy, or copied instead of linked.
    copied: Vec<bool>,
}

/// The writes of a batch.
pub(super) struct Writes<'p> {
    pub(super) writes: Vec<FileWrite<'p>>,
    /// The file of the plan that each write belongs to.
    files: Vec<usize>,
}

impl<'p> Batch<'p> {
    /// Plans a rename wherever one is possible.
    pub(super) fn new(plan: &'p Plan) -> Batch<'p> {
        let changes = |file: &FilePlan, moved: &PlannedMove| {
            !moved.changes.is_empty()
                || moved.mode.is_some()
                || file.executable != ExecutableChange::Keep
        };
        let files = plan.files.iter();
        Batch {
            plan,
            copied: files
                .map(|file| file.moved().is_some_and(|moved| changes(file, moved)))
                .collect(),
        }
    }

    /// Moves a file by a copy from now on, or gives a name a file of its own instead of a hard link. Returns false where
    /// it is so already, or where that makes no difference.
    pub(super) fn switch_to_copy(&mut self, at: usize) -> bool {
        let file = self.plan.files.get(at);
        let is_file = file.is_some_and(|file| {
            matches!(file.expected, ExpectedState::Content { .. })
                || matches!(file.new, NewContent::HardLink(_))
        });
        match self.copied.get_mut(at) {
            Some(copied) if is_file && !*copied => {
                *copied = true;
                true
            }
            _ => false,
        }
    }

    /// Builds the writes of some files of the plan, in order.
    pub(super) fn writes(
        &self,
        context: &CallContext<'_>,
        announced: &PendingOperation,
        files: &[usize],
    ) -> Writes<'p> {
        let mut all = Writes {
            writes: Vec::with_capacity(files.len()),
            files: Vec::with_capacity(files.len()),
        };
        for &at in files {
            let file = &self.plan.files[at];
            let mut write = FileWrite {
                located: &file.target.located,
                expected: file.expected.clone(),
                new: new_content_of_file(file, self.copied[at]),
                revision: announced.revisions.get(at).copied().flatten(),
                options: write_options(context, self.plan, file),
            };
            write.options.old = announced.old_file_handling(file);
            let Some(moved) = file.moved() else {
                all.push(at, write);
                continue;
            };
            let from = &moved.from.located;
            let revision = file.expected.revision().filter(|_| self.copied[at]);
            let Some(revision) = revision else {
                write.located = from;
                all.push(at, write);
                continue;
            };
            let copy = FileWrite {
                expected: ExpectedState::Missing,
                new: NewBytes::CopiedFrom {
                    from,
                    revision,
                    changes: &moved.changes,
                },
                ..write.clone()
            };
            all.push(at, copy);
            write.located = from;
            write.new = NewBytes::Nothing;
            write.revision = None;
            all.push(at, write);
        }
        all
    }
}

impl<'p> Writes<'p> {
    fn push(&mut self, at: usize, write: FileWrite<'p>) {
        self.writes.push(write);
        self.files.push(at);
    }

    /// Returns the file of the plan that a write belongs to.
    fn file_of(files: &[usize], write: usize) -> usize {
        files.get(write).copied().unwrap_or(write)
    }

    /// Splits the batch into its writes and the file that each belongs to.
    pub(super) fn into_parts(self) -> (Vec<FileWrite<'p>>, Owners) {
        (self.writes, Owners(self.files))
    }
}

/// The file of the plan that each write of a batch belongs to.
pub(super) struct Owners(Vec<usize>);

impl Owners {
    /// Groups the results by file: the second write of a move reports what happened to the original.
    pub(super) fn group_by_file(&self, written: Vec<WriteOutcome>) -> Vec<WriteOutcome> {
        let mut all: Vec<WriteOutcome> = Vec::with_capacity(written.len());
        for (at, written) in written.into_iter().enumerate() {
            match all.last_mut() {
                Some(copy) if at > 0 && self.0.get(at) == self.0.get(at - 1) => {
                    copy.durable &= written.durable;
                    copy.displaced = written.displaced;
                    for warning in written.warnings {
                        if !copy.warnings.contains(&warning) {
                            copy.warnings.push(warning);
                        }
                    }
                }
                _ => all.push(written),
            }
        }
        all
    }

    /// Converts the positions in an error from the batch to the plan.
    pub(super) fn with_plan_positions(&self, error: CommitError) -> CommitError {
        let file = |write: usize| Writes::file_of(&self.0, write);
        use CommitError as E;
        match error {
            E::Changed { index } => E::Changed { index: file(index) },
            E::Exists { index } => E::Exists { index: file(index) },
            E::FolderMoved { index } => E::FolderMoved { index: file(index) },
            E::RootMoved { index, root } => E::RootMoved {
                index: file(index),
                root,
            },
            E::Busy { index, waited } => E::Busy {
                index: file(index),
                waited,
            },
            E::ReadOnly { index, reason } => E::ReadOnly {
                index: file(index),
                reason,
            },
            E::Unsafe { index, reason } => E::Unsafe {
                index: file(index),
                reason,
            },
            E::Unsettled { index } => E::Unsettled { index: file(index) },
            E::NoRename { index } => E::NoRename { index: file(index) },
            E::Twice { first, second } => E::Twice {
                first: file(first),
                second: file(second),
            },
            E::Conflict { index, kept } => E::Conflict {
                index: file(index),
                kept,
            },
            E::Io {
                index,
                step,
                source,
            } => E::Io {
                index: file(index),
                step,
                source,
            },
            E::Partly {
                cause,
                standing,
                kept,
            } => {
                let mut standing: Vec<usize> = standing.into_iter().map(file).collect();
                standing.dedup();
                E::Partly {
                    cause: Box::new(self.with_plan_positions(*cause)),
                    standing,
                    kept,
                }
            }
        }
    }
}

/// Returns the new content of a file; for a move, of the file that is moved.
fn new_content_of_file(file: &FilePlan, is_copied: bool) -> NewBytes<'_> {
    let new = match &file.new {
        NewContent::HardLink(link) if !is_copied => {
            return NewBytes::HardLink {
                to: &link.to.located,
                revision: link.revision,
            };
        }
        NewContent::HardLink(link) => &link.otherwise,
        new => new,
    };
    match (new, &file.base) {
        (NewContent::Whole(bytes) | NewContent::Restored { bytes, .. }, _) => {
            NewBytes::Whole(bytes)
        }
        (NewContent::Link { target }, _) => NewBytes::Link(target),
        (NewContent::EmptyFolder { mode }, _) => NewBytes::EmptyFolder { mode: *mode },
        // The content of a link's own file is never a link again.
        (NewContent::Removed { .. } | NewContent::HardLink(_), _) => NewBytes::Nothing,
        (NewContent::Moved(_), _) => NewBytes::MovedTo(&file.target.located),
        (
            NewContent::Copied {
                content, revision, ..
            },
            _,
        ) => NewBytes::Copied {
            from: content,
            length: content.0.size(),
            revision: *revision,
        },
        (NewContent::Changes(changes), Some(base)) => NewBytes::Spliced {
            base: &base.bytes,
            changes,
        },
        (NewContent::Changes(changes) | NewContent::Streamed(changes), _) => {
            NewBytes::Streamed { changes }
        }
    }
}
