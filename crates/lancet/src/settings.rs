//! Settings: the values in force, and which layer set each. Texts and paths are handed in; this reads neither disk nor
//! environment, and it decides nothing but what a value is.

mod apply;
mod by_path;
mod claude;
mod error;
mod help;
mod keep;
mod keys;
mod parse;
mod permissions;
#[cfg(test)]
mod tests;
mod values;
mod writer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lancet_text::Encoding;

pub use crate::engine::{Reread, SettingsSource, Settled};
pub use claude::{ClaudeSettings, LeftOut, claude_settings};
pub use error::SettingsError;
pub use help::help;
pub use keep::{KeepError, KeptRule, keep_rule, with_rule};
pub use values::{
    Durability, Gutter, LineEndings, Links, Matching, Mode, Stale, Strategy, ToolPreset, Weak,
};
pub use writer::has_writer;

use by_path::{PathRule, decide};

/// The name of settings files.
pub const NAME: &str = "lancet.toml";

/// Where a value comes from. Later ones win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Origin {
    /// The default.
    BuiltIn,
    /// The user's `lancet.toml`.
    User,
    /// The `lancet.toml` at the project's root, which may only tighten.
    Project,
    /// The same, of a project that the user has trusted.
    TrustedProject,
    /// `--config` or a flag; counts as the user's own.
    CommandLine,
}

impl Origin {
    /// As `doctor` names it.
    pub fn name(self) -> &'static str {
        match self {
            Origin::BuiltIn => "built in",
            Origin::User => "user",
            Origin::Project => "project",
            Origin::TrustedProject => "project, trusted",
            Origin::CommandLine => "command line",
        }
    }
}

/// One settings file, read by the door that found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// Whose it is.
    pub origin: Origin,
    /// Where it is, for messages.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

/// A line of a project's file that is not applied, because nobody has trusted the project.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ignored {
    /// The file.
    pub path: PathBuf,
    /// Its line, from 1.
    pub line: usize,
    /// The key, `write.line_endings`.
    pub key: String,
}

/// A value in force, for `doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InForce {
    /// The key, `read.gutter`.
    pub key: String,
    /// Its value as one would write it in the file.
    pub value: String,
    /// The layer that set it.
    pub origin: Origin,
}

/// What Read shows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadSettings {
    /// How lines are numbered.
    pub gutter: Gutter,
    /// Lines of one answer.
    pub max_lines: usize,
    /// Characters of one line.
    pub max_line_chars: usize,
    /// Characters of one answer; the door's own limit where none is set.
    pub max_chars: Option<usize>,
    /// What MCP clients hand on of an answer, over the built-in table.
    pub clients: Vec<ClientLimit>,
    /// Whether an unchanged range asked again is answered in one line.
    pub dedupe: bool,
}

/// How much of an answer a client hands on to its model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientLimit {
    /// The name that the client gives itself; one that ends in `*` stands for all names that begin so.
    pub name: String,
    /// Bytes of one answer.
    pub most_bytes: usize,
}

impl ClientLimit {
    /// A limit in bytes for the clients of a name.
    pub fn new(name: impl Into<String>, most_bytes: usize) -> Self {
        Self {
            name: name.into(),
            most_bytes,
        }
    }

    /// Whether a client of this name is meant.
    pub fn is_for(&self, client: &str) -> bool {
        match self.name.strip_suffix('*') {
            Some(beginning) => client.starts_with(beginning),
            None => client == self.name,
        }
    }
}

/// How files are written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteSettings {
    /// The line endings of a file that is written anew.
    pub line_endings: LineEndings,
    /// What happens where other writers cannot be kept away.
    pub weak: Weak,
    /// What is flushed before the answer.
    pub durability: Durability,
    /// Whether the data of a change has the difference to git's HEAD.
    pub git_diff: bool,
    /// What git goes by besides the repository. No key: the door tells it.
    pub git: GitSurroundings,
}

/// The user's and the system's part of what git goes by, as texts: the library reads no home folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitSurroundings {
    /// git's configuration files, the strongest last. Only `core.autocrlf` is looked at.
    pub config: Vec<String>,
    /// git's files of attributes, the strongest last.
    pub attributes: Vec<String>,
}

/// What is kept of changes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistorySettings {
    /// Bytes in the state folder beyond which the oldest changes go.
    pub max_size: u64,
    /// Days after which a change goes.
    pub max_age: u64,
    /// Whether a change that cannot be kept is refused.
    pub required: bool,
}

/// How files are searched.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchSettings {
    /// Milliseconds after which a search answers with what it has.
    pub time_budget: u64,
    /// Whether lines that Grep showed whole count as seen.
    pub seen_lines: bool,
    /// git's global excludes file, whose patterns are left out as git does. No key: the door tells where it is, as the program `lancet` does.
    pub excludes: Option<PathBuf>,
}

