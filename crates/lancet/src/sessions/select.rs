//! Decides which sessions concern a project.

use std::path::{Path, PathBuf};

use super::SessionOverview;

/// Returns whether a session works on files below the roots: one of its own roots is at, below or above one of them, or
/// it has read or changed a file there. Without roots every session counts.
pub(super) fn works_below(session: &SessionOverview, roots: &[PathBuf]) -> bool {
    if roots.is_empty() {
        return true;
    }
    let is_near = |path: &Path| {
        let mut roots = roots.iter();
        roots.any(|root| path.starts_with(root) || root.starts_with(path))
    };
    let is_below = |path: &Path| roots.iter().any(|root| path.starts_with(root));
    let mut served = session.connections.iter().flat_map(|one| &one.roots);
    let mut changed = session.activity.changed.iter();
    let mut known = session.activity.latest.iter();
    served.any(|root| is_near(root))
        || changed.any(|file| is_below(&file.path))
        || known.any(|path| is_below(path))
}
