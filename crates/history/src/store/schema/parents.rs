//! The migration step that adds the operation whose hook made a change.

/// The statements.
pub(super) const PARENT_COLUMNS: &str = "
    ALTER TABLE operations ADD COLUMN parent TEXT; -- the operation whose hook made this change
    CREATE INDEX operations_by_parent ON operations (parent) WHERE parent IS NOT NULL;
";
