//! Withheld files, whose text the rules forbid to show: nothing about them, not even whether they exist, is revealed
//! before a person approves. So a write that would fail causes a question as well; the model learns why it fails only
//! after an approval.

use lancet_history::ChangeKind;
use lancet_model::non_exhaustive::NonExhaustive;
use lancet_policy::{Decision, DecisionCause, FileNames, Policy, ShownContent};

use super::ask;
use super::reason::{denied_refusal, no_approver_refusal, reason, write_decision};
use crate::approval::{FileQuestion, LastingOffers, Question};
use crate::message::{message, verbatim};
use crate::reason::Withheld;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::plan::DryRun;
use crate::wording::truncate;

/// The longest reason why a write would fail that a question shows, in characters.
const MAX_REASON_LENGTH: usize = 2_000;

/// Decides what must happen before a refusal may say anything about a file; none where the file is not withheld. The
/// result is the same whether or not the file exists, and whatever it contains.
pub(crate) fn consent_to_reveal(
    context: &CallContext<'_>,
    target: &Target,
    dry_run: DryRun,
) -> Result<Option<Withheld>, Refusal> {
    if !target.is_withheld() {
        return Ok(None);
    }
    let policy = context.engine().permissions.policy();
    let decision = write_decision(&policy, target);
    if decision.is_denied() {
        return Err(denied_refusal(target, &decision));
    }
    let Some(reason) = reason(&policy, target, &decision) else {
        return Ok(None);
    };
    let grants = &context.session.inner.grants;
    if grants.covers(target.path(), &reason.key) {
        return Ok(None);
    }
    if !ask::can_ask(context) && context.recorded.is_none() {
        return Err(no_approver_refusal(&reason).with_field("file_path", target.display_name()));
    }
    if dry_run == DryRun::Yes {
        let text = message!(
            "What this call would do is shown only after a person approves it: {}. Nothing was written; send it without dry_run, and the person is asked.",
            verbatim(&reason.told)
        );
        return Err(Refusal::from_message(RefusalKind::Declined, text)
            .with_field("file_path", target.display_name()));
    }
    Ok(Some(Withheld {
        path: target.path().to_path_buf(),
        relative: target.located.relative().to_path_buf(),
        told: target.display_name(),
        reason,
    }))
}

/// Returns the refusal itself where it may be shown, if necessary after a person's approval; otherwise a refusal that
/// says that the person declined.
pub(crate) fn reveal_with_consent(context: &CallContext<'_>, mut refusal: Refusal) -> Refusal {
    let Some(withheld) = refusal.withheld.take() else {
        return refusal;
    };
    let file = FileQuestion {
        path: withheld.path.clone(),
        relative: withheld.relative.clone(),
        kind: ChangeKind::Update,
        reason: Some(withheld.reason.words.clone()),
        rule: withheld.reason.rule.clone(),
        protected: withheld.reason.protected,
        notices: vec![format!(
            "it cannot be written as it was sent: {} A yes shows the model this reason, and writes nothing",
            truncate(refusal.text(), MAX_REASON_LENGTH)
        )],
        ..FileQuestion::default()
    };
    let question = Question {
        files: vec![file],
        is_whole: true,
        offers: LastingOffers {
            session: "this file".to_owned(),
            always: Vec::new(),
            non_exhaustive: NonExhaustive,
        },
        ..ask::question_from_caller(context)
    };
    match ask::ask_to_reveal(context, question, &withheld.told, &withheld.reason) {
        Ok(()) => refusal,
        Err(no) => no,
    }
}

/// Returns the reason why a person is asked about a withheld file, as text for the model: it uses the name that the
/// model gave, and leaves out the pattern or rule that only the file's own name matches. None for other files.
pub(super) fn reason_for_model(
    policy: &Policy,
    target: &Target,
    decision: &Decision<'_>,
) -> Option<String> {
    // An unusable line of the settings applies to all files of a project, so naming it reveals nothing about this file.
    let stands_for_a_flaw =
        matches!(&decision.cause, DecisionCause::Rule(entry) if entry.stands_for.is_some());
    if !target.is_withheld() || stands_for_a_flaw {
        return None;
    }
    let by_name = policy.may_write(
        FileNames::single(target.located.given_path()),
        ShownContent::Nothing,
    );
    let given = &target.given;
    let same = by_name.cause == decision.cause;
    Some(match &decision.cause {
        DecisionCause::Protected { name } if same => format!("{given} is protected (`{name}`)"),
        DecisionCause::Secret { pattern } if same => {
            format!("{given} is a secret file (`{pattern}`)")
        }
        DecisionCause::Secret { .. } => format!("{given} is a secret file"),
        _ => format!(
            "reading {given} is denied, and what was not read is written only after a person's yes"
        ),
    })
}
