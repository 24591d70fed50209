//! The tables of `[[hooks]]`.

use std::time::Duration;

use lancet_policy::{Access, Rule, RuleError};
use toml_edit::Item;

use super::error::SettingsError;
use super::fields::ListedTable;
use super::keys::Unit;
use super::layer::{Layer, Origin};
use super::model::LayeredHook;
use crate::programs::{DEFAULT_HOOK_TIME_LIMIT, Hook, HookTime};
use lancet_model::closest::find_closest;

/// The longest time that a hook may be given, in seconds.
const MAX_HOOK_SECONDS: u64 = 300;

/// A table of `[[hooks]]`.
#[derive(Debug)]
pub(super) struct HookTable {
    hook: Hook,
    rule: Rule,
}

impl HookTable {
    pub(super) fn with_layer(self, origin: Origin) -> LayeredHook {
        LayeredHook {
            hook: self.hook,
            rule: self.rule,
            layer: match origin {
                Origin::Project | Origin::TrustedProject => lancet_policy::RuleLayer::Project,
                Origin::CommandLine => lancet_policy::RuleLayer::CommandLine,
                Origin::BuiltIn | Origin::User => lancet_policy::RuleLayer::User,
            },
            origin,
        }
    }
}

/// Reads a table.
pub(super) fn parse_hook(table: ListedTable<'_>) -> Result<HookTable, SettingsError> {
    let (mut on, mut rule, mut command, mut timeout) = (None, None, None, DEFAULT_HOOK_TIME_LIMIT);
    for field in table.fields() {
        match field.name {
            "on" => {
                on = Some(match field.item.as_str() {
                    Some("before") => HookTime::Before,
                    Some("after") => HookTime::After,
                    other => {
                        let meant = other
                            .and_then(|text| find_closest(text, HookTime::WORDS.iter().copied()));
                        let meant = meant.map(|word| format!("\"{word}\""));
                        let error = field.wrong_value_error("\"before\" or \"after\"");
                        return Err(error.with_suggestion(meant.as_deref()));
                    }
                });
            }
            "match" => {
                let text = field.item.as_str();
                let text = text
                    .ok_or_else(|| field.wrong_value_error("a rule, such as \"Edit(src/**)\""))?;
                rule = Some(parse_rule(table.layer, text, field.value_at)?);
            }
            "run" => command = Some(field.parse_command()?),
            "timeout" => {
                let wanted = format!(
                    "a whole number of seconds from 1 to {MAX_HOOK_SECONDS}, or a text with a unit (s, m)"
                );
                let given =
                    parse_seconds(field.item).ok_or_else(|| field.wrong_value_error(&wanted))?;
                timeout = Duration::from_secs(given);
            }
            _ => return Err(field.unknown_field_error(&["on", "match", "run", "timeout"])),
        }
    }
    let rule = rule.ok_or_else(|| table.missing_field_error("match", "\"Edit(src/**)\""))?;
    Ok(HookTable {
        hook: Hook {
            on: on.ok_or_else(|| table.missing_field_error("on", "\"before\""))?,
            rule: rule.text().to_owned(),
            command: command.ok_or_else(|| table.missing_field_error("run", "[\"my-check\"]"))?,
            timeout,
        },
        rule,
    })
}

fn parse_seconds(item: &Item) -> Option<u64> {
    let number = match item.as_str() {
        Some(text) => Unit::Seconds.parse_amount(text),
        None => u64::try_from(item.as_integer()?).ok(),
    };
    number.filter(|number| (1..=MAX_HOOK_SECONDS).contains(number))
}

/// Parses the rule of a hook, which is a rule about changes.
fn parse_rule(layer: &Layer, text: &str, at: usize) -> Result<Rule, SettingsError> {
    let wrong = |message: String, meant: Option<String>| {
        let meant = meant.map(|meant| format!("{meant:?}"));
        SettingsError::at(layer, at, message).with_suggestion(meant.as_deref())
    };
    let rule = Rule::parse(text).map_err(
        |RuleError {
             message,
             suggestion,
         }| wrong(message, suggestion),
    )?;
    if rule.access() == Access::Read {
        let pattern = text.trim().split_once('(').map_or("", |(_, rest)| rest);
        let meant = match pattern {
            "" => "Edit".to_owned(),
            pattern => format!("Edit({pattern}"),
        };
        let message = format!("hooks run for changes, and the rule {text:?} is about reading");
        return Err(wrong(message, Some(meant)));
    }
    Ok(rule)
}
