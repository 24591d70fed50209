//! The recorded changes in a folder that is too wide to be a project, such as the home folder: those of the files directly
//! in it. Changes of the projects below it are undone in these projects, under their rules.

use std::path::PathBuf;

use lancet::history::{FileChange, History, LogQuery, Operation, ReversalDirection};

use super::access::unreadable_failure;
use crate::failure::Failure;
use crate::surroundings::{Surroundings, wide_working_folder};
use crate::terminal::{escape_for_terminal, print_error};

/// A working folder that is too wide to be a project.
pub(super) struct WideFolder {
    folder: PathBuf,
}

impl WideFolder {
    /// Returns the working folder if it is too wide to be a project, and no root was given.
    pub(super) fn detect(given: &[PathBuf], around: &Surroundings) -> Option<Self> {
        let folder = wide_working_folder(given, around)?;
        Some(Self { folder })
    }

    /// Lists the changes that belong to the folder itself, newest first.
    pub(super) fn own_changes(
        &self,
        history: &History,
        query: &LogQuery,
    ) -> Result<Vec<Operation>, Failure> {
        let all = LogQuery {
            limit: None,
            ..query.clone()
        };
        let mut operations = history.log(&all).map_err(unreadable_failure)?;
        operations.retain(|operation| self.owns(operation));
        operations.truncate(query.limit.unwrap_or(usize::MAX));
        Ok(operations)
    }

    /// Leaves out the changes of projects.
    pub(super) fn retain_own(&self, operations: &mut Vec<Operation>) {
        operations.retain(|operation| self.owns(operation));
    }

    /// Returns the ids of the newest changes of the folder itself that can be undone, or redone.
    pub(super) fn newest(
        &self,
        history: &History,
        direction: ReversalDirection,
        number: usize,
    ) -> Result<Vec<String>, Failure> {
        let query = LogQuery {
            reversible: Some(direction),
            limit: Some(number),
            ..LogQuery::default()
        };
        let found = self.own_changes(history, &query)?;
        if found.is_empty() {
            let what = match direction {
                ReversalDirection::Redoable => "redo",
                _ => "undo",
            };
            return Err(Failure::refused(format!(
                "there is nothing to {what} among the files directly in {}; changes of a project are undone in the project, and `lancet log --all` lists them",
                escape_for_terminal(&self.folder.display().to_string())
            )));
        }
        Ok(found.into_iter().map(|operation| operation.id).collect())
    }

    /// Refuses a change that belongs to a project below the folder: the rules of that project apply to its undo.
    pub(super) fn require_own(&self, operation: &Operation) -> Result<(), Failure> {
        if self.owns(operation) {
            return Ok(());
        }
        let mut roots = operation
            .files
            .iter()
            .filter_map(|file| Some(&file.workspace.as_ref()?.root));
        let project = match roots.find(|root| **root != self.folder) {
            Some(root) => format!(": lancet undo {} --root {}", operation.id, root.display()),
            None => String::new(),
        };
        Err(Failure::refused(format!(
            "the change {} belongs to a project and is undone there{}",
            operation.id,
            escape_for_terminal(&project)
        )))
    }

    /// Reports what is not listed.
    pub(super) fn report_limits(&self) {
        print_error(&format!(
            "lancet: only changes of files directly in {} are listed; `lancet log --all` lists those of all projects\n",
            escape_for_terminal(&self.folder.display().to_string())
        ));
    }

    /// Returns whether all files of a change are directly in the folder. A change without files is a move of HEAD, and
    /// so a project's.
    fn owns(&self, operation: &Operation) -> bool {
        let is_own = |file: &FileChange| {
            let workspace = file.workspace.as_ref();
            workspace.is_some_and(|workspace| workspace.root == self.folder)
        };
        !operation.files.is_empty() && operation.files.iter().all(is_own)
    }
}
