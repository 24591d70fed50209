//! The migration step that adds calls of other programs that have begun, and what recorded calls share.

/// The statements.
pub(super) const STEP: &str = "
    CREATE TABLE program_calls (          -- that have begun and whose end is not recorded
        number     INTEGER PRIMARY KEY AUTOINCREMENT,
        workspace  INTEGER NOT NULL,      -- in `workspaces`
        key        TEXT    NOT NULL,      -- identifies the call in the reports of its beginning and end
        session    TEXT    NOT NULL,
        tool       TEXT    NOT NULL,
        command    TEXT,
        paths      BLOB    NOT NULL,      -- that it names, each ended by NUL
        time       INTEGER NOT NULL,      -- milliseconds since 1970
        process    TEXT,                  -- that makes it
        looking    TEXT,                  -- the process that sets its checkpoint
        since      INTEGER,               -- the checkpoint before it; NULL until that is set
        background INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX program_calls_by_workspace ON program_calls (workspace, number);
    ALTER TABLE recorded_calls ADD COLUMN since INTEGER;                       -- the checkpoint before it
    ALTER TABLE recorded_calls ADD COLUMN shared BLOB NOT NULL DEFAULT x'';    -- paths, each ended by NUL
    ALTER TABLE recorded_calls ADD COLUMN shared_with TEXT NOT NULL DEFAULT ''; -- sessions, each ended by a newline
    ALTER TABLE recorded_calls ADD COLUMN as_in_git INTEGER NOT NULL DEFAULT 0; -- changed files that git has on both sides
";
