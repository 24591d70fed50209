//! The permission lists of the settings: rules, opened parts of protected folders, guarded files, read roots. The
//! policy interprets them.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use lancet_policy::{LayeredRule, PatternError, Rule, RuleEffect, RuleError, Scope};

use super::error::{SettingsError, line_and_column};
use super::keys::ValueForm;
use super::{Layer, Origin, Settings};

/// Returns whether a key takes one of these lists.
pub(super) fn is_permission_list(form: ValueForm) -> bool {
    matches!(
        form,
        ValueForm::Rules | ValueForm::Scopes | ValueForm::Guards | ValueForm::Folders
    )
}

/// Checks an entry of a list, in any layer: a rule that silently does nothing is dangerous.
pub(super) fn check_entry(
    layer: &Layer,
    key: &str,
    form: ValueForm,
    (text, at): &(String, usize),
) -> Result<(), SettingsError> {
    let wrong = |message: String, suggestion: Option<String>| {
        let meant = suggestion.map(|meant| format!("{meant:?}"));
        Err(SettingsError::at(layer, *at, message).with_suggestion(meant.as_deref()))
    };
    match form {
        ValueForm::Rules => match Rule::parse(text) {
            Ok(_) => Ok(()),
            Err(error) => wrong(error.message, error.suggestion),
        },
        ValueForm::Scopes => match Scope::parse(text) {
            Ok(_) => Ok(()),
            Err(PatternError {
                message,
                suggestion,
            }) => wrong(format!("{key}: the pattern {text:?} {message}"), suggestion),
        },
        ValueForm::Guards => match parse_guard(text) {
            Ok(_) => Ok(()),
            Err(RuleError {
                message,
                suggestion,
            }) => {
                let meant = suggestion
                    .as_deref()
                    .and_then(pattern_inside_rule)
                    .map(str::to_owned);
                wrong(message, meant)
            }
        },
        _ => {
            let path = Path::new(text);
            match path.is_absolute() || path.starts_with("~") {
                true => Ok(()),
                false => wrong(
                    format!("{key}: {text:?} is not absolute; a folder begins with / or ~/"),
                    None,
                ),
            }
        }
    }
}

/// Applies a list; the lists of several layers are joined.
pub(super) fn add_entries(
    settings: &mut Settings,
    layer: &Layer,
    key: &str,
    words: Vec<(String, usize)>,
) {
    for (text, at) in words {
        match key {
            "protected.open" => settings.open.extend(Scope::parse(&text).ok()),
            "secrets.guard" => settings.guards.push(text),
            "read_roots" => settings.read_roots.push(PathBuf::from(text)),
            _ => settings.rules.extend(parse_entry(layer, key, &text, at)),
        }
    }
}

/// Creates a rule with its layer and line; invalid ones were refused before.
fn parse_entry(layer: &Layer, key: &str, text: &str, at: usize) -> Option<LayeredRule> {
    let effect = match key {
        "permissions.allow" => RuleEffect::Allow,
        "permissions.ask" => RuleEffect::Ask,
        _ => RuleEffect::Deny,
    };
    let (line, _) = line_and_column(&layer.text, at);
    Some(LayeredRule {
        effect,
        rule: Rule::parse(text).ok()?,
        layer: match layer.origin {
            Origin::Project | Origin::TrustedProject => lancet_policy::RuleLayer::Project,
            Origin::CommandLine => lancet_policy::RuleLayer::CommandLine,
            Origin::BuiltIn | Origin::User => lancet_policy::RuleLayer::User,
        },
        source: format!("{}:{line}", layer.path.display()),
        stands_for: None,
    })
}

/// Parses the pattern of a guarded file, which has the syntax of a rule's pattern.
fn parse_guard(text: &str) -> Result<Rule, RuleError> {
    Rule::parse(&format!("Edit({text})"))
}

fn pattern_inside_rule(rule: &str) -> Option<&str> {
    rule.strip_prefix("Edit(")?.strip_suffix(')')
}
