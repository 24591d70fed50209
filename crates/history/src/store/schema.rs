//! The schema and its migrations. A released step never changes; a later change is a new step, and `user_version`
//! counts the steps that were applied.

mod checkpoints;
mod events;
mod heads;
mod moves;
mod parents;
mod program_calls;
mod review;
mod stops;
mod sub_agents;

use rusqlite::{Connection, TransactionBehavior};

/// The migrations, from an empty database to the current schema.
pub(super) const MIGRATIONS: &[&str] = &["
    CREATE TABLE sessions (
        id    INTEGER PRIMARY KEY,
        name  TEXT    NOT NULL UNIQUE,
        used  INTEGER NOT NULL,           -- seconds since 1970
        turn  INTEGER NOT NULL            -- counts the saves
    ) STRICT;
    CREATE TABLE ledger (
        session  INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        path     BLOB    NOT NULL,
        revision BLOB    NOT NULL,
        size     INTEGER NOT NULL,
        stamp    BLOB    NOT NULL,
        seen     BLOB    NOT NULL,
        flags    INTEGER NOT NULL,        -- 1: partial view
        wrote    BLOB,                    -- the revision that the session left
        writer   INTEGER NOT NULL,        -- which process saved the row
        used     INTEGER NOT NULL,        -- the session's turn at that save
        PRIMARY KEY (session, path)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX ledger_by_use ON ledger (session, used);
", "
    CREATE TABLE contents (
        id       INTEGER PRIMARY KEY,
        revision BLOB    NOT NULL UNIQUE, -- BLAKE3 of the bytes
        size     INTEGER NOT NULL,        -- of the bytes
        form     INTEGER NOT NULL,        -- 0 bytes, 1 a file in contents/, 2 spans; +16: compressed; +32: is not worth it
        base     INTEGER,                 -- spans: the content that they change
        depth    INTEGER NOT NULL,        -- how many spans lie between this and whole bytes
        stored   INTEGER NOT NULL,        -- bytes that it takes
        data     BLOB
    ) STRICT;
    CREATE INDEX contents_in_files ON contents (stored) WHERE form & 15 = 1;
    CREATE TABLE operations (
        id       TEXT    NOT NULL PRIMARY KEY,
        time     INTEGER NOT NULL,        -- milliseconds since 1970
        kind     INTEGER NOT NULL,        -- 0 change, 1 undo, 2 redo
        state    INTEGER NOT NULL,        -- 1 done (begun while it stands in the table of that name), 2 unsure
        session  TEXT    NOT NULL,
        client   TEXT,
        version  TEXT,
        turn     TEXT,
        call     TEXT,
        tool     TEXT    NOT NULL,
        rungs    TEXT    NOT NULL,        -- with commas
        approved TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE begun (
        id       TEXT    NOT NULL PRIMARY KEY,
        process  TEXT    NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE files (
        operation   TEXT    NOT NULL REFERENCES operations (id) ON DELETE CASCADE,
        at          INTEGER NOT NULL,
        path        BLOB    NOT NULL,
        kind        INTEGER NOT NULL,     -- 0 create, 1 update, 2 delete, 3 move
        moved_from  BLOB,
        before      INTEGER,              -- contents
        before_mode INTEGER NOT NULL,
        before_link BLOB,
        after       INTEGER,
        after_mode  INTEGER NOT NULL,
        after_link  BLOB,
        added       INTEGER NOT NULL,
        removed     INTEGER NOT NULL,
        folders     BLOB    NOT NULL,     -- made for it, each ended by NUL
        undone      TEXT,                 -- the operation that took it back
        PRIMARY KEY (operation, at)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX files_by_path ON files (path, operation);
    CREATE TABLE taken_back (
        operation TEXT    NOT NULL,       -- the one that takes back
        file      INTEGER NOT NULL,
        earlier   TEXT    NOT NULL,       -- the one that is taken back
        at        INTEGER NOT NULL,
        PRIMARY KEY (operation, earlier, at)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE refusals (
        hour     INTEGER NOT NULL,        -- hours since 1970
        session  TEXT    NOT NULL,
        tool     TEXT    NOT NULL,
        name     TEXT    NOT NULL,
        count    INTEGER NOT NULL,
        PRIMARY KEY (hour, session, tool, name)
    ) STRICT, WITHOUT ROWID;
", "
    CREATE TABLE unsealed (
        file      BLOB    NOT NULL PRIMARY KEY, -- in the state folder
        path      BLOB    NOT NULL,             -- the file of the user that it was
        revision  BLOB    NOT NULL,
        size      INTEGER NOT NULL,
        mode      INTEGER NOT NULL,
        session   TEXT    NOT NULL,
        operation TEXT    NOT NULL,             -- the change that displaced it
        process   TEXT    NOT NULL,             -- that looks after it
        late      TEXT                          -- the operation that has what came late, to be told
    ) STRICT, WITHOUT ROWID;
", "
    -- Who needs a content, and which contents wait to be compressed: so that letting old operations go and sealing are
    -- steps of some rows each, however long the history is.
    CREATE INDEX files_by_before ON files (before) WHERE before IS NOT NULL;
    CREATE INDEX files_by_after ON files (after) WHERE after IS NOT NULL;
    CREATE INDEX contents_by_base ON contents (base) WHERE base IS NOT NULL;
    UPDATE contents SET form = form + 32 WHERE form < 16 AND stored < 256;
    CREATE INDEX taken_back_by_earlier ON taken_back (earlier);
    CREATE INDEX contents_unsealed ON contents (id) WHERE form < 16;
", "
    CREATE TABLE journal (
        id      INTEGER PRIMARY KEY AUTOINCREMENT,
        process TEXT    NOT NULL,         -- that is at it
        decided INTEGER NOT NULL,         -- 1: all of it stands
        intent  BLOB    NOT NULL          -- in the words of the door to the disk
    ) STRICT;
", "
    CREATE TABLE parted (                 -- files that a change took out of their other names (hard links)
        operation TEXT    NOT NULL REFERENCES operations (id) ON DELETE CASCADE,
        file      INTEGER NOT NULL,
        PRIMARY KEY (operation, file)
    ) STRICT, WITHOUT ROWID;
", "
    -- The order of recording: the clock may be set back between two changes, and then ids sort otherwise.
    ALTER TABLE operations ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
    UPDATE operations SET sequence = numbered.place
        FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM operations) AS numbered
        WHERE numbered.id = operations.id;
    CREATE INDEX operations_by_sequence ON operations (sequence);
    -- When a clean-up first found it older than the limit, in milliseconds since 1970: it goes at a later one.
    ALTER TABLE operations ADD COLUMN overdue INTEGER;
    CREATE INDEX operations_overdue ON operations (overdue) WHERE overdue IS NOT NULL;
    ALTER TABLE refusals ADD COLUMN overdue INTEGER;
", "
    -- Where the lines stand whose numbers were shown; NULL where they stand where their numbers say.
    ALTER TABLE ledger ADD COLUMN numbers BLOB;
", "
    -- The changes of a file under the name that a move took from it.
    CREATE INDEX files_by_moved_from ON files (moved_from) WHERE moved_from IS NOT NULL;
", "
    -- Refusals by the folder they were met in; empty where an older lancet counted them.
    ALTER TABLE refusals RENAME TO older_refusals;
    CREATE TABLE refusals (
        hour     INTEGER NOT NULL,        -- hours since 1970
        session  TEXT    NOT NULL,
        tool     TEXT    NOT NULL,
        name     TEXT    NOT NULL,
        folder   BLOB    NOT NULL,
        count    INTEGER NOT NULL,
        overdue  INTEGER,
        PRIMARY KEY (hour, session, tool, name, folder)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO refusals SELECT hour, session, tool, name, x'', count, overdue FROM older_refusals;
    DROP TABLE older_refusals;
", "
    -- Where in its changes a session was when a person sent a prompt.
    CREATE TABLE marks (
        id       INTEGER PRIMARY KEY AUTOINCREMENT,
        session  TEXT    NOT NULL,
        time     INTEGER NOT NULL,        -- milliseconds since 1970
        sequence INTEGER NOT NULL,        -- of the newest operation at that time
        prompt   TEXT    NOT NULL         -- at most 80 characters
    ) STRICT;
    CREATE INDEX marks_by_session ON marks (session, id);
    CREATE TABLE agent_processes (        -- the session that an agent's hooks reported last
        process  TEXT    NOT NULL PRIMARY KEY,
        session  TEXT    NOT NULL,
        time     INTEGER NOT NULL         -- seconds since 1970
    ) STRICT, WITHOUT ROWID;
", "
    -- Questions to a person. `call` recognises the same call when it is sent again, `plan` the same change.
    CREATE TABLE questions (
        id          TEXT    NOT NULL PRIMARY KEY,
        call        BLOB    NOT NULL,     -- BLAKE3 of workspace, session, tool and arguments
        plan        BLOB    NOT NULL,     -- BLAKE3 of the files, their versions and the new bytes
        time        INTEGER NOT NULL,     -- milliseconds since 1970
        workspace   INTEGER,              -- in `workspaces`
        session     TEXT    NOT NULL,
        client      TEXT,
        call_id     TEXT,
        tool        TEXT    NOT NULL,
        arguments   BLOB    NOT NULL,     -- of the call, compressed
        process     TEXT    NOT NULL,     -- that asked
        ended       INTEGER,              -- when that process was found to have ended
        shown       BLOB    NOT NULL,     -- the question, compressed
        state       INTEGER NOT NULL,     -- 0 open, 1 approved, 2 rejected, 3 used, 4 superseded
        decision    BLOB,
        decided_by  TEXT,
        decided     INTEGER,
        delivered   INTEGER NOT NULL,     -- 1: the caller was told of a no
        followed_by TEXT,                 -- the operation that used the yes up, or the question that took its place
        answer      BLOB                  -- of the call that used the yes up, compressed
    ) STRICT;
    CREATE INDEX questions_by_call ON questions (call, time);
    CREATE INDEX questions_open ON questions (session) WHERE state = 0;
    CREATE INDEX questions_followed ON questions (followed_by) WHERE followed_by IS NOT NULL;
    CREATE TABLE question_files (
        question TEXT    NOT NULL REFERENCES questions (id) ON DELETE CASCADE,
        at       INTEGER NOT NULL,
        path     BLOB    NOT NULL,
        kind     INTEGER NOT NULL,        -- as in `files`
        added    INTEGER NOT NULL,
        removed  INTEGER NOT NULL,
        revision BLOB,                    -- from here on as in `ledger`: what the session had seen
        size     INTEGER,
        stamp    BLOB,
        seen     BLOB,
        flags    INTEGER,
        wrote    BLOB,
        numbers  BLOB,
        PRIMARY KEY (question, at)
    ) STRICT, WITHOUT ROWID;
", "
    -- The roots that files were changed below, each told apart from other folders that had the same path.
    CREATE TABLE workspaces (
        number   INTEGER PRIMARY KEY,
        id       BLOB    NOT NULL UNIQUE, -- BLAKE3 of path, inode and birth time
        root     BLOB    NOT NULL
    ) STRICT;
    CREATE INDEX workspaces_by_root ON workspaces (root);
    ALTER TABLE files ADD COLUMN workspace INTEGER; -- NULL where an older lancet recorded the change
    -- What happened, in the order of the transactions that recorded it.
    CREATE TABLE events (
        seq       INTEGER PRIMARY KEY AUTOINCREMENT,
        time      INTEGER NOT NULL,       -- milliseconds since 1970
        kind      INTEGER NOT NULL,       -- 0 changed, 1 waiting, 2 decided, 3 session
        operation TEXT    REFERENCES operations (id) ON DELETE CASCADE, -- of a change, which has all about it
        file      INTEGER,                -- the index of the file in the operation
        workspace INTEGER,
        session   TEXT,
        client    TEXT,
        body      TEXT                    -- the other fields, as JSON
    ) STRICT;
    CREATE INDEX events_by_operation ON events (operation) WHERE operation IS NOT NULL;
    CREATE TABLE removed_events (         -- one row: up to this number events may be missing
        id        INTEGER PRIMARY KEY CHECK (id = 1),
        upto      INTEGER NOT NULL
    ) STRICT;
    INSERT INTO removed_events VALUES (1, 0);
    CREATE TRIGGER note_removed_events AFTER DELETE ON events BEGIN
        UPDATE removed_events SET upto = old.seq WHERE upto < old.seq;
    END;
    CREATE TABLE open_sessions (          -- whose end has not been told
        process   TEXT    NOT NULL,
        session   TEXT    NOT NULL,
        client    TEXT,
        workspace INTEGER,
        body      TEXT    NOT NULL,
        PRIMARY KEY (process, session)
    ) STRICT, WITHOUT ROWID;
", review::REVIEW_TABLES, stops::STOP_TABLES, parents::PARENT_COLUMNS, sub_agents::SUB_AGENT_TABLES, moves::MOVE_TABLES, checkpoints::CHECKPOINT_TABLES, program_calls::STEP, events::STEP, heads::STEP];

/// The reason why a database could not be migrated.
#[derive(Debug)]
pub(super) enum MigrateError {
    /// A newer version of lancet made the database: it has more steps than are known here.
    Newer { found: i64, known: i64 },
    /// SQLite reported an error.
    Sqlite(rusqlite::Error),
}

/// A newer version of lancet has migrated the database while it was open.
#[derive(Debug, thiserror::Error)]
#[error("the database has the schema version {found}")]
pub(super) struct NewerSchema {
    pub(super) found: i64,
}

impl From<rusqlite::Error> for MigrateError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// Applies the missing steps in one transaction.
pub(super) fn apply_migrations(
    connection: &mut Connection,
    steps: &[&str],
) -> Result<(), MigrateError> {
    let known = steps.len() as i64;
    // Most of the time nothing is missing, and no write lock is needed.
    if schema_version(connection)? == known {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = schema_version(&transaction)?;
    let Some(missing) = usize::try_from(found)
        .ok()
        .and_then(|taken| steps.get(taken..))
    else {
        return Err(MigrateError::Newer { found, known });
    };
    for step in missing {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", known)?;
    transaction.commit()?;
    Ok(())
}

pub(super) fn schema_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::salvage;
    use crate::store::salvage::tests::{count_rows, insert_test_row};

    const FIRST_MIGRATION: &str =
        "CREATE TABLE notes (text TEXT NOT NULL); INSERT INTO notes VALUES ('kept');";
    const SECOND_MIGRATION: &str = "ALTER TABLE notes ADD COLUMN stars INTEGER NOT NULL DEFAULT 5;";

    fn database_at_first_version() -> Connection {
        let mut connection = Connection::open_in_memory().expect("opens");
        apply_migrations(&mut connection, &[FIRST_MIGRATION]).expect("first step");
        connection
    }

    #[test]
    fn migrates_older_database_and_keeps_rows() {
        let mut connection = database_at_first_version();
        apply_migrations(&mut connection, &[FIRST_MIGRATION, SECOND_MIGRATION])
            .expect("second step");
        let row: (String, i64) = connection
            .query_row("SELECT text, stars FROM notes", [], |row| row.try_into())
            .expect("the one row");
        assert_eq!(row, ("kept".to_owned(), 5));
        assert_eq!(schema_version(&connection), Ok(2));
    }

    /// Returns the statements that made the tables and indexes.
    fn schema_statements(connection: &Connection) -> Vec<String> {
        connection
            .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
            .and_then(|mut query| query.query_map([], |row| row.get(0))?.collect())
            .expect("read")
    }

    #[test]
    fn migrates_every_earlier_version_to_current_schema() {
        let migrated_from = |taken: usize| {
            let mut connection = Connection::open_in_memory().expect("opens");
            apply_migrations(&mut connection, &MIGRATIONS[..taken]).expect("the earlier version");
            apply_migrations(&mut connection, MIGRATIONS).expect("the current version");
            schema_statements(&connection)
        };
        let current = migrated_from(MIGRATIONS.len());
        for taken in 0..MIGRATIONS.len() {
            assert_eq!(migrated_from(taken), current, "from version {taken}");
        }
    }

    #[test]
    fn migrating_any_earlier_version_keeps_rows() {
        for taken in 1..MIGRATIONS.len() {
            let mut connection = Connection::open_in_memory().expect("opens");
            apply_migrations(&mut connection, &MIGRATIONS[..taken]).expect("the earlier version");
            connection
                .execute_batch("PRAGMA foreign_keys = OFF")
                .expect("set");
            let tables = salvage::list_tables(&connection).expect("listed");
            for table in &tables {
                insert_test_row(&connection, table);
            }
            apply_migrations(&mut connection, MIGRATIONS).expect("the current version");
            for table in &tables {
                assert_eq!(
                    count_rows(&connection, table),
                    1,
                    "{table}, from version {taken}"
                );
            }
        }
    }

    #[test]
    fn failing_migration_leaves_database_unchanged() {
        let mut connection = database_at_first_version();
        let failing = "UPDATE notes SET text = 'lost'; SELECT * FROM nowhere;";
        assert!(matches!(
            apply_migrations(
                &mut connection,
                &[FIRST_MIGRATION, SECOND_MIGRATION, failing]
            ),
            Err(MigrateError::Sqlite(_))
        ));
        assert_eq!(schema_version(&connection), Ok(1));
        assert_eq!(
            connection.query_row("SELECT * FROM notes", [], |row| row.get(0)),
            Ok("kept".to_owned())
        );
    }

    #[test]
    fn refuses_newer_database() {
        let mut connection = database_at_first_version();
        connection
            .pragma_update(None, "user_version", 7)
            .expect("set");
        assert!(matches!(
            apply_migrations(&mut connection, &[FIRST_MIGRATION]),
            Err(MigrateError::Newer { found: 7, known: 1 })
        ));
    }
}
