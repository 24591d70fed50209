//! Applies each key of a layer, or records it as ignored if an untrusted project may not set it. A wrong value is a
//! flaw in both cases.

use std::path::PathBuf;

use lancet_formats::convert::Converter;
use lancet_text::Encoding;

use super::by_path::PathRule;
use super::commands::{REQUIRED_COMMAND_FORM, is_command};
use super::error::{SettingsError, line_and_column};
use super::flaw::{self, SettingsFlaw};
use super::keys::{ProjectPermission, SettingsField};
use super::parse::{FoundKey, ParsedValue};
use super::pattern_rule::pattern_rule;
use super::permissions;
use super::tables;
use super::values::{Asker, Mode, Strategy, ToolPreset};
use super::{ClientLimit, IgnoredLine, Layer, Origin, Settings};
use lancet_model::closest::find_closest;
use lancet_model::tool_names::TOOL_NAMES;

/// The encoding names that a misspelt one is compared with; many more are accepted.
const COMMON_ENCODINGS: &[&str] = &[
    "utf-8",
    "utf-8-bom",
    "utf-16le",
    "utf-16be",
    "gbk",
    "gb18030",
    "big5",
    "shift_jis",
    "euc-jp",
    "euc-kr",
    "koi8-r",
    "iso-8859-2",
    "iso-8859-15",
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "windows-1253",
    "windows-1254",
];

/// The default in force if the settings leave a number to the host: the lowest that any host uses.
const LOWEST_HOST_DEFAULT: u64 = 32_000;

pub(super) fn apply_key(
    settings: &mut Settings,
    layer: &Layer,
    mut found: FoundKey,
    host_tools: &[&str],
) {
    let effect = flaw::key_effect(found.key.name);
    let mut note = |error: SettingsError| {
        settings.flaws.push(SettingsFlaw {
            error,
            origin: layer.origin,
            effect,
        });
    };
    if permissions::is_permission_list(found.key.form)
        && let ParsedValue::Words(words) = &mut found.given
    {
        // The other rules of a list count even if one cannot be parsed.
        words.retain(|word| {
            let checked = permissions::check_entry(layer, found.key.name, found.key.form, word);
            checked.map_err(&mut note).is_ok()
        });
    } else if let Err(error) = check_value(layer, &found, host_tools) {
        return note(error);
    }
    if !may_set(settings, layer.origin, &found) {
        let (line, _) = line_and_column(&layer.text, found.key_at);
        let key = found.key.name.to_owned();
        settings.ignored.push(IgnoredLine {
            path: PathBuf::from(&layer.path),
            line,
            key,
        });
        return;
    }
    let name = found.key.name;
    match set_value(settings, layer, found) {
        Ok(()) => {
            settings.origins.insert(name, layer.origin);
        }
        Err(error) => settings.flaws.push(SettingsFlaw {
            error,
            origin: layer.origin,
            effect,
        }),
    }
}

/// Returns whether this layer may set this key to this value, given the value in force.
fn may_set(settings: &Settings, origin: Origin, found: &FoundKey) -> bool {
    match (origin, found.key.project) {
        (Origin::BuiltIn | Origin::User | Origin::CommandLine, _) => true,
        (_, ProjectPermission::UserOnly) => false,
        (Origin::TrustedProject, _) => true,
        (Origin::Project, ProjectPermission::Sets) => true,
        (Origin::Project, ProjectPermission::SetsOnly(only)) => {
            let word = match found.given {
                ParsedValue::Word(word) => word,
                ParsedValue::Switch(true) => "true",
                _ => return false,
            };
            word == only
        }
        (Origin::Project, ProjectPermission::StricterMode) => {
            let wanted = match found.given {
                ParsedValue::Word(word) => Mode::from_word(word),
                _ => None,
            };
            match wanted {
                Some(Mode::Plan) => true,
                Some(Mode::Ask) => settings.mode != Some(Mode::Plan),
                _ => false,
            }
        }
        (Origin::Project, ProjectPermission::Lowers) => {
            let in_force = match found.key.field {
                SettingsField::Number { get, .. } => get(settings).unwrap_or(LOWEST_HOST_DEFAULT),
                _ => 0,
            };
            matches!(found.given, ParsedValue::Number(number) if number <= in_force)
        }
        (Origin::Project, ProjectPermission::Ignored) => false,
    }
}

