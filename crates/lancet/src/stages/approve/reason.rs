//! Decides for each file of a plan whether it is allowed, denied, or needs a person's answer, and why.

use lancet_policy::{Decision, DecisionCause, LayeredRule, Outcome, Policy, ShownContent};

use super::unsaved::UnsavedFileLists;
use super::withheld;
use crate::message::{DENIED_FILE_ADVICE, PLAN_MODE_ADVICE, message, verbatim};
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::{HardLinkKnowledge, Target, describe_outside_names};
use crate::stages::plan::FilePlan;
use crate::wording::quote_path;

/// The decision of the policy and of earlier answers about one file.
pub(super) enum FileDecision {
    /// This mode or rule allows it.
    Allowed(String),
    /// A person allowed it earlier in the session.
    Granted(Reason),
    /// A person has to be asked.
    Asks(Reason),
}

impl FileDecision {
    /// Returns the reason why a person has to be asked; none where no question is needed.
    pub(super) fn reason_to_ask(&self) -> Option<&Reason> {
        match self {
            FileDecision::Asks(reason) => Some(reason),
            FileDecision::Allowed(_) | FileDecision::Granted(_) => None,
        }
    }
}

/// Decides about one file; the error is the refusal where the policy denies it.
pub(super) fn decide_about_file(
    context: &CallContext<'_>,
    policy: &Policy,
    (unsaved, hooked): (&UnsavedFileLists, &[Reason]),
    file: &FilePlan,
) -> Result<FileDecision, Refusal> {
    let (target, decision) = decide_file(policy, file);
    if decision.is_denied() {
        return Err(denied_refusal(target, &decision));
    }
    let grants = &context.session.inner.grants;
    let is_granted = |reason: &Reason| grants.covers(&reason.path, &reason.key);
    let reason = reason(policy, target, &decision);
    let is_open = |reason: &&Reason| !is_granted(reason);
    if let Some(protected) = reason
        .as_ref()
        .filter(|reason| reason.protected)
        .filter(is_open)
    {
        return Ok(FileDecision::Asks(protected.clone()));
    }
    // This takes precedence over rule and mode: an approval from those does not show that the unsaved changes were
    // considered.
    let unsaved = unsaved.reason(file);
    if let Some(unsaved) = unsaved.as_ref().filter(is_open) {
        return Ok(FileDecision::Asks(unsaved.clone()));
    }
    let path = file.target.path();
    if let Some(hook) = hooked
        .iter()
        .filter(|reason| reason.path == path)
        .find(is_open)
    {
        return Ok(FileDecision::Asks(hook.clone()));
    }
    Ok(match reason.or(unsaved) {
        Some(reason) if is_granted(&reason) => FileDecision::Granted(reason),
        Some(reason) => FileDecision::Asks(reason),
        None => FileDecision::Allowed(match &decision.cause {
            DecisionCause::Mode(mode) => format!("mode {}", mode.as_str()),
            cause => cause.to_string(),
        }),
    })
}

/// Returns the decision of the policy about a write.
pub(super) fn write_decision<'p>(policy: &'p Policy, target: &Target) -> Decision<'p> {
    // Whether the text may be shown was settled when the file was located.
    target.with_names(|names| policy.may_write(names, ShownContent::Nothing))
}

/// Returns the decision about a file. For a move, the stricter decision of the two names applies, because both are one
/// piece of a question.
pub(super) fn decide_file<'p, 'f>(
    policy: &'p Policy,
    file: &'f FilePlan,
) -> (&'f Target, Decision<'p>) {
    let strictness = |target: &Target, decision: &Decision<'_>| match () {
        () if decision.is_denied() => 0,
        () => match reason(policy, target, decision) {
            Some(reason) if reason.protected => 1,
            Some(_) => 2,
            None => 3,
        },
    };
    let decided = file
        .targets()
        .map(|target| (target, write_decision(policy, target)));
    decided
        .min_by_key(|(target, decision)| strictness(target, decision))
        .unwrap_or_else(|| (&file.target, write_decision(policy, &file.target)))
}

