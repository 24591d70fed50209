//! The migration step that adds checkpoints, and the details of calls of other programs.

/// The statements.
pub(super) const CHECKPOINT_TABLES: &str = "
    CREATE TABLE checkpoints (
        number    INTEGER PRIMARY KEY AUTOINCREMENT,
        id        TEXT    NOT NULL UNIQUE,
        workspace INTEGER NOT NULL,       -- in `workspaces`
        time      INTEGER NOT NULL,       -- milliseconds since 1970
        kind      INTEGER NOT NULL,       -- 0 by hand, 1 before a call, 2 after it, 3 at a prompt
        name      TEXT,
        session   TEXT    NOT NULL,
        sequence  INTEGER NOT NULL,       -- of the newest operation at that time
        files     INTEGER NOT NULL,       -- how many entries it has
        process   TEXT                    -- that waits for the end of the call, of one before a call
    ) STRICT;
    CREATE INDEX checkpoints_by_workspace ON checkpoints (workspace, number);
    CREATE TABLE checkpoint_files (       -- an entry from one checkpoint of its root to another
        workspace INTEGER NOT NULL,
        name      BLOB    NOT NULL,       -- relative to the root
        since     INTEGER NOT NULL,       -- the first checkpoint that has it
        until     INTEGER,                -- the first one that does not; NULL while the newest has it
        kind      INTEGER NOT NULL,       -- 0 file, 1 symbolic link, 2 empty folder
        mode      INTEGER NOT NULL,
        size      INTEGER NOT NULL,
        identity  BLOB,                   -- 32 bytes: BLAKE3; 20: of git's blob
        link      BLOB,                   -- the target
        content   INTEGER,                -- contents
        stamp     BLOB    NOT NULL,
        PRIMARY KEY (workspace, name, since)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX checkpoint_files_ended ON checkpoint_files (workspace, until) WHERE until IS NOT NULL;
    CREATE INDEX checkpoint_files_by_content ON checkpoint_files (content) WHERE content IS NOT NULL;
    CREATE TABLE loose_contents (         -- stored ahead of the checkpoint that will name them
        content   INTEGER PRIMARY KEY,
        time      INTEGER NOT NULL        -- seconds since 1970
    ) STRICT;
    CREATE TABLE recorded_calls (         -- of other programs, each with the operation that its changes are
        operation TEXT    NOT NULL PRIMARY KEY REFERENCES operations (id) ON DELETE CASCADE,
        command   TEXT,
        exit_code INTEGER,
        duration  INTEGER NOT NULL,       -- milliseconds
        name      TEXT,
        not_kept  BLOB    NOT NULL        -- paths, each ended by NUL
    ) STRICT, WITHOUT ROWID;
";
