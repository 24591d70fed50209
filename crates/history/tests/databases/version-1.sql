-- A history database with the first step of the schema and one session.
PRAGMA foreign_keys = OFF;
BEGIN TRANSACTION;
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
CREATE TABLE sessions (
        id    INTEGER PRIMARY KEY,
        name  TEXT    NOT NULL UNIQUE,
        used  INTEGER NOT NULL,           -- seconds since 1970
        turn  INTEGER NOT NULL            -- counts the saves
    ) STRICT;
INSERT INTO "sessions" VALUES(1,'kept',9999999999,1);
CREATE INDEX ledger_by_use ON ledger (session, used);
COMMIT;
PRAGMA user_version = 1;
