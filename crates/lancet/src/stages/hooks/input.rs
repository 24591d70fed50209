//! The input of a hook, as JSON.

use lancet_text::unified_diff;
use serde_json::{Value, json};

use crate::programs::HookTime;
use crate::stages::context::CallContext;
use crate::stages::plan::FilePlan;

/// Returns the object for a hook. `made` contains the operation and the revision of each file after it, once the change
/// is made.
pub(super) fn hook_input(
    context: &CallContext<'_>,
    time: HookTime,
    files: &[&FilePlan],
    made: Option<(&str, &[Option<String>])>,
) -> Vec<u8> {
    let caller = &context.caller;
    let files: Vec<Value> = files
        .iter()
        .enumerate()
        .map(|(at, file)| {
            let after = match made {
                Some((_, revisions)) => revisions.get(at).cloned().flatten(),
                None => file
                    .new_revision(context.engine())
                    .map(|revision| revision.short_hex().to_string()),
            };
            json!({
                "path": file.target.path(),
                "kind": file.kind().as_str(),
                "before": file.expected.revision().map(|revision| revision.short_hex().to_string()),
                "after": after,
                "patch": (!file.is_withheld()).then(|| unified_diff(&file.view.patch)),
            })
        })
        .collect();
    let mut told = json!({
        "hook": time.as_str(),
        "tool": context.tool,
        "session": context.session.key(),
        "client": caller.client,
        "turn": caller.turn,
        "call": caller.call,
        "arguments": context.arguments,
        "files": files,
    });
    if let Some((operation, _)) = made {
        told["operation"] = json!(operation);
    }
    let mut text = told.to_string().into_bytes();
    text.push(b'\n');
    text
}
