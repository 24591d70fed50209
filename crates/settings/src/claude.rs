//! Imports Claude Code's permission settings (`settings.json`) as far as lancet has equivalents; entries that could not
//! be imported are listed with the reason.

use std::path::Path;

use lancet_policy::{Access, LayeredRule, Rule, RuleEffect, RuleLayer};
use serde_json::Value;

use super::values::Mode;

/// The result of importing a settings file of Claude Code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClaudeSettings {
    /// The mode, if lancet has an equivalent.
    pub mode: Option<Mode>,
    /// The rules that were imported.
    pub rules: Vec<LayeredRule>,
    /// The entries that were not imported, each with the reason.
    pub left: Vec<LeftOutEntry>,
}

/// An entry that could not be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutEntry {
    /// The entry as it is in the file, such as `deny Bash(rm *)`.
    pub what: String,
    /// Why the entry was not imported.
    pub why: String,
}

/// Why a settings file of Claude Code could not be imported at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClaudeSettingsError {
    /// The text is not JSON; the parser's message says where.
    #[error("not valid JSON: {0}")]
    NotJson(String),
    /// The text is JSON, but not an object.
    #[error("it is no JSON object")]
    NotAnObject,
    /// `permissions` has another form.
    #[error("`permissions` is no object")]
    PermissionsNotAnObject,
    /// A list of rules has another form.
    #[error("`permissions.{key}` is no list of texts")]
    #[non_exhaustive]
    NotAList {
        /// The list: `allow`, `ask` or `deny`.
        key: String,
    },
}

/// Tools of Claude Code that do not work on files.
const HOST_TOOLS: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "ExitPlanMode",
    "KillShell",
    "Skill",
    "SlashCommand",
    "Task",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
];

/// Tools of Claude Code that have another name in lancet.
const OTHER_NAMES: &[(&str, &str)] = &[("NotebookRead", "Read"), ("LS", "Glob")];

/// Imports the text of a `settings.json`.
///
/// # Errors
/// The text is not a JSON object, or its permissions have another form.
pub fn import_claude_settings(
    text: &str,
    path: &Path,
) -> Result<ClaudeSettings, ClaudeSettingsError> {
    let whole: Value = serde_json::from_str(text)
        .map_err(|error| ClaudeSettingsError::NotJson(error.to_string()))?;
    let whole = whole.as_object().ok_or(ClaudeSettingsError::NotAnObject)?;
    let mut settings = ClaudeSettings::default();
    let Some(permissions) = whole.get("permissions") else {
        return Ok(settings);
    };
    let permissions = permissions
        .as_object()
        .ok_or(ClaudeSettingsError::PermissionsNotAnObject)?;
    for (key, value) in permissions {
        let effect = match key.as_str() {
            "allow" => RuleEffect::Allow,
            "ask" => RuleEffect::Ask,
            "deny" => RuleEffect::Deny,
            "defaultMode" => {
                import_mode(&mut settings, value);
                continue;
            }
            other => {
                settings.record_left_out(other, reason_for_ignored_key(other));
                continue;
            }
        };
        let wrong = || ClaudeSettingsError::NotAList { key: key.clone() };
        for rule in value.as_array().ok_or_else(wrong)? {
            let rule = rule.as_str().ok_or_else(wrong)?;
            match import_rule(effect, rule) {
                Ok(rule) => settings.rules.push(LayeredRule {
                    effect,
                    rule,
                    layer: RuleLayer::CommandLine,
                    source: path.display().to_string(),
                    stands_for: None,
                }),
                Err(why) => settings.record_left_out(&format!("{} {rule}", effect.as_str()), &why),
            }
        }
    }
    Ok(settings)
}

impl ClaudeSettings {
    fn record_left_out(&mut self, what: &str, why: &str) {
        self.left.push(LeftOutEntry {
            what: what.to_owned(),
            why: why.to_owned(),
        });
    }
}

fn import_mode(settings: &mut ClaudeSettings, value: &Value) {
    settings.mode = match value.as_str() {
        Some("default") => Some(Mode::Ask),
        Some("acceptEdits") => Some(Mode::AcceptEdits),
        Some("plan") => Some(Mode::Plan),
        Some("bypassPermissions") => Some(Mode::Bypass),
        _ => {
            settings.record_left_out(
                &format!("defaultMode {value}"),
                "there is no such mode here",
            );
            None
        }
    };
}

