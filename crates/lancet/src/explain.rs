//! Why a file may or may not be touched, explained for a person: which rule of which layer decides, and which other
//! rules cover the file. The explanation is never shown to a model, because it names denied files.

use std::path::PathBuf;

use lancet_policy::{Access, Outcome, Shows};

use crate::builtin;
use crate::engine::Lancet;
use crate::refusal::Refusal;
use crate::rooms::locate::{HardLinks, Intent, find, outside_words};

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
    /// All rules that cover the file for this access, strongest first, with their layer and place.
    pub rules: Vec<String>,
    /// The part of a protected folder that `[protected] open` could open; none where it could open nothing.
    pub scope: Option<String>,
    /// Whether reading is denied, so that models do not get the text.
    pub is_withheld: bool,
}

impl Lancet {
    /// Explains which rule decides whether a tool may touch a file, in this engine's mode.
    ///
    /// # Errors
    /// The path cannot be decided about, for instance because it is outside the roots.
    pub fn explain(&self, path: &str, tool: &str) -> Result<Explanation, Refusal> {
        let engine = &*self.engine();
        let policy = engine.permissions.policy();
        let access = Access::of_tool(tool).unwrap_or(Access::Write);
        let shows = builtin::by_name(tool).map_or(Shows::Lines, |tool| tool.shows());
        let intent = match (access, shows) {
            (Access::Read, _) => Intent::Show,
            (Access::Write, Shows::Nothing) => Intent::Replace,
            (Access::Write, Shows::Lines) => Intent::Edit,
        };
        let target = find(engine, &policy, path, intent)?;
        let decision = target.with_names(|names| match intent.shows() {
            None => policy.reading(names),
            Some(shows) => policy.writing(names, shows),
        });
        let rules = target.with_names(|names| {
            let mut covering = policy.covering(names, access);
            if intent == Intent::Edit {
                let reading = policy.covering(names, Access::Read);
                covering.extend(
                    reading
                        .into_iter()
                        .filter(|entry| entry.effect == lancet_policy::Effect::Deny),
                );
            }
            covering.into_iter().map(ToString::to_string).collect()
        });
        let is_withheld = target.with_names(|names| policy.reading(names)).is_denied();
        let links = match target.hard_links {
            HardLinks::Unknown if access == Access::Write => Some("it is one of several hard links, and not all of the others can be found (too many entries, or a folder that cannot be listed)".to_owned()),
            HardLinks::Outside(names) => Some(format!(
                "it also has {}, which the change reaches, too",
                outside_words(names)
            )),
            _ => None,
        };
        let (outcome, because) = match decision.outcome {
            Outcome::Allow if let Some(links) = links => (Outcome::Ask, links),
            Outcome::Allow if is_withheld && access == Access::Write => (
                Outcome::Ask,
                "reading it is denied, and what was not read is written only after a person's yes"
                    .to_owned(),
            ),
            outcome => (outcome, decision.cause.to_string()),
        };
        Ok(Explanation {
            outcome,
            because,
            rules,
            scope: policy
                .offered_scope(target.path())
                .map(|scope| scope.pattern),
            is_withheld,
            path: target.path().to_path_buf(),
        })
    }
}
