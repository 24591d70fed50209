//! The operation of a look: which differences are changes of files, and which of them belong to the call.

use std::collections::HashSet;

use lancet_git::{CleanFiles, GitIndex};
use lancet_history::{
    Checkpoint, EntryChange, HistoryError, LogQuery, Operation, OperationKind, OperationStore,
    RecordedCall, WorkspaceRef,
};

use crate::beside::CallsBeside;
use crate::compare::EntryDifference;
use crate::contents::ContentRecorder;
use crate::coverage::ScanCoverage;
use crate::coverage_change::CoverageCheck;
use crate::git_view::head_move;
use crate::left_to_git::leave_to_git;
use crate::look::{LookPurpose, Moment};
use crate::operation::{Folders, OperationFiles, compute_operation_files};

/// A look whose differences were computed.
pub(crate) struct ComparedLook<'l> {
    pub(crate) workspace: WorkspaceRef<'l>,
    pub(crate) store: &'l dyn OperationStore,
    pub(crate) coverage: &'l ScanCoverage<'l>,
    pub(crate) moment: &'l Moment<'l>,
    pub(crate) folders: &'l Folders,
    /// What changed after the newest checkpoint.
    pub(crate) changes: &'l [EntryChange],
    pub(crate) index: Option<&'l GitIndex>,
    /// The files that no longer have the names of the checkpoint before the call, by device and inode.
    pub(crate) left: &'l HashSet<(i64, i64)>,
}

impl ComparedLook<'_> {
    /// Computes the files of the operation, and the details of the call that made it, from the differences to the
    /// checkpoint `since`.
    pub(crate) fn attribute_changes(
        &self,
        purpose: &LookPurpose<'_>,
        since: &Checkpoint,
        differences: Vec<EntryDifference>,
        clean: &mut Option<CleanFiles>,
        contents: &mut ContentRecorder<'_>,
    ) -> Result<(OperationFiles, RecordedCall), HistoryError> {
        let mut recorded = purpose
            .call
            .map(|call| call.call.clone())
            .unwrap_or_default();
        let mut real = CoverageCheck {
            root: self.moment.root,
            path: self.workspace.root,
            coverage: self.coverage,
            folders: &self.folders.before,
            since: since.time,
            left: self.left,
        }
        .real(differences, clean, contents)?;
        if purpose.leaves_to_git() {
            recorded.as_in_git = leave_to_git(&mut real, self.index, contents)?;
        }
        if let Some(call) = purpose.call.filter(|call| call.number.is_some()) {
            let shared = CallsBeside {
                workspace: self.workspace,
                store: self.store,
                since: since.number,
                newest: self.moment.newest.unwrap_or(since.number),
                paths: call.paths,
                open: self.moment.open,
                changes: self.changes,
            }
            .set_apart(&mut real)?;
            recorded.shared.extend(shared.paths);
            recorded.shared_with.extend(shared.sessions);
        }
        let between = self.operations_since(since)?;
        recorded.since = Some(since.number);
        recorded.head = head_move(since.head.as_ref(), self.moment.head, &between);
        let (root, number) = (self.workspace.root, Some(since.number));
        let changed =
            compute_operation_files(root, real, self.folders, &between, number, contents)?;
        recorded.not_kept.clone_from(&changed.not_kept);
        Ok((changed, recorded))
    }

    /// Returns the operations that were recorded after a checkpoint.
    fn operations_since(&self, since: &Checkpoint) -> Result<Vec<Operation>, HistoryError> {
        let query = LogQuery {
            below: vec![self.workspace.root.to_path_buf()],
            after: Some(since.sequence),
            ..LogQuery::default()
        };
        let mut between = self.store.query_log(&query)?;
        between.retain(|operation| operation.kind != OperationKind::Late);
        Ok(between)
    }
}
