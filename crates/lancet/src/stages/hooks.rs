//! Hooks: programs of the settings that are notified of changes. One that runs before a change can only tighten the
//! policy: it requires a person's approval, or refuses. Changes that one makes to the files afterwards become a
//! separate operation.

mod after;
mod input;

use lancet_policy::Policy;
use serde_json::Value;

pub(super) use self::after::run_hooks_after;
use super::approve;
use super::context::CallContext;
use super::locate::Target;
use super::plan::{FilePlan, Plan};
use super::program_results::HookOutput;
use crate::message::{message, verbatim};
use crate::programs::{Hook, HookTime, ProgramError, ProgramOutput};
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalKind};
use crate::settings::LayeredHook;
use crate::wording::{on_one_line, truncate};

/// The most characters of a hook's own message in an answer.
const MAX_MESSAGE_LENGTH: usize = 2_000;
/// The most characters of a command in an answer.
const MAX_COMMAND_LENGTH: usize = 100;

/// Returns whether a hook runs before this plan is approved.
pub(super) fn has_hook_before(context: &CallContext<'_>, plan: &Plan) -> bool {
    let policy = context.engine().permissions.policy();
    let mut hooks = context.engine().settings.layered_hooks().iter();
    hooks.any(|entry| entry.hook.on == HookTime::Before && matches_any(&policy, entry, plan))
}

/// Runs the hooks before a plan is approved, and returns the reasons to ask a person.
pub(super) fn run_hooks_before(
    context: &CallContext<'_>,
    plan: &Plan,
) -> Result<Vec<Reason>, Refusal> {
    if !has_hook_before(context, plan) {
        return Ok(Vec::new());
    }
    if let Some(asks) = approve::recorded_hook_reasons(context, plan) {
        return Ok(asks);
    }
    let all: Vec<&FilePlan> = plan.files.iter().collect();
    let told = blake3::hash(&input::hook_input(context, HookTime::Before, &all, None));
    if let Some(known) = &*context.hooked.borrow()
        && known.told == told
    {
        return Ok(known.asks.clone());
    }
    let policy = context.engine().permissions.policy();
    let mut asks = Vec::new();
    for entry in context.engine().settings.layered_hooks() {
        let files = matching_files(&policy, entry, plan);
        if entry.hook.on != HookTime::Before || files.is_empty() {
            continue;
        }
        context.check_time()?;
        let input = input::hook_input(context, HookTime::Before, &files, None);
        match parse_decision(run(context, &entry.hook, &input)) {
            HookDecision::Allow => {}
            HookDecision::Ask(words) => {
                let command = command_name(&entry.hook);
                let words = format!("the hook {command} {words}");
                let files = files.iter();
                asks.extend(files.map(|file| Reason::for_hook(file.target.path(), words.clone())));
            }
            HookDecision::Deny(words) => return Err(denied_refusal(&entry.hook, &words)),
        }
    }
    context.hooked.replace(Some(HookOutput {
        told,
        asks: asks.clone(),
    }));
    Ok(asks)
}

/// The decision of a hook.
enum HookDecision {
    Allow,
    /// A person must be asked, for this reason.
    Ask(String),
    /// The change is refused with this message, which may be empty.
    Deny(String),
}

/// The answer of a hook. An answer that has a field twice is invalid, because it is unknown which of the two is meant.
#[derive(Default, serde::Deserialize)]
struct HookAnswer {
    decision: Option<Value>,
    reason: Option<Value>,
}

/// Reads the decision of a hook. An invalid answer requires a person's approval.
fn parse_decision(ended: Result<ProgramOutput, ProgramError>) -> HookDecision {
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => return HookDecision::Ask(format!("gave no decision: {error}")),
    };
    let output = String::from_utf8_lossy(&ended.output);
    let output = output.trim();
    let said: HookAnswer = serde_json::from_str(output).unwrap_or_default();
    let reason = said.reason.as_ref().and_then(Value::as_str);
    let reason = shorten(reason.unwrap_or_default());
    let colon = if reason.is_empty() { "" } else { ": " };
    let decision = said.decision.as_ref().and_then(Value::as_str);
    match (decision, ended.code) {
        (Some("deny"), _) => HookDecision::Deny(reason),
        (Some("allow"), Some(0)) => HookDecision::Allow,
        (Some("ask"), _) => HookDecision::Ask(format!("asks{colon}{reason}")),
        _ if output.is_empty() && ended.code == Some(0) => HookDecision::Allow,
        (_, Some(0)) => {
            HookDecision::Ask("gave no decision: what it wrote is not understood".to_owned())
        }
        _ => HookDecision::Ask(format!("gave no decision: {}", describe_failure(&ended))),
    }
}

/// Describes how a hook failed, with the beginning of its own output.
fn describe_failure(ended: &ProgramOutput) -> String {
    let words = shorten(&String::from_utf8_lossy(&ended.error));
    let colon = if words.is_empty() { "" } else { ": " };
    format!("it ended with {}{colon}{words}", ended.describe_ending())
}

fn shorten(words: &str) -> String {
    truncate(&on_one_line(words.trim()), MAX_MESSAGE_LENGTH)
}

fn run(
    context: &CallContext<'_>,
    hook: &Hook,
    input: &[u8],
) -> Result<ProgramOutput, ProgramError> {
    let nobody = || ProgramError::Unavailable("this host of lancet starts no programs".to_owned());
    let runner = context.engine().program_runner().ok_or_else(nobody)?;
    runner.run_hook(hook, input, &|| context.cancel.stopped().is_some())
}

/// Returns the program of a hook as answers name it.
fn command_name(hook: &Hook) -> String {
    // The grant of a session finds the command by the backquotes around it.
    let words = on_one_line(&hook.command.join(" ")).replace('`', "'");
    format!("`{}`", truncate(&words, MAX_COMMAND_LENGTH))
}

fn denied_refusal(hook: &Hook, words: &str) -> Refusal {
    let colon = if words.is_empty() { "" } else { ": " };
    let text = message!(
        "The hook {} refused this change{}{}. Nothing was written. Do what it says, or ask the user.",
        verbatim(command_name(hook)),
        colon,
        verbatim(words)
    );
    Refusal::from_message(RefusalKind::Declined, text)
}

fn matches_any(policy: &Policy, entry: &LayeredHook, plan: &Plan) -> bool {
    plan.files.iter().any(|file| covers(policy, entry, file))
}

/// Returns the files of a plan to which a hook applies.
fn matching_files<'p>(policy: &Policy, entry: &LayeredHook, plan: &'p Plan) -> Vec<&'p FilePlan> {
    let files = plan.files.iter();
    files.filter(|file| covers(policy, entry, file)).collect()
}

fn covers(policy: &Policy, entry: &LayeredHook, file: &FilePlan) -> bool {
    let covers = |target: &Target| {
        target.with_names(|names| policy.covers_file(&entry.rule, entry.layer, names))
    };
    file.targets().any(covers)
}
