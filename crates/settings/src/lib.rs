//! The settings: the values in force, and which layer set each. Texts and paths are passed in; parsing and merging do
//! not access the disk. Only `keep`, which saves a rule, and `writer`, which checks for a process that writes, do.

mod apply;
mod by_path;
mod claude;
mod commands;
mod error;
mod fields;
mod flaw;
pub mod gutter;
mod help;
mod hook_tables;
mod items;
mod keep;
mod keys;
mod layer;
mod model;
mod parse;
mod path_patterns;
mod pattern_rule;
mod permissions;
pub mod programs;
mod server;
mod tables;
#[cfg(test)]
mod tests;
mod values;
mod writer;

use std::path::Path;

use lancet_formats::convert::Converter;
use lancet_text::Encoding;

pub use claude::{ClaudeSettings, ClaudeSettingsError, LeftOutEntry, import_claude_settings};
pub use error::SettingsError;
pub use flaw::{FlawEffect, SettingsFlaw};
pub use help::help;
pub use keep::{SaveRuleError, SavedRule, add_rule_to_text, save_rule};
pub use layer::{Layer, Origin};
pub use model::{
    AskSettings, CheckpointSettings, ClientLimit, CommitSettings, GitSurroundings, HistorySettings,
    IgnoredLine, LanguageSettings, ReadSettings, SearchSettings, Settings, ShellSettings,
    ValueInForce, WriteSettings,
};
pub use path_patterns::PathPatterns;
pub use values::{
    Asker, CommitTrailer, ContentsUse, Diagnostics, Durability, Gutter, Images, IndexUse,
    LineEndings, Links, Matching, Mode, PdfForm, Severity, Stale, Strategy, ToolPreset, Weak,
};
pub use writer::is_open_for_writing;

use by_path::find_value;
pub use model::LayeredHook;

use lancet_language::{ServerEntry, built_in};

use crate::programs::{Formatter, Hook};

/// The name of settings files.
pub const SETTINGS_FILE_NAME: &str = "lancet.toml";

impl Settings {
    /// Merges these layers in the order of their [`Origin`], not in that of the slice. Several may share an origin.
    ///
    /// A project's file loads even if parts of it are wrong: they are listed in [`Settings::flaws`], and the rest
    /// counts.
    ///
    /// # Errors
    /// One of the user's own files is wrong: the first mistake in it.
    pub fn load(layers: &[Layer]) -> Result<Settings, SettingsError> {
        Settings::load_with_tools(layers, &[])
    }

    /// As [`Settings::load`], but the key `tools` may also name the tools in `host_tools`, which a host has added.
    ///
    /// # Errors
    /// As for [`Settings::load`].
    pub fn load_with_tools(
        layers: &[Layer],
        host_tools: &[&str],
    ) -> Result<Settings, SettingsError> {
        let settings = Settings::load_usable(layers, host_tools);
        match settings.flaws.iter().find(|flaw| flaw.is_in_user_file()) {
            Some(flaw) => Err(flaw.error.clone()),
            None => Ok(settings),
        }
    }

    /// Merges the usable parts of these layers. The others, also of the user's own files, are listed in
    /// [`Settings::flaws`]; an engine with these settings makes its rules stricter accordingly.
    pub fn load_usable(layers: &[Layer], host_tools: &[&str]) -> Settings {
        let mut ordered: Vec<&Layer> = layers.iter().collect();
        ordered.sort_by_key(|layer| layer.origin);
        let mut settings = Settings::default();
        for layer in ordered {
            let (found, flaws) = parse::parse(layer);
            settings.flaws.extend(flaws);
            for found in found {
                apply::apply_key(&mut settings, layer, found, host_tools);
            }
        }
        settings
    }

    /// Returns the hash of a settings text. When a user trusts a project's settings, this hash of their text is
    /// recorded.
    pub fn fingerprint(text: &str) -> String {
        blake3::hash(text.as_bytes()).to_hex().to_string()
    }

