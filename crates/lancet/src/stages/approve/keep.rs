//! Answers that last longer than one call: for the rest of the session, or always. They are saved once the call has
//! succeeded; the answers of a call that fails are dropped.

use lancet_policy::{Access, LayeredRule, Policy, Rule, RuleEffect, RuleLayer};

use crate::reason::Reason;
use crate::session::{GrantScope, LastingAnswer};
use crate::settings::save_rule;
use crate::stages::context::CallContext;
use crate::wording::{quote_path, truncate};

/// The most rules that one answer adds; with more files "always" is not on offer.
const MAX_RULES: usize = 5;
/// The longest text about a rule that could not be saved, in characters.
const MAX_SAVE_ERROR_LENGTH: usize = 500;

/// Returns the files that an answer for the session would cover because of one file, and the same as text.
pub(super) fn scope_of_session_answer(
    policy: &Policy,
    reason: &Reason,
) -> (GrantScope, OfferedScope) {
    let path = &reason.path;
    let scope = reason
        .protected
        .then(|| policy.offered_scope(path))
        .flatten();
    match (scope, &reason.rule) {
        (Some(scope), _) => (
            GrantScope::Folder(scope.folder),
            OfferedScope::Files(format!("files of {}", scope.pattern)),
        ),
        (None, Some(rule)) => (GrantScope::Rule, OfferedScope::Rule(rule.clone())),
        (None, None) => (GrantScope::File(path.clone()), OfferedScope::File),
    }
}

/// The files that an answer for the session would cover, for display.
#[derive(PartialEq, Eq)]
pub(super) enum OfferedScope {
    /// The file itself.
    File,
    /// The files that a rule asks about.
    Rule(String),
    /// These files.
    Files(String),
}

/// Describes what an answer for the session would cover for all files that need an answer, of a call with `files` files.
pub(super) fn describe_session_offer(offers: &[OfferedScope], files: usize) -> String {
    if let ([OfferedScope::File], 1) = (offers, files) {
        return "this file".to_owned();
    }
    if let ([OfferedScope::Rule(_)], 1) = (offers, files) {
        return "files that this rule asks about".to_owned();
    }
    let single = offers
        .iter()
        .filter(|offer| **offer == OfferedScope::File)
        .count();
    let mut words = Vec::new();
    match single {
        0 => {}
        _ if single == files => words.push(format!("these {files} files")),
        _ => words.push(format!("{single} of these files")),
    }
    for offer in offers {
        let told = match offer {
            OfferedScope::File => continue,
            OfferedScope::Rule(rule) => format!("files that {rule} asks about"),
            OfferedScope::Files(files) => files.clone(),
        };
        if !words.contains(&told) {
            words.push(told);
        }
    }
    words.join(", ")
}

/// Returns the rules that "always" would add: for each file the narrowest useful one. An ask rule or unsaved changes
/// would still cause a question whatever is allowed, and protected names are granted for a session at most.
pub(super) fn rules_for_always<'r>(
    context: &CallContext<'_>,
    asked: impl Iterator<Item = &'r Reason>,
) -> Vec<String> {
    if context.engine().permissions.user_settings.is_none() {
        return Vec::new();
    }
    let rules: Vec<String> = asked
        .filter(|reason| !reason.protected && reason.rule.is_none())
        .filter(|reason| !reason.is_unsaved() && !reason.is_hook())
        .filter_map(|reason| Some(Rule::for_file(Access::Write, reason.path.to_str()?)))
        .take(MAX_RULES + 1)
        .collect();
    match rules.len() > MAX_RULES {
        true => Vec::new(),
        false => rules,
    }
}

/// Saves the lasting answer of a call that succeeded.
pub(crate) fn save_lasting_answer(context: &CallContext<'_>) {
    let LastingAnswer { grants, rules } = context.answer.take();
    for (key, reach) in grants {
        context.session.inner.grants.add(&key, reach);
    }
    for rule in rules {
        if let Err(why) = save_allow_rule(context, &rule) {
            let unkept = &context.session.inner.unkept;
            unkept.push(truncate(&why, MAX_SAVE_ERROR_LENGTH));
        }
    }
}

fn save_allow_rule(context: &CallContext<'_>, rule: &str) -> Result<(), String> {
    let permissions = &context.engine().permissions;
    let Some(settings) = &permissions.user_settings else {
        return Ok(());
    };
    let kept = save_rule(settings, RuleEffect::Allow, rule).map_err(|error| {
        format!(
            "the rule of the answer \"always\" could not be added to {}: {error}; the answer holds for this session",
            quote_path(settings)
        )
    })?;
    if let Ok(rule) = Rule::parse(rule) {
        permissions.add(LayeredRule {
            effect: RuleEffect::Allow,
            rule,
            layer: RuleLayer::User,
            source: format!("{}:{}", settings.display(), kept.line),
            stands_for: None,
        });
    }
    Ok(())
}
