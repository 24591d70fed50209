//! Applies each key of a layer, or records it as ignored if an untrusted project may not set it. A wrong value is a
//! flaw in both cases.

use std::path::PathBuf;

use lancet_formats::convert::Converter;
use lancet_text::Encoding;

use super::by_path::PathRule;
use super::commands::{MUST_BEGIN, is_command};
use super::error::{SettingsError, position};
use super::flaw::{self, SettingsFlaw};
use super::keys::{Field, Project};
use super::parse::{FoundKey, Given};
use super::pattern_rule::rule;
use super::permissions;
use super::tables;
use super::values::{Asker, Mode, Strategy, ToolPreset};
use super::{ClientLimit, Ignored, Layer, Origin, Settings};
use lancet_model::closest::closest;
use lancet_model::tool_names::TOOL_NAMES;

/// The encoding names that a misspelt one is compared with; many more are accepted.
const USUAL_ENCODINGS: &[&str] = &[
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
const LOWEST_DEFAULT: u64 = 32_000;

pub(super) fn apply(
    settings: &mut Settings,
    layer: &Layer,
    mut found: FoundKey,
    host_tools: &[&str],
) {
    let effect = flaw::of_key(found.key.name);
    let mut note = |error: SettingsError| {
        settings.flaws.push(SettingsFlaw {
            error,
            origin: layer.origin,
            effect,
        });
    };
    if permissions::is_list(found.key.form)
        && let Given::Words(words) = &mut found.given
    {
        // The other rules of a list count even if one cannot be parsed.
        words.retain(|word| {
            let checked = permissions::check(layer, found.key.name, found.key.form, word);
            checked.map_err(&mut note).is_ok()
        });
    } else if let Err(error) = check(layer, &found, host_tools) {
        return note(error);
    }
    if !may_set(settings, layer.origin, &found) {
        let (line, _) = position(&layer.text, found.key_at);
        let key = found.key.name.to_owned();
        settings.ignored.push(Ignored {
            path: PathBuf::from(&layer.path),
            line,
            key,
        });
        return;
    }
    let name = found.key.name;
    match put(settings, layer, found) {
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
        (_, Project::UserOnly) => false,
        (Origin::TrustedProject, _) => true,
        (Origin::Project, Project::Sets) => true,
        (Origin::Project, Project::SetsOnly(only)) => {
            let word = match found.given {
                Given::Word(word) => word,
                Given::Switch(true) => "true",
                _ => return false,
            };
            word == only
        }
        (Origin::Project, Project::StricterMode) => {
            let wanted = match found.given {
                Given::Word(word) => Mode::from_word(word),
                _ => None,
            };
            match wanted {
                Some(Mode::Plan) => true,
                Some(Mode::Ask) => settings.mode != Some(Mode::Plan),
                _ => false,
            }
        }
        (Origin::Project, Project::Lowers) => {
            let in_force = match found.key.field {
                Field::Number { get, .. } => get(settings).unwrap_or(LOWEST_DEFAULT),
                _ => 0,
            };
            matches!(found.given, Given::Number(number) if number <= in_force)
        }
        (Origin::Project, Project::Ignored) => false,
    }
}

fn check(layer: &Layer, found: &FoundKey, host_tools: &[&str]) -> Result<(), SettingsError> {
    match (found.key.name, &found.given) {
        ("tools", Given::Words(words)) if words.is_empty() => {
            let message = "tools names no tool; leave it out for the default ones".to_owned();
            return Err(SettingsError::at(layer, found.value_at, message));
        }
        ("tools", Given::Words(words)) => {
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
                        .suggesting(closest(name, known.iter().copied())));
                }
            }
        }
        ("ask.by", Given::Words(words)) => {
            for (word, at) in words {
                if Asker::from_word(word).is_none() {
                    let message = format!("{word:?} is no way to ask a person");
                    let meant = closest(word, Asker::WORDS.iter().copied());
                    return Err(SettingsError::at(layer, *at, message).suggesting(meant));
                }
            }
        }
        ("ask.notify", Given::Words(words)) => {
            let command: Vec<String> = words.iter().map(|(word, _)| word.clone()).collect();
            if !is_command(&command) {
                let message = format!("ask.notify {MUST_BEGIN}");
                return Err(SettingsError::at(layer, found.value_at, message));
            }
        }
        ("abbreviations", Given::Pair(short, long)) if short.is_empty() || short == long => {
            let message =
                format!("the abbreviation {short:?} must expand to a different, longer text");
            return Err(SettingsError::at(layer, found.key_at, message));
        }
        _ => {}
    }
    Ok(())
}

