-- A history database with the first 6 steps of the schema and three operations.
PRAGMA foreign_keys = OFF;
BEGIN TRANSACTION;
CREATE TABLE begun (
        id       TEXT    NOT NULL PRIMARY KEY,
        process  TEXT    NOT NULL
    ) STRICT, WITHOUT ROWID;
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
INSERT INTO "contents" VALUES(1,X'0000000000000000000000000000000000000000000000000000000000000000',3,32,NULL,0,3,X'6F6C64');
INSERT INTO "contents" VALUES(2,X'0000000000000000000000000000000000000000000000000000000000000001',12,32,NULL,0,12,X'6F7030303030303030303032');
INSERT INTO "contents" VALUES(3,X'0000000000000000000000000000000000000000000000000000000000000002',12,32,NULL,0,12,X'6F7030303030303030303031');
INSERT INTO "contents" VALUES(4,X'0000000000000000000000000000000000000000000000000000000000000003',12,32,NULL,0,12,X'6F7030303030303030303033');
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
INSERT INTO "files" VALUES('op0000000001',0,X'2F702F61',1,NULL,1,33188,NULL,3,33188,NULL,2,1,X'',NULL);
INSERT INTO "files" VALUES('op0000000002',0,X'2F702F61',1,NULL,1,33188,NULL,2,33188,NULL,2,1,X'',NULL);
INSERT INTO "files" VALUES('op0000000003',0,X'2F702F61',1,NULL,1,33188,NULL,4,33188,NULL,2,1,X'',NULL);
CREATE TABLE journal (
        id      INTEGER PRIMARY KEY AUTOINCREMENT,
        process TEXT    NOT NULL,         -- that is at it
        decided INTEGER NOT NULL,         -- 1: all of it stands
        intent  BLOB    NOT NULL          -- in the words of the door to the disk
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
INSERT INTO "operations" VALUES('op0000000001',1000,0,1,'talk',NULL,NULL,NULL,NULL,'Edit','exact','mode accept-edits');
INSERT INTO "operations" VALUES('op0000000002',1000,0,1,'talk',NULL,NULL,NULL,NULL,'Edit','exact','mode accept-edits');
INSERT INTO "operations" VALUES('op0000000003',1000,0,1,'talk',NULL,NULL,NULL,NULL,'Edit','exact','mode accept-edits');
CREATE TABLE parted (                 -- files that a change took out of their other names (hard links)
        operation TEXT    NOT NULL REFERENCES operations (id) ON DELETE CASCADE,
        file      INTEGER NOT NULL,
        PRIMARY KEY (operation, file)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE refusals (
        hour     INTEGER NOT NULL,        -- hours since 1970
        session  TEXT    NOT NULL,
        tool     TEXT    NOT NULL,
        name     TEXT    NOT NULL,
        count    INTEGER NOT NULL,
        PRIMARY KEY (hour, session, tool, name)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE sessions (
        id    INTEGER PRIMARY KEY,
        name  TEXT    NOT NULL UNIQUE,
        used  INTEGER NOT NULL,           -- seconds since 1970
        turn  INTEGER NOT NULL            -- counts the saves
    ) STRICT;
CREATE TABLE taken_back (
        operation TEXT    NOT NULL,       -- the one that takes back
        file      INTEGER NOT NULL,
        earlier   TEXT    NOT NULL,       -- the one that is taken back
        at        INTEGER NOT NULL,
        PRIMARY KEY (operation, earlier, at)
    ) STRICT, WITHOUT ROWID;
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
CREATE INDEX ledger_by_use ON ledger (session, used);
CREATE INDEX contents_in_files ON contents (stored) WHERE form & 15 = 1;
CREATE INDEX files_by_path ON files (path, operation);
CREATE INDEX files_by_before ON files (before) WHERE before IS NOT NULL;
CREATE INDEX files_by_after ON files (after) WHERE after IS NOT NULL;
CREATE INDEX contents_by_base ON contents (base) WHERE base IS NOT NULL;
CREATE INDEX taken_back_by_earlier ON taken_back (earlier);
CREATE INDEX contents_unsealed ON contents (id) WHERE form < 16;
DELETE FROM "sqlite_sequence";
COMMIT;
PRAGMA user_version = 6;
