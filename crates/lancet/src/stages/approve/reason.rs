//! Decides for each file of a plan whether it is allowed, denied, or needs a person's answer, and why.

use lancet_policy::{Cause, Decision, LayeredRule, Outcome, Policy, Shows};

use super::unsaved::Unsaved;
use super::withheld;
use crate::message::{INSTEAD, WITHOUT_FILE, message, verbatim};
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::{HardLinks, Target, outside_words};
use crate::stages::plan::FilePlan;
use crate::wording::quote_path;

/// The decision of the policy and of earlier answers about one file.
pub(super) enum Standing {
    /// This mode or rule allows it.
    Allowed(String),
    /// A person allowed it earlier in the session.
    Granted(Reason),
    /// A person has to be asked.
    Asks(Reason),
}

impl Standing {
    /// Returns the reason why a person has to be asked; none where no question is needed.
    pub(super) fn asks(&self) -> Option<&Reason> {
        match self {
            Standing::Asks(reason) => Some(reason),
            Standing::Allowed(_) | Standing::Granted(_) => None,
        }
    }
}

/// Decides about one file; the error is the refusal where the policy denies it.
pub(super) fn standing(
    context: &CallContext<'_>,
    policy: &Policy,
    (unsaved, hooked): (&Unsaved, &[Reason]),
    file: &FilePlan,
) -> Result<Standing, Refusal> {
    let (target, decision) = decide_file(policy, file);
    if decision.is_denied() {
        return Err(refusal(target, &decision));
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
        return Ok(Standing::Asks(protected.clone()));
    }
    // This takes precedence over rule and mode: an approval from those does not show that the unsaved changes were
    // considered.
    let unsaved = unsaved.reason(file);
    if let Some(unsaved) = unsaved.as_ref().filter(is_open) {
        return Ok(Standing::Asks(unsaved.clone()));
    }
    let path = file.target.path();
    if let Some(hook) = hooked
        .iter()
        .filter(|reason| reason.path == path)
        .find(is_open)
    {
        return Ok(Standing::Asks(hook.clone()));
    }
    Ok(match reason.or(unsaved) {
        Some(reason) if is_granted(&reason) => Standing::Granted(reason),
        Some(reason) => Standing::Asks(reason),
        None => Standing::Allowed(match &decision.cause {
            Cause::Mode(mode) => format!("mode {}", mode.as_str()),
            cause => cause.to_string(),
        }),
    })
}

/// Returns the decision of the policy about a write.
pub(super) fn decide<'p>(policy: &'p Policy, target: &Target) -> Decision<'p> {
    // Whether the text may be shown was settled when the file was located.
    target.with_names(|names| policy.writing(names, Shows::Nothing))
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
        .map(|target| (target, decide(policy, target)));
    decided
        .min_by_key(|(target, decision)| strictness(target, decision))
        .unwrap_or_else(|| (&file.target, decide(policy, &file.target)))
}

/// Returns the reason why a person must be asked about a write; none where the write is allowed.
pub(super) fn reason(policy: &Policy, target: &Target, decision: &Decision<'_>) -> Option<Reason> {
    let path = quote_path(target.path());
    let outside = match target.hard_links {
        HardLinks::Outside(names) => Some(outside_words(names)),
        HardLinks::Known | HardLinks::Unknown => None,
    };
    let (words, key, rule) = match (&decision.cause, decision.outcome) {
        (Cause::Protected { name }, _) => (
            format!("{path} is protected (`{name}`)"),
            format!("protected {name}"),
            None,
        ),
        (Cause::Secret { pattern }, _) => (
            format!("{path} is a secret file (`{pattern}`)"),
            format!("secret {pattern}"),
            None,
        ),
        // This precedes the mode, because another hard link of the file may have a protected name.
        _ if target.hard_links == HardLinks::Unknown => (
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
            Cause::Rule(LayeredRule {
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
        (Cause::Rule(entry), Outcome::Ask) => (
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
pub(super) fn refusal(target: &Target, decision: &Decision<'_>) -> Refusal {
    if let Cause::Mode(_) = decision.cause {
        return Refusal::stating(
            RefusalKind::Declined,
            message!("lancet runs in plan mode: nothing is written. {}", INSTEAD),
        );
    }
    let path = target.display_name();
    let text = message!("A rule denies {}. {}", &path, WITHOUT_FILE);
    Refusal::stating(RefusalKind::Denied, text).with("file_path", path)
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
    Refusal::stating(RefusalKind::Declined, text)
}