/// The settings in force.
///
/// ```
/// use lancet::settings::{Layer, Origin};
/// use lancet::{Mode, Settings};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = "mode = \"plan\"\n[permissions]\ndeny = [\"Read(secrets/**)\"]\n".to_owned();
/// let layer = Layer { origin: Origin::User, path: "lancet.toml".into(), text };
/// let settings = Settings::load(&[layer])?;
/// assert_eq!(settings.mode, Some(Mode::Plan));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// What happens to writes; the door's own mode where none is set.
    pub mode: Option<Mode>,
    /// How old text is found.
    pub matching: Matching,
    /// What happens to an edit of a file that has changed since it was read.
    pub stale: Stale,
    /// What happens to hard links; by the place of the file where none is set.
    pub links: Option<Links>,
    /// The words that choose the tools (`default`, `-MultiEdit`); the default tools where none are set.
    pub tools: Option<Vec<String>>,
    /// `[read]`
    pub read: ReadSettings,
    /// `[write]`
    pub write: WriteSettings,
    /// `[history]`
    pub history: HistorySettings,
    /// `[search]`
    pub search: SearchSettings,
    /// Further abbreviations that the ladder knows: short, long.
    pub abbreviations: Vec<(String, String)>,
    /// Permission rules, in the order of their layers.
    pub rules: Vec<lancet_policy::LayeredRule>,
    /// Parts of protected folders that are opened.
    pub open: Vec<lancet_policy::Scope>,
    /// Further files that no credential is written into: patterns.
    pub guards: Vec<String>,
    /// Folders that may be read and never written; `~` stands for the home folder.
    pub read_roots: Vec<PathBuf>,
    /// What a project's file says and is not applied.
    pub ignored: Vec<Ignored>,
    encodings: Vec<PathRule<Encoding>>,
    strategies: Vec<PathRule<Strategy>>,
    origins: BTreeMap<&'static str, Origin>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            mode: None,
            matching: Matching::Tolerant,
            stale: Stale::Refuse,
            links: None,
            tools: None,
            read: ReadSettings {
                gutter: Gutter::Arrow,
                max_lines: 2_000,
                max_line_chars: 2_000,
                max_chars: None,
                clients: Vec::new(),
                dedupe: true,
            },
            write: WriteSettings {
                line_endings: LineEndings::Keep,
                weak: Weak::Allow,
                durability: Durability::Full,
                git_diff: false,
                git: GitSurroundings::default(),
            },
            history: HistorySettings {
                max_size: 1 << 30,
                max_age: 30,
                required: true,
            },
            search: SearchSettings {
                time_budget: 10_000,
                seen_lines: true,
                excludes: None,
            },
            abbreviations: Vec::new(),
            rules: Vec::new(),
            open: Vec::new(),
            guards: Vec::new(),
            read_roots: Vec::new(),
            ignored: Vec::new(),
            encodings: Vec::new(),
            strategies: Vec::new(),
            origins: BTreeMap::new(),
        }
    }
}

impl Settings {
    /// The settings that these layers make, whatever order they come in; a layer may be given several times.
    pub fn load(layers: &[Layer]) -> Result<Settings, SettingsError> {
        Settings::load_with_tools(layers, &[])
    }

    /// As [`Settings::load`], where a host has added tools that `tools` may name.
    pub fn load_with_tools(
        layers: &[Layer],
        host_tools: &[&str],
    ) -> Result<Settings, SettingsError> {
        let mut ordered: Vec<&Layer> = layers.iter().collect();
        ordered.sort_by_key(|layer| layer.origin);
        let mut settings = Settings::default();
        for layer in ordered {
            for found in parse::parse(layer)? {
                apply::apply(&mut settings, layer, found, host_tools)?;
            }
        }
        Ok(settings)
    }

    /// The hash by which a user trusts a project's settings.
    pub fn fingerprint(text: &str) -> String {
        blake3::hash(text.as_bytes()).to_hex().to_string()
    }

    /// Takes in Claude Code's permissions, which count as the command line's. A `--mode` besides wins.
    pub fn take_in(&mut self, claude: &ClaudeSettings) {
        self.rules.extend_from_slice(&claude.rules);
        if self.origin("mode") != Origin::CommandLine && claude.mode.is_some() {
            self.mode = claude.mode;
            self.origins.insert("mode", Origin::CommandLine);
        }
    }

    /// The encoding that is configured for a file, named relative to its root. A later layer wins over an earlier one,
    /// and inside a layer the last pattern that matches.
    pub fn encoding_for(&self, relative: &Path) -> Option<Encoding> {
        decide(&self.encodings, relative)
    }

    /// How a file, named relative to its root, is written; by the same rules.
    pub fn strategy_for(&self, relative: &Path) -> Strategy {
        decide(&self.strategies, relative).unwrap_or(Strategy::Auto)
    }

    /// Whether any encoding is configured at all.
    pub fn encodings_configured(&self) -> bool {
        !self.encodings.is_empty()
    }

    /// The layer that set a key, `read.gutter`.
    pub fn origin(&self, key: &str) -> Origin {
        self.origins.get(key).copied().unwrap_or(Origin::BuiltIn)
    }

    /// Every key with its value and the layer that set it, in the order of the documentation.
    pub fn in_force(&self) -> Vec<InForce> {
        help::in_force(self)
    }
}