fn check_value(layer: &Layer, found: &FoundKey, host_tools: &[&str]) -> Result<(), SettingsError> {
    match (found.key.name, &found.given) {
        ("tools", ParsedValue::Words(words)) if words.is_empty() => {
            let message = "tools names no tool; leave it out for the default ones".to_owned();
            return Err(SettingsError::at(layer, found.value_at, message));
        }
        ("tools", ParsedValue::Words(words)) => {
            let own = TOOL_NAMES.iter().map(|tool| tool.name);
            let known: Vec<&str> = own
                .chain(host_tools.iter().copied())
                .chain(ToolPreset::WORDS.iter().copied())
                .collect();
            for (word, at) in words {
                let name = word.strip_prefix('-').unwrap_or(word);
                if !known.contains(&name) {
                    let message = format!("there is no tool {name:?}");
                    return Err(SettingsError::at(layer, *at, message)
                        .with_suggestion(find_closest(name, known.iter().copied())));
                }
            }
        }
        ("ask.by", ParsedValue::Words(words)) => {
            for (word, at) in words {
                if Asker::from_word(word).is_none() {
                    let message = format!("{word:?} is no way to ask a person");
                    let meant = find_closest(word, Asker::WORDS.iter().copied());
                    return Err(SettingsError::at(layer, *at, message).with_suggestion(meant));
                }
            }
        }
        ("ask.notify", ParsedValue::Words(words)) => {
            let command: Vec<String> = words.iter().map(|(word, _)| word.clone()).collect();
            if !is_command(&command) {
                let message = format!("ask.notify {REQUIRED_COMMAND_FORM}");
                return Err(SettingsError::at(layer, found.value_at, message));
            }
        }
        ("abbreviations", ParsedValue::Pair(short, long)) if short.is_empty() || short == long => {
            let message =
                format!("the abbreviation {short:?} must expand to a different, longer text");
            return Err(SettingsError::at(layer, found.key_at, message));
        }
        _ => {}
    }
    Ok(())
}

fn set_value(settings: &mut Settings, layer: &Layer, found: FoundKey) -> Result<(), SettingsError> {
    match (found.key.field, &found.given) {
        (SettingsField::Word { set, .. }, ParsedValue::Word(word)) => set(settings, word),
        (SettingsField::Number { set, .. }, ParsedValue::Number(number)) => set(settings, *number),
        (SettingsField::Switch { set, .. }, ParsedValue::Switch(switch)) => set(settings, *switch),
        _ => return set_list_or_table(settings, layer, found),
    }
    Ok(())
}

