//! Scopes: parts of protected folders that the user's own settings open, such as one skill instead of all of `.claude`.
//! Version control, shell start-up files and permission settings are never opened.

use std::path::{Path, PathBuf};

use crate::decision::RuleLayer;
use crate::fold::{self, FoldStrength};
use crate::name::PreparedPath;
use crate::pattern::{Pattern, PatternError, PatternPart};
use crate::sets::{Locations, RuleSets};
use crate::table::{self, ScopePermission};
use crate::tree::NameKind;

/// Replaces a pattern part with wildcards when the table of names is searched; no name of the table contains it.
const WILDCARD_PLACEHOLDER: &str = "*";

/// A part of a protected folder that is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    text: String,
    pattern: Pattern,
}

impl Scope {
    /// Parses a scope: a pattern that names a protected folder and at least one name below it.
    ///
    /// # Errors
    /// The pattern can never match, or would open what is never opened.
    pub fn parse(text: &str) -> Result<Scope, PatternError> {
        let pattern = Pattern::parse(text.trim())?;
        let names: Vec<String> = pattern.parts.iter().map(literal_form).collect();
        let spelled = names.join("/");
        let wrong = |message: String, suggestion: Option<&str>| {
            Err(PatternError {
                message,
                suggestion: suggestion.map(str::to_owned),
            })
        };
        let example = Some(".claude/skills/NAME/**");
        match table::find_protected(&spelled) {
            None => wrong(
                "names no protected folder, so it opens nothing".into(),
                example,
            ),
            Some((name, ScopePermission::Never, _)) => {
                wrong(format!("would open `{name}`, which always asks"), None)
            }
            Some((name, ScopePermission::InPart, below)) => {
                let next = below.split('/').next().unwrap_or_default();
                if matches!(next, "" | WILDCARD_PLACEHOLDER) {
                    return wrong(
                        format!("would open all of `{name}`: name one folder or file below it"),
                        example.filter(|example| example.starts_with(name)),
                    );
                }
                if table::is_permission_settings(below) || table::is_permission_settings(next) {
                    return wrong(
                        format!(
                            "would open `{name}/{below}`, which says what an agent may do and always asks"
                        ),
                        None,
                    );
                }
                Ok(Scope {
                    text: text.trim().to_owned(),
                    pattern,
                })
            }
        }
    }

    /// Returns the text of the scope as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the scope to offer to a person for a protected path relative to its root: the folder two names below the
    /// protected one, which is a self-contained unit (a skill, the folder of a command). None for a path with fewer
    /// names.
    pub(crate) fn scope_to_offer(relative: &str) -> Option<(String, String)> {
        let names: Vec<&str> = relative
            .split('/')
            .filter(|name| !name.is_empty())
            .collect();
        let folded: Vec<String> = names
            .iter()
            .map(|name| fold::fold_name(name, FoldStrength::Drive))
            .collect();
        // Some characters fold to a slash; the folded names would then no longer correspond to the names.
        if folded.iter().any(|name| name.contains('/')) {
            return None;
        }
        let spelled = folded.join("/");
        let (_, ScopePermission::InPart, below) = table::find_protected(&spelled)? else {
            return None;
        };
        let below = below.split('/').count();
        if below < 3 {
            return None;
        }
        let folder = names[..names.len() - below + 2].join("/");
        let pattern = format!("{}/**", crate::pattern::escape_path(&folder));
        Some((pattern, folder))
    }
}

/// Returns a part of a pattern in the form in which the table of names is searched for it.
fn literal_form(part: &PatternPart) -> String {
    match part {
        PatternPart::Literal(name) => fold::fold_name(name, FoldStrength::Drive),
        PatternPart::AnyDepth | PatternPart::Wild(_) => WILDCARD_PLACEHOLDER.to_owned(),
    }
}

/// The scopes in force.
#[derive(Debug)]
pub(crate) struct Scopes {
    sets: RuleSets,
    scopes: Vec<Scope>,
}

impl Scopes {
    pub(crate) fn new(
        ground: &Locations,
        resolve: &dyn Fn(&Path) -> PathBuf,
        scopes: Vec<Scope>,
    ) -> Scopes {
        let mut sets = RuleSets::new(FoldStrength::Plain);
        for (number, scope) in scopes.iter().enumerate() {
            // Scopes come only from the user's own settings.
            let pattern = (&scope.pattern, RuleLayer::User);
            sets.add(ground, resolve, pattern, number as u32);
        }
        Scopes { sets, scopes }
    }

    /// Returns the scope that opens a path; none for what is never opened. `below` is what follows its protected name.
    pub(crate) fn scope_opening(
        &self,
        name: &PreparedPath<'_>,
        opens: ScopePermission,
        below: &str,
    ) -> Option<&Scope> {
        if self.scopes.is_empty()
            || opens == ScopePermission::Never
            || table::is_permission_settings(below)
        {
            return None;
        }
        // A scope that opens a folder does not open protected names below it.
        if table::find_protected(below).is_some() {
            return None;
        }
        let number = self.sets.find(name, NameKind::File)?;
        self.scopes.get(number as usize)
    }
}
