//! The types of the settings' values, with their defaults. Each field of a scalar setting is named in the table of keys
//! (`keys/table.rs`).

use std::collections::BTreeMap;
use std::path::PathBuf;

use lancet_formats::convert::Converter;
use lancet_language::ServerEntry;
use lancet_text::Encoding;

use super::by_path::PathRule;
use super::flaw::SettingsFlaw;
use super::layer::Origin;
use super::path_patterns::PathPatterns;
use super::values::{
    Asker, CommitTrailer, ContentsUse, Diagnostics, Durability, Gutter, Images, IndexUse,
    LineEndings, Links, Matching, Mode, PdfForm, Severity, Stale, Strategy, Weak,
};
use crate::programs::{Formatter, Hook};

/// A line of a project's file that is not applied, because the user has not trusted the project.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IgnoredLine {
    /// The path of the settings file.
    pub path: PathBuf,
    /// The number of the line, from 1.
    pub line: usize,
    /// The key, such as `write.line_endings`.
    pub key: String,
}

/// A value in force, for `doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValueInForce {
    /// The key, such as `read.gutter`.
    pub key: String,
    /// The value as it would be written in the file.
    pub value: String,
    /// The same value with a unit, `"1GiB"`, where it is a size or a time.
    pub amount: Option<String>,
    /// The layer that set it.
    pub origin: Origin,
}

/// The settings of `[read]`: what Read shows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadSettings {
    /// How lines are numbered.
    pub gutter: Gutter,
    /// The maximum number of lines of one answer.
    pub max_lines: usize,
    /// The maximum number of characters of one line.
    pub max_line_chars: usize,
    /// The maximum number of characters of one answer; the host's own limit if none is set.
    pub max_chars: Option<usize>,
    /// How much of an answer MCP clients pass on; these override the built-in table.
    pub clients: Vec<ClientLimit>,
    /// Whether a repeated Read of an unchanged range is answered in one line.
    pub dedupe: bool,
    /// The models that pictures are scaled for.
    pub images: Images,
    /// The form in which the pages of a PDF are shown.
    pub pdf: PdfForm,
}

/// How much of an answer a client passes on to its model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientLimit {
    /// The name that the client gives itself; a name that ends in `*` covers all names with that prefix.
    pub name: String,
    /// The maximum number of bytes of one answer.
    pub most_bytes: usize,
}

impl ClientLimit {
    /// Sets a limit in bytes for the clients of a name.
    pub fn new(name: impl Into<String>, most_bytes: usize) -> Self {
        Self {
            name: name.into(),
            most_bytes,
        }
    }

    /// Returns whether the limit applies to a client of this name.
    pub fn applies_to_client(&self, client: &str) -> bool {
        match self.name.strip_suffix('*') {
            Some(beginning) => client.starts_with(beginning),
            None => client == self.name,
        }
    }
}

/// The settings of `[write]`: how files are written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteSettings {
    /// The line endings of a file that is replaced as a whole.
    pub line_endings: LineEndings,
    /// What happens if the write cannot be protected against other writers.
    pub weak: Weak,
    /// What is flushed to the disk before the answer.
    pub durability: Durability,
    /// Whether the data of a change includes the diff to git's HEAD.
    pub git_diff: bool,
    /// git's configuration outside the repository. There is no key for it: the host passes it in.
    pub git: GitSurroundings,
}

/// The user's and the system's git configuration, as strings: the library does not read the home folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitSurroundings {
    /// git's configuration files, the strongest last. Only `core.autocrlf` is used.
    pub config: Vec<String>,
    /// git's attributes files, the strongest last.
    pub attributes: Vec<String>,
}

/// The settings of `[history]`: what is recorded of changes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistorySettings {
    /// The size of the state folder, in bytes, beyond which the oldest changes are removed.
    pub max_size: u64,
    /// The number of days after which a change is removed.
    pub max_age: u64,
    /// Whether a change that cannot be recorded is refused.
    pub required: bool,
}

/// The settings of `[checkpoint]`: which files are seen before and after the changes of other programs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CheckpointSettings {
    /// Files that are covered although they are ignored.
    pub include: PathPatterns,
    /// Files that are not covered.
    pub exclude: PathPatterns,
    /// The number of bytes up to which the content of a file is stored.
    pub max_file: u64,
    /// The number of bytes that the checkpoints of a project may take.
    pub max_size: u64,
}

/// The settings of `[search]`: how files are searched.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchSettings {
    /// The milliseconds after which a search answers with what it has found.
    pub time_budget: u64,
    /// Whether lines that Grep showed whole count as seen.
    pub seen_lines: bool,
    /// Whether searches may be answered from an index in memory.
    pub index: IndexUse,
    /// The bytes that the indexes of all processes of this user may take together.
    pub memory: u64,
    /// Whether the index also keeps the text of files.
    pub contents: ContentsUse,
    /// git's global excludes file, whose patterns are excluded as git does. There is no key for it: the host passes the
    /// path in, as the program `lancet` does.
    pub excludes: Option<PathBuf>,
}

/// The settings of `[shell]`: commands typed by a person.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShellSettings {
    /// Whether a command requests confirmation before it writes.
    pub confirm: bool,
}

/// The settings of `[commit]`: the command `lancet commit`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommitSettings {
    /// How the agents that wrote the committed lines are named.
    pub trailer: CommitTrailer,
}