/// Applies a list or an entry of a table.
fn set_list_or_table(
    settings: &mut Settings,
    layer: &Layer,
    found: FoundKey,
) -> Result<(), SettingsError> {
    match (found.key.name, found.given) {
        ("tools", ParsedValue::Words(words)) => {
            settings.tools = Some(words.into_iter().map(|(word, _)| word).collect())
        }
        ("ask.by", ParsedValue::Words(words)) => {
            let askers = words.iter().filter_map(|(word, _)| Asker::from_word(word));
            settings.ask.by = askers.collect();
        }
        ("ask.notify", ParsedValue::Words(words)) => {
            settings.ask.notify = words.into_iter().map(|(word, _)| word).collect();
        }
        ("checkpoint.include", ParsedValue::Words(words)) => {
            let rules = pattern_rules(layer, found.key.name, words)?;
            settings.checkpoint.include.0.extend(rules);
        }
        ("checkpoint.exclude", ParsedValue::Words(words)) => {
            let rules = pattern_rules(layer, found.key.name, words)?;
            settings.checkpoint.exclude.0.extend(rules);
        }
        (name, ParsedValue::Words(words)) if permissions::is_permission_list(found.key.form) => {
            permissions::add_entries(settings, layer, name, words);
        }
        ("read.clients", ParsedValue::Entry(name, number)) => {
            settings.read.clients.retain(|client| client.name != name);
            settings.read.clients.push(ClientLimit {
                name,
                most_bytes: to_usize(number),
            });
        }
        ("read.converters", ParsedValue::List(pattern, command)) => {
            let rule = converter_rule(layer, found.key_at, found.value_at, pattern, command)?;
            settings.converters.push(rule);
        }
        ("language.server", ParsedValue::Server(entry)) => {
            settings.servers.push((*entry, layer.origin));
        }
        ("format", ParsedValue::Program(entry)) => {
            settings
                .formatters
                .extend(tables::formatter_rules(layer, entry)?);
        }
        ("hooks", ParsedValue::Hook(entry)) => settings.hooks.push(entry.with_layer(layer.origin)),
        ("write.strategy", ParsedValue::Pair(pattern, word)) => {
            let rule = strategy_rule(layer, found.key_at, found.value_at, pattern, word)?;
            settings.strategies.push(rule);
        }
        ("encoding", ParsedValue::Pair(pattern, label)) => {
            let rule = encoding_rule(layer, found.key_at, found.value_at, pattern, label)?;
            settings.encodings.push(rule);
        }
        ("abbreviations", ParsedValue::Pair(short, long)) => {
            settings.abbreviations.retain(|(known, _)| *known != short);
            settings.abbreviations.push((short, long));
        }
        // The parser gives each key a value of its declared form; a test checks every key of the table against this
        // match.
        (name, given) => {
            return Err(SettingsError::at(
                layer,
                found.value_at,
                format!("{name} cannot be {given:?}"),
            ));
        }
    }
    Ok(())
}

/// Returns the rules of a list of file patterns.
fn pattern_rules(
    layer: &Layer,
    key: &str,
    words: Vec<(String, usize)>,
) -> Result<Vec<PathRule<()>>, SettingsError> {
    let rule = |(pattern, at): (String, usize)| {
        PathRule::new(pattern.clone(), String::new(), (), layer.origin).map_err(|reason| {
            let message = format!("{key}: {pattern:?} is not a file pattern: {reason}");
            SettingsError::at(layer, at, message)
        })
    };
    words.into_iter().map(rule).collect()
}

fn encoding_rule(
    layer: &Layer,
    key_at: usize,
    value_at: usize,
    pattern: String,
    label: String,
) -> Result<PathRule<Encoding>, SettingsError> {
    let Some(encoding) = Encoding::for_label(&label) else {
        let shown: String = label.chars().take(60).collect();
        let error = SettingsError::at(layer, value_at, format!("there is no encoding {shown:?}"));
        return Err(error.with_suggestion(find_closest(&label, COMMON_ENCODINGS.iter().copied())));
    };
    pattern_rule(layer, key_at, "encoding", pattern, label, encoding)
}

fn strategy_rule(
    layer: &Layer,
    key_at: usize,
    value_at: usize,
    pattern: String,
    word: String,
) -> Result<PathRule<Strategy>, SettingsError> {
    let Some(strategy) = Strategy::from_word(&word) else {
        let shown: String = word.chars().take(60).collect();
        let error = SettingsError::at(layer, value_at, format!("there is no strategy {shown:?}"));
        return Err(error.with_suggestion(find_closest(&word, Strategy::WORDS.iter().copied())));
    };
    pattern_rule(layer, key_at, "write.strategy", pattern, word, strategy)
}

fn converter_rule(
    layer: &Layer,
    key_at: usize,
    value_at: usize,
    pattern: String,
    command: Vec<String>,
) -> Result<PathRule<Converter>, SettingsError> {
    if !is_command(&command) {
        let message = format!("read.converters.{pattern:?} {REQUIRED_COMMAND_FORM}");
        return Err(SettingsError::at(layer, value_at, message));
    }
    let word = format!("{command:?}");
    let entry = Converter {
        pattern: pattern.clone(),
        command,
    };
    pattern_rule(layer, key_at, "read.converters", pattern, word, entry)
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
