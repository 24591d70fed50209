//! Writes the differences of a checkpoint. The first one of a large project has a row for each of its files, so the
//! statements are prepared once, and one statement inserts many rows.

use rusqlite::{CachedStatement, params};

use crate::checkpoint::{CheckpointEntry, ContentIdentity, EntryChange};
use crate::store::contents;
use crate::store::transaction::WriteTransaction;

/// The number of rows that one statement inserts.
const ROWS_PER_STATEMENT: usize = 64;
/// The number of parameters of a row that differ between the entries of a checkpoint.
const COLUMNS_OF_ENTRY: usize = 8;

/// Writes the entries of one checkpoint.
pub(super) struct EntryWriter<'t> {
    transaction: &'t WriteTransaction<'t>,
    workspace: i64,
    number: i64,
    insert: CachedStatement<'t>,
    touch: CachedStatement<'t>,
    /// Inserts many entries; none if the root has entries.
    insert_many: Option<CachedStatement<'t>>,
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
        let many = (!has_entries).then(insert_many_statement);
        let insert_many = many.map(|sql| transaction.prepare_cached(&sql));
        Ok(EntryWriter {
            transaction,
            workspace,
            number,
            insert: transaction.prepare_cached(
                "INSERT INTO checkpoint_files
                     (workspace, name, since, kind, mode, size, identity, link, content, stamp)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?,
            insert_many: insert_many.transpose()?,
            touch: transaction.prepare_cached(
                "UPDATE checkpoint_files SET identity = ?3, content = coalesce(?4, content), stamp = ?5
                 WHERE workspace = ?1 AND name = ?2 AND until IS NULL",
            )?,
            end: end.transpose()?,
        })
    }

    /// Records differences. New entries are inserted many at a time as far as nothing else is between them.
    pub(super) fn apply_all(&mut self, changes: &[EntryChange]) -> rusqlite::Result<()> {
        if self.insert_many.is_none() {
            return changes.iter().try_for_each(|change| self.apply(change));
        }
        for group in changes.chunks(ROWS_PER_STATEMENT) {
            let entries: Vec<&CheckpointEntry> = group
                .iter()
                .filter_map(|change| match change {
                    EntryChange::Now(entry) => Some(entry),
                    EntryChange::Touched(_) | EntryChange::Gone(_) => None,
                })
                .collect();
            match entries.len() == ROWS_PER_STATEMENT {
                true => self.insert_many(&entries)?,
                false => group.iter().try_for_each(|change| self.apply(change))?,
            }
        }
        Ok(())
    }

    /// Records one difference.
    fn apply(&mut self, change: &EntryChange) -> rusqlite::Result<()> {
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

    fn insert_many(&mut self, entries: &[&CheckpointEntry]) -> rusqlite::Result<()> {
        let Some(insert) = &mut self.insert_many else {
            return Ok(());
        };
        insert.raw_bind_parameter(1, self.workspace)?;
        insert.raw_bind_parameter(2, self.number)?;
        for (row, entry) in entries.iter().enumerate() {
            let content = stored_content(self.transaction, &entry.identity)?;
            let first = 3 + row * COLUMNS_OF_ENTRY;
            insert.raw_bind_parameter(first, &entry.name)?;
            insert.raw_bind_parameter(first + 1, entry.kind.database_number())?;
            insert.raw_bind_parameter(first + 2, entry.mode)?;
            insert.raw_bind_parameter(first + 3, entry.size as i64)?;
            insert.raw_bind_parameter(first + 4, identity_bytes(&entry.identity))?;
            insert.raw_bind_parameter(first + 5, &entry.link)?;
            insert.raw_bind_parameter(first + 6, content)?;
            insert.raw_bind_parameter(first + 7, entry.stamp.encode_compact())?;
        }
        insert.raw_execute()?;
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

/// Returns the statement that inserts many rows. All have the first two parameters.
fn insert_many_statement() -> String {
    let rows: Vec<String> = (0..ROWS_PER_STATEMENT)
        .map(|row| {
            let first = 3 + row * COLUMNS_OF_ENTRY;
            let others: Vec<String> = (first + 1..first + COLUMNS_OF_ENTRY)
                .map(|number| format!("?{number}"))
                .collect();
            format!("(?1, ?{first}, ?2, {})", others.join(", "))
        })
        .collect();
    format!(
        "INSERT INTO checkpoint_files (workspace, name, since, kind, mode, size, identity, link, content, stamp)
         VALUES {}",
        rows.join(", ")
    )
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
