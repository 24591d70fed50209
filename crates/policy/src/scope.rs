//! Scopes: parts of protected folders that the user's own settings open, such as one skill instead of all of `.claude`.
//! Version control, shell start-up files and permission settings are never opened.

use std::path::{Path, PathBuf};

use crate::decision::Layer;
use crate::fold::{self, Strength};
use crate::name::Name;
use crate::pattern::{Pattern, PatternError, PatternPart};
use crate::sets::{Locations, Sets};
use crate::table::{self, Opens};
use crate::tree::NameKind;

/// Replaces a pattern part with wildcards when the table of names is searched; no name of the table contains it.
const WILD: &str = "*";

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
        let names: Vec<String> = pattern.parts.iter().map(literally).collect();
        let spelled = names.join("/");
        let wrong = |message: String, suggestion: Option<&str>| {
            Err(PatternError {
                message,
                suggestion: suggestion.map(str::to_owned),
            })
        };
        let example = Some(".claude/skills/NAME/**");
        match table::protected(&spelled) {
            None => wrong(
                "names no protected folder, so it opens nothing".into(),
                example,
            ),
            Some((name, Opens::Never, _)) => {
                wrong(format!("would open `{name}`, which always asks"), None)
            }
            Some((name, Opens::InPart, below)) => {
                let next = below.split('/').next().unwrap_or_default();
                if matches!(next, "" | WILD) {
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
    pub(crate) fn offered(relative: &str) -> Option<(String, String)> {
        let names: Vec<&str> = relative
            .split('/')
            .filter(|name| !name.is_empty())
            .collect();
        let folded: Vec<String> = names
            .iter()
            .map(|name| fold::name(name, Strength::Drive))
            .collect();
        // Some characters fold to a slash; the folded names would then no longer correspond to the names.
        if folded.iter().any(|name| name.contains('/')) {
            return None;
        }
        let spelled = folded.join("/");
        let (_, Opens::InPart, below) = table::protected(&spelled)? else {
            return None;
        };
        let below = below.split('/').count();
        if below < 3 {
            return None;
        }
        let folder = names[..names.len() - below + 2].join("/");
        let pattern = format!("{}/**", crate::pattern::escaped(&folder));
        Some((pattern, folder))
    }
}

/// Returns a part of a pattern in the form in which the table of names is searched for it.
fn literally(part: &PatternPart) -> String {
    match part {
        PatternPart::Literal(name) => fold::name(name, Strength::Drive),
        PatternPart::AnyDepth | PatternPart::Wild(_) => WILD.to_owned(),
    }
}

/// The scopes in force.
#[derive(Debug)]
pub(crate) struct Scopes {
    sets: Sets,
    scopes: Vec<Scope>,
}

impl Scopes {
    pub(crate) fn new(
        ground: &Locations,
        resolve: &dyn Fn(&Path) -> PathBuf,
        scopes: Vec<Scope>,
    ) -> Scopes {
        let mut sets = Sets::new(Strength::Plain);
        for (number, scope) in scopes.iter().enumerate() {
            // Scopes come only from the user's own settings.
            let pattern = (&scope.pattern, Layer::User);
            sets.add(ground, resolve, pattern, number as u32);
        }
        Scopes { sets, scopes }
    }

    /// Returns the scope that opens a path; none for what is never opened. `below` is what follows its protected name.
    pub(crate) fn opening(&self, name: &Name<'_>, opens: Opens, below: &str) -> Option<&Scope> {
        if self.scopes.is_empty() || opens == Opens::Never || table::is_permission_settings(below) {
            return None;
        }
        // A path below an opened folder may contain another protected name.
        if table::protected(below).is_some() {
            return None;
        }
        let number = self.sets.find(name, NameKind::File)?;
        self.scopes.get(number as usize)
    }
}
