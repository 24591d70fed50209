//! The settings as text: the help page, and the values in force for `doctor`. Both follow the table of keys.

use std::fmt::Write;

use super::keys::{Field, Form, Key, keys};
use super::{InForce, Settings};

/// The width of the help text, in columns.
const WIDTH: usize = 100;

/// Makes the text of `lancet help settings`: every key with its values, default and meaning.
pub fn help() -> String {
    let mut text = String::from(
        "Settings are kept in lancet.toml: the user's in $XDG_CONFIG_HOME/lancet (else ~/.config/lancet), the\n\
         project's at its root, and one more with --config. Later ones win. A project's file may only\n\
         tighten: keys marked (project) count there, the others are not applied and are named by\n\
         `lancet doctor`. `lancet mcp` takes changes in at its next call.\n\
         A mistake in a project's file is a warning, and the rest counts; where the line may be a rule,\n\
         writes ask, and where it may be a deny, agents do not read there. A mistake in the user's own file\n\
         stops writes, not reading, `log` and `undo`; a server goes on with the settings before it.\n",
    );
    let mut table = "";
    for key in keys() {
        let (own_table, name) = key.name.split_once('.').unwrap_or(("", key.name));
        let is_table = key.form.is_table() || key.form.is_list_of_tables();
        let heading = if is_table { key.name } else { own_table };
        if heading != table {
            // Writing to a string cannot fail.
            let _ = match key.form.is_list_of_tables() {
                true => write!(text, "\n[[{heading}]]\n"),
                false => write!(text, "\n[{heading}]\n"),
            };
            table = heading;
        } else {
            text.push('\n');
        }
        let values = match key.form {
            Form::Choice(words) => words
                .iter()
                .map(|word| format!("\"{word}\""))
                .collect::<Vec<_>>()
                .join(" | "),
            Form::Number { least, most } => format!("{least} to {most}"),
            Form::Measured { least, most, unit } => {
                format!("{least} to {most} | {}", unit.example())
            }
            Form::Program => "[\"notify-send\", \"lancet\"]".to_owned(),
            Form::Askers => "[\"elicit\", \"page\"]".to_owned(),
            Form::Switch => "true | false".to_owned(),
            Form::Tools => "[\"default\", \"-MultiEdit\"] | \"default,-MultiEdit\"".to_owned(),
            Form::Encodings => "\"*.pas\" = \"windows-1252\"".to_owned(),
            Form::Strategies => "\"*.env.local\" = \"in_place\"".to_owned(),
            Form::Converters => "\"*.docx\" = [\"markitdown\", \"-\"]".to_owned(),
            Form::Servers => {
                "name = \"ty\", files = [\"*.py\"], run = [\"ty\", \"server\"], root = [\"pyproject.toml\"]"
                    .to_owned()
            }
            Form::Hooks => {
                "on = \"before\", match = \"Edit(src/**)\", run = [\"my-check\"]".to_owned()
            }
            Form::Formatters => {
                "files = [\"*.py\"], run = [\"ruff\", \"format\", \"-\"]".to_owned()
            }
            Form::Abbreviations => "\"<fnr>\" = \"<function_results>\"".to_owned(),
            Form::Clients { .. } => "\"@cline/core\" = 7800".to_owned(),
            Form::Rules => "[\"Edit(src/**)\", \"Read(~/notes/**)\"]".to_owned(),
            Form::Scopes => "[\".claude/skills/NAME/**\"]".to_owned(),
            Form::Guards => "[\"docs/**/*.md\"]".to_owned(),
            Form::Folders => "[\"/usr/share/doc\", \"~/reference\"]".to_owned(),
        };
        let mark = match key.project {
            super::keys::Project::Sets => " (project)".to_owned(),
            super::keys::Project::SetsOnly(word) if key.form == Form::Switch => {
                format!(" (project: {word} only)")
            }
            super::keys::Project::SetsOnly(word) => format!(" (project: \"{word}\" only)"),
            super::keys::Project::StricterMode => " (project: stricter only)".to_owned(),
            super::keys::Project::Lowers => " (project: lower only)".to_owned(),
            super::keys::Project::Ignored | super::keys::Project::UserOnly => String::new(),
        };
        let _ = match is_table {
            true => writeln!(text, "{values}{mark}"),
            false => writeln!(text, "{name} = {values}{mark}"),
        };
        wrap(
            &mut text,
            &format!("{} Default: {}.", key.about, key.default),
        );
    }
    text
}

fn wrap(text: &mut String, paragraph: &str) {
    let mut used = 0;
    for word in paragraph.split(' ') {
        let length = word.chars().count();
        if used == 0 {
            text.push_str("    ");
            used = 4;
        } else if used + 1 + length > WIDTH {
            text.push_str("\n    ");
            used = 4;
        } else {
            text.push(' ');
            used += 1;
        }
        text.push_str(word);
        used += length;
    }
    text.push('\n');
}

