//! Answers that last longer than one call: for the rest of the session, or always. They are saved once the call has
//! succeeded; the answers of a call that fails are dropped.

use lancet_policy::{Access, Effect, Layer, LayeredRule, Policy, Rule};

use crate::reason::Reason;
use crate::session::{LastingAnswer, Reach};
use crate::settings::keep_rule;
use crate::stages::context::CallContext;
use crate::wording::{cut, quote_path};

/// The most rules that one answer adds; with more files "always" is not on offer.
const MOST_RULES: usize = 5;
/// The longest text about a rule that could not be saved, in characters.
const LONGEST_TROUBLE: usize = 500;

/// Returns the files that an answer for the session would cover because of one file, and the same as text.
pub(super) fn session_offer(policy: &Policy, reason: &Reason) -> (Reach, Words) {
    let path = &reason.path;
    let scope = reason
        .protected
        .then(|| policy.offered_scope(path))
        .flatten();
    match (scope, &reason.rule) {
        (Some(scope), _) => (
            Reach::Folder(scope.folder),
            Words::Files(format!("files of {}", scope.pattern)),
        ),
        (None, Some(rule)) => (Reach::Rule, Words::Rule(rule.clone())),
        (None, None) => (Reach::File(path.clone()), Words::File),
    }
}

/// The files that an answer for the session would cover, for display.
#[derive(PartialEq, Eq)]
pub(super) enum Words {
    /// The file itself.
    File,
    /// The files that a rule asks about.
    Rule(String),
    /// These files.
    Files(String),
}

/// Describes what an answer for the session would cover for all files that need an answer, of a call with `files` files.
pub(super) fn session_words(offers: &[Words], files: usize) -> String {
    if let ([Words::File], 1) = (offers, files) {
        return "this file".to_owned();
    }
    if let ([Words::Rule(_)], 1) = (offers, files) {
        return "files that this rule asks about".to_owned();
    }
    let single = offers.iter().filter(|offer| **offer == Words::File).count();
    let mut words = Vec::new();
    match single {
        0 => {}
        _ if single == files => words.push(format!("these {files} files")),
        _ => words.push(format!("{single} of these files")),
    }
    for offer in offers {
        let told = match offer {
            Words::File => continue,
            Words::Rule(rule) => format!("files that {rule} asks about"),
            Words::Files(files) => files.clone(),
        };
        if !words.contains(&told) {
            words.push(told);
        }
    }
    words.join(", ")
}

/// Returns the rules that "always" would add: for each file the narrowest useful one. An ask rule or unsaved changes
/// would still cause a question whatever is allowed, and protected names are granted for a session at most.
pub(super) fn rules<'r>(
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
        .take(MOST_RULES + 1)
        .collect();
    match rules.len() > MOST_RULES {
        true => Vec::new(),
        false => rules,
    }
}

/// Saves the lasting answer of a call that succeeded.
pub(crate) fn keep_answer(context: &CallContext<'_>) {
    let LastingAnswer { grants, rules } = context.answer.take();
    for (key, reach) in grants {
        context.session.inner.grants.add(&key, reach);
    }
    for rule in rules {
        if let Err(why) = keep_rule_of(context, &rule) {
            let unkept = &context.session.inner.unkept;
            unkept.push(cut(&why, LONGEST_TROUBLE));
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
            stands_for: None,
        });
    }
    Ok(())
}
