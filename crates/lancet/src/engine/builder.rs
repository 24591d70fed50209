//! Opens an engine. Everything that depends on the environment is passed in here.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use lancet_history::{LedgerStore, OperationStore};
use lancet_language::LanguageServers;
use lancet_policy::RuleEffect;
use lancet_search::KeepContents;
use lancet_workspace::{Disk, RealDisk, Workspace};

use super::permissions::{PermissionOptions, Readers};
use super::resident::ResidentRoots;
use super::stores::{RecordStores, Stores};
use super::terms::{EffectiveSettings, FixedOptions, LiveSettings, SettingsSource};
use super::{EngineState, Lancet, OpenError};
use crate::approval::Approver;
use crate::audience::Audience;
use crate::convert::FileConverter;
use crate::events::Observer;
use crate::host_tool::HostTool;
use crate::order::WriteTurns;
use crate::pdf::PdfReader;
use crate::programs::ProgramRunner;
use crate::settings::{Mode, Settings};
use crate::syntax::SyntaxReader;
use crate::tool_prefix::ToolPrefix;

/// Opens a [`Lancet`]. Everything that depends on the environment is passed in here: the library reads neither
/// environment variables nor the home folder.
///
/// ```
/// use lancet::approval::{Answer, Question};
/// use lancet::{Lancet, Mode};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (folder, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// let lancet = Lancet::builder()
///     .root(folder.path())
///     .state_dir(state.path()) // without it nothing can be taken back
///     .mode(Mode::Ask)
///     .allow("Edit(src/**)")
///     .deny("Read(secrets/**)")
///     .approver(|question: &Question| match question.is_protected() {
///         true => Answer::No(Some("not in this project".into())),
///         false => Answer::Yes,
///     })
///     .open()?;
/// assert_eq!(lancet.tools().len(), 7);
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Builder {
    roots: Vec<PathBuf>,
    state_dir: Option<PathBuf>,
    history: Option<RecordStores>,
    home: Option<PathBuf>,
    settings: Settings,
    mode: Option<Mode>,
    tools: Option<Vec<String>>,
    pub(super) permission_options: PermissionOptions,
    source: Option<Box<dyn SettingsSource>>,
    approver: Option<Arc<dyn Approver>>,
    observers: Vec<Arc<dyn Observer>>,
    host_tools: Vec<Arc<dyn HostTool>>,
    answer_limit: Option<usize>,
    keep_contents: bool,
    audience: Audience,
    pdf_reader: Option<Arc<dyn PdfReader>>,
    syntax_reader: Option<Arc<dyn SyntaxReader>>,
    file_converter: Option<Arc<dyn FileConverter>>,
    language: Option<Arc<LanguageServers>>,
    program_runner: Option<Arc<dyn ProgramRunner>>,
    disk: Option<Arc<dyn Disk>>,
    resident_contents: KeepContents,
}

impl Lancet {
    /// Starts to build an engine.
    pub fn builder() -> Builder {
        Builder::default()
    }
}

impl Builder {
    /// Adds a folder that lancet may work in. Paths outside all roots are refused.
    #[must_use]
    pub fn root(mut self, root: impl Into<PathBuf>) -> Self {
        self.roots.push(root.into());
        self
    }

