//! approve: decides whether a plan may be carried out. The policy decides, and a person where the policy says so. If
//! there is nobody to ask, the plan is refused.

mod ask;
mod check;
mod edited;
mod withheld;

use lancet_policy::{Cause, Decision, Outcome, Policy, Shows};

pub(crate) use ask::keep_rules;
pub(crate) use withheld::{before_telling, tell_after_yes};

use super::locate::{self, HardLinks, Target};
use super::plan::{FilePlan, Plan};
use super::{Attempt, CallContext};
use crate::approval::OtherFile;
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalKind};
use crate::session::Check;
use crate::wording::quote_path;

/// A plan that may be carried out. Only [`approve`] makes one.
pub(crate) struct Approved(Plan);

impl Approved {
    /// Gives up the plan, for *commit*.
    pub(super) fn into_plan(self) -> Plan {
        self.0
    }
}

/// Why a plan is not carried out as it is.
pub(crate) enum Halt {
    /// The plan is refused.
    Refused(Box<Refusal>),
    /// A person has to be asked, but the plan relies on a cached copy: the question must show bytes that were read now.
    NeedsFreshRead,
    /// A file changed while its question was open: the call examines it again, and asks again if the change still fits.
    Changed,
    /// A file, or a folder on the way to it, was moved or replaced while a question was open: the call locates it
    /// again.
    Moved,
}

impl From<Refusal> for Halt {
    fn from(refusal: Refusal) -> Self {
        Halt::Refused(Box::new(refusal))
    }
}

/// Asks the necessary questions and passes the plan on, or gives the refusal.
pub(crate) fn approve(
    context: &CallContext<'_>,
    attempt: &Attempt,
    mut plan: Plan,
) -> Result<Approved, Halt> {
    let policy = context.engine().permissions.policy();
    for file in &plan.files {
        check::settings_load(context, file)?;
    }
    let mut by: Option<String> = None;
    let mut asked = false;
    for at in 0..plan.files.len() {
        let file = &plan.files[at];
        let (target, decision) = decide_file(&policy, file);
        if decision.is_denied() {
            return Err(refusal(target, &decision).into());
        }
        let Some(reason) = reason(&policy, target, &decision) else {
            by.get_or_insert_with(|| match &decision.cause {
                Cause::Mode(mode) => format!("mode {}", mode.word()),
                cause => cause.to_string(),
            });
            continue;
        };
        if context
            .session
            .inner
            .grants
            .covers(target.path(), &reason.key)
        {
            by = Some(format!(
                "a person, for this session, asked because {}",
                reason.words
            ));
            continue;
        }
        let beforehand = ask::somebody(context).and_then(|who| who.beforehand(reason.protected));
        let words = match beforehand {
            Some(word) => format!("{word}, given beforehand; otherwise {}", reason.words),
            None => format!("a person, asked because {}", reason.words),
        };
        if attempt.needs_fresh_read() && ask::somebody(context).is_some() {
            return Err(Halt::NeedsFreshRead);
        }
        let others = others(&policy, &plan, at);
        if let Some(text) = ask::ask(context, &policy, file, reason, others)? {
            let edited = edited::apply(plan.files.remove(at), &text)?;
            check::settings_load(context, &edited)?;
            plan.files.insert(at, edited);
            plan.origin.user_modified = true;
        }
        by = Some(words);
        asked = true;
    }
    if asked {
        // A person may take minutes: a rule may have been added meanwhile, and the path may lead elsewhere. The answer
        // is valid only for the file that was shown.
        let policy = context.session.lancet.engine().permissions.policy();
        for target in plan.files.iter().flat_map(FilePlan::targets) {
            let decision = decide(&policy, target);
            if decision.is_denied() {
                return Err(refusal(target, &decision).into());
            }
            if !locate::is_unmoved(context.engine(), &policy, target) {
                return Err(Halt::Moved);
            }
        }
    }
    plan.origin.approved = by;
    Ok(Approved(plan))
}

/// Predicts the result of [`approve`] without asking anybody.
pub(crate) fn foresee(context: &CallContext<'_>, plan: &Plan) -> Check {
    let policy = context.engine().permissions.policy();
    for file in &plan.files {
        if let Err(refusal) = check::settings_load(context, file) {
            return Check::Refused(Box::new(refusal));
        }
        let (target, decision) = decide_file(&policy, file);
        if decision.is_denied() {
            return Check::Refused(Box::new(refusal(target, &decision)));
        }
    }
    let reasons = reasons(context, &policy, plan);
    match reasons.into_iter().next() {
        None => Check::Passes,
        Some(reason) if ask::somebody(context).is_some() => Check::Asks {
            reason: reason.told,
        },
        Some(reason) => Check::Refused(Box::new(nobody(&reason))),
    }
}