/// Returns the reason why a person must be asked about a write; none where the write is allowed.
pub(super) fn reason(policy: &Policy, target: &Target, decision: &Decision<'_>) -> Option<Reason> {
    let path = quote_path(target.path());
    let outside = match target.hard_links {
        HardLinkKnowledge::Outside(names) => Some(describe_outside_names(names)),
        HardLinkKnowledge::Known | HardLinkKnowledge::Unknown => None,
    };
    let (words, key, rule) = match (&decision.cause, decision.outcome) {
        (DecisionCause::Protected { name }, _) => (
            format!("{path} is protected (`{name}`)"),
            format!("protected {name}"),
            None,
        ),
        (DecisionCause::Secret { pattern }, _) => (
            format!("{path} is a secret file (`{pattern}`)"),
            format!("secret {pattern}"),
            None,
        ),
        // This precedes the mode, because another hard link of the file may have a protected name.
        _ if target.hard_links == HardLinkKnowledge::Unknown => (
            format!(
                "{path} is one of several hard links, and not all of the others can be found (too many entries, or a folder that cannot be listed)"
            ),
            "hard links".to_owned(),
            None,
        ),
        _ if let Some(outside) = &outside => (
            format!("{path} also has {outside}, which the change reaches, too"),
            "hard links".to_owned(),
            None,
        ),
        (
            DecisionCause::Rule(LayeredRule {
                stands_for: Some(flaw),
                source,
                ..
            }),
            Outcome::Ask,
        ) => (
            format!("a line of the project's settings may be a rule and cannot be used ({flaw})"),
            format!("flaw {flaw}"),
            Some(source.clone()),
        ),
        (DecisionCause::Rule(entry), Outcome::Ask) => (
            format!("the rule `{} {}` asks", entry.effect.as_str(), entry.rule),
            format!("rule {entry}"),
            Some(entry.to_string()),
        ),
        (_, Outcome::Ask) => (
            "the mode is ask: every write is asked about".to_owned(),
            "mode".to_owned(),
            None,
        ),
        // This applies in every mode and whether or not the file exists: a write without a question would reveal which.
        _ if target.is_withheld() => (
            format!(
                "reading {path} is denied, and what was not read is written only after a person's yes"
            ),
            "withheld".to_owned(),
            None,
        ),
        _ => return None,
    };
    Some(Reason {
        path: target.path().to_path_buf(),
        told: withheld::reason_for_model(policy, target, decision).unwrap_or_else(|| words.clone()),
        words,
        protected: rule.is_none() && key != "mode",
        key,
        rule,
    })
}

/// Returns the refusal for a file that the policy denies now: because of the mode, or of a rule added since the file
/// was located.
pub(super) fn denied_refusal(target: &Target, decision: &Decision<'_>) -> Refusal {
    if let DecisionCause::Mode(_) = decision.cause {
        return Refusal::from_message(
            RefusalKind::Declined,
            message!(
                "lancet runs in plan mode: nothing is written. {}",
                PLAN_MODE_ADVICE
            ),
        );
    }
    let path = target.display_name();
    let text = message!("A rule denies {}. {}", &path, DENIED_FILE_ADVICE);
    Refusal::from_message(RefusalKind::Denied, text).with_field("file_path", path)
}

/// Returns the refusal where no approver is available.
pub(super) fn no_approver_refusal(reason: &Reason) -> Refusal {
    let how = if reason.is_unsaved() {
        "ask them to save or discard their changes in the editor, then send the call again"
    } else if reason.protected || reason.is_hook() {
        "a person can do it with `lancet edit` or `lancet write`"
    } else {
        "a person can do it with `lancet edit` or `lancet write`, or allow it with a rule under [permissions] in their settings"
    };
    let text = message!(
        "Nothing was written: {}, and no person can be asked here. Tell the user what you wanted to change; {}.",
        verbatim(&reason.told),
        how
    );
    Refusal::from_message(RefusalKind::Declined, text)
}
