//! Carries a plan out: in one commit of all its files, or in two if some of them are in the way of the others. If the
//! second one fails, the first one is undone.

use std::path::PathBuf;

use lancet_workspace::{CommitError, FolderRemoval, Workspace, WriteOutcome, WriteWarning};

use super::batch::Batch;
use super::put_back::put_back;
use super::{FailedCommit, refuse};
use crate::stages::announce::{OldStateStorage, PendingOperation};
use crate::stages::context::CallContext;
use crate::stages::empty_folders;
use crate::stages::examine;
use crate::stages::interrupted::InterruptedRecovery;
use crate::stages::plan::{FilePlan, Plan};

/// Writes all files of a plan, or none.
pub(super) fn carry_out(
    context: &CallContext<'_>,
    plan: &Plan,
    announced: &PendingOperation,
) -> Result<Vec<WriteOutcome>, FailedCommit> {
    let writing = PlanWriting {
        context,
        plan,
        announced,
        workspace: match announced.keeping {
            OldStateStorage::History => &context.engine().workspace,
            OldStateStorage::Nothing => context.engine().stateless_workspace(),
        },
    };
    context.cancel.begin_writing();
    let outcome = writing.write_all();
    if !matches!(
        outcome,
        Ok(_) | Err(CommitError::Partly { .. } | CommitError::Conflict { .. })
    ) {
        context.cancel.wrote_nothing();
    }
    match outcome {
        Ok(written) => Ok(written),
        Err(CommitError::Changed { index } | CommitError::Exists { index }) => {
            let clash = examine::clash::same_name_refusal(&plan.files, index);
            Err(clash.map_or(FailedCommit::Changed, |refusal| {
                FailedCommit::Refused(Box::new(refusal))
            }))
        }
        Err(CommitError::FolderMoved { .. }) => Err(FailedCommit::Changed),
        Err(error @ CommitError::Partly { .. }) => Err(FailedCommit::Partly(Box::new(refuse(
            context, plan, &error,
        )))),
        Err(error) => Err(FailedCommit::Refused(Box::new(refuse(
            context, plan, &error,
        )))),
    }
}

/// A plan that is being carried out. Errors name files by their index in the plan.
pub(super) struct PlanWriting<'w, 'c> {
    pub(super) context: &'w CallContext<'c>,
    pub(super) plan: &'w Plan,
    pub(super) announced: &'w PendingOperation,
    pub(super) workspace: &'w Workspace,
}

impl PlanWriting<'_, '_> {
    fn write_all(&self) -> Result<Vec<WriteOutcome>, CommitError> {
        let files = &self.plan.files;
        let obstacles = &self.plan.origin.obstacles;
        let all = 0..files.len();
        let (first, rest): (Vec<usize>, Vec<usize>) = all
            .clone()
            .partition(|at| obstacles.are_removed_by(&files[*at]));
        let folders = empty_folders::folders_left_behind(self.plan);
        if first.is_empty() || rest.is_empty() {
            let all: Vec<usize> = all.collect();
            return self.write_files(&all, &folders);
        }
        let removed = self.write_files(&first, &obstacles.folders)?;
        match self.write_files(&rest, &folders) {
            Ok(written) => {
                let first = first.into_iter().zip(removed);
                let mut all: Vec<_> = first.chain(rest.into_iter().zip(written)).collect();
                all.sort_by_key(|(at, _)| *at);
                Ok(all.into_iter().map(|(_, written)| written).collect())
            }
            Err(error) => Err(put_back(self, &first, &removed, error)),
        }
    }

    /// Writes some files of the plan in one commit, and removes these folders if they are empty then.
    fn write_files(
        &self,
        files: &[usize],
        folders: &[PathBuf],
    ) -> Result<Vec<WriteOutcome>, CommitError> {
        let leaving = (!folders.is_empty()).then(|| self.workspace.plan_folder_removal(folders));
        let mut batch = Batch::new(self.plan);
        let mut settling = InterruptedRecovery::new();
        let mut written = loop {
            let writes = batch.writes(self.context, self.announced, files);
            let (writes, owners) = writes.into_parts();
            match self
                .workspace
                .commit(writes)
                .map_err(|error| owners.with_plan_positions(error))
            {
                Ok(written) => break owners.group_by_file(written),
                // Bounded by the number of files.
                Err(CommitError::NoRename { index }) if batch.switch_to_copy(index) => {}
                // Bounded by the time limit of `settling`.
                Err(CommitError::Unsettled { .. }) if settling.recover_once_more(self.context) => {}
                Err(error) => return Err(error),
            }
        };
        let stays = leaving.map(FolderRemoval::remove).unwrap_or_default();
        for (folder, _) in stays {
            let has = |file: &FilePlan| file.new.folders_to_remove().contains(&folder);
            let at = files.iter().position(|at| has(&self.plan.files[*at]));
            if let Some(written) = at.and_then(|at| written.get_mut(at)) {
                written.warnings.push(WriteWarning::FolderStays(folder));
            }
        }
        Ok(written)
    }
}
