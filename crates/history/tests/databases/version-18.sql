-- A history database with the first 18 steps of the schema and one operation.
PRAGMA foreign_keys = OFF;
BEGIN TRANSACTION;
CREATE TABLE agent_processes (        -- the session that an agent's hooks reported last
        process  TEXT    NOT NULL PRIMARY KEY,
        session  TEXT    NOT NULL,
        time     INTEGER NOT NULL         -- seconds since 1970
    , turn INTEGER) STRICT, WITHOUT ROWID;
CREATE TABLE announced_calls (
        id      INTEGER PRIMARY KEY AUTOINCREMENT,
        key     TEXT    NOT NULL,         -- the call's id, or a hash of what it asks
        session TEXT    NOT NULL,
        several INTEGER NOT NULL,         -- 1: it may also be another conversation's
        time    INTEGER NOT NULL          -- seconds since 1970
    ) STRICT;
CREATE TABLE begun (
        id       TEXT    NOT NULL PRIMARY KEY,
        process  TEXT    NOT NULL
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
INSERT INTO "contents" VALUES(1,X'E0E63AA4C8E1ED796CB104D8A074E553C99FFF18D140E886667013EF2780AE23',4,32,NULL,0,4,X'6F6E650A');
INSERT INTO "contents" VALUES(2,X'EF40086AD8A395C7A05B5F70CF2575AD187F637AD813136292CB39610694DB73',4,32,NULL,0,4,X'74776F0A');
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
INSERT INTO "events" VALUES(1,1795052723886,0,'dyr0497aj7yk',0,NULL,NULL,NULL,NULL);
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
        undone      TEXT, workspace INTEGER, before_inode INTEGER, inode INTEGER,                 -- the operation that took it back
        PRIMARY KEY (operation, at)
    ) STRICT, WITHOUT ROWID;
INSERT INTO "files" VALUES('dyr0497aj7yk',0,X'2F746D702F746D702E4B4B6E624E6F4D5571762F702F612E747874',1,NULL,1,33188,NULL,2,33188,NULL,1,1,X'',NULL,1,10117247,10117518);
CREATE TABLE first_look (             -- one row: operations up to this sequence count as seen
        id        INTEGER PRIMARY KEY CHECK (id = 1),
        sequence  INTEGER NOT NULL
    ) STRICT;
