//! The settings as text: the help page, and the values in force for `doctor`. Both follow the table of keys.

use std::fmt::Write;

use super::by_path::PathRule;
use super::keys::{Key, ProjectPermission, SettingsField, ValueForm, keys};
use super::model::LayeredHook;
use super::{Origin, Settings, ValueInForce};

/// The width of the help text, in columns.
const HELP_WIDTH: usize = 100;

/// Returns the text of `lancet help settings`: every key with its values, default and meaning.
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
        let (values, mark) = (describe_values(key.form), project_mark(key));
        let _ = match is_table {
            true => writeln!(text, "{values}{mark}"),
            false => writeln!(text, "{name} = {values}{mark}"),
        };
        push_wrapped(
            &mut text,
            &format!("{} Default: {}.", key.about, key.default),
        );
    }
    text
}

/// Writes the values that a key of this form takes: all of them, or an example.
fn describe_values(form: ValueForm) -> String {
    let example = match form {
        ValueForm::Choice(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            return words.join(" | ");
        }
        ValueForm::Number { least, most } => return format!("{least} to {most}"),
        ValueForm::Measured { least, most, unit } => {
            return format!("{least} to {most} | {}", unit.example());
        }
        ValueForm::Program => r#"["notify-send", "lancet"]"#,
        ValueForm::Askers => r#"["elicit", "page"]"#,
        ValueForm::Switch => "true | false",
        ValueForm::Tools => r#"["default", "-MultiEdit"] | "default,-MultiEdit""#,
        ValueForm::Encodings => r#""*.pas" = "windows-1252""#,
        ValueForm::Strategies => r#""*.env.local" = "in_place""#,
        ValueForm::Converters => r#""*.docx" = ["markitdown", "-"]"#,
        ValueForm::Servers => {
            r#"name = "ty", files = ["*.py"], run = ["ty", "server"], root = ["pyproject.toml"]"#
        }
        ValueForm::Hooks => r#"on = "before", match = "Edit(src/**)", run = ["my-check"]"#,
        ValueForm::Formatters => r#"files = ["*.py"], run = ["ruff", "format", "-"]"#,
        ValueForm::Abbreviations => r#""<fnr>" = "<function_results>""#,
        ValueForm::Clients { .. } => r#""@cline/core" = 7800"#,
        ValueForm::Rules => r#"["Edit(src/**)", "Read(~/notes/**)"]"#,
        ValueForm::Scopes => r#"[".claude/skills/NAME/**"]"#,
        ValueForm::Guards => r#"["docs/**/*.md"]"#,
        ValueForm::Patterns => r#"["build/keep.json", "*.sqlite"]"#,
        ValueForm::Folders => r#"["/usr/share/doc", "~/reference"]"#,
    };
    example.to_owned()
}

/// Writes what the settings file of an untrusted project may do with the key.
fn project_mark(key: &Key) -> String {
    match key.project {
        ProjectPermission::Sets => " (project)".to_owned(),
        ProjectPermission::SetsOnly(word) if key.form == ValueForm::Switch => {
            format!(" (project: {word} only)")
        }
        ProjectPermission::SetsOnly(word) => format!(" (project: \"{word}\" only)"),
        ProjectPermission::StricterMode => " (project: stricter only)".to_owned(),
        ProjectPermission::Lowers => " (project: lower only)".to_owned(),
        ProjectPermission::Ignored | ProjectPermission::UserOnly => String::new(),
    }
}

