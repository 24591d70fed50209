//! Withheld files, whose text the rules forbid to show: nothing about them, not even whether they exist, is revealed
//! before a person approves. So a write that would fail causes a question as well; the model learns why it fails only
//! after an approval.

use lancet_history::ChangeKind;
use lancet_model::non_exhaustive::NonExhaustive;
use lancet_policy::{Cause, Decision, FileNames, Policy, Shows};

use super::ask;
use super::reason::{decide, no_approver_refusal, reason, refusal};
use crate::approval::{FileQuestion, Offers, Question};
use crate::message::{message, verbatim};
use crate::reason::Withheld;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::plan::DryRun;
use crate::wording::cut;

/// The longest reason why a write would fail that a question shows, in characters.
const LONGEST_WHY: usize = 2_000;

/// Decides what must happen before a refusal may say anything about a file; none where the file is not withheld. The
/// result is the same whether or not the file exists, and whatever it contains.
pub(crate) fn before_telling(
    context: &CallContext<'_>,
    target: &Target,
    dry_run: DryRun,
) -> Result<Option<Withheld>, Refusal> {
    if !target.is_withheld() {
        return Ok(None);
    }
    let policy = context.engine().permissions.policy();
    let decision = decide(&policy, target);
    if decision.is_denied() {
        return Err(refusal(target, &decision));
    }
    let Some(reason) = reason(&policy, target, &decision) else {
        return Ok(None);
    };
    let grants = &context.session.inner.grants;
    if grants.covers(target.path(), &reason.key) {
        return Ok(None);
    }
    if !ask::is_somebody_there(context) && context.recorded.is_none() {
        return Err(no_approver_refusal(&reason).with("file_path", target.display_name()));
    }
    if dry_run == DryRun::Yes {
        let text = message!(
            "What this call would do is shown only after a person approves it: {}. Nothing was written; send it without dry_run, and the person is asked.",
            verbatim(&reason.told)
        );
        return Err(
            Refusal::stating(RefusalKind::Declined, text).with("file_path", target.display_name())
        );
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
pub(crate) fn tell_after_yes(context: &CallContext<'_>, mut refusal: Refusal) -> Refusal {
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
            cut(refusal.text(), LONGEST_WHY)
        )],
        ..FileQuestion::default()
    };
    let question = Question {
        files: vec![file],
        is_whole: true,
        offers: Offers {
            session: "this file".to_owned(),
            always: Vec::new(),
            non_exhaustive: NonExhaustive,
        },
        ..ask::asked_by(context)
    };
    match ask::ask_to_tell(context, question, &withheld.told, &withheld.reason) {
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
        matches!(&decision.cause, Cause::Rule(entry) if entry.stands_for.is_some());
    if !target.is_withheld() || stands_for_a_flaw {
        return None;
    }
    let by_name = policy.writing(FileNames::one(target.located.given()), Shows::Nothing);
    let given = &target.given;
    let same = by_name.cause == decision.cause;
    Some(match &decision.cause {
        Cause::Protected { name } if same => format!("{given} is protected (`{name}`)"),
        Cause::Secret { pattern } if same => format!("{given} is a secret file (`{pattern}`)"),
        Cause::Secret { .. } => format!("{given} is a secret file"),
        _ => format!(
            "reading {given} is denied, and what was not read is written only after a person's yes"
        ),
    })
}
