//! The migration step that adds the tables of the review: the last look at each file, hunks that were undone, and
//! comments.

/// The tables of the review. Changes recorded earlier count as seen: a user who gets the review with a new version is
/// not shown the changes of the last weeks.
pub(super) const REVIEW_TABLES: &str = "
    CREATE TABLE looks (
        path      BLOB    NOT NULL,
        workspace INTEGER NOT NULL,       -- in `workspaces`; 0 where it is not known
        revision  BLOB,                   -- of the content that was looked at; NULL where there was no file
        sequence  INTEGER NOT NULL,       -- of the newest operation that was looked at
        time      INTEGER NOT NULL,       -- milliseconds since 1970
        PRIMARY KEY (path, workspace)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX looks_by_sequence ON looks (sequence);
    CREATE TABLE first_look (             -- one row: operations up to this sequence count as seen
        id        INTEGER PRIMARY KEY CHECK (id = 1),
        sequence  INTEGER NOT NULL
    ) STRICT;
    INSERT INTO first_look SELECT 1, coalesce(max(sequence), 0) FROM operations;
    CREATE TABLE parts_taken_back (       -- changes that an operation took one hunk back of
        operation TEXT    NOT NULL REFERENCES operations (id) ON DELETE CASCADE,
        file      INTEGER NOT NULL,
        earlier   TEXT    NOT NULL,
        at        INTEGER NOT NULL,
        PRIMARY KEY (operation, file, earlier, at)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE comments (
        id        INTEGER PRIMARY KEY AUTOINCREMENT,
        kind      INTEGER NOT NULL,       -- 0 a person's words, 1 lines that a person took back
        time      INTEGER NOT NULL,       -- milliseconds since 1970
        session   TEXT    NOT NULL,
        path      BLOB    NOT NULL,
        first     INTEGER NOT NULL,       -- line, from 1; 0: the whole file
        last      INTEGER NOT NULL,
        revision  BLOB,                   -- that the lines are of
        words     TEXT    NOT NULL,
        operation TEXT,                   -- that took lines back
        delivered INTEGER,                -- when, in milliseconds since 1970; NULL while it waits
        way       INTEGER                 -- 0 with an answer, 1 with a prompt
    ) STRICT;
    CREATE INDEX comments_waiting ON comments (session) WHERE delivered IS NULL;
";

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::REVIEW_TABLES;
    use crate::store::schema::{MIGRATIONS, apply_migrations};

    #[test]
    fn changes_recorded_before_review_count_as_seen() {
        let step = MIGRATIONS
            .iter()
            .position(|step| *step == REVIEW_TABLES)
            .expect("a step");
        let mut connection = Connection::open_in_memory().expect("opens");
        apply_migrations(&mut connection, &MIGRATIONS[..step]).expect("the version before");
        let operation =
            "INSERT INTO operations (id, time, kind, state, session, tool, rungs, sequence)
                         VALUES ('a', 0, 0, 1, 's', 'Edit', '', 7)";
        connection.execute(operation, []).expect("recorded");
        apply_migrations(&mut connection, MIGRATIONS).expect("the current version");
        let seen = connection.query_row("SELECT sequence FROM first_look", [], |row| row.get(0));
        assert_eq!(seen, Ok(7));
    }
}