    /// Adds permissions from a settings file of Claude Code, with the precedence of the command line. The flag `--mode`
    /// overrides the mode in that file.
    pub fn add_claude_settings(&mut self, claude: &ClaudeSettings) {
        self.rules.extend_from_slice(&claude.rules);
        if self.origin("mode") != Origin::CommandLine && claude.mode.is_some() {
            self.mode = claude.mode;
            self.origins.insert("mode", Origin::CommandLine);
        }
    }

    /// Returns the encoding that is configured for a file, named relative to its root. A later layer wins over an
    /// earlier one, and within a layer the last matching pattern.
    pub fn encoding_for(&self, relative: &Path) -> Option<Encoding> {
        find_value(&self.encodings, relative).copied()
    }

    /// Returns the strategy for writing a file, named relative to its root; chosen by the same rules as its encoding.
    pub fn strategy_for(&self, relative: &Path) -> Strategy {
        find_value(&self.strategies, relative)
            .copied()
            .unwrap_or(Strategy::Auto)
    }

    /// Returns the program that outputs the text of a file, named relative to its root; chosen by the same rules as its
    /// encoding.
    pub fn converter_for(&self, relative: &Path) -> Option<&Converter> {
        find_value(&self.converters, relative)
    }

    /// Returns all programs that output the text of files, in the order in which they were configured.
    pub fn converters(&self) -> Vec<Converter> {
        let rules = self.converters.iter();
        rules.map(|rule| rule.value.clone()).collect()
    }

    /// Returns the formatter of a file, named relative to its root; chosen by the same rules as its encoding.
    pub fn formatter_for(&self, relative: &Path) -> Option<&Formatter> {
        find_value(&self.formatters, relative)
    }

    /// Returns all formatters, each once, in the order in which they were configured.
    pub fn formatters(&self) -> Vec<Formatter> {
        let mut all: Vec<Formatter> = Vec::new();
        for rule in &self.formatters {
            if !all.contains(&rule.value) {
                all.push(rule.value.clone());
            }
        }
        all
    }

    /// Returns the configured language servers, those of the strongest layer first. A later one of the same name does
    /// not count.
    pub fn servers(&self) -> Vec<ServerEntry> {
        let entries = self.servers.iter().rev();
        entries.map(|(entry, _)| entry.clone()).collect()
    }

    /// Returns all hooks, in the order in which they were configured.
    pub fn hooks(&self) -> Vec<Hook> {
        self.hooks.iter().map(|entry| entry.hook.clone()).collect()
    }

    /// Returns every command that may be started because of the settings: hooks, formatters, converters, language
    /// servers (including the built-in table), and the program that is notified of pending approvals.
    pub fn commands(&self) -> Vec<Vec<String>> {
        let hooks = self.hooks().into_iter().map(|hook| hook.command);
        let formatters = self.formatters().into_iter();
        let formatters = formatters.map(|formatter| formatter.command);
        let converters = self.converters().into_iter();
        let converters = converters.map(|converter| converter.command);
        let servers = self.servers().into_iter().map(|server| server.run);
        // The arguments of known servers are words such as `server`, not files.
        let known = built_in().into_iter();
        let known = known.map(|server| server.run.into_iter().take(1).collect());
        let notify = std::iter::once(self.ask.notify.clone());
        let all = hooks.chain(formatters).chain(converters);
        let all = all.chain(servers).chain(known).chain(notify);
        all.filter(|command| !command.is_empty()).collect()
    }

    /// Returns the hooks with their rules and layers.
    #[doc(hidden)]
    pub fn layered_hooks(&self) -> &[LayeredHook] {
        &self.hooks
    }

    /// Returns whether an encoding is configured for any file.
    pub fn encodings_configured(&self) -> bool {
        !self.encodings.is_empty()
    }

    /// Returns the layer that set a key, such as `read.gutter`.
    pub fn origin(&self, key: &str) -> Origin {
        self.origins.get(key).copied().unwrap_or(Origin::BuiltIn)
    }

    /// Lists every key with its value and the layer that set it, in the order of the documentation.
    pub fn in_force(&self) -> Vec<ValueInForce> {
        help::list_values_in_force(self)
    }
}
