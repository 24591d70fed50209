//! The migration step that lets the history follow files and roots that other programs moved, and adds an index to
//! find the operations of a session.

/// The statements.
pub(super) const MOVE_TABLES: &str = "
    CREATE INDEX operations_by_session ON operations (session, sequence);
    -- The inode numbers of the file that a change replaced and of the one that it left; NULL where they are not known.
    ALTER TABLE files ADD COLUMN before_inode INTEGER;
    ALTER TABLE files ADD COLUMN inode INTEGER;
    CREATE TABLE former_names (           -- of files that another program moved after the change
        operation TEXT    NOT NULL REFERENCES operations (id) ON DELETE CASCADE,
        file      INTEGER NOT NULL,
        path      BLOB    NOT NULL,       -- when the change was made
        PRIMARY KEY (operation, file)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE former_roots (           -- the paths that a root had earlier
        workspace INTEGER NOT NULL,       -- in `workspaces`
        root      BLOB    NOT NULL,
        sequence  INTEGER NOT NULL,       -- of the newest operation that was made there
        PRIMARY KEY (workspace, root)
    ) STRICT, WITHOUT ROWID;
";
