//! An operation of the history as JSON, for `log --json` and `show --json`.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use base64::Engine as _;
use lancet::doors::path_text;
use lancet::history::{FileChange, GitHead, History, Operation, RecordedState};
use serde_json::{Value, json};

use super::across_projects::other_projects;
use super::time;

/// Returns an operation as JSON. `is_shown` decides whether the rules of a file's own project allow it to be shown.
pub(super) fn object(
    operation: &Operation,
    history: &History,
    is_shown: &dyn Fn(&FileChange) -> bool,
) -> Value {
    let files: Vec<Value> = operation
        .files
        .iter()
        .map(|file| file_object(file, operation, history, is_shown))
        .collect();
    let mut object = json!({
        "operation": operation.id,
        "time": time::format_rfc3339(operation.time),
        "kind": operation.kind.as_str(),
        "state": operation.state.as_str(),
        "tool": operation.tool,
        "session": operation.session,
        "client": operation.client,
        "clientVersion": operation.version,
        "turn": operation.turn,
        "call": operation.call,
        "rungs": operation.rungs,
        "approved": operation.approved,
        "takesBack": operation.takes_back,
        "files": files,
    });
    let others = other_projects(history, operation);
    if !others.is_empty() {
        object["otherProjects"] = others.iter().map(|folder| path_text(folder)).collect();
    }
    if let Some(call) = &operation.recorded {
        object["command"] = json!(call.command);
        object["parent"] = json!(operation.parent);
        object["exitCode"] = json!(call.exit_code);
        object["durationMs"] = json!(call.duration);
        object["name"] = json!(call.name);
        let not_kept = call.not_kept.iter().map(|path| path_text(path));
        object["notKept"] = not_kept.collect();
        if !call.shared_with.is_empty() {
            object["sharedWith"] = json!(call.shared_with);
        }
        if let Some(head) = &call.head {
            object["head"] =
                json!({ "from": head_object(&head.from), "to": head_object(&head.to) });
        }
        if !operation.has_known_caller() {
            object["asInGit"] = json!(call.as_in_git);
        }
    }
    object
}

/// Returns the change of a file as JSON.
fn file_object(
    file: &FileChange,
    operation: &Operation,
    history: &History,
    is_shown: &dyn Fn(&FileChange) -> bool,
) -> Value {
    let is_shown = history.may_show_change(file) && is_shown(file);
    let (added, removed) = match is_shown {
        true => (file.added, file.removed),
        false => (0, 0),
    };
    let kept = |state: &Option<RecordedState>| state_object(state.as_ref(), is_shown);
    let mut object = json!({
        "file_path": path_text(&file.path),
        "type": file.kind.as_str(),
        "added": added,
        "removed": removed,
        "before": kept(&file.before),
        "after": kept(&file.after),
        "undoneBy": file.undone_by,
        "workspace": file.workspace.as_ref().map(lancet::history::KnownWorkspace::short_id),
    });
    if let Some(bytes) = path_bytes(&file.path) {
        object["pathBytes"] = json!(bytes);
    }
    if let Some(from) = &file.moved_from {
        object["movedFrom"] = json!(path_text(from));
    }
    let recorded = operation.recorded.as_ref();
    if recorded.is_some_and(|call| call.shared.contains(&file.path)) {
        object["shared"] = json!(true);
    }
    // Present only for a file that another program has moved since.
    if let Some(former) = &file.former_path {
        object["former_path"] = json!(path_text(former));
    }
    object
}

fn head_object(head: &GitHead) -> Value {
    json!({ "branch": head.branch, "commit": head.commit })
}

/// Returns the state of a file as JSON. The revision and the target of a symbolic link are left out where the rules forbid
/// showing the text of the file: a short text can be guessed from its hash.
fn state_object(state: Option<&RecordedState>, is_shown: bool) -> Value {
    let Some(state) = state else {
        return Value::Null;
    };
    let digits = state.revision.iter().take(8);
    let revision = || digits.map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut object = json!({
        "revision": is_shown.then(revision),
        "size": state.size,
        "mode": format!("{:o}", state.mode & 0o7777),
    });
    if state.is_folder() {
        object["kind"] = json!("folder");
    }
    if let Some(target) = &state.link {
        object["kind"] = json!("link");
        if is_shown {
            object["link"] = json!(path_text(target));
        }
    }
    object
}

/// Returns a path that is not UTF-8 in base64; none for any other.
fn path_bytes(path: &Path) -> Option<String> {
    let bytes = path.as_os_str().as_bytes();
    path.to_str()
        .is_none()
        .then(|| base64::engine::general_purpose::STANDARD.encode(bytes))
}
