//! An operation of the history as JSON, for `log --json` and `show --json`.

use lancet::history::{Operation, UNATTRIBUTED};
use serde_json::{Value, json};

use super::time;

/// Returns an operation as JSON.
pub(super) fn object(operation: &Operation) -> Value {
    let kept = |kept: &Option<lancet::history::RecordedState>| match kept {
        None => Value::Null,
        Some(kept) => json!({
            "revision": kept.revision.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>(),
            "size": kept.size,
            "mode": format!("{:o}", kept.mode & 0o7777),
        }),
    };
    let files: Vec<Value> = operation
        .files
        .iter()
        .map(|file| {
            let mut object = json!({
                "file_path": file.path.display().to_string(),
                "type": file.kind.as_str(),
                "added": file.added,
                "removed": file.removed,
                "before": kept(&file.before),
                "after": kept(&file.after),
                "undoneBy": file.undone_by,
                "workspace": file.workspace.as_ref().map(lancet::history::KnownWorkspace::short_id),
            });
            if let Some(from) = &file.moved_from {
                object["movedFrom"] = json!(from.display().to_string());
            }
            let recorded = operation.recorded.as_ref();
            if recorded.is_some_and(|call| call.shared.contains(&file.path)) {
                object["shared"] = json!(true);
            }
            // Present only for a file that another program has moved since.
            if let Some(former) = &file.former_path {
                object["former_path"] = json!(former.display().to_string());
            }
            object
        })
        .collect();
    let mut object = json!({
        "operation": operation.id,
        "time": time::for_programs(operation.time),
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
    if let Some(call) = &operation.recorded {
        object["command"] = json!(call.command);
        object["exitCode"] = json!(call.exit_code);
        object["durationMs"] = json!(call.duration);
        object["name"] = json!(call.name);
        let not_kept = call.not_kept.iter().map(|path| path.display().to_string());
        object["notKept"] = not_kept.collect();
        if !call.shared_with.is_empty() {
            object["sharedWith"] = json!(call.shared_with);
        }
        if operation.tool == UNATTRIBUTED {
            object["asInGit"] = json!(call.as_in_git);
        }
    }
    object
}