/// The settings of `[ask]`: where approval of an agent's writes is requested.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AskSettings {
    /// The places where approval is requested.
    pub by: Vec<Asker>,
    /// The seconds that a call waits for a decision.
    pub patience: u64,
    /// The program that is run when an approval becomes pending, with its arguments; empty if there is none.
    pub notify: Vec<String>,
}

/// The settings of `[language]`: which problems found by language servers are reported for a change.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LanguageSettings {
    /// When problems are reported; after the edit if none is set.
    pub diagnostics: Option<Diagnostics>,
    /// The least severe problems that are reported.
    pub severity: Severity,
    /// How long an answer waits for problems, in milliseconds.
    pub wait: u64,
    /// The maximum number of servers that run at once.
    pub most: usize,
    /// The memory limit of each server, in bytes.
    pub memory: u64,
}

/// A hook with its rule and the layer that it comes from.
#[derive(Debug, Clone)]
pub struct LayeredHook {
    /// The hook.
    pub hook: Hook,
    /// The rule that selects its files.
    pub rule: lancet_policy::Rule,
    /// The layer that contains it.
    pub layer: lancet_policy::RuleLayer,
    pub(super) origin: Origin,
}

/// The settings in force.
///
/// ```
/// # mod lancet {
/// #     pub use lancet_settings::{Mode, Settings};
/// #     pub mod settings {
/// #         pub use lancet_settings::{Layer, Origin};
/// #     }
/// # }
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
    /// The policy for writes that no rule decides; the host's own mode if none is set.
    pub mode: Option<Mode>,
    /// The rungs of the matching ladder that are used to find old text.
    pub matching: Matching,
    /// What happens to an edit of a file that has changed since it was read.
    pub stale: Stale,
    /// What happens to hard links; if none is set, the location of the file decides.
    pub links: Option<Links>,
    /// The entries that select the tools (`default`, `-MultiEdit`); the default tools if none are set.
    pub tools: Option<Vec<String>>,
    /// The settings of `[read]`.
    pub read: ReadSettings,
    /// The settings of `[write]`.
    pub write: WriteSettings,
    /// The settings of `[history]`.
    pub history: HistorySettings,
    /// The settings of `[checkpoint]`.
    pub checkpoint: CheckpointSettings,
    /// The settings of `[search]`.
    pub search: SearchSettings,
    /// The settings of `[ask]`.
    pub ask: AskSettings,
    /// The settings of `[shell]`.
    pub shell: ShellSettings,
    /// The settings of `[commit]`.
    pub commit: CommitSettings,
    /// The settings of `[language]`.
    pub language: LanguageSettings,
    /// Further abbreviations for the matching ladder: the short and the long form.
    pub abbreviations: Vec<(String, String)>,
    /// Permission rules, in the order of their layers.
    pub rules: Vec<lancet_policy::LayeredRule>,
    /// Parts of protected folders that are opened for writing.
    pub open: Vec<lancet_policy::Scope>,
    /// Patterns of further files into which no credential is written.
    pub guards: Vec<String>,
    /// Folders that may be read but never written; `~` means the home folder.
    pub read_roots: Vec<PathBuf>,
    /// The lines of an untrusted project's file that are not applied.
    pub ignored: Vec<IgnoredLine>,
    /// The parts of settings files that cannot be used.
    pub flaws: Vec<SettingsFlaw>,
    pub(super) encodings: Vec<PathRule<Encoding>>,
    pub(super) strategies: Vec<PathRule<Strategy>>,
    pub(super) converters: Vec<PathRule<Converter>>,
    pub(super) formatters: Vec<PathRule<Formatter>>,
    pub(super) servers: Vec<(ServerEntry, Origin)>,
    pub(super) hooks: Vec<LayeredHook>,
    pub(super) origins: BTreeMap<&'static str, Origin>,
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
                images: Images::Default,
                pdf: PdfForm::Auto,
            },
            write: WriteSettings {
                line_endings: LineEndings::Keep,
                weak: Weak::Auto,
                durability: Durability::Full,
                git_diff: false,
                git: GitSurroundings::default(),
            },
            history: HistorySettings {
                max_size: 1 << 30,
                max_age: 30,
                required: true,
            },
            checkpoint: CheckpointSettings {
                include: PathPatterns::default(),
                exclude: PathPatterns::default(),
                max_file: 32 << 20,
                max_size: 1 << 30,
            },
            search: SearchSettings {
                time_budget: 10_000,
                seen_lines: true,
                index: IndexUse::Auto,
                memory: 256 << 20,
                contents: ContentsUse::Auto,
                excludes: None,
            },
            ask: AskSettings {
                by: vec![Asker::Elicit, Asker::Page],
                patience: 45,
                notify: Vec::new(),
            },
            shell: ShellSettings { confirm: true },
            commit: CommitSettings {
                trailer: CommitTrailer::AssistedBy,
            },
            language: LanguageSettings {
                diagnostics: None,
                severity: Severity::Error,
                wait: 1_500,
                most: 3,
                memory: 2 << 30,
            },
            abbreviations: Vec::new(),
            rules: Vec::new(),
            open: Vec::new(),
            guards: Vec::new(),
            read_roots: Vec::new(),
            ignored: Vec::new(),
            flaws: Vec::new(),
            encodings: Vec::new(),
            strategies: Vec::new(),
            converters: Vec::new(),
            formatters: Vec::new(),
            servers: Vec::new(),
            hooks: Vec::new(),
            origins: BTreeMap::new(),
        }
    }
}
