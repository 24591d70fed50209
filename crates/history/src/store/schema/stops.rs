//! The migration step that adds the sessions whose writes the user has stopped, and when and by which client an open
//! session began.

/// The statements.
pub(super) const STOP_TABLES: &str = "
    -- Sessions whose writes a person has stopped, until the person lets them write again.
    CREATE TABLE stopped_sessions (
        session    TEXT    NOT NULL PRIMARY KEY,
        time       INTEGER NOT NULL,      -- milliseconds since 1970
        decided_by TEXT    NOT NULL,
        words      TEXT                   -- for the model
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE open_sessions ADD COLUMN time INTEGER; -- milliseconds since 1970
    ALTER TABLE open_sessions ADD COLUMN version TEXT; -- of the client
";
