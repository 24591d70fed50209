//! Writes the differences of a checkpoint. The first one of a large project has a row for each of its files, so the
//! statements are prepared once.

use rusqlite::{CachedStatement, params};

use crate::checkpoint::{CheckpointEntry, ContentIdentity, EntryChange};
use crate::store::contents;
use crate::store::transaction::WriteTransaction;

/// Writes the entries of one checkpoint.
pub(super) struct EntryWriter<'t> {
    transaction: &'t WriteTransaction<'t>,
    workspace: i64,
    number: i64,
    insert: CachedStatement<'t>,
    touch: CachedStatement<'t>,
    /// Ends the span of an entry; none if the root has no entries yet.
    end: Option<CachedStatement<'t>>,
}

impl<'t> EntryWriter<'t> {
    pub(super) fn prepare(
        transaction: &'t WriteTransaction<'t>,
        workspace: i64,
        number: i64,
    ) -> rusqlite::Result<Self> {
        let end = "UPDATE checkpoint_files SET until = ?3 WHERE workspace = ?1 AND name = ?2 AND until IS NULL";
        let has_entries: bool = transaction
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM checkpoint_files WHERE workspace = ?1)")?
            .query_row([workspace], |row| row.get(0))?;
        let end = has_entries.then(|| transaction.prepare_cached(end));
        Ok(EntryWriter {
            transaction,
            workspace,
            number,
            insert: transaction.prepare_cached(
                "INSERT INTO checkpoint_files
                     (workspace, name, since, kind, mode, size, identity, link, content, stamp)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?,
            touch: transaction.prepare_cached(
                "UPDATE checkpoint_files SET identity = ?3, content = coalesce(?4, content), stamp = ?5
                 WHERE workspace = ?1 AND name = ?2 AND until IS NULL",
            )?,
            end: end.transpose()?,
        })
    }

    /// Records one difference.
    pub(super) fn apply(&mut self, change: &EntryChange) -> rusqlite::Result<()> {
        match change {
            EntryChange::Gone(name) => self.end(name),
            EntryChange::Now(entry) => {
                self.end(&entry.name)?;
                self.insert(entry)
            }
            EntryChange::Touched(entry) => {
                let content = stored_content(self.transaction, &entry.identity)?;
                self.touch.execute(params![
                    self.workspace,
                    entry.name,
                    identity_bytes(&entry.identity),
                    content,
                    entry.stamp.encode_compact()
                ])?;
                Ok(())
            }
        }
    }

    fn end(&mut self, name: &[u8]) -> rusqlite::Result<()> {
        if let Some(end) = &mut self.end {
            end.execute(params![self.workspace, name, self.number])?;
        }
        Ok(())
    }

    fn insert(&mut self, entry: &CheckpointEntry) -> rusqlite::Result<()> {
        let content = stored_content(self.transaction, &entry.identity)?;
        self.insert.execute(params![
            self.workspace,
            entry.name,
            self.number,
            entry.kind.database_number(),
            entry.mode,
            entry.size as i64,
            identity_bytes(&entry.identity),
            entry.link,
            content,
            entry.stamp.encode_compact()
        ])?;
        Ok(())
    }
}

fn identity_bytes(identity: &ContentIdentity) -> Option<&[u8]> {
    match identity {
        ContentIdentity::Unknown => None,
        ContentIdentity::Revision(revision) => Some(revision),
        ContentIdentity::Blob(id) => Some(id),
    }
}

/// Returns the stored content of an entry, which is no longer loose.
pub(super) fn stored_content(
    transaction: &WriteTransaction<'_>,
    identity: &ContentIdentity,
) -> rusqlite::Result<Option<i64>> {
    let ContentIdentity::Revision(revision) = identity else {
        return Ok(None);
    };
    let found = contents::content_id(transaction, revision)?;
    if let Some(id) = found {
        transaction
            .prepare_cached("DELETE FROM loose_contents WHERE content = ?1")?
            .execute([id])?;
    }
    Ok(found)
}
