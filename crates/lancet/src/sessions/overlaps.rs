//! Files that two sessions work on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lancet_history::{HistoryError, OperationStore};

use super::SessionOverview;

/// A change counts for this long, in milliseconds.
const RECENT_MILLISECONDS: i64 = 24 * 60 * 60 * 1_000;
/// How many files are examined, the most recently changed first.
const MAX_FILES: usize = 500;

/// A file that two or more sessions work on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overlap {
    /// The absolute path.
    pub path: PathBuf,
    /// The sessions, those that changed the file first.
    pub sessions: Vec<OverlappingSession>,
}

/// One of the sessions that work on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OverlappingSession {
    /// The name of the session, or its generated key.
    pub key: String,
    /// The time of its last change of the file, in milliseconds since 1970; none if it has only read the file.
    pub changed: Option<i64>,
}

/// Finds the files that one of the sessions changed in the last day and another one knows. Sessions that no process
/// serves any more are left out, because nothing is written in them.
pub(super) fn find_overlaps(
    store: &dyn OperationStore,
    sessions: &[SessionOverview],
) -> Result<Vec<Overlap>, HistoryError> {
    let oldest = crate::operation::current_milliseconds() - RECENT_MILLISECONDS;
    let alive: Vec<&SessionOverview> = sessions
        .iter()
        .filter(|session| !session.connections.is_empty() || session.activity.used.is_some())
        .collect();
    let mut changed: BTreeMap<&Path, i64> = BTreeMap::new();
    for session in &alive {
        for file in session
            .activity
            .changed
            .iter()
            .filter(|file| file.time >= oldest)
        {
            let latest = changed.entry(&file.path).or_insert(file.time);
            *latest = file.time.max(*latest);
        }
    }
    let mut changed: Vec<(&Path, i64)> = changed.into_iter().collect();
    changed.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    let mut found = Vec::new();
    for (path, _) in changed.into_iter().take(MAX_FILES) {
        let mut at_work = Vec::new();
        for session in &alive {
            let files = &session.activity.changed;
            let changed = files.iter().find(|file| file.path == path);
            let changed = changed.map(|file| file.time).filter(|time| *time >= oldest);
            if changed.is_some() || store.has_file_in_ledger(&session.key, path)? {
                at_work.push(OverlappingSession {
                    key: session.key.clone(),
                    changed,
                });
            }
        }
        if at_work.len() > 1 {
            at_work.sort_by_key(|one| std::cmp::Reverse(one.changed));
            found.push(Overlap {
                path: path.to_path_buf(),
                sessions: at_work,
            });
        }
    }
    Ok(found)
}
