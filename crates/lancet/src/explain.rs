//! Explains to a person why a file may or may not be touched: which rule of which layer decides, and which other rules
//! cover the file. The explanation is never shown to a model, because it names denied files.

use std::path::{Path, PathBuf};

use lancet_policy::{Access, DecisionCause, LayeredRule, Outcome, ShownContent};

use crate::audience::Audience;
use crate::builtin;
use crate::engine::Lancet;
use crate::message::{Message, message, verbatim};
use crate::refusal::Refusal;
use crate::stages::locate::{HardLinkKnowledge, Intent, describe_outside_names, locate_unchecked};
use crate::wording::quote_path;

/// A decision about a file, and what decided it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The file as opened.
    pub path: PathBuf,
    /// The decision.
    pub outcome: Outcome,
    /// The rule, mode or name that decides.
    pub because: String,
    /// All rules that cover the file for this access, strongest first, with their layer and location.
    pub rules: Vec<String>,
    /// The part of a protected folder that `[protected] open` could open; none where it could open nothing.
    pub scope: Option<String>,
    /// Whether reading is denied, so that models do not get the text.
    pub is_withheld: bool,
    because_message: Message,
    rule_messages: Vec<Message>,
}

impl Explanation {
    /// Returns the reason, with paths as a reader names them.
    #[doc(hidden)]
    pub fn reason_for(&self, audience: &Audience) -> String {
        self.because_message.render(audience)
    }

    /// Returns the rules, with paths as a reader names them.
    #[doc(hidden)]
    pub fn rules_for(&self, audience: &Audience) -> Vec<String> {
        let rules = self.rule_messages.iter();
        rules.map(|rule| rule.render(audience)).collect()
    }
}

impl Lancet {
    /// Explains which rule decides whether a tool may touch a file, in this engine's mode.
    ///
    /// # Errors
    /// The decision cannot be made for this path, for instance because it is outside the roots.
    pub fn explain(&self, path: &str, tool: &str) -> Result<Explanation, Refusal> {
        let engine = &*self.engine();
        let policy = engine.permissions.policy();
        let access = Access::for_tool(tool).unwrap_or(Access::Write);
        let shows = builtin::find_by_name(tool).map_or(ShownContent::Lines, |tool| tool.shows());
        let intent = match (access, shows) {
            (Access::Read, _) => Intent::Show,
            (Access::Write, ShownContent::Nothing) => Intent::Replace,
            (Access::Write, ShownContent::Lines) => Intent::Edit,
        };
        let target = locate_unchecked(engine, &policy, path, intent)?;
        let decision = target.with_names(|names| match intent.shows() {
            None => policy.may_read_names(names),
            Some(shows) => policy.may_write(names, shows),
        });
        let rules = target.with_names(|names| {
            let mut covering = policy.rules_covering(names, access);
            if intent == Intent::Edit {
                let reading = policy.rules_covering(names, Access::Read);
                covering.extend(
                    reading
                        .into_iter()
                        .filter(|entry| entry.effect == lancet_policy::RuleEffect::Deny),
                );
            }
            covering.into_iter().map(describe_rule).collect::<Vec<_>>()
        });
        let is_withheld = target
            .with_names(|names| policy.may_read_names(names))
            .is_denied();
        let links = match target.hard_links {
            HardLinkKnowledge::Unknown if access == Access::Write => Some(message!(
                "it is one of several hard links, and not all of the others can be found (too many entries, or a folder that cannot be listed)"
            )),
            HardLinkKnowledge::Outside(names) => Some(message!(
                "it also has {}, which the change reaches, too",
                verbatim(describe_outside_names(names))
            )),
            _ => None,
        };
        let (outcome, because) = match decision.outcome {
            Outcome::Allow if let Some(links) = links => (Outcome::Ask, links),
            Outcome::Allow if is_withheld && access == Access::Write => (
                Outcome::Ask,
                message!(
                    "reading it is denied, and what was not read is written only after a person's yes"
                ),
            ),
            outcome => (outcome, describe_cause(&decision.cause)),
        };
        Ok(Explanation {
            outcome,
            because: because.render(&Audience::default()),
            rules: rules
                .iter()
                .map(|rule| rule.render(&Audience::default()))
                .collect(),
            because_message: because,
            rule_messages: rules,
            scope: policy
                .offered_scope(target.path())
                .map(|scope| scope.pattern),
            is_withheld,
            path: target.path().to_path_buf(),
        })
    }
}

/// Names a rule with the file and line that it is from.
fn describe_rule(entry: &LayeredRule) -> Message {
    message!(
        "{} {} ({}, {})",
        verbatim(entry.effect.as_str()),
        verbatim(&entry.rule),
        verbatim(entry.layer.name()),
        quote_path(Path::new(&entry.source))
    )
}

fn describe_cause(cause: &DecisionCause<'_>) -> Message {
    match cause {
        DecisionCause::Rule(entry) => message!("the rule `{}`", describe_rule(entry)),
        DecisionCause::ReadRoot(root) => {
            message!("{} is a folder for reading only", quote_path(root))
        }
        other => message!("{}", verbatim(other)),
    }
}