fn import_rule(effect: RuleEffect, text: &str) -> Result<Rule, String> {
    let (tool, rest) = match text.split_once('(') {
        Some((tool, rest)) => (tool, Some(rest)),
        None => (text, None),
    };
    let known = OTHER_NAMES.iter().find(|(other, _)| *other == tool);
    let tool = known.map_or(tool, |(_, own)| own);
    match (effect, Access::for_tool(tool)) {
        (_, None) => return Err(reason_for_unknown_tool(tool)),
        // In Claude Code such a rule saves a prompt; here it would open files that contain keys.
        (RuleEffect::Allow, Some(Access::Read)) => {
            return Err("reading needs no permission here".to_owned());
        }
        (RuleEffect::Ask, Some(Access::Read)) => {
            return Err("lancet does not ask about reading; deny it instead".to_owned());
        }
        _ => {}
    }
    let own = match rest {
        // In Claude Code `./x` means the one in the working folder. Without the dot the rule would cover every `x`,
        // which is acceptable for a deny rule but not for an allow rule.
        Some(rest) if effect == RuleEffect::Allow && rest.starts_with("./") => {
            format!("{tool}({}", &rest[1..])
        }
        Some(rest) => format!("{tool}({rest}"),
        None => tool.to_owned(),
    };
    Rule::parse(&own).map_err(|error| error.message)
}

/// Returns why a rule for a tool that lancet does not have is not imported.
fn reason_for_unknown_tool(tool: &str) -> String {
    if tool.starts_with("mcp__") {
        return "it says which server's tools Claude Code may call, and nothing about files; Claude Code applies it itself".to_owned();
    }
    if HOST_TOOLS.contains(&tool) {
        return format!(
            "{tool} is Claude Code's own tool, which does not go through lancet; Claude Code applies this rule itself"
        );
    }
    "lancet has no such tool".to_owned()
}

fn reason_for_ignored_key(key: &str) -> &'static str {
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
    fn imports_file_rules_and_gives_reasons_for_others() {
        let text = r#"{ "model": "x", "permissions": {
            "allow": ["Edit(src/**)", "Bash(npm test:*)", "Read(~/x)", "Write"],
            "ask": ["Write(//etc/**)", "WebFetch(domain:a.b)", "Read(x)"],
            "deny": ["Read(./.env)", "Edit(!x)", "LS(private)", "mcp__github"],
            "defaultMode": "acceptEdits", "additionalDirectories": ["../x"] } }"#;
        let settings = import_claude_settings(text, Path::new("s.json")).expect("read");
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
    fn explains_why_host_tool_rules_are_not_imported() {
        let text = r#"{ "permissions": { "deny": [
            "Bash(rm *)", "Bash", "mcp__lancet__Edit", "mcp__github", "mcp__x__y(z)", "WebFetch(domain:a.b)", "Reed(x)", "bash(x)", "" ] } }"#;
        let settings = import_claude_settings(text, Path::new("s.json")).expect("read");
        assert!(settings.rules.is_empty(), "{:?}", settings.rules);
        let reasons: Vec<&str> = settings
            .left
            .iter()
            .map(|left| match left.why.as_str() {
                why if why.contains("is Claude Code's own tool") => "host",
                why if why.contains("which server's tools") => "server",
                "lancet has no such tool" => "unknown",
                other => other,
            })
            .collect();
        assert_eq!(
            reasons,
            [
                "host", "host", "server", "server", "server", "host", "unknown", "unknown",
                "unknown"
            ]
        );
        assert_eq!(settings.left[0].what, "deny Bash(rm *)");
    }

    #[test]
    fn permission_for_one_folder_is_not_extended_to_all() {
        let text =
            r#"{ "permissions": { "allow": ["Edit(./notes.md)"], "deny": ["Edit(./shut.md)"] } }"#;
        let settings = import_claude_settings(text, Path::new("s.json")).expect("read");
        let rules: Vec<String> = settings.rules.iter().map(ToString::to_string).collect();
        assert_eq!(
            rules,
            [
                "allow Edit(/notes.md) (command line, s.json)",
                "deny Edit(./shut.md) (command line, s.json)"
            ]
        );
    }

    #[test]
    fn refuses_other_forms() {
        for text in [
            "[]",
            "{",
            r#"{"permissions": []}"#,
            r#"{"permissions": {"deny": "Read(x)"}}"#,
            r#"{"permissions": {"deny": [1]}}"#,
        ] {
            assert!(
                import_claude_settings(text, Path::new("s.json")).is_err(),
                "{text}"
            );
        }
        let empty = import_claude_settings("{}", Path::new("s.json"));
        assert_eq!(empty, Ok(ClaudeSettings::default()));
    }
}