INSERT INTO "first_look" VALUES(1,0);
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
CREATE TABLE heard_hooks (
        agent   TEXT    NOT NULL,
        event   TEXT    NOT NULL,
        time    INTEGER NOT NULL,         -- seconds since 1970
        PRIMARY KEY (agent, event)
    ) STRICT, WITHOUT ROWID;
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
        used     INTEGER NOT NULL, numbers BLOB,        -- the session's turn at that save
        PRIMARY KEY (session, path)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE looks (
        path      BLOB    NOT NULL,
        workspace INTEGER NOT NULL,       -- in `workspaces`; 0 where it is not known
        revision  BLOB,                   -- of the content that was looked at; NULL where there was no file
        sequence  INTEGER NOT NULL,       -- of the newest operation that was looked at
        time      INTEGER NOT NULL,       -- milliseconds since 1970
        PRIMARY KEY (path, workspace)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE marks (
        id       INTEGER PRIMARY KEY AUTOINCREMENT,
        session  TEXT    NOT NULL,
        time     INTEGER NOT NULL,        -- milliseconds since 1970
        sequence INTEGER NOT NULL,        -- of the newest operation at that time
        prompt   TEXT    NOT NULL         -- at most 80 characters
    ) STRICT;
CREATE TABLE open_sessions (          -- whose end has not been told
        process   TEXT    NOT NULL,
        session   TEXT    NOT NULL,
        client    TEXT,
        workspace INTEGER,
        body      TEXT    NOT NULL, time INTEGER, version TEXT,
        PRIMARY KEY (process, session)
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
    , sequence INTEGER NOT NULL DEFAULT 0, overdue INTEGER, parent TEXT) STRICT, WITHOUT ROWID;
INSERT INTO "operations" VALUES('dyr0497aj7yk',1795052723857,0,1,'unnamed-dyr0494710r0','lancet','0.1.0',NULL,NULL,'Write','','--yes, given beforehand; otherwise the mode is ask: every write is asked about',1,NULL,NULL);
CREATE TABLE parted (                 -- files that a change took out of their other names (hard links)
        operation TEXT    NOT NULL REFERENCES operations (id) ON DELETE CASCADE,
        file      INTEGER NOT NULL,
        PRIMARY KEY (operation, file)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE parts_taken_back (       -- changes that an operation took one hunk back of
        operation TEXT    NOT NULL REFERENCES operations (id) ON DELETE CASCADE,
        file      INTEGER NOT NULL,
        earlier   TEXT    NOT NULL,
        at        INTEGER NOT NULL,
        PRIMARY KEY (operation, file, earlier, at)
    ) STRICT, WITHOUT ROWID;
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
CREATE TABLE removed_events (         -- one row: up to this number events may be missing
        id        INTEGER PRIMARY KEY CHECK (id = 1),
        upto      INTEGER NOT NULL
    ) STRICT;
INSERT INTO "removed_events" VALUES(1,0);
CREATE TABLE sessions (
        id    INTEGER PRIMARY KEY,
        name  TEXT    NOT NULL UNIQUE,
        used  INTEGER NOT NULL,           -- seconds since 1970
        turn  INTEGER NOT NULL            -- counts the saves
    ) STRICT;
CREATE TABLE stopped_sessions (
        session    TEXT    NOT NULL PRIMARY KEY,
        time       INTEGER NOT NULL,      -- milliseconds since 1970
        decided_by TEXT    NOT NULL,
        words      TEXT                   -- for the model
    ) STRICT, WITHOUT ROWID;
CREATE TABLE sub_agents (
        session TEXT    NOT NULL PRIMARY KEY,
        parent  TEXT    NOT NULL,
        kind    TEXT,                     -- the agent's own word for it
        time    INTEGER NOT NULL,         -- when it was first reported, in milliseconds since 1970
        process TEXT,                     -- the agent's process, while the sub-agent runs in it
        running INTEGER,                  -- since when, in milliseconds since 1970; NULL where no end will be reported
        beside  INTEGER NOT NULL DEFAULT 0 -- 1: its parent goes on while it runs
    ) STRICT, WITHOUT ROWID;
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
CREATE TABLE workspaces (
        number   INTEGER PRIMARY KEY,
        id       BLOB    NOT NULL UNIQUE, -- BLAKE3 of path, inode and birth time
        root     BLOB    NOT NULL
    ) STRICT;
INSERT INTO "workspaces" VALUES(1,X'B94E5A3764447BB06DC583092F4ECC7A500024063E42B357F375B44B4962DB06',X'2F746D702F746D702E4B4B6E624E6F4D5571762F70');
CREATE INDEX ledger_by_use ON ledger (session, used);
CREATE INDEX contents_in_files ON contents (stored) WHERE form & 15 = 1;
CREATE INDEX files_by_path ON files (path, operation);
CREATE INDEX files_by_before ON files (before) WHERE before IS NOT NULL;
CREATE INDEX files_by_after ON files (after) WHERE after IS NOT NULL;
CREATE INDEX contents_by_base ON contents (base) WHERE base IS NOT NULL;
CREATE INDEX taken_back_by_earlier ON taken_back (earlier);
CREATE INDEX contents_unsealed ON contents (id) WHERE form < 16;
CREATE INDEX operations_by_sequence ON operations (sequence);
CREATE INDEX operations_overdue ON operations (overdue) WHERE overdue IS NOT NULL;
CREATE INDEX files_by_moved_from ON files (moved_from) WHERE moved_from IS NOT NULL;
CREATE INDEX marks_by_session ON marks (session, id);
CREATE INDEX questions_by_call ON questions (call, time);
CREATE INDEX questions_open ON questions (session) WHERE state = 0;
CREATE INDEX questions_followed ON questions (followed_by) WHERE followed_by IS NOT NULL;
CREATE INDEX workspaces_by_root ON workspaces (root);
CREATE INDEX events_by_operation ON events (operation) WHERE operation IS NOT NULL;
CREATE TRIGGER note_removed_events AFTER DELETE ON events BEGIN
        UPDATE removed_events SET upto = old.seq WHERE upto < old.seq;
    END;
CREATE INDEX looks_by_sequence ON looks (sequence);
CREATE INDEX comments_waiting ON comments (session) WHERE delivered IS NULL;
CREATE INDEX operations_by_parent ON operations (parent) WHERE parent IS NOT NULL;
CREATE INDEX sub_agents_by_parent ON sub_agents (parent);
CREATE INDEX sub_agents_running ON sub_agents (process) WHERE running IS NOT NULL;
CREATE INDEX announced_calls_by_key ON announced_calls (key, id);
CREATE INDEX operations_by_session ON operations (session, sequence);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('events',1);
COMMIT;
PRAGMA user_version = 18;
