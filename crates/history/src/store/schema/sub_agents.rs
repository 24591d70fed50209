//! The migration step that adds sub-agents, the calls that hooks announce, and the times at which hooks were run.

/// The statements.
pub(super) const SUB_AGENT_TABLES: &str = "
    -- Conversations that another one started, with the one that did.
    CREATE TABLE sub_agents (
        session TEXT    NOT NULL PRIMARY KEY,
        parent  TEXT    NOT NULL,
        kind    TEXT,                     -- the agent's own word for it
        time    INTEGER NOT NULL,         -- when it was first reported, in milliseconds since 1970
        process TEXT,                     -- the agent's process, while the sub-agent runs in it
        running INTEGER,                  -- since when, in milliseconds since 1970; NULL where no end will be reported
        beside  INTEGER NOT NULL DEFAULT 0 -- 1: its parent goes on while it runs
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sub_agents_by_parent ON sub_agents (parent);
    CREATE INDEX sub_agents_running ON sub_agents (process) WHERE running IS NOT NULL;
    -- The conversation of a call, as the agent's hook named it before the call was made.
    CREATE TABLE announced_calls (
        id      INTEGER PRIMARY KEY AUTOINCREMENT,
        key     TEXT    NOT NULL,         -- the call's id, or a hash of what it asks
        session TEXT    NOT NULL,
        several INTEGER NOT NULL,         -- 1: it may also be another conversation's
        time    INTEGER NOT NULL          -- seconds since 1970
    ) STRICT;
    CREATE INDEX announced_calls_by_key ON announced_calls (key, id);
    -- Since when a person's prompt is being worked on, in milliseconds since 1970.
    ALTER TABLE agent_processes ADD COLUMN turn INTEGER;
    CREATE TABLE heard_hooks (
        agent   TEXT    NOT NULL,
        event   TEXT    NOT NULL,
        time    INTEGER NOT NULL,         -- seconds since 1970
        PRIMARY KEY (agent, event)
    ) STRICT, WITHOUT ROWID;
";
