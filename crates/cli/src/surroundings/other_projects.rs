//! The rules of further projects, if a command works on files of several: the rules of each project apply to its files.
//! The rest of the settings is that of the first project.

use std::path::PathBuf;

use lancet::policy::{LayeredRule, Rule, RuleLayer};
use lancet::settings::{Origin, ReloadedSettings, SETTINGS_FILE_NAME};
use lancet::{Mode, Settings};

use super::as_text;
use super::settings::{Flags, load_settings, read_settings_file};
use crate::failure::Failure;

/// Returns the settings files of projects.
pub(crate) fn files_of_projects(roots: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    roots.iter().map(|root| root.join(SETTINGS_FILE_NAME))
}

/// Adds the rules of further projects, and what is wrong with their settings. A file that the user trusts may only
/// tighten, too, because the trust is for commands of that project.
pub(crate) fn add_rules_of_projects(
    loaded: &mut ReloadedSettings,
    roots: &[PathBuf],
) -> Result<(), Failure> {
    for (root, path) in roots.iter().zip(files_of_projects(roots)) {
        let file = read_settings_file(Origin::Project, path)?;
        let Settings {
            rules, flaws, mode, ..
        } = load_settings(&[file], Flags::default())?;
        let own = rules
            .into_iter()
            .filter(|rule| rule.layer == RuleLayer::Project);
        for rule in own {
            let rule = rule_of_project(rule, &as_text(root)?);
            loaded.settings.rules.extend(rule);
        }
        loaded.settings.flaws.extend(flaws);
        if mode == Some(Mode::Plan) {
            loaded.settings.mode = mode;
            loaded.mode = mode;
        }
    }
    Ok(())
}

/// Returns a rule of a project as one with the absolute path of the project. A rule that cannot be expressed so covers
/// all of the project.
fn rule_of_project(rule: LayeredRule, root: &str) -> Option<LayeredRule> {
    let whole = Rule::for_file(rule.rule.access(), root);
    let text = text_of_project(&rule.rule, &whole);
    let absolute = Rule::parse(&text).or_else(|_| Rule::parse(&whole));
    Some(LayeredRule {
        rule: absolute.ok()?,
        ..rule
    })
}

/// Returns the text of a rule of a project, given the text of the rule for all of it: `Edit(*.md)` and `Edit(//p)` make
/// `Edit(//p/**/*.md)`.
fn text_of_project(rule: &Rule, whole: &str) -> String {
    let pattern = rule.text().split_once('(').map(|(_, pattern)| pattern);
    let pattern = pattern.and_then(|pattern| pattern.strip_suffix(')'));
    let pattern = pattern.unwrap_or("**").trim_start_matches("./");
    if pattern.starts_with("//") || pattern.starts_with('~') {
        return rule.text().to_owned();
    }
    let folder = whole.trim_end_matches(')');
    let from_root = pattern.strip_prefix('/');
    let has_folder = pattern.trim_end_matches('/').contains('/');
    match from_root {
        Some(pattern) => format!("{folder}/{pattern})"),
        None if has_folder || pattern == "**" => format!("{folder}/{pattern})"),
        None => format!("{folder}/**/{pattern})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_start_at_their_project() {
        for (text, wanted) in [
            ("Edit(*.md)", "Edit(//p/q/**/*.md)"),
            ("Edit(notes/)", "Edit(//p/q/**/notes/)"),
            ("Edit(src/**)", "Edit(//p/q/src/**)"),
            ("Edit(/a.txt)", "Edit(//p/q/a.txt)"),
            ("Edit", "Edit(//p/q/**)"),
            ("Edit(//etc/hosts)", "Edit(//etc/hosts)"),
            ("Edit(~/x)", "Edit(~/x)"),
        ] {
            let rule = Rule::parse(text).expect("a rule");
            let whole = Rule::for_file(rule.access(), "/p/q");
            assert_eq!(text_of_project(&rule, &whole), wanted, "{text}");
            assert!(Rule::parse(wanted).is_ok(), "{wanted}");
        }
    }
}