/// Predicts it for a dry run: why a person would be asked, or the refusal where a protected name has nobody who could
/// say yes.
pub(crate) fn foresee_dry_run(
    context: &CallContext<'_>,
    plan: &Plan,
) -> Result<Option<String>, Refusal> {
    let policy = context.engine().permissions.policy();
    for file in &plan.files {
        check::settings_load(context, file)?;
    }
    let reasons = reasons(context, &policy, plan);
    match reasons.iter().find(|reason| reason.protected) {
        Some(reason) if ask::somebody(context).is_none() => Err(nobody(reason)),
        protected => Ok(protected
            .or(reasons.first())
            .map(|reason| reason.told.clone())),
    }
}

/// Lists the other files of a plan, protected ones first.
fn others(policy: &Policy, plan: &Plan, asked: usize) -> Vec<OtherFile> {
    let files = plan.files.iter().enumerate();
    let mut others: Vec<OtherFile> = files
        .filter(|(at, _)| *at != asked)
        .map(|(_, file)| OtherFile {
            path: file.target.path().to_path_buf(),
            kind: file.kind(),
            lines: (file.view.added, file.view.removed),
            protected: {
                let (target, decision) = decide_file(policy, file);
                reason(policy, target, &decision).is_some_and(|reason| reason.protected)
            },
        })
        .collect();
    others.sort_by_key(|file| !file.protected);
    others
}

/// Gives the reasons why a person must be asked about the files of a plan.
fn reasons(context: &CallContext<'_>, policy: &Policy, plan: &Plan) -> Vec<Reason> {
    let asked = plan.files.iter().filter_map(|file| {
        let (target, decision) = decide_file(policy, file);
        let reason = reason(policy, target, &decision)?;
        let granted = context
            .session
            .inner
            .grants
            .covers(target.path(), &reason.key);
        (!granted).then_some(reason)
    });
    asked.collect()
}

fn decide<'p>(policy: &'p Policy, target: &Target) -> Decision<'p> {
    // Whether the text may be shown was decided when the file was located.
    target.with_names(|names| policy.writing(names, Shows::Nothing))
}

/// The decision about a file. Of the two names of a move it is the stricter one: both are one piece of a question.
fn decide_file<'p, 'f>(policy: &'p Policy, file: &'f FilePlan) -> (&'f Target, Decision<'p>) {
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

/// Gives the reason why a person must be asked about a write; none where the write is allowed.
fn reason(policy: &Policy, target: &Target, decision: &Decision<'_>) -> Option<Reason> {
    let path = quote_path(target.path());
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
        (Cause::Rule(entry), Outcome::Ask) => (
            format!("the rule `{} {}` asks", entry.effect.word(), entry.rule),
            format!("rule {entry}"),
            Some(entry.to_string()),
        ),
        (_, Outcome::Ask) => (
            "the mode is ask: every write is asked about".to_owned(),
            "mode".to_owned(),
            None,
        ),
        // This holds in every mode and whether or not the file exists: an unasked write would reveal which.
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
        told: withheld::told(policy, target, decision).unwrap_or_else(|| words.clone()),
        words,
        protected: rule.is_none() && key != "mode",
        key,
        rule,
    })
}

/// The refusal for a file that the policy denies now: because of the mode, or of a rule added since the file was
/// located.
fn refusal(target: &Target, decision: &Decision<'_>) -> Refusal {
    if let Cause::Mode(_) = decision.cause {
        return Refusal::new(
            RefusalKind::Declined,
            "lancet runs in plan mode: nothing is written. Say what you would change instead.",
        );
    }
    let path = target.told();
    let text = format!("A rule denies {path}. Work without this file, or ask the user.");
    Refusal::new(RefusalKind::Denied, text).with("file_path", path)
}

fn nobody(reason: &Reason) -> Refusal {
    let how = if reason.protected {
        "a person can do it with `lancet edit` or `lancet write`"
    } else {
        "a person can do it with `lancet edit` or `lancet write`, or allow it with a rule under [permissions] in their settings"
    };
    let text = format!(
        "Nothing was written: {}, and there is nobody here to ask. Tell the user what you wanted to change; {how}.",
        reason.told
    );
    Refusal::new(RefusalKind::Declined, text)
}
