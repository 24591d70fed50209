//! Notices after an answer: facts that the call did not request. There is one list of sources in a fixed order, with
//! one budget and one rule for all entry points (tool calls, and a host's undo and restore): a notice is added whole if
//! it fits into the answer; otherwise it waits for the next answer.

use super::context::CallContext;
use super::notice::{Effect, Notice};
use super::{diagnosis, flawed_settings, foreign_writes, late, persons_words, set_aside};
use crate::engine::MAX_SETTINGS_NOTICE;
use crate::limit::AnswerLimit;
use crate::outcome::Outcome;
use crate::reply::Reply;

/// The longest reason why settings do not load, in the unit of the answer's limit.
const MAX_REASON_LENGTH: usize = 500;
/// The length of the text that says how much of a cut text is missing.
const CUT_MARK_LENGTH: usize = 40;

/// Ends an answer: adds the notices that fit, and keeps the whole within its limit.
pub(super) fn end_answer(context: &CallContext<'_>, effect: Effect, reply: &mut Reply) {
    let mut limit = match reply.is_error() {
        true => context.refusals,
        false => context.limit,
    };
    if let Some(gloss) = context.vocabulary.explain_field_names(reply.text()) {
        reply.append(gloss);
    }
    let notices = collect(context, effect, limit, reply.outcome());
    if !notices.is_empty() {
        let mut used = limit.length(reply.text());
        for notice in notices {
            limit.most += notice.reserved;
            let length = limit.length(&notice.line) + limit.length("\n");
            if used + length <= limit.most && (notice.claim)() {
                reply.append(&notice.line);
                used += length;
            }
        }
    }
    reply.finish(limit);
}

/// Returns the notices of all sources, in the order in which they are given.
fn collect<'c>(
    context: &'c CallContext<'_>,
    effect: Effect,
    limit: AnswerLimit,
    outcome: &Outcome,
) -> Vec<Notice<'c>> {
    let mut notices = unsaved_rule_notices(context);
    notices.extend(persons_words::comment_notices(context));
    notices.extend(foreign_writes::notice(context, outcome));
    notices.extend(diagnosis::late_problem_notices(context, effect));
    notices.extend(late::notices(context));
    notices.extend(set_aside::notice(context));
    notices.extend(flawed_settings::notice(context));
    if effect == Effect::Writes {
        notices.extend(broken_settings_notice(context, limit));
    }
    notices
}

/// Returns the notice that the settings do not load and the earlier ones still apply; every answer of a writing call
/// contains it. The call's limit already reserves space for it.
fn broken_settings_notice<'c>(context: &CallContext<'_>, limit: AnswerLimit) -> Option<Notice<'c>> {
    let why = context.engine().trouble.as_ref()?;
    let sentence = "the settings were changed and do not load; the ones before are in force until the user mends this: ";
    // The present limit is what remains after at most a quarter was reserved.
    let reserved = MAX_SETTINGS_NOTICE.min(limit.most / 3);
    let longest = reserved.saturating_sub(limit.length(sentence) + CUT_MARK_LENGTH);
    let reason = limit.truncate(why, longest.min(MAX_REASON_LENGTH));
    Some(Notice {
        reserved,
        ..Notice::new(&format!("{sentence}{reason}"), || true)
    })
}

/// Returns a notice for each rule of the answer "always" that could not be saved.
fn unsaved_rule_notices<'c>(context: &'c CallContext<'_>) -> Vec<Notice<'c>> {
    let unkept = &context.session.inner.unkept;
    let notice = |words: String| Notice::new(&words.clone(), move || unkept.take(&words));
    unkept.all().into_iter().map(notice).collect()
}
