//! Puts one question to a person and waits for the answer: within a bound, cancellable, and no longer than the file stays
//! what the question shows.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use lancet_policy::{Access, Effect, Entry, Layer, Policy, Rule};
use lancet_text::{Document, apply_raw, unified};
use lancet_workspace::Expected;

use super::grants::Reach;
use super::{Halt, Reason, nobody};
use crate::approver::{Answer, Approver, Offers, Question, Wait};
use crate::call::Stopped;
use crate::observe::Event;
use crate::refusal::{Kind, Refusal};
use crate::rooms::plan::{FilePlan, New};
use crate::rooms::{Desk, record};
use crate::settings::keep_rule;
use crate::wording::{cut, quote_path};

/// How often whoever waits looks at the call and the clock.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often it looks at the file.
const LOOK_AT_FILE_EVERY: Duration = Duration::from_millis(250);
/// What an approver gets to take its question back.
const GRACE: Duration = Duration::from_millis(500);
/// The longest words of a person that are passed on, in characters.
const LONGEST_WORDS: usize = 4_000;
/// The longest text that a person is given to edit, in bytes.
const LONGEST_TEXT: usize = 4 << 20;

/// Who is asked, where somebody is.
pub(super) fn somebody<'d>(desk: &'d Desk<'_>) -> Option<&'d Arc<dyn Approver>> {
    desk.approver
        .as_ref()
        .or(desk.engine().base().approver.as_ref())
}

/// Asks about one file. What comes back is the text to write instead, where the person edited it.
pub(super) fn ask(
    desk: &Desk<'_>,
    policy: &Policy,
    file: &FilePlan,
    reason: Reason,
) -> Result<Option<String>, Halt> {
    let path = file.target.path().to_path_buf();
    let Some(approver) = somebody(desk) else {
        return Err(nobody(&reason).with("file_path", quote_path(&path)).into());
    };
    // A person is shown what is there, not what was trusted to be.
    if desk.look_closely() {
        return Err(Halt::Changed);
    }
    let scope = reason
        .protected
        .then(|| policy.offered_scope(&path))
        .flatten();
    let always = always(desk, &reason, &path);
    let question = Question {
        tool: desk.tool.clone(),
        path: path.clone(),
        relative: file.target.located.relative().to_path_buf(),
        deed: file.deed(),
        reason: reason.words.clone(),
        rule: reason.rule.clone(),
        protected: reason.protected,
        diff: unified(&file.view.patch),
        notices: notices(file),
        lines: (file.view.added, file.view.removed),
        text: text_of(file),
        offers: Offers {
            session: match (&scope, &reason.rule) {
                (Some(scope), _) => format!("files of {}", scope.pattern),
                (None, Some(_)) => "files that this rule asks about".to_owned(),
                (None, None) => "this file".to_owned(),
            },
            always: always.clone(),
        },
    };
    let proposed = question.text.clone();
    let answer = wait_for(desk, approver, question, file)?;
    desk.engine().tell(&Event::Decided {
        session: record::session_name(desk),
        path: path.clone(),
        reason: reason.words.clone(),
        allowed: !matches!(answer, Answer::No(_)),
    });
    let grant = |reach_of_scope: Option<PathBuf>| {
        let reach = match (reach_of_scope, &reason.rule) {
            (Some(folder), _) => Reach::Folder(folder),
            (None, Some(_)) => Reach::Rule,
            (None, None) => Reach::File(path.clone()),
        };
        desk.session.inner.grants.add(&reason, reach);
    };
    match answer {
        Answer::Yes => Ok(None),
        Answer::Session => {
            grant(scope.map(|scope| scope.folder));
            Ok(None)
        }
        Answer::Always => {
            // Where the rule cannot be kept the session's grant still holds, and the answer says so.
            grant(scope.map(|scope| scope.folder));
            if let Some(rule) = always {
                keep_always(desk, &rule)?;
            }
            Ok(None)
        }
        Answer::Edited(text) if proposed.as_deref() == Some(text.as_str()) => Ok(None),
        Answer::Edited(text) => Ok(Some(text)),
        Answer::No(words) => Err(declined(file, words).into()),
    }
}

/// The rule that "always" would add: the narrowest useful one. An ask rule would go on asking whatever is allowed, and
/// protected names are granted for a session at most.
fn always(desk: &Desk<'_>, reason: &Reason, path: &std::path::Path) -> Option<String> {
    if reason.protected || reason.rule.is_some() {
        return None;
    }
    desk.engine().permissions.user_settings.as_ref()?;
    Some(Rule::for_file(Access::Write, path.to_str()?))
}

