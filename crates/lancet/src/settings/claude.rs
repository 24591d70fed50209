//! Claude Code's permission settings (`settings.json`), read in as far as they say something here; what could not be taken
//! over is told apart, with the reason.

use std::path::Path;

use lancet_policy::{Access, Effect, Entry, Layer, Rule};
use serde_json::Value;

use super::values::Mode;

/// What was made of a file of Claude Code's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaudeSettings {
    /// The mode, where one was set that there is here.
    pub mode: Option<Mode>,
    /// The rules that were taken over.
    pub rules: Vec<Entry>,
    /// What was not, each with the reason.
    pub left: Vec<LeftOut>,
}

/// Something that could not be taken over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// As it stands in the file, `deny Bash(rm *)`.
    pub what: String,
    /// Why.
    pub why: String,
}

/// Tools of Claude Code that are called otherwise here.
const OTHER_NAMES: &[(&str, &str)] = &[("NotebookRead", "Read"), ("LS", "Glob")];

/// Reads the text of a `settings.json`.
///
/// # Errors
/// It is no JSON object, or its permissions have another form.
pub fn claude_settings(text: &str, path: &Path) -> Result<ClaudeSettings, String> {
    let whole: Value =
        serde_json::from_str(text).map_err(|error| format!("not valid JSON: {error}"))?;
    let whole = whole.as_object().ok_or("it is no JSON object")?;
    let mut settings = ClaudeSettings::default();
    let Some(permissions) = whole.get("permissions") else {
        return Ok(settings);
    };
    let permissions = permissions
        .as_object()
        .ok_or("`permissions` is no object")?;
    for (key, value) in permissions {
        let effect = match key.as_str() {
            "allow" => Effect::Allow,
            "ask" => Effect::Ask,
            "deny" => Effect::Deny,
            "defaultMode" => {
                take_mode(&mut settings, value);
                continue;
            }
            other => {
                settings.leave(other, why_not(other));
                continue;
            }
        };
        let wrong = || format!("`permissions.{key}` is no list of texts");
        for rule in value.as_array().ok_or_else(wrong)? {
            let rule = rule.as_str().ok_or_else(wrong)?;
            match taken_over(effect, rule) {
                Ok(rule) => settings.rules.push(Entry {
                    effect,
                    rule,
                    layer: Layer::CommandLine,
                    source: path.display().to_string(),
                }),
                Err(why) => settings.leave(&format!("{} {rule}", effect.word()), &why),
            }
        }
    }
    Ok(settings)
}

impl ClaudeSettings {
    fn leave(&mut self, what: &str, why: &str) {
        self.left.push(LeftOut {
            what: what.to_owned(),
            why: why.to_owned(),
        });
    }
}

fn take_mode(settings: &mut ClaudeSettings, value: &Value) {
    settings.mode = match value.as_str() {
        Some("default") => Some(Mode::Ask),
        Some("acceptEdits") => Some(Mode::AcceptEdits),
        Some("plan") => Some(Mode::Plan),
        Some("bypassPermissions") => Some(Mode::Bypass),
        _ => {
            settings.leave(
                &format!("defaultMode {value}"),
                "there is no such mode here",
            );
            None
        }
    };
}

fn taken_over(effect: Effect, text: &str) -> Result<Rule, String> {
    let (tool, rest) = match text.split_once('(') {
        Some((tool, rest)) => (tool, Some(rest)),
        None => (text, None),
    };
    let known = OTHER_NAMES.iter().find(|(other, _)| *other == tool);
    let tool = known.map_or(tool, |(_, own)| own);
    match (effect, Access::of_tool(tool)) {
        (_, None) => return Err("lancet has no such tool".to_owned()),
        // There it spares a question; here it would open files that hold keys.
        (Effect::Allow, Some(Access::Read)) => {
            return Err("reading needs no permission here".to_owned());
        }
        (Effect::Ask, Some(Access::Read)) => {
            return Err("lancet does not ask about reading; deny it instead".to_owned());
        }
        _ => {}
    }
    let own = match rest {
        Some(rest) => format!("{tool}({rest}"),
        None => tool.to_owned(),
    };
    Rule::parse(&own).map_err(|error| error.message)
}

fn why_not(key: &str) -> &'static str {
    match key {
        "additionalDirectories" => "folders are given with --root and --read-root",
        "disableBypassPermissionsMode" => "the mode is chosen with --mode or in lancet's settings",
        _ => "lancet does not know it",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_about_files_are_taken_over_and_the_others_told_apart() {
        let text = r#"{ "model": "x", "permissions": {
            "allow": ["Edit(src/**)", "Bash(npm test:*)", "Read(~/x)", "Write"],
            "ask": ["Write(//etc/**)", "WebFetch(domain:a.b)", "Read(x)"],
            "deny": ["Read(./.env)", "Edit(!x)", "LS(private)", "mcp__github"],
            "defaultMode": "acceptEdits", "additionalDirectories": ["../x"] } }"#;
        let settings = claude_settings(text, Path::new("s.json")).expect("read");
        let rules: Vec<String> = settings.rules.iter().map(ToString::to_string).collect();
        assert_eq!(
            rules,
            [
                "allow Edit(src/**) (command line, s.json)",
                "allow Write (command line, s.json)",
                "ask Write(//etc/**) (command line, s.json)",
                "deny Read(./.env) (command line, s.json)",
                "deny Glob(private) (command line, s.json)",
            ]
        );
        let left: Vec<&str> = settings
            .left
            .iter()
            .map(|left| left.what.as_str())
            .collect();
        assert_eq!(
            left,
            [
                "allow Bash(npm test:*)",
                "allow Read(~/x)",
                "ask WebFetch(domain:a.b)",
                "ask Read(x)",
                "deny Edit(!x)",
                "deny mcp__github",
                "additionalDirectories"
            ]
        );
        assert_eq!(settings.mode, Some(Mode::AcceptEdits));
    }

    #[test]
    fn other_forms_are_errors() {
        for text in [
            "[]",
            "{",
            r#"{"permissions": []}"#,
            r#"{"permissions": {"deny": "Read(x)"}}"#,
            r#"{"permissions": {"deny": [1]}}"#,
        ] {
            assert!(
                claude_settings(text, Path::new("s.json")).is_err(),
                "{text}"
            );
        }
        let empty = claude_settings("{}", Path::new("s.json"));
        assert_eq!(empty, Ok(ClaudeSettings::default()));
    }
}
