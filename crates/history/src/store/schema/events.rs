//! The migration step that gives a change the number of its event, so that an event is one row without an index.

/// The statements. A row of `files` names its event, so events need no index by operation, and a deleted row takes its
/// event along. `removed_events` has the highest number that was removed, so no number is assigned twice without
/// AUTOINCREMENT.
pub(super) const STEP: &str = "
    ALTER TABLE files ADD COLUMN event INTEGER; -- in `events`; NULL until the change is known to be made
    UPDATE files SET event = (SELECT max(e.seq) FROM events e
        WHERE e.operation = files.operation AND e.file = files.at);
    ALTER TABLE events RENAME TO older_events;
    CREATE TABLE events (
        seq       INTEGER PRIMARY KEY,
        time      INTEGER NOT NULL,       -- milliseconds since 1970
        kind      INTEGER NOT NULL,       -- 0 changed, 1 waiting, 2 decided, 3 session, 4 reviewed, 5 commented
        operation TEXT,                   -- of a change, which has all about it
        file      INTEGER,                -- the index of the file in the operation
        workspace INTEGER,
        session   TEXT,
        client    TEXT,
        body      TEXT                    -- the other fields, as JSON
    ) STRICT;
    INSERT INTO events (seq, time, kind, operation, file, workspace, session, client, body)
        SELECT seq, time, kind, operation, file, workspace, session, client, body FROM older_events;
    UPDATE removed_events SET upto = assigned.seq
        FROM (SELECT seq FROM sqlite_sequence WHERE name = 'older_events') AS assigned
        WHERE upto < assigned.seq AND assigned.seq > (SELECT coalesce(max(seq), 0) FROM events);
    DROP TABLE older_events;
    CREATE TRIGGER note_removed_events AFTER DELETE ON events BEGIN
        UPDATE removed_events SET upto = old.seq WHERE upto < old.seq;
    END;
    CREATE TRIGGER remove_event_of_file AFTER DELETE ON files WHEN old.event IS NOT NULL BEGIN
        DELETE FROM events WHERE seq = old.event;
    END;
";

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::STEP;
    use crate::store::schema::{MIGRATIONS, apply_migrations};

    /// Returns a database of the version before this step, with two changes of which the second was removed.
    fn at_the_version_before() -> Connection {
        let step = MIGRATIONS
            .iter()
            .position(|step| *step == STEP)
            .expect("a step");
        let mut connection = Connection::open_in_memory().expect("opens");
        apply_migrations(&mut connection, &MIGRATIONS[..step]).expect("the version before");
        connection
            .execute_batch(
                "PRAGMA foreign_keys = ON;
                 INSERT INTO operations (id, time, kind, state, session, tool, rungs, sequence)
                     VALUES ('a', 0, 0, 1, 's', 'Edit', '', 1), ('b', 0, 0, 1, 's', 'Edit', '', 2);
                 INSERT INTO files (operation, at, path, kind, before_mode, after_mode, added, removed, folders)
                     VALUES ('a', 0, x'61', 1, 0, 0, 0, 0, x''), ('a', 1, x'62', 1, 0, 0, 0, 0, x''),
                            ('b', 0, x'61', 1, 0, 0, 0, 0, x'');
                 INSERT INTO events (time, kind, operation, file) VALUES (5, 0, 'a', 1), (6, 0, 'a', 0), (7, 0, 'b', 0);
                 DELETE FROM operations WHERE id = 'b';",
            )
            .expect("recorded");
        connection
    }

    fn numbers(connection: &Connection, sql: &str) -> Vec<i64> {
        connection
            .prepare(sql)
            .and_then(|mut query| query.query_map([], |row| row.get(0))?.collect())
            .expect("read")
    }

    #[test]
    fn events_that_an_older_lancet_recorded_keep_their_numbers_and_go_with_their_changes() {
        let mut connection = at_the_version_before();
        apply_migrations(&mut connection, MIGRATIONS).expect("the current version");
        let of_files = "SELECT event FROM files WHERE operation = 'a' ORDER BY at";
        assert_eq!(numbers(&connection, of_files), [2, 1]);
        let removed = "SELECT upto FROM removed_events";
        assert_eq!(numbers(&connection, removed), [3]);
        assert_eq!(
            numbers(&connection, "SELECT time FROM events ORDER BY seq"),
            [5, 6]
        );
        connection
            .execute("DELETE FROM operations", [])
            .expect("removed");
        assert_eq!(numbers(&connection, "SELECT seq FROM events"), []);
        assert_eq!(numbers(&connection, removed), [3]);
    }

    #[test]
    fn a_number_that_only_the_sequence_knew_is_not_assigned_again() {
        let mut connection = at_the_version_before();
        connection
            .execute_batch("UPDATE sqlite_sequence SET seq = 40 WHERE name = 'events'")
            .expect("set");
        apply_migrations(&mut connection, MIGRATIONS).expect("the current version");
        assert_eq!(
            numbers(&connection, "SELECT upto FROM removed_events"),
            [40]
        );
    }
}
