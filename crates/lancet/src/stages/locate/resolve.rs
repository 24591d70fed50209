//! Resolves an absolute path to what the caller intends: the file that it leads to, or the link or folder itself. Checks
//! whether it still leads there.

use std::path::Path;
use std::sync::Arc;

use lancet_policy::{Policy, ShownContent};
use lancet_workspace::{FileType, LocateError, Located};

use super::{Intent, Target, with_names};
use crate::engine::EngineView;

/// Resolves an absolute path as the intent requires.
pub(super) fn located_for(
    engine: &EngineView,
    path: &Path,
    intent: Intent,
) -> Result<Located, LocateError> {
    match intent {
        // The name of a new file is taken exactly as spelled.
        Intent::Replace => engine.workspace.locate_as_spelled(path),
        Intent::Show => match engine.workspace.locate(path) {
            // A path with a slash at its end whose file does not exist is missing, like the one without the slash.
            Err(LocateError::NoSuchFolder { at }) => engine.workspace.locate(&at),
            other => other,
        },
        Intent::Edit => engine.workspace.locate(path),
        Intent::Freed => engine.workspace.locate_as_free(path),
        Intent::Folder => match engine.workspace.locate_folder(path)? {
            Some(folder) => Ok(folder),
            None => located_for(engine, path, Intent::Take),
        },
        Intent::Leave | Intent::Take => match (engine.workspace.locate_link(path), intent) {
            (Ok(Some(link)), _) => Ok(link),
            (Ok(None), Intent::Take) => engine.workspace.locate_as_spelled(path),
            (Ok(None), _) => engine.workspace.locate(path),
            (Err(error), _) => Err(error),
        },
    }
}

/// Returns whether the path of a target still leads to the same file in the same place, and the policy decides the same
/// for all its names. The commit compares the bytes.
pub(crate) fn is_unmoved(engine: &EngineView, policy: &Arc<Policy>, target: &Target) -> bool {
    let then = &target.located;
    let is_folder = target.intent == Intent::Folder && then.kind() == FileType::Directory;
    let found = match (then.is_link(), then.is_respelled()) {
        _ if is_folder => engine.workspace.locate_folder(then.given_path()),
        _ if target.intent == Intent::Freed => {
            let free = engine.workspace.locate_as_free(then.given_path());
            free.map(Some)
        }
        (true, _) => engine.workspace.locate_link(then.given_path()),
        (false, true) => engine.workspace.locate(then.given_path()).map(Some),
        (false, false) => engine
            .workspace
            .locate_as_spelled(then.given_path())
            .map(Some),
    };
    let Ok(Some(located)) = found else {
        return false;
    };
    let file = |located: &Located| {
        let stamp = located.stat();
        stamp.map(|stamp| (stamp.device, stamp.inode, stamp.links))
    };
    if !located.is_same_place(then) || file(&located) != file(then) {
        return false;
    }
    let given = then.given_path().to_path_buf();
    let Some(now) = with_names(engine, policy, located, given, target.intent) else {
        return false;
    };
    let decide = |target: &Target| {
        target.with_names(|names| {
            (
                policy.may_write(names, ShownContent::Nothing),
                policy.may_read_names(names).is_denied(),
            )
        })
    };
    now.hard_links == target.hard_links
        && now.reaches_read_root == target.reaches_read_root
        && decide(&now) == decide(target)
}
