//! What was read: the ledger of a session, kept across restarts.
