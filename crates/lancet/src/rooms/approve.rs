//! approve: may this plan be carried out? The mode decides, and protected and secret names always ask. No one there to
//! ask is a no.

use lancet_text::unified;

use super::Desk;
use super::plan::{FilePlan, Plan};
use crate::approver::{Answer, Question};
use crate::observe::Event;
use crate::protected::Verdict;
use crate::refusal::{Kind, Refusal};
use crate::session::Check;
use crate::settings::Mode;
use crate::wording::quote_path;

/// A plan that may be carried out. There is no other way to make one than [`approve`].
pub(crate) struct Approved(Plan);

impl Approved {
    /// The plan; only *commit* has a use for it.
    pub(super) fn into_plan(self) -> Plan {
        self.0
    }
}

/// Why a file's write is asked about.
struct Reason {
    words: String,
    protected: bool,
}

/// Asks what must be asked and gives the plan on, or the refusal.
pub(crate) fn approve(desk: &Desk<'_>, mut plan: Plan) -> Result<Approved, Refusal> {
    if desk.engine().mode == Mode::Plan {
        return Err(Refusal::new(
            Kind::Declined,
            "lancet runs in plan mode: nothing is written. Say what you would change instead.",
        ));
    }
    let mut by = format!("mode {}", desk.engine().mode.word());
    for file in &plan.files {
        if let Some(reason) = reason(desk, file) {
            by = format!("a person, asked because {}", reason.words);
            ask(desk, file, reason)?;
        }
    }
    plan.origin.approved = Some(by);
    Ok(Approved(plan))
}

/// What [`approve`] would come to, without asking.
pub(crate) fn foresee(desk: &Desk<'_>, plan: &Plan) -> Check {
    if desk.engine().mode == Mode::Plan {
        return Check::Refused(Box::new(Refusal::new(
            Kind::Declined,
            "lancet runs in plan mode: nothing is written.",
        )));
    }
    match plan.files.iter().find_map(|file| reason(desk, file)) {
        None => Check::Passes,
        Some(reason) if desk.engine().approver.is_some() => Check::Asks {
            reason: reason.words,
        },
        Some(reason) => Check::Refused(Box::new(nobody(&reason))),
    }
}

/// What a dry run says of it: why a person would be asked, or the refusal where nobody could say yes to a protected name.
pub(crate) fn foresee_dry_run(desk: &Desk<'_>, plan: &Plan) -> Result<Option<String>, Refusal> {
    let reasons: Vec<Reason> = plan
        .files
        .iter()
        .filter_map(|file| reason(desk, file))
        .collect();
    match reasons.iter().find(|reason| reason.protected) {
        Some(reason) if desk.engine().approver.is_none() => Err(nobody(reason)),
        protected => Ok(protected
            .or(reasons.first())
            .map(|reason| reason.words.clone())),
    }
}

fn reason(desk: &Desk<'_>, file: &FilePlan) -> Option<Reason> {
    match &file.target.verdict {
        Some(Verdict::Protected { name }) => {
            return Some(Reason {
                words: format!("{} is protected (`{name}`)", quote_path(file.target.path())),
                protected: true,
            });
        }
        Some(Verdict::Secret { pattern }) => {
            return Some(Reason {
                words: format!(
                    "{} is a secret file (`{pattern}`)",
                    quote_path(file.target.path())
                ),
                protected: true,
            });
        }
        None => {}
    }
    (desk.engine().mode == Mode::Ask).then(|| Reason {
        words: "the mode is ask: every write is asked about".into(),
        protected: false,
    })
}

fn ask(desk: &Desk<'_>, file: &FilePlan, reason: Reason) -> Result<(), Refusal> {
    let Some(approver) = &desk.engine().approver else {
        return Err(nobody(&reason).with("file_path", quote_path(file.target.path())));
    };
    let question = Question {
        tool: desk.tool.clone(),
        path: file.target.path().to_path_buf(),
        relative: file.target.located.relative().to_path_buf(),
        reason: reason.words.clone(),
        protected: reason.protected,
        diff: unified(&file.view.patch),
        notices: notices(file),
        lines: (file.view.added, file.view.removed),
    };
    let answer = approver.ask(&question);
    let session = super::record::session_name(desk);
    desk.engine().tell(&Event::Decided {
        session,
        path: question.path,
        reason: reason.words,
        allowed: answer == Answer::Yes,
    });
    match answer {
        Answer::Yes => Ok(()),
        Answer::No(words) => {
            let words = words.map(|words| format!(": {words}")).unwrap_or_default();
            let text = format!(
                "A person declined this change of {}{words}. Nothing was written.",
                quote_path(file.target.path())
            );
            Err(Refusal::new(Kind::Declined, text)
                .with("file_path", quote_path(file.target.path())))
        }
    }
}

/// What a person has to know beside the diff.
fn notices(file: &FilePlan) -> Vec<String> {
    let mut notices = file.target.notices.clone();
    notices.extend_from_slice(&file.view.notices);
    if file.view.patch.iter().any(|hunk| hunk.lines.is_empty()) {
        notices
            .push("some of the change is too long to show; the diff gives its lines alone".into());
    }
    notices
}

fn nobody(reason: &Reason) -> Refusal {
    let text = format!(
        "Nothing was written: {}, and there is nobody here to ask. Tell the user what you wanted to change; a person can do it with `lancet edit` or `lancet write`.",
        reason.words
    );
    Refusal::new(Kind::Declined, text)
}
