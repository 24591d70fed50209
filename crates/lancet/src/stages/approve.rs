//! The *approve* stage: decides whether a plan may be carried out. The policy decides, or a person where the policy
//! requires it: there is one question for the whole plan. If no approver is available, the plan is refused.

mod ask;
mod check;
mod digest;
mod edited;
mod file_question;
mod halt;
mod hooked;
mod keep;
mod pick;
mod pieces;
mod reason;
mod recorded;
mod reduce;
mod unsaved;
mod wait;
mod withheld;
mod words;

use lancet_policy::Policy;

pub(crate) use halt::Halt;
pub(crate) use hooked::recorded_hook_reasons;
pub(crate) use keep::save_lasting_answer;
pub(crate) use recorded::{merge_recorded_seen, restore_ledger_entries};
pub(crate) use withheld::{consent_to_reveal, reveal_with_consent};

use self::reason::{
    FileDecision, decide_about_file, decide_file, denied_refusal, no_approver_refusal,
    write_decision,
};
use self::unsaved::UnsavedFileLists;
use super::attempt::Attempt;
use super::context::CallContext;
use super::plan::{FilePlan, Plan};
use super::{locate, stopped};
use crate::reason::Reason;
use crate::refusal::Refusal;
use crate::session::Check;

/// A plan that may be carried out. Only [`approve`] makes one.
pub(crate) struct Approved(Plan);

impl Approved {
    /// Returns the plan, for *commit*.
    pub(super) fn into_plan(self) -> Plan {
        self.0
    }
}

/// Asks a person where the policy or hooks require it. Returns the plan without the parts that the person left out, or
/// the refusal.
pub(crate) fn approve(
    context: &CallContext<'_>,
    attempt: &Attempt,
    mut plan: Plan,
    hooked: &[Reason],
) -> Result<Approved, Halt> {
    // An answer to an earlier attempt of the call was about other bytes.
    context.answer.take();
    let policy = context.engine().permissions.policy();
    for file in &plan.files {
        check::require_loadable_settings(context, file)?;
    }
    let unsaved = UnsavedFileLists::load(context, &policy);
    let standings = plan
        .files
        .iter()
        .map(|file| decide_about_file(context, &policy, (&unsaved, hooked), file))
        .collect::<Result<Vec<FileDecision>, Refusal>>()?;
    recorded::require_not_carried_out(context)?;
    let asks = standings
        .iter()
        .any(|standing| standing.reason_to_ask().is_some());
    if asks {
        stopped::require_not_stopped(context)?;
    }
    plan.origin.approved = match asks {
        false => allowed_by(&standings),
        true if attempt.needs_fresh_read()
            && (context.recorded.is_some() || ask::can_ask(context)) =>
        {
            return Err(Halt::NeedsFreshRead);
        }
        true => Some(ask::ask(context, &policy, &mut plan, &standings)?),
    };
    if asks {
        check_again(context, &plan)?;
    }
    Ok(Approved(plan))
}

/// Checks rules and paths again after the answer. A person may take minutes: a rule may have been added in the
/// meantime, and the path may lead elsewhere. The answer is valid only for the files that were shown.
fn check_again(context: &CallContext<'_>, plan: &Plan) -> Result<(), Halt> {
    let policy = context.session.lancet.engine().permissions.policy();
    for target in plan.files.iter().flat_map(FilePlan::targets) {
        let decision = write_decision(&policy, target);
        if decision.is_denied() {
            return Err(denied_refusal(target, &decision).into());
        }
        if !locate::is_unmoved(context.engine(), &policy, target) {
            return Err(Halt::Moved);
        }
    }
    Ok(())
}

/// Returns whether a person is asked about a file in every mode, because of its name or because something about it
/// cannot be determined.
pub(crate) fn is_protected(context: &CallContext<'_>, target: &locate::Target) -> bool {
    let policy = context.engine().permissions.policy();
    let decision = write_decision(&policy, target);
    reason::reason(&policy, target, &decision).is_some_and(|reason| reason.protected)
}

/// Names the mode, rule or person that allows a plan without a question.
fn allowed_by(standings: &[FileDecision]) -> Option<String> {
    let granted = standings.iter().find_map(|standing| match standing {
        FileDecision::Granted(reason) => Some(format!(
            "a person, for this session, asked because {}",
            reason.words
        )),
        FileDecision::Allowed(_) | FileDecision::Asks(_) => None,
    });
    granted.or_else(|| {
        standings.iter().find_map(|standing| match standing {
            FileDecision::Allowed(by) => Some(by.clone()),
            FileDecision::Granted(_) | FileDecision::Asks(_) => None,
        })
    })
}

/// Predicts the result of [`approve`] without a question to a person.
pub(crate) fn predict_approval(context: &CallContext<'_>, plan: &Plan) -> Check {
    let policy = context.engine().permissions.policy();
    for file in &plan.files {
        if let Err(refusal) = check::require_loadable_settings(context, file) {
            return Check::Refused(Box::new(refusal));
        }
        let (target, decision) = decide_file(&policy, file);
        if decision.is_denied() {
            return Check::Refused(Box::new(denied_refusal(target, &decision)));
        }
    }
    if let Err(refusal) = stopped::require_not_stopped(context) {
        return Check::Refused(Box::new(refusal));
    }
    let reasons = reasons(context, &policy, plan);
    match reasons.into_iter().next() {
        None => Check::Passes,
        Some(reason) if ask::can_ask(context) => Check::Asks {
            reason: reason.told,
        },
        Some(reason) => Check::Refused(Box::new(no_approver_refusal(&reason))),
    }
}

/// Predicts it for a dry run: why a person would be asked, or the refusal where a protected name needs an approval and
/// no approver is available.
pub(crate) fn predict_dry_run_approval(
    context: &CallContext<'_>,
    plan: &Plan,
) -> Result<Option<String>, Refusal> {
    let policy = context.engine().permissions.policy();
    for file in &plan.files {
        check::require_loadable_settings(context, file)?;
    }
    stopped::require_not_stopped(context)?;
    let reasons = reasons(context, &policy, plan);
    match reasons.iter().find(|reason| reason.protected) {
        Some(reason) if !ask::can_ask(context) => Err(no_approver_refusal(reason)),
        protected => Ok(protected
            .or(reasons.first())
            .map(|reason| reason.told.clone())),
    }
}

/// Returns the reasons why a person must be asked about the files of a plan.
fn reasons(context: &CallContext<'_>, policy: &Policy, plan: &Plan) -> Vec<Reason> {
    let unsaved = UnsavedFileLists::load(context, policy);
    let asked = plan.files.iter().filter_map(|file| {
        let standing = decide_about_file(context, policy, (&unsaved, &[]), file).ok()?;
        standing.reason_to_ask().cloned()
    });
    asked.collect()
}