fn keep_always(desk: &Desk<'_>, rule: &str) -> Result<(), Refusal> {
    let permissions = &desk.engine().permissions;
    let Some(settings) = &permissions.user_settings else {
        return Ok(());
    };
    let kept = keep_rule(settings, Effect::Allow, rule).map_err(|error| {
        let text = format!(
            "The rule {rule} could not be added to {}: {error}. Nothing was written; answer with yes or session instead.",
            quote_path(settings)
        );
        Refusal::new(Kind::Io, text)
    })?;
    if let Ok(rule) = Rule::parse(rule) {
        permissions.add(Entry {
            effect: Effect::Allow,
            rule,
            layer: Layer::User,
            source: format!("{}:{}", settings.display(), kept.line),
        });
    }
    Ok(())
}

/// Waits for an answer on this thread while the approver asks on another.
fn wait_for(
    desk: &Desk<'_>,
    approver: &Arc<dyn Approver>,
    question: Question,
    file: &FilePlan,
) -> Result<Answer, Halt> {
    let wait = Wait::default();
    let (answers, answered) = channel();
    let asking = {
        let (approver, wait) = (Arc::clone(approver), wait.clone());
        move || {
            let _ = answers.send(approver.ask(&question, &wait));
        }
    };
    let began = Instant::now();
    let thread = std::thread::Builder::new().name("lancet-question".to_owned());
    if thread.spawn(asking).is_err() {
        return Err(Refusal::new(
            Kind::Internal,
            "The system gave no thread to ask a person on. Nothing was written.",
        )
        .into());
    }
    desk.cancel.begin_waiting();
    let limit = desk
        .engine()
        .permissions
        .wait_limit
        .saturating_sub(desk.waited.get());
    let mut looked = began;
    let outcome = loop {
        match answered.recv_timeout(LOOK_EVERY) {
            Ok(answer) => break Ok(answer),
            // The approver panicked: nobody has said yes.
            Err(RecvTimeoutError::Disconnected) => break Ok(Answer::No(None)),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if desk.cancel.stopped() == Some(Stopped::Cancelled) {
            break Err(Refusal::new(
                Kind::Declined,
                "The caller cancelled this call. Nothing was written.",
            )
            .into());
        }
        if began.elapsed() > limit {
            break Err(unanswered(desk, file).into());
        }
        if looked.elapsed() > LOOK_AT_FILE_EVERY {
            looked = Instant::now();
            if has_changed(desk, file) {
                break Err(Halt::Changed);
            }
        }
    };
    wait.end();
    if outcome.is_err() {
        // A question that stays on the screen must not meet the next one.
        let _ = answered.recv_timeout(GRACE);
    }
    desk.waited.set(desk.waited.get() + began.elapsed());
    desk.cancel.end_waiting(began.elapsed());
    outcome
}

/// Whether the file is no longer what the question shows. Only a hint to ask again: the commit decides by its bytes.
fn has_changed(desk: &Desk<'_>, file: &FilePlan) -> bool {
    let Ok(now) = desk
        .engine()
        .workspace
        .locate_as_spelled(file.target.path())
    else {
        return true;
    };
    if !now.is_same_place(&file.target.located) {
        return true;
    }
    match &file.expected {
        Expected::Missing => now.stat().is_some(),
        Expected::Content { stamp, .. } => now.stat().is_none_or(|now| !now.same_file_state(stamp)),
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

/// The whole new text, for a person who edits it.
fn text_of(file: &FilePlan) -> Option<String> {
    let whole;
    let bytes = match (&file.new, &file.base) {
        (New::Whole(bytes), _) => bytes,
        (New::Changes(changes), Some(base)) => {
            whole = apply_raw(&base.bytes, changes);
            &whole
        }
        _ => return None,
    };
    if bytes.len() > LONGEST_TEXT {
        return None;
    }
    let document = Document::decode(bytes, Some(file.encoding)).ok()?;
    Some(document.view().to_owned())
}

fn declined(file: &FilePlan, words: Option<String>) -> Refusal {
    let path = quote_path(file.target.path());
    let words = words
        .map(|words| format!(": {}", cut(&words, LONGEST_WORDS)))
        .unwrap_or_default();
    let text = format!("A person declined this change of {path}{words}. Nothing was written.");
    Refusal::new(Kind::Declined, text).with("file_path", path)
}

fn unanswered(desk: &Desk<'_>, file: &FilePlan) -> Refusal {
    let path = quote_path(file.target.path());
    let minutes = desk.engine().permissions.wait_limit.as_secs().div_ceil(60);
    let text = format!(
        "Nobody answered the question about {path} within {minutes} min. Nothing was written; ask the user, then send the call again."
    );
    Refusal::new(Kind::Declined, text).with("file_path", path)
}
