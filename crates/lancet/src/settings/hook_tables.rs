//! The tables of `[[hooks]]`.

use std::time::Duration;

use lancet_policy::{Access, Rule, RuleError};
use toml_edit::{Item, TableLike};

use super::commands::{MUST_BEGIN, is_command};
use super::error::SettingsError;
use super::items::{exact_texts, shown};
use super::keys::Unit;
use super::model::{Layer, LayeredHook, Origin};
use crate::closest::closest;
use crate::programs::{HOOK_TIME, Hook, HookTime};

/// The longest time that a hook may be given, in seconds.
const LONGEST: u64 = 300;

/// A table of `[[hooks]]`.
#[derive(Debug)]
pub(super) struct NamedHook {
    hook: Hook,
    rule: Rule,
}

impl NamedHook {
    pub(super) fn with_layer(self, origin: Origin) -> LayeredHook {
        LayeredHook {
            hook: self.hook,
            rule: self.rule,
            layer: match origin {
                Origin::Project | Origin::TrustedProject => lancet_policy::Layer::Project,
                Origin::CommandLine => lancet_policy::Layer::CommandLine,
                Origin::BuiltIn | Origin::User => lancet_policy::Layer::User,
            },
            origin,
        }
    }
}

/// Reads a table.
pub(super) fn hook(
    layer: &Layer,
    table: &dyn TableLike,
    at: usize,
) -> Result<NamedHook, SettingsError> {
    const FIELDS: &[&str] = &["on", "match", "run", "timeout"];
    let (mut on, mut rule, mut command, mut timeout) = (None, None, None, HOOK_TIME);
    for (field, item) in table.iter() {
        let field_at = table
            .key(field)
            .and_then(toml_edit::Key::span)
            .map_or(at, |span| span.start);
        let value_at = item.span().map_or(field_at, |span| span.start);
        let wrong = |wanted: &str| {
            let message = format!("hooks.{field} must be {wanted}, not {}", shown(item));
            SettingsError::at(layer, value_at, message)
        };
        match field {
            "on" => {
                on = Some(match item.as_str() {
                    Some("before") => HookTime::Before,
                    Some("after") => HookTime::After,
                    other => {
                        let meant =
                            other.and_then(|text| closest(text, HookTime::WORDS.iter().copied()));
                        let meant = meant.map(|word| format!("\"{word}\""));
                        return Err(wrong("\"before\" or \"after\"").suggesting(meant.as_deref()));
                    }
                });
            }
            "match" => {
                let text = item
                    .as_str()
                    .ok_or_else(|| wrong("a rule, such as \"Edit(src/**)\""))?;
                rule = Some(parse_rule(layer, text, value_at)?);
            }
            "run" => {
                let words = item.as_array().and_then(exact_texts);
                let words =
                    words.ok_or_else(|| wrong("a list of texts, the program and its arguments"))?;
                if !is_command(&words) {
                    let message = format!("hooks.run {MUST_BEGIN}");
                    return Err(SettingsError::at(layer, value_at, message));
                }
                command = Some(words);
            }
            "timeout" => {
                let wanted = format!(
                    "a whole number of seconds from 1 to {LONGEST}, or a text with a unit (s, m)"
                );
                timeout = Duration::from_secs(seconds(item).ok_or_else(|| wrong(&wanted))?);
            }
            _ => {
                let shown: String = field.chars().take(60).collect();
                let message = format!("[[hooks]] has no key {shown}");
                let meant = closest(field, FIELDS.iter().copied());
                return Err(SettingsError::at(layer, field_at, message).suggesting(meant));
            }
        }
    }
    let missing = |field: &str, example: &str| {
        let message = format!("[[hooks]] needs {field}, for instance {field} = {example}");
        SettingsError::at(layer, at, message)
    };
    let rule = rule.ok_or_else(|| missing("match", "\"Edit(src/**)\""))?;
    Ok(NamedHook {
        hook: Hook {
            on: on.ok_or_else(|| missing("on", "\"before\""))?,
            rule: rule.text().to_owned(),
            command: command.ok_or_else(|| missing("run", "[\"my-check\"]"))?,
            timeout,
        },
        rule,
    })
}

fn seconds(item: &Item) -> Option<u64> {
    let number = match item.as_str() {
        Some(text) => Unit::Seconds.read(text),
        None => u64::try_from(item.as_integer()?).ok(),
    };
    number.filter(|number| (1..=LONGEST).contains(number))
}

/// Reads the rule of a hook, which is about changes.
fn parse_rule(layer: &Layer, text: &str, at: usize) -> Result<Rule, SettingsError> {
    let wrong = |message: String, meant: Option<String>| {
        let meant = meant.map(|meant| format!("{meant:?}"));
        SettingsError::at(layer, at, message).suggesting(meant.as_deref())
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