pub(super) fn in_force(settings: &Settings) -> Vec<InForce> {
    let mut lines = Vec::new();
    for key in keys() {
        let mut push = |name: String, value: String, origin| {
            lines.push(InForce {
                key: name,
                value,
                origin,
            })
        };
        match key.form {
            Form::Rules => {
                let rules = settings.rules.iter();
                let of_key = rules.filter(|entry| {
                    key.name.strip_prefix("permissions.") == Some(entry.effect.word())
                });
                for entry in of_key {
                    push(
                        key.name.to_owned(),
                        format!("{:?}", entry.rule.text()),
                        origin_of(entry.layer),
                    );
                }
            }
            Form::Scopes | Form::Guards | Form::Folders => {
                let listed: Vec<String> = match key.form {
                    Form::Scopes => settings
                        .open
                        .iter()
                        .map(|scope| scope.text().into())
                        .collect(),
                    Form::Guards => settings.guards.clone(),
                    _ => settings
                        .read_roots
                        .iter()
                        .map(|folder| folder.display().to_string())
                        .collect(),
                };
                for text in listed {
                    push(
                        key.name.to_owned(),
                        format!("{text:?}"),
                        settings.origin(key.name),
                    );
                }
            }
            Form::Encodings => settings.encodings.iter().for_each(|rule| {
                push(
                    format!("encoding.{:?}", rule.pattern),
                    format!("{:?}", rule.word),
                    rule.origin,
                );
            }),
            Form::Strategies => settings.strategies.iter().for_each(|rule| {
                push(
                    format!("write.strategy.{:?}", rule.pattern),
                    format!("{:?}", rule.word),
                    rule.origin,
                );
            }),
            Form::Converters => settings.converters.iter().for_each(|rule| {
                push(
                    format!("{}.{:?}", key.name, rule.pattern),
                    rule.word.clone(),
                    rule.origin,
                );
            }),
            Form::Servers => settings.servers.iter().for_each(|(entry, origin)| {
                push(
                    format!("{}.{:?}", key.name, entry.name),
                    format!("{:?}", entry.run),
                    *origin,
                );
            }),
            Form::Hooks => settings.hooks.iter().for_each(|entry| {
                push(
                    format!(
                        "{}.{}.{:?}",
                        key.name,
                        entry.hook.on.word(),
                        entry.hook.rule
                    ),
                    format!("{:?}", entry.hook.command),
                    entry.origin,
                );
            }),
            Form::Formatters => settings.formatters.iter().for_each(|rule| {
                push(
                    format!("{}.{:?}", key.name, rule.pattern),
                    rule.word.clone(),
                    rule.origin,
                );
            }),
            Form::Clients { .. } => settings.read.clients.iter().for_each(|client| {
                push(
                    format!("{}.{:?}", key.name, client.name),
                    client.most_bytes.to_string(),
                    settings.origin(key.name),
                );
            }),
            Form::Abbreviations => settings.abbreviations.iter().for_each(|(short, long)| {
                push(
                    format!("abbreviations.{short:?}"),
                    format!("{long:?}"),
                    settings.origin(key.name),
                );
            }),
            _ => {
                let value = value_of(settings, key).unwrap_or_else(|| key.default.to_owned());
                push(key.name.to_owned(), value, settings.origin(key.name));
            }
        }
    }
    lines
}

fn origin_of(layer: lancet_policy::Layer) -> super::Origin {
    match layer {
        lancet_policy::Layer::User => super::Origin::User,
        lancet_policy::Layer::Project => super::Origin::Project,
        lancet_policy::Layer::CommandLine | lancet_policy::Layer::Host => {
            super::Origin::CommandLine
        }
    }
}

fn value_of(settings: &Settings, key: &Key) -> Option<String> {
    let quoted = |word: &str| format!("\"{word}\"");
    match key.field {
        Field::Word { get, .. } => get(settings).map(quoted),
        Field::Number { get, .. } => get(settings).map(|number| number.to_string()),
        Field::Switch { get, .. } => Some(get(settings).to_string()),
        Field::Several => match key.form {
            Form::Tools => Some(quoted(&settings.tools.as_ref()?.join(","))),
            Form::Askers => {
                let words: Vec<&str> = settings.ask.by.iter().map(|asker| asker.word()).collect();
                Some(format!("{words:?}"))
            }
            Form::Program => Some(&settings.ask.notify)
                .filter(|command| !command.is_empty())
                .map(|command| format!("{command:?}")),
            _ => None,
        },
    }
}
