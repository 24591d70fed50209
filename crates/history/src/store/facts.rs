//! What the last change of this process has seen of the database. Each commit of any process changes the index of the
//! log (`log_check.rs`), so while the index is the same the next change need not query these rows again. A change of
//! one file then runs five statements before its swap and five after it, instead of ten, six and two more.

use std::path::Path;

use super::transaction::WriteTransaction;
use super::{contents, workspaces};
use crate::entry::Revision;
use crate::operation::DraftState;
use crate::workspace::WorkspaceRef;

/// How many contents are remembered: those before and after the latest changes.
const CONTENTS: usize = 8;

/// What is known of the database in one state of its log. A value that is not known is queried.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The highest sequence number of an operation. It is known only if nothing waits: no session's writes are
    /// stopped, no comment is to be delivered, and no write of several files is open.
    pub(super) sequence: Option<i64>,
    /// The highest number of an event.
    pub(super) event: Option<i64>,
    workspace: Option<([u8; 32], i64)>,
    contents: Vec<(Revision, i64)>,
}

impl Facts {
    /// Returns whether nothing waits for a session, and no write of several files is open.
    pub(super) fn nothing_waits(&self) -> bool {
        self.sequence.is_some()
    }

    /// Returns the number of a root; a new root gets one.
    pub(super) fn workspace(
        &mut self,
        transaction: &WriteTransaction<'_>,
        workspace: &WorkspaceRef<'_>,
    ) -> rusqlite::Result<i64> {
        if let Some((id, number)) = self.workspace
            && id == workspace.id
        {
            return Ok(number);
        }
        let number = workspaces::workspace_number(transaction, workspace)?;
        self.workspace = Some((workspace.id, number));
        Ok(number)
    }

    /// Stores a content unless it is stored already; returns its row id.
    pub(super) fn content(
        &mut self,
        transaction: &WriteTransaction<'_>,
        state: &Path,
        content: &DraftState<'_>,
    ) -> rusqlite::Result<i64> {
        let mut known = self.contents.iter();
        if let Some((_, id)) = known.find(|(revision, _)| *revision == content.revision) {
            return Ok(*id);
        }
        let id = contents::store_content(transaction, state, content)?;
        self.contents.truncate(CONTENTS - 1);
        self.contents.insert(0, (content.revision, id));
        Ok(id)
    }
}
