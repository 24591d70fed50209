//! Hooks after a change: their output becomes notices, and their changes to the files of the call become a separate
//! operation, which belongs to that of the call.

mod take_in;

use super::{command_name, describe_failure, input, matching_files, run, shorten};
use crate::message::{message, verbatim};
use crate::programs::{Hook, HookTime, ProgramOutput};
use crate::stages::context::CallContext;
use crate::stages::plan::FilePlan;
use crate::stages::record::Recorded;
use lancet_history::OperationKind;

/// Runs the hooks after a change. An undo runs none: it restores earlier content, including the changes of hooks.
pub(in crate::stages) fn run_hooks_after(context: &CallContext<'_>, recorded: &mut Recorded) {
    let hooks = context.engine().settings.layered_hooks();
    let is_change = recorded.plan.origin.kind == OperationKind::Change;
    if !is_change || hooks.iter().all(|entry| entry.hook.on != HookTime::After) {
        return;
    }
    let policy = context.engine().permissions.policy();
    // No other call of this process writes the files in the meantime, so that its changes are not attributed to the
    // hooks.
    let paths: Vec<_> = recorded
        .plan
        .files
        .iter()
        .map(|file| file.target.path().to_path_buf())
        .collect();
    let turn = context.take_turn(paths.iter().map(std::path::PathBuf::as_path));
    let is_as_written = take_in::is_as_written(context, recorded);
    let mut ran = Vec::new();
    for entry in hooks {
        let files = matching_files(&policy, entry, &recorded.plan);
        if entry.hook.on != HookTime::After || files.is_empty() {
            continue;
        }
        let revisions = revisions(recorded, &files);
        let made = (recorded.operation.as_str(), revisions.as_slice());
        let input = input::hook_input(context, HookTime::After, &files, Some(made));
        let words = match run(context, &entry.hook, &input) {
            Ok(ended) => hook_message(&entry.hook, &ended),
            Err(error) => Some(format!(
                "the hook {} gave no answer: {error}",
                command_name(&entry.hook)
            )),
        };
        ran.push(command_name(&entry.hook));
        if let (Some(file), Some(words)) = (recorded.plan.files.first_mut(), words) {
            file.view.notices.push(message!("{}", verbatim(words)));
        }
    }
    if !ran.is_empty() && is_as_written {
        take_in::record_hook_changes(context, recorded, &ran.join(", "));
    }
    drop(turn);
}

/// Returns the revision of each of these files after the change.
fn revisions(recorded: &Recorded, files: &[&FilePlan]) -> Vec<Option<String>> {
    let revision = |wanted: &&FilePlan| {
        let mut all = recorded.plan.files.iter().zip(&recorded.written);
        let (file, written) = all.find(|(file, _)| std::ptr::eq(*file, *wanted))?;
        (!file.removes()).then(|| written.revision.short_hex().to_string())
    };
    files.iter().map(revision).collect()
}

/// Returns the output of a hook, for the answer.
fn hook_message(hook: &Hook, ended: &ProgramOutput) -> Option<String> {
    let command = command_name(hook);
    if ended.code != Some(0) {
        return Some(format!(
            "the hook {command} failed: {}",
            describe_failure(ended)
        ));
    }
    let output = String::from_utf8_lossy(&ended.output);
    let said: Option<serde_json::Value> = serde_json::from_str(output.trim()).ok();
    let said = said.as_ref().and_then(serde_json::Value::as_object);
    let words = match said {
        Some(object) => object.get("reason")?.as_str()?.to_owned(),
        None => output.trim().to_owned(),
    };
    let words = shorten(&words);
    (!words.is_empty()).then(|| format!("the hook {command} says: {words}"))
}