    /// Sets the folder where lancet stores ledgers of named sessions, the history, locks and displaced files. Without a
    /// state folder nothing is stored.
    #[must_use]
    pub fn state_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.state_dir = Some(folder.into());
        self
    }

    /// Stores changes, questions and sessions in this store instead of the database of the state folder. The state
    /// folder then has only what belongs to this machine: locks, the journal of the write, displaced files.
    #[doc(hidden)]
    #[must_use]
    pub fn history(mut self, store: impl LedgerStore + OperationStore + 'static) -> Self {
        self.history = Some(RecordStores::new(Arc::new(store)));
        self
    }

    /// Sets the home folder, to which `~` expands. Without it `~` is not expanded.
    #[must_use]
    pub fn home(mut self, folder: impl Into<PathBuf>) -> Self {
        self.home = Some(folder.into());
        self
    }

    /// Lets the cached texts of small files use all of `search.memory`. They are cached along with the index of a large
    /// tree where `search.contents` leaves it open. Without this option an eighth of the memory stays free for the
    /// trees of other processes.
    #[must_use]
    pub fn resident_contents(mut self) -> Self {
        self.resident_contents = KeepContents::Yes;
        self
    }

    /// Sets the settings in force.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Sets the mode. Without it the settings' mode applies, else [`Mode::Ask`].
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Chooses the offered tools, overriding the settings: by names and presets
    /// ([`ToolPreset`](crate::settings::ToolPreset)), one after the other, as `--tools` takes them. A minus before one
    /// removes it.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// let lancet = lancet::Lancet::builder()
    ///     .root(folder.path())
    ///     .tools(["claude", "Undo", "-Glob"])
    ///     .open()?;
    /// let names: Vec<_> = lancet.tools().iter().map(|tool| tool.name.clone()).collect();
    /// assert_eq!(names, ["Read", "Edit", "Write", "NotebookEdit", "Grep", "Undo"]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn tools<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the approver, which is queried before a write.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Adds an observer, which is notified of every read, change and refusal.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer + 'static) -> Self {
        self.observers.push(Arc::new(observer));
        self
    }

    /// Adds a tool of the host.
    #[must_use]
    pub fn tool(mut self, tool: impl HostTool + 'static) -> Self {
        self.host_tools.push(Arc::new(tool));
        self
    }

    /// Sets the reader of PDFs. Without it a PDF is answered by a sentence. The program `lancet` passes in one that
    /// runs in a separate process, with limits on memory and time.
    #[must_use]
    pub fn pdf_reader(mut self, reader: impl PdfReader + 'static) -> Self {
        self.pdf_reader = Some(Arc::new(reader));
        self
    }

    /// Sets the reader of source code. Without it there are no outlines, and no warning where a change breaks the
    /// syntax of a file. The program `lancet` passes in one with the parsers of nine languages.
    #[must_use]
    pub fn syntax_reader(mut self, reader: impl SyntaxReader + 'static) -> Self {
        self.syntax_reader = Some(Arc::new(reader));
        self
    }

    /// Sets what starts the programs that the setting `read.converters` names. Without it these files are answered by a
    /// sentence. The program `lancet` passes in a process that confines each program and limits its time.
    #[must_use]
    pub fn file_converter(mut self, converter: impl FileConverter + 'static) -> Self {
        self.file_converter = Some(Arc::new(converter));
        self
    }

    /// Sets the language servers, which are notified of what is read and changed. What they find is reported according
    /// to the settings of `[language]`. Without them nothing is reported.
    #[must_use]
    pub fn language(mut self, language: LanguageServers) -> Self {
        self.language = Some(Arc::new(language));
        self
    }

    /// Sets what starts the formatters and hooks of the settings. Without it nothing is formatted, and the answers say
    /// so. For a hook that should run before a change, a person is then prompted instead. The program `lancet` passes
    /// in a process that confines each formatter and limits the time of each program.
    #[must_use]
    pub fn program_runner(mut self, runner: impl ProgramRunner + 'static) -> Self {
        self.program_runner = Some(Arc::new(runner));
        self
    }

    /// Sets the longest answer, in characters.
    #[must_use]
    pub fn answer_limit(mut self, characters: usize) -> Self {
        self.answer_limit = Some(characters);
        self
    }

    /// Makes replies carry the whole old and new content of the changed file.
    #[must_use]
    pub fn keep_contents(mut self) -> Self {
        self.keep_contents = true;
        self
    }

    /// Sets who reads the answers. The default is a model that calls tools.
    #[doc(hidden)]
    #[must_use]
    pub fn audience(mut self, audience: Audience) -> Self {
        self.audience = audience;
        self
    }

    /// Sets a prefix for the tools' names, for a list that also has other tools with the same names. Calls may use the
    /// listed names or the tools' own names; answers use the listed ones. [`ToolPrefix::listed_name`] returns
    /// the name of a tool as it is to be listed.
    #[must_use]
    pub fn tool_prefix(self, prefix: ToolPrefix) -> Self {
        self.audience(Audience::with_prefix(prefix))
    }

    /// Replaces the real disk by one that fails on demand; see [`testing`](crate::testing).
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn disk(mut self, disk: Arc<crate::testing::FaultyDisk>) -> Self {
        self.disk = Some(disk);
        self
    }

    /// Sets a source of changed settings, which is polled before every call. Without it the settings stay as they were
    /// passed in.
    #[must_use]
    pub fn settings_source(mut self, source: impl SettingsSource + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// Adds an allow rule: lancet does not prompt before it touches a file that the rule covers. A rule is a tool's
    /// name with a file pattern in parentheses, `Edit(src/**)`. A deny or ask rule wins over it, whether it is one of
    /// the host's rules or in the settings; both sets apply together.
    #[must_use]
    pub fn allow(self, rule: impl Into<String>) -> Self {
        self.rule(RuleEffect::Allow, rule.into())
    }

    /// Adds an ask rule: files that it covers are written only if a person says yes, in every mode.
    #[must_use]
    pub fn ask(self, rule: impl Into<String>) -> Self {
        self.rule(RuleEffect::Ask, rule.into())
    }

    /// Adds a deny rule: calls that touch files that it covers are refused.
    #[must_use]
    pub fn deny(self, rule: impl Into<String>) -> Self {
        self.rule(RuleEffect::Deny, rule.into())
    }

    fn rule(mut self, effect: RuleEffect, rule: String) -> Self {
        self.permission_options.rules.push((effect, rule));
        self
    }

    /// Adds a folder that may be read but never written.
    #[must_use]
    pub fn read_root(mut self, folder: impl Into<PathBuf>) -> Self {
        self.permission_options.read_roots.push(folder.into());
        self
    }

    /// Sets the user's settings file, to which [`Answer::Always`](crate::approval::Answer::Always) adds its rule.
    /// Without it that answer is valid for the session only.
    #[must_use]
    pub fn user_settings(mut self, file: impl Into<PathBuf>) -> Self {
        self.permission_options.user_settings = Some(file.into());
        self
    }

    /// Names a file that the settings were read from. It is written only if a person says yes, whatever its name.
    #[must_use]
    pub fn settings_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.permission_options.settings_files.push(file.into());
        self
    }

    /// Sets where the programs of the settings are searched for: the folders of `PATH`, and the folder that they are
    /// started in. The files that they are started from are written only if a person says yes. Without this, only
    /// programs and arguments that the settings name by an absolute path, or relative to a root, are known.
    #[must_use]
    pub fn program_places(mut self, places: crate::programs::ProgramPlaces) -> Self {
        self.permission_options.program_places = places;
        self
    }

    /// Sets how long a question waits for a person. The default is ten minutes.
    #[must_use]
    pub fn wait_limit(mut self, limit: Duration) -> Self {
        self.permission_options.wait_limit = Some(limit);
        self
    }

    /// Opens the engine.
    ///
    /// # Errors
    /// A root is not a folder, there is no root, two tools have the same name, a rule cannot be parsed, or the tool
    /// selection names an unknown tool.
    pub fn open(self) -> Result<Lancet, OpenError> {
        if self.roots.is_empty() {
            return Err(OpenError::NoRoots);
        }
        let disk = self.disk.unwrap_or_else(|| Arc::new(RealDisk));
        let read_roots = self
            .permission_options
            .read_roots(&self.settings, self.home.as_deref());
        let folders = [self.roots.as_slice(), &read_roots].concat();
        let workspace = Workspace::open(&folders, Arc::clone(&disk), self.state_dir.clone())
            .map_err(OpenError::from_workspace_error)?;
        let stores = Stores::new(self.state_dir.as_deref(), self.history);
        let workspace = stores.add_journal(workspace, self.state_dir.as_deref(), &disk);
        let resident = ResidentRoots::new(
            self.state_dir.clone(),
            self.home.clone(),
            self.resident_contents,
        );
        let permission_options = PermissionOptions {
            readers: match self.audience.is_person() {
                true => Readers::Person,
                false => Readers::Models,
            },
            ..self.permission_options
        };
        let fixed = FixedOptions {
            roots: self.roots,
            permission_options,
            mode: self.mode,
            tools: self.tools,
            answer_limit: self.answer_limit,
            home: self.home,
            host_tools: self.host_tools,
        };
        let terms = EffectiveSettings::new(&fixed, Arc::new(workspace), self.settings.into())?;
        Ok(Lancet::with_all_roots(Arc::new(EngineState {
            fixed,
            live: LiveSettings::new(terms, self.source),
            approver: self.approver,
            observers: self.observers,
            give_contents: self.keep_contents,
            disk,
            stores,
            order: WriteTurns::default(),
            audience: self.audience,
            pdf_reader: self.pdf_reader,
            syntax_reader: self.syntax_reader,
            file_converter: self.file_converter,
            language: self.language,
            program_runner: self.program_runner,
            caches: Default::default(),
            resident,
            state_dir: self.state_dir,
            pending_recovery: Default::default(),
            originals: Default::default(),
            state_spelled: OnceLock::new(),
            sessions: Mutex::default(),
        })))
    }
}
