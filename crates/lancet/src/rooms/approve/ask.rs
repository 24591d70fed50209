//! Asks a person one question and waits for the answer: for a limited time, cancellable, and only while the file is
//! still what the question shows.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant, SystemTime};

use lancet_policy::{Access, Effect, Layer, LayeredRule, Policy, Rule};
use lancet_text::{Document, apply_raw, unified};

use super::{Halt, nobody};
use crate::approval::{Answer, Approver, Offers, OtherFile, Question, WORDS_WAIT, Wait};
use crate::call::Stopped;
use crate::events::Event;
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalKind};
use crate::reply::Reply;
use crate::rooms::CallContext;
use crate::rooms::plan::{FilePlan, New};
use crate::session::Reach;
use crate::settings::keep_rule;
use crate::wording::{QuotedPath, cut, duration, quote_path};

/// How often the waiting thread checks the call and the clock.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often the waiting thread checks the file.
const LOOK_AT_FILE_EVERY: Duration = Duration::from_millis(250);
/// How long an approver has to withdraw its question.
const GRACE: Duration = Duration::from_millis(500);
/// The longest text of a person that is passed on to the model, in characters.
const LONGEST_WORDS: usize = 4_000;
/// The longest text about a rule that could not be saved, in characters.
const LONGEST_TROUBLE: usize = 500;
/// The longest text that a person is given to edit, in bytes.
const LONGEST_TEXT: usize = 4 << 20;

/// The approver of the call or else of the engine; none where nobody can be asked.
pub(super) fn somebody<'d>(context: &'d CallContext<'_>) -> Option<&'d Arc<dyn Approver>> {
    context
        .approver
        .as_ref()
        .or(context.engine().base().approver.as_ref())
}

/// Asks about one file. The result is the text to write instead, where the person edited it.
pub(super) fn ask(
    context: &CallContext<'_>,
    policy: &Policy,
    file: &FilePlan,
    reason: Reason,
    others: Vec<OtherFile>,
) -> Result<Option<String>, Halt> {
    let path = file.target.path().to_path_buf();
    let Some(approver) = somebody(context) else {
        return Err(nobody(&reason).with("file_path", file.target.told()).into());
    };
    let scope = reason
        .protected
        .then(|| policy.offered_scope(&path))
        .flatten();
    let always = always(context, &reason, &path);
    let question = Question {
        tool: context.tool.clone(),
        path: path.clone(),
        relative: file.target.located.relative().to_path_buf(),
        kind: file.kind(),
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
        others,
    };
    let proposed = question.text.clone();
    let told = file.target.told();
    let answer = wait_for(context, approver, question, Some(file), &told)?;
    tell_decision(context, &path, &reason, &answer);
    let grant = |reach_of_scope: Option<PathBuf>| {
        let reach = match (reach_of_scope, &reason.rule) {
            (Some(folder), _) => Reach::Folder(folder),
            (None, Some(_)) => Reach::Rule,
            (None, None) => Reach::File(path.clone()),
        };
        context.session.inner.grants.add(&reason.key, reach);
    };
    match answer {
        Answer::Yes => Ok(None),
        Answer::Session => {
            grant(scope.map(|scope| scope.folder));
            Ok(None)
        }
        Answer::Always => {
            // The rule is saved once the change is made; if saving fails, the grant for the session remains.
            grant(scope.map(|scope| scope.folder));
            context.rules.borrow_mut().extend(always);
            Ok(None)
        }
        Answer::Edited(text) if proposed.as_deref() == Some(text.as_str()) => Ok(None),
        Answer::Edited(text) => Ok(Some(text)),
        Answer::No(words) => Err(declined(&told, words).into()),
        Answer::Unanswered(words) => Err(nobody_answered(&told, words).into()),
    }
}

/// Asks whether a model may learn why a withheld file was not written.
pub(super) fn ask_to_tell(
    context: &CallContext<'_>,
    approver: &Arc<dyn Approver>,
    question: Question,
    told: &QuotedPath,
    reason: &Reason,
) -> Result<(), Refusal> {
    let path = question.path.clone();
    let answer = match wait_for(context, approver, question, None, told) {
        Ok(answer) => answer,
        Err(Halt::Refused(refusal)) => return Err(*refusal),
        // No file is watched while this question is open.
        Err(Halt::NeedsFreshRead | Halt::Changed | Halt::Moved) => {
            return Err(nobody_answered(told, None));
        }
    };
    tell_decision(context, &path, reason, &answer);
    match answer {
        Answer::Yes | Answer::Edited(_) => Ok(()),
        Answer::Session | Answer::Always => {
            let grants = &context.session.inner.grants;
            grants.add(&reason.key, Reach::File(path));
            Ok(())
        }
        Answer::No(words) => Err(declined(told, words)),
        Answer::Unanswered(words) => Err(nobody_answered(told, words)),
    }
}

/// Reports a decision to the observers.
fn tell_decision(
    context: &CallContext<'_>,
    path: &std::path::Path,
    reason: &Reason,
    answer: &Answer,
) {
    context.engine().tell(&Event::Decided {
        time: SystemTime::now(),
        session: context.session.name().cloned(),
        path: path.to_path_buf(),
        reason: reason.words.clone(),
        allowed: !matches!(answer, Answer::No(_) | Answer::Unanswered(_)),
    });
}

