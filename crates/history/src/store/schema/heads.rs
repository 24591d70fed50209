//! The migration step that adds HEAD of git's work trees to checkpoints and recorded calls.

/// The statements.
pub(super) const STEP: &str = "
    ALTER TABLE checkpoints ADD COLUMN head TEXT;         -- the commit or -, and after a space the branch
    ALTER TABLE recorded_calls ADD COLUMN head_from TEXT; -- the same before and after the call, where they differ
    ALTER TABLE recorded_calls ADD COLUMN head_to TEXT;
    ALTER TABLE recorded_calls ADD COLUMN workspace INTEGER; -- in `workspaces`; NULL where an older lancet recorded it
";
