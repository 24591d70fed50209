//! The review in SQLite: each method runs the statements of `looks.rs` and `comments.rs` on the open database, and
//! records the event that belongs to it in the same transaction.

use std::path::Path;

use super::events::{self, NewEvent};
use super::transaction::WriteTransaction;
use super::{HistoryError, Store, comments, looks};
use crate::event::EventKind;
use crate::review::{
    Comment, CommentDraft, CommentQuery, DeliveredWith, LastLook, NewLook, PartialUndo,
    ReplacedLook, ReviewStore, UnseenFile, UnseenQuery,
};

impl ReviewStore for Store {
    fn unseen_files(&self, query: &UnseenQuery) -> Result<Vec<UnseenFile>, HistoryError> {
        Ok(self
            .run_on_database(|connection| looks::list_unseen(connection, query))?
            .0)
    }

    fn last_look(
        &self,
        path: &Path,
        without: &[[u8; 32]],
    ) -> Result<(Option<LastLook>, i64), HistoryError> {
        Ok(self
            .run_on_database(|connection| looks::find_last_look(connection, path, without))?
            .0)
    }

    fn record_looks(&self, looks: &[NewLook]) -> Result<Vec<ReplacedLook>, HistoryError> {
        let (replaced, _) = self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let replaced = looks::record_looks(&transaction, looks)?;
            append_reviewed_event(&transaction, looks.len())?;
            transaction.commit()?;
            Ok(replaced)
        })?;
        Ok(replaced)
    }

    fn record_looks_at_all(
        &self,
        query: &UnseenQuery,
        upto: i64,
    ) -> Result<Vec<ReplacedLook>, HistoryError> {
        let (replaced, _) = self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let looks = looks::looks_at_all_files(&transaction, query, upto)?;
            let replaced = looks::record_looks(&transaction, &looks)?;
            append_reviewed_event(&transaction, looks.len())?;
            transaction.commit()?;
            Ok(replaced)
        })?;
        Ok(replaced)
    }

    fn take_looks_back(&self, looks: &[ReplacedLook]) -> Result<usize, HistoryError> {
        let (number, _) = self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let number = looks::take_looks_back(&transaction, looks)?;
            append_reviewed_event(&transaction, number)?;
            transaction.commit()?;
            Ok(number)
        })?;
        Ok(number)
    }

    fn partial_undos(&self, path: &Path) -> Result<Vec<PartialUndo>, HistoryError> {
        Ok(self
            .run_on_database(|connection| looks::partial_undos(connection, path))?
            .0)
    }

    fn add_comment(&self, comment: &CommentDraft<'_>) -> Result<Option<i64>, HistoryError> {
        let (id, _) = self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let id = comments::insert_comment(&transaction, comment)?;
            if id.is_some() {
                append_commented_event(&transaction, comment.session, comment.event)?;
            }
            transaction.commit()?;
            Ok(id)
        })?;
        Ok(id)
    }

    fn list_comments(&self, query: &CommentQuery) -> Result<Vec<Comment>, HistoryError> {
        Ok(self
            .run_on_database(|connection| comments::list_comments(connection, query))?
            .0)
    }

    fn withdraw_comment(&self, id: i64) -> Result<bool, HistoryError> {
        Ok(self
            .run_on_database(|connection| comments::withdraw_comment(connection, id))?
            .0)
    }

    fn waiting_comments(&self, session: &str) -> Result<Vec<Comment>, HistoryError> {
        // Each answer asks this.
        if self.nothing_waits() {
            return Ok(Vec::new());
        }
        Ok(self
            .run_on_database(|connection| comments::waiting_comments(connection, session))?
            .0)
    }

    fn deliver_comment(&self, id: i64, with: DeliveredWith) -> Result<bool, HistoryError> {
        let (delivered, _) = self.run_on_database(|connection| {
            let transaction = WriteTransaction::begin(connection)?;
            let Some(comment) = comments::mark_delivered(&transaction, id, with)? else {
                return Ok(false);
            };
            let body = format!(
                "{{\"comment\":{id},\"state\":\"delivered\",\"with\":\"{}\"}}",
                with.as_str()
            );
            append_commented_event(&transaction, &comment.session, &body)?;
            transaction.commit()?;
            Ok(true)
        })?;
        Ok(delivered)
    }
}

fn append_reviewed_event(transaction: &WriteTransaction<'_>, files: usize) -> rusqlite::Result<()> {
    if files == 0 {
        return Ok(());
    }
    let event = NewEvent {
        kind: EventKind::Reviewed,
        workspace: None,
        session: None,
        client: None,
        body: &format!("{{\"files\":{files}}}"),
    };
    events::append_event(transaction, &event)?;
    Ok(())
}

fn append_commented_event(
    transaction: &WriteTransaction<'_>,
    session: &str,
    body: &str,
) -> rusqlite::Result<()> {
    let event = NewEvent {
        kind: EventKind::Commented,
        workspace: None,
        session: Some(session),
        client: None,
        body,
    };
    events::append_event(transaction, &event)?;
    Ok(())
}