/// The rule that "always" would add: the narrowest useful one. None where an ask rule decides, which would go on
/// asking, and none for protected names, which are granted for a session at most.
fn always(context: &CallContext<'_>, reason: &Reason, path: &std::path::Path) -> Option<String> {
    if reason.protected || reason.rule.is_some() {
        return None;
    }
    context.engine().permissions.user_settings.as_ref()?;
    Some(Rule::for_file(Access::Write, path.to_str()?))
}

/// Saves the rules of the "always" answers of a call that was carried out, and reports a rule that could not be saved.
pub(crate) fn keep_rules(context: &CallContext<'_>, reply: &mut Reply) {
    for rule in context.rules.take() {
        if let Err(why) = keep_rule_of(context, &rule) {
            reply.append(&format!("[lancet: {}]", cut(&why, LONGEST_TROUBLE)));
        }
    }
}

fn keep_rule_of(context: &CallContext<'_>, rule: &str) -> Result<(), String> {
    let permissions = &context.engine().permissions;
    let Some(settings) = &permissions.user_settings else {
        return Ok(());
    };
    let kept = keep_rule(settings, Effect::Allow, rule).map_err(|error| {
        format!(
            "the rule of the answer \"always\" could not be added to {}: {error}; the answer holds for this session",
            quote_path(settings)
        )
    })?;
    if let Ok(rule) = Rule::parse(rule) {
        permissions.add(LayeredRule {
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
    context: &CallContext<'_>,
    approver: &Arc<dyn Approver>,
    question: Question,
    file: Option<&FilePlan>,
    told: &QuotedPath,
) -> Result<Answer, Halt> {
    // The escaping is done here, once for all approvers: a name or line of the file must not look like lancet's own
    // text.
    let question = question.escaped();
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
            RefusalKind::Internal,
            "The system gave no thread to ask a person on. Nothing was written.",
        )
        .into());
    }
    context.cancel.begin_waiting();
    let limit = context
        .engine()
        .permissions
        .wait_limit
        .saturating_sub(context.waited.get());
    let mut looked = began;
    let outcome = loop {
        match answered.recv_timeout(LOOK_EVERY) {
            Ok(answer) => break Ok(answer),
            // The approver panicked, so no person has answered.
            Err(RecvTimeoutError::Disconnected) => break Ok(Answer::Unanswered(None)),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if context.cancel.stopped() == Some(Stopped::Cancelled) {
            break Err(Refusal::new(
                RefusalKind::Declined,
                "The caller cancelled this call. Nothing was written.",
            )
            .into());
        }
        // A no is final; only its reason is still awaited.
        if let Some(declined) = wait.declined_at() {
            if declined.elapsed() > WORDS_WAIT {
                break Ok(Answer::No(None));
            }
            continue;
        }
        if began.elapsed() > limit {
            break Err(unanswered(context, told).into());
        }
        if looked.elapsed() > LOOK_AT_FILE_EVERY {
            looked = Instant::now();
            if file.is_some_and(|file| has_changed(context, file)) {
                break Err(Halt::Changed);
            }
        }
    };
    wait.end();
    if outcome.is_err() {
        // A question that is still on the screen must not overlap with the next one.
        let _ = answered.recv_timeout(GRACE);
    }
    context.waited.set(context.waited.get() + began.elapsed());
    context.cancel.end_waiting(began.elapsed());
    outcome
}

/// Whether the file is no longer what the question shows. This is only a hint to ask again: the commit compares the
/// bytes.
fn has_changed(context: &CallContext<'_>, file: &FilePlan) -> bool {
    let source = file.source();
    let workspace = &context.engine().workspace;
    let found = match source.located.is_link() {
        true => workspace.locate_link(source.path()),
        false => workspace.locate_as_spelled(source.path()).map(Some),
    };
    let Ok(Some(now)) = found else {
        return true;
    };
    if !now.is_same_place(&source.located) {
        return true;
    }
    match file.expected.stamp() {
        None => now.stat().is_some(),
        Some(stamp) => now.stat().is_none_or(|now| !now.same_file_state(stamp)),
    }
}

/// Lists what a person has to know beside the diff.
fn notices(file: &FilePlan) -> Vec<String> {
    let mut notices = file.target.notices.clone();
    notices.extend_from_slice(&file.view.notices);
    if file.view.patch.iter().any(|hunk| hunk.lines.is_empty()) {
        notices
            .push("some of the change is too long to show; the diff gives its lines alone".into());
    }
    notices
}

/// Gives the whole new text, for a person who edits it.
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

fn declined(path: &QuotedPath, words: Option<String>) -> Refusal {
    let words = passed_on(words);
    let text = format!("A person declined this change of {path}{words}. Nothing was written.");
    Refusal::new(RefusalKind::Declined, text).with("file_path", path)
}

/// The refusal for a question that no person answered: it was dismissed, or a program answered it.
fn nobody_answered(path: &QuotedPath, words: Option<String>) -> Refusal {
    let words = passed_on(words);
    let text = format!(
        "The question about this change of {path} was not answered by a person{words}. Nothing was written; ask the user, then send the call again."
    );
    Refusal::new(RefusalKind::Declined, text).with("file_path", path)
}

/// Formats a person's text for the model.
fn passed_on(words: Option<String>) -> String {
    words
        .map(|words| format!(": {}", cut(&words, LONGEST_WORDS)))
        .unwrap_or_default()
}

fn unanswered(context: &CallContext<'_>, path: &QuotedPath) -> Refusal {
    let limit = duration(context.engine().permissions.wait_limit);
    let text = format!(
        "Nobody answered the question about {path} within {limit}. Nothing was written; ask the user, then send the call again."
    );
    Refusal::new(RefusalKind::Declined, text).with("file_path", path)
}