fn put(settings: &mut Settings, layer: &Layer, found: FoundKey) -> Result<(), SettingsError> {
    match (found.key.field, &found.given) {
        (Field::Word { set, .. }, Given::Word(word)) => set(settings, word),
        (Field::Number { set, .. }, Given::Number(number)) => set(settings, *number),
        (Field::Switch { set, .. }, Given::Switch(switch)) => set(settings, *switch),
        _ => return put_several(settings, layer, found),
    }
    Ok(())
}

/// Applies a list or an entry of a table.
fn put_several(
    settings: &mut Settings,
    layer: &Layer,
    found: FoundKey,
) -> Result<(), SettingsError> {
    match (found.key.name, found.given) {
        ("tools", Given::Words(words)) => {
            settings.tools = Some(words.into_iter().map(|(word, _)| word).collect())
        }
        ("ask.by", Given::Words(words)) => {
            let askers = words.iter().filter_map(|(word, _)| Asker::from_word(word));
            settings.ask.by = askers.collect();
        }
        ("ask.notify", Given::Words(words)) => {
            settings.ask.notify = words.into_iter().map(|(word, _)| word).collect();
        }
        ("checkpoint.include", Given::Words(words)) => {
            let rules = patterns(layer, found.key.name, words)?;
            settings.checkpoint.include.0.extend(rules);
        }
        ("checkpoint.exclude", Given::Words(words)) => {
            let rules = patterns(layer, found.key.name, words)?;
            settings.checkpoint.exclude.0.extend(rules);
        }
        (name, Given::Words(words)) if permissions::is_list(found.key.form) => {
            permissions::put(settings, layer, name, words);
        }
        ("read.clients", Given::Entry(name, number)) => {
            settings.read.clients.retain(|client| client.name != name);
            settings.read.clients.push(ClientLimit {
                name,
                most_bytes: size(number),
            });
        }
        ("read.converters", Given::List(pattern, command)) => {
            let rule = converter_rule(layer, found.key_at, found.value_at, pattern, command)?;
            settings.converters.push(rule);
        }
        ("language.server", Given::Server(entry)) => {
            settings.servers.push((*entry, layer.origin));
        }
        ("format", Given::Program(entry)) => {
            settings.formatters.extend(tables::formatter(layer, entry)?);
        }
        ("hooks", Given::Hook(entry)) => settings.hooks.push(entry.with_layer(layer.origin)),
        ("write.strategy", Given::Pair(pattern, word)) => {
            let rule = strategy_rule(layer, found.key_at, found.value_at, pattern, word)?;
            settings.strategies.push(rule);
        }
        ("encoding", Given::Pair(pattern, label)) => {
            let rule = encoding_rule(layer, found.key_at, found.value_at, pattern, label)?;
            settings.encodings.push(rule);
        }
        ("abbreviations", Given::Pair(short, long)) => {
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
fn patterns(
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
        return Err(error.suggesting(closest(&label, USUAL_ENCODINGS.iter().copied())));
    };
    rule(layer, key_at, "encoding", pattern, label, encoding)
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
        return Err(error.suggesting(closest(&word, Strategy::WORDS.iter().copied())));
    };
    rule(layer, key_at, "write.strategy", pattern, word, strategy)
}

fn converter_rule(
    layer: &Layer,
    key_at: usize,
    value_at: usize,
    pattern: String,
    command: Vec<String>,
) -> Result<PathRule<Converter>, SettingsError> {
    if !is_command(&command) {
        let message = format!("read.converters.{pattern:?} {MUST_BEGIN}");
        return Err(SettingsError::at(layer, value_at, message));
    }
    let word = format!("{command:?}");
    let entry = Converter {
        pattern: pattern.clone(),
        command,
    };
    rule(layer, key_at, "read.converters", pattern, word, entry)
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
