//! A part of a settings file that cannot be used, and its effect until it is corrected. In a project's file the rest of
//! the file counts. A faulty line that may be a permission rule makes the rules in force stricter, because it is
//! unknown what it forbids.

use std::fmt;
use std::path::Path;

use lancet_policy::{Access, Rule};
use toml_edit::Item;

use super::error::SettingsError;
use super::keys::keys;
use super::layer::{Layer, Origin};
use super::model::Settings;
use lancet_model::closest::find_closest;

/// A part of a settings file that cannot be used. It displays like its error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SettingsFlaw {
    /// Where it is, and what is wrong.
    pub error: SettingsError,
    /// The layer of the file.
    pub origin: Origin,
    /// Its effect until it is corrected.
    pub effect: FlawEffect,
}

/// The effect of a part of a settings file that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FlawEffect {
    /// The line is left out, and nothing else changes.
    LeftOut,
    /// The line may be a permission rule, so writes require approval.
    WritesAsk,
    /// The line may forbid reading, so writes require approval, and tools do not read.
    ReadingDenied,
}

impl SettingsFlaw {
    /// Returns whether the file is one of the user's own. While such a file has a flaw, tools do not write.
    pub fn is_in_user_file(&self) -> bool {
        !self.origin.is_project()
    }
}

impl fmt::Display for SettingsFlaw {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(formatter)
    }
}

impl Settings {
    /// Records a settings file that exists and cannot be read, as a file that may forbid anything.
    pub fn note_unreadable(&mut self, origin: Origin, path: &Path, why: &str) {
        let layer = Layer {
            origin,
            path: path.to_path_buf(),
            text: String::new(),
        };
        let message = format!("the settings cannot be read: {why}");
        self.flaws.push(SettingsFlaw {
            error: SettingsError::at(&layer, 0, message),
            origin,
            effect: FlawEffect::ReadingDenied,
        });
    }
}

/// Returns the effect of a wrong value of a known key.
pub(super) fn key_effect(name: &str) -> FlawEffect {
    match name {
        "permissions" | "permissions.deny" => FlawEffect::ReadingDenied,
        _ if is_rule_table(name) => FlawEffect::WritesAsk,
        _ => FlawEffect::LeftOut,
    }
}

/// Returns the effect of an unknown key, by its table, by the key that was probably meant, and by its value.
pub(super) fn unknown_key_effect(full: &str, item: &Item, meant: Option<&str>) -> FlawEffect {
    // An unknown key of `[permissions]` may be a misspelt `deny`, whichever key is nearest.
    let by_table = match full.split_once('.') {
        Some(("permissions", _)) => FlawEffect::ReadingDenied,
        _ => key_effect(full),
    };
    let by_meaning = meant.map_or(FlawEffect::LeftOut, |meant| {
        match meant.starts_with("permissions") {
            true => FlawEffect::ReadingDenied,
            false => key_effect(meant),
        }
    });
    by_table.max(by_meaning).max(value_effect(item))
}

/// Returns the effect of an unknown key by its value: a table with a key of `[permissions]`, or with a misspelt one,
/// may be that table, and a string with the form of a rule may be one.
fn value_effect(item: &Item) -> FlawEffect {
    let rules = || keys().filter_map(|key| key.name.strip_prefix("permissions."));
    let mut effect = FlawEffect::LeftOut;
    if let Some(table) = item.as_table_like() {
        for (name, inner) in table.iter() {
            let by_name = match find_closest(name, rules()) {
                Some(_) => FlawEffect::ReadingDenied,
                None => FlawEffect::LeftOut,
            };
            effect = effect.max(by_name).max(value_effect(inner));
        }
    }
    if let Some(tables) = item.as_array_of_tables() {
        for table in tables {
            effect = effect.max(value_effect(&Item::Table(table.clone())));
        }
    }
    for value in item.as_array().into_iter().flatten() {
        effect = effect.max(value_effect(&Item::Value(value.clone())));
    }
    item.as_str()
        .map_or(effect, |text| effect.max(text_effect(text)))
}

fn text_effect(text: &str) -> FlawEffect {
    let rule = text.contains('(').then(|| Rule::parse(text).ok()).flatten();
    match rule.map(|rule| rule.access()) {
        Some(Access::Read) => FlawEffect::ReadingDenied,
        Some(Access::Write) => FlawEffect::WritesAsk,
        None => FlawEffect::LeftOut,
    }
}

fn is_rule_table(name: &str) -> bool {
    let table = name.split('.').next().unwrap_or(name);
    matches!(table, "permissions" | "protected" | "secrets")
}