fn push_wrapped(text: &mut String, paragraph: &str) {
    let mut used = 0;
    for word in paragraph.split(' ') {
        let length = word.chars().count();
        if used == 0 {
            text.push_str("    ");
            used = 4;
        } else if used + 1 + length > HELP_WIDTH {
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

/// Returns the values in force, one line for each key or each entry of a list or table.
pub(super) fn list_values_in_force(settings: &Settings) -> Vec<ValueInForce> {
    keys()
        .flat_map(|key| values_in_force(settings, key))
        .collect()
}

fn values_in_force(settings: &Settings, key: &Key) -> Vec<ValueInForce> {
    let set_by = settings.origin(key.name);
    let listed = |text: &str| (None, format!("{text:?}"), set_by);
    let named = |name: &str, value: String, origin| (Some(format!("{name:?}")), value, origin);
    match key.form {
        ValueForm::Rules => {
            let effect = key.name.strip_prefix("permissions.");
            let rules = settings.rules.iter();
            let rules = rules.filter(|rule| effect == Some(rule.effect.as_str()));
            entries_in_force(key, rules, |rule| {
                (
                    None,
                    format!("{:?}", rule.rule.text()),
                    origin_of(rule.layer),
                )
            })
        }
        ValueForm::Scopes => entries_in_force(key, &settings.open, |scope| listed(scope.text())),
        ValueForm::Guards => entries_in_force(key, &settings.guards, |text| listed(text)),
        ValueForm::Folders => entries_in_force(key, &settings.read_roots, |folder| {
            listed(&folder.display().to_string())
        }),
        ValueForm::Patterns => {
            let patterns = match key.name {
                "checkpoint.include" => &settings.checkpoint.include,
                _ => &settings.checkpoint.exclude,
            };
            entries_in_force(key, &patterns.0, |rule| {
                (None, format!("{:?}", rule.pattern), rule.origin)
            })
        }
        ValueForm::Encodings => {
            path_rules_in_force(key, &settings.encodings, |word| format!("{word:?}"))
        }
        ValueForm::Strategies => {
            path_rules_in_force(key, &settings.strategies, |word| format!("{word:?}"))
        }
        ValueForm::Converters => path_rules_in_force(key, &settings.converters, str::to_owned),
        ValueForm::Formatters => path_rules_in_force(key, &settings.formatters, str::to_owned),
        ValueForm::Servers => entries_in_force(key, &settings.servers, |(server, origin)| {
            named(&server.name, format!("{:?}", server.run), *origin)
        }),
        ValueForm::Hooks => entries_in_force(
            key,
            &settings.hooks,
            |LayeredHook { hook, origin, .. }| {
                let name = format!("{}.{:?}", hook.on.as_str(), hook.rule);
                (Some(name), format!("{:?}", hook.command), *origin)
            },
        ),
        ValueForm::Clients { .. } => entries_in_force(key, &settings.read.clients, |client| {
            named(&client.name, client.most_bytes.to_string(), set_by)
        }),
        ValueForm::Abbreviations => {
            entries_in_force(key, &settings.abbreviations, |(short, long)| {
                named(short, format!("{long:?}"), set_by)
            })
        }
        _ => {
            let value = format_value(settings, key).unwrap_or_else(|| key.default.to_owned());
            entries_in_force(key, [value], |value| (None, value, set_by))
        }
    }
}

/// Returns one line for each entry of a list or a table: `describe` gives the entry's name below the key (none in a
/// list), its value and its layer.
fn entries_in_force<T>(
    key: &Key,
    entries: impl IntoIterator<Item = T>,
    describe: impl Fn(T) -> (Option<String>, String, Origin),
) -> Vec<ValueInForce> {
    let form = key.form;
    let line = |entry| {
        let (name, value, origin) = describe(entry);
        let key = match name {
            Some(name) => format!("{}.{name}", key.name),
            None => key.name.to_owned(),
        };
        ValueInForce {
            amount: amount_with_unit(form, &value),
            key,
            value,
            origin,
        }
    };
    entries.into_iter().map(line).collect()
}

/// Returns a number with its unit, as the file takes it; none where the key has no unit.
fn amount_with_unit(form: ValueForm, value: &str) -> Option<String> {
    match form {
        ValueForm::Measured { unit, .. } => {
            let amount = unit.format_amount(value.parse().ok()?);
            Some(format!("\"{amount}\""))
        }
        _ => None,
    }
}

/// Returns the rules of a table of paths, each with its value as `show` writes it.
fn path_rules_in_force<T>(
    key: &Key,
    rules: &[PathRule<T>],
    show: fn(&str) -> String,
) -> Vec<ValueInForce> {
    entries_in_force(key, rules, |rule| {
        let name = format!("{:?}", rule.pattern);
        (Some(name), show(&rule.word), rule.origin)
    })
}

fn origin_of(layer: lancet_policy::RuleLayer) -> Origin {
    match layer {
        lancet_policy::RuleLayer::User => Origin::User,
        lancet_policy::RuleLayer::Project => Origin::Project,
        lancet_policy::RuleLayer::CommandLine | lancet_policy::RuleLayer::Host => {
            Origin::CommandLine
        }
    }
}

fn format_value(settings: &Settings, key: &Key) -> Option<String> {
    let quoted = |word: &str| format!("\"{word}\"");
    match key.field {
        SettingsField::Word { get, .. } => get(settings).map(quoted),
        SettingsField::Number { get, .. } => get(settings).map(|number| number.to_string()),
        SettingsField::Switch { get, .. } => Some(get(settings).to_string()),
        SettingsField::Several => match key.form {
            ValueForm::Tools => Some(quoted(&settings.tools.as_ref()?.join(","))),
            ValueForm::Askers => {
                let words: Vec<&str> = settings.ask.by.iter().map(|asker| asker.as_str()).collect();
                Some(format!("{words:?}"))
            }
            ValueForm::Program => Some(&settings.ask.notify)
                .filter(|command| !command.is_empty())
                .map(|command| format!("{command:?}")),
            _ => None,
        },
    }
}
