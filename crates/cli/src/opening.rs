//! Opens an engine for a command: resolves roots, settings, mode, state folder and log, then confines the process
//! (Landlock).

mod folders;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use lancet::doors::Audience;
use lancet::settings::{Diagnostics, ReloadedSettings};
use lancet::tools::{ANSWER_LIMIT, ToolPrefix};
use lancet::{Builder, Lancet, Settings};
use lancet_serving::Level;
use lancet_serving::wall::{self, Confinement, WritableFolders};

use crate::arguments::{DiagnosticsOption, Mode, OfferArguments, WorkArguments};
use crate::failure::Failure;
use crate::language;
use crate::launcher::{self, TerminalUse};
pub(crate) use crate::live::WriteAuthor;
use crate::live::{LiveSettings, SettingsInputs, refuse_own_flaws};
use crate::log::Log;
use crate::surroundings::{RootHint, Surroundings, add_rules_of_projects, files_of_projects};
use crate::terminal::{TerminalApprover, print_error, stdout_is_terminal};
use folders::WorkFolders;

/// The tools that a command offers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Offer<'a> {
    /// The tools that the settings and `--tools` choose for models.
    Chosen(&'a [String]),
    /// The chosen tools, with this prefix before their names.
    Prefixed(&'a [String], &'a ToolPrefix),
    /// All tools, for a person's own command.
    All,
}

impl<'a> Offer<'a> {
    /// Returns the offer that the flags of a server describe.
    pub(crate) fn from_arguments(arguments: &'a OfferArguments) -> Offer<'a> {
        match &arguments.prefix {
            Some(prefix) => Offer::Prefixed(&arguments.choice.tools, prefix),
            None => Offer::Chosen(&arguments.choice.tools),
        }
    }
}

/// Who is prompted before a write.
#[derive(Clone, Debug)]
pub(crate) enum ApproverKind {
    /// There is no prompt.
    Nobody,
    /// The person at the terminal is prompted.
    Terminal(TerminalApprover),
    /// The user of the MCP client is prompted.
    Client,
}

/// How long an engine stays open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifetime {
    /// For one command; the settings are read once.
    OneCall,
    /// Until the client disconnects; changed settings apply from the next call on.
    OneClient,
    /// Until the server is stopped, for all its clients; changed settings apply from the next call on.
    ManyClients,
}

impl Lifetime {
    /// Reports whether the engine outlasts a call.
    fn is_long(self) -> bool {
        self != Lifetime::OneCall
    }
}

/// The reaction of a command that ends after one call to wrong settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlawHandling {
    /// It reports what is wrong and continues with the rest: it reads, or undoes a change.
    Reported,
    /// It is refused where the user's own settings are wrong: it writes, and the wrong lines may apply to that write.
    Refused,
    /// It shows the mistakes itself.
    Shown,
}

/// The parameters of an engine that a command opens.
pub(crate) struct OpenRequest<'a> {
    /// The common flags: roots, settings files, state folder, log.
    pub(crate) place: &'a WorkArguments,
    /// The files that the command will touch, which decides the default roots.
    pub(crate) reach: RootHint<'a>,
    /// The value of `--mode`.
    pub(crate) mode: Option<Mode>,
    /// The author of the writes, which decides the mode where the flag names none.
    pub(crate) writes: WriteAuthor,
    /// The tools that are offered.
    pub(crate) offer: Offer<'a>,
    /// The value of `--diagnostics`.
    pub(crate) diagnostics: Option<DiagnosticsOption>,
    /// Who is prompted before a write.
    pub(crate) approver: ApproverKind,
    /// The longest answer in characters, if the settings name none.
    pub(crate) answer_limit: usize,
    /// The log level if neither flag nor environment names one.
    pub(crate) default_log_level: Level,
    /// How long the engine stays open.
    pub(crate) lifetime: Lifetime,
    /// The reaction to wrong settings.
    pub(crate) flaw_use: FlawHandling,
}

/// An open engine, its log and its confinement.
pub(crate) struct Opened {
    pub(crate) lancet: Lancet,
    pub(crate) log: Log,
    /// The confinement of this process by the kernel (Landlock).
    pub(crate) wall: Confinement,
}

/// Whether lancet's own folders are created before the process is confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FolderCreation {
    Made,
    None,
}

impl<'a> OpenRequest<'a> {
    /// Makes the request of a command that ends after one call, offers all tools and never prompts. A command that
    /// differs changes it.
    pub(crate) fn for_command(
        place: &'a WorkArguments,
        reach: RootHint<'a>,
        writes: WriteAuthor,
    ) -> OpenRequest<'a> {
        OpenRequest {
            place,
            reach,
            mode: None,
            writes,
            offer: Offer::All,
            diagnostics: None,
            approver: ApproverKind::Nobody,
            answer_limit: ANSWER_LIMIT,
            default_log_level: Level::Error,
            lifetime: Lifetime::OneCall,
            flaw_use: FlawHandling::Reported,
        }
    }

    /// Opens the engine and creates the folders that it may need.
    pub(crate) fn open(self, around: &Surroundings) -> Result<Opened, Failure> {
        self.open_and_confine(FolderCreation::Made, around)
    }

    /// Opens the engine for inspection; nothing is created.
    pub(crate) fn open_to_inspect(self, around: &Surroundings) -> Result<Opened, Failure> {
        self.open_and_confine(FolderCreation::None, around)
    }

    /// Opens the engine of a process that runs a command of the user: the kernel's sandbox would confine that command
    /// as well.
    pub(crate) fn open_unconfined(self, around: &Surroundings) -> Result<Lancet, Failure> {
        let (lancet, _, _) = self.open_engine(FolderCreation::Made, around)?;
        Ok(lancet)
    }

    /// Opens a further engine in a process that is already confined.
    pub(crate) fn open_confined(self, around: &Surroundings) -> Result<Lancet, Failure> {
        let (lancet, _, _) = self.open_engine(FolderCreation::None, around)?;
        Ok(lancet)
    }

    fn open_and_confine(
        self,
        footprint: FolderCreation,
        around: &Surroundings,
    ) -> Result<Opened, Failure> {
        let (lancet, log, writable) = self.open_engine(footprint, around)?;
        let wall = match around.runs_another {
            true => Confinement::Absent,
            false => wall::confine_thread(&writable),
        };
        Ok(Opened { lancet, log, wall })
    }

    fn open_engine(
        self,
        footprint: FolderCreation,
        around: &Surroundings,
    ) -> Result<(Lancet, Log, WritableFolders), Failure> {
        let log = Log::new(
            self.place.log,
            around.log.as_deref(),
            self.default_log_level,
        )?;
        let folders = WorkFolders::resolve(self.place, self.reach, around)?;
        let writable = folders.writable(footprint, &self.approver, self.lifetime, around);
        let lancet = self
            .builder(&folders, log, around)?
            .open()
            .map_err(|error| Failure::usage(error.to_string()))?;
        Ok((lancet, log, writable))
    }

    fn builder(
        self,
        folders: &WorkFolders,
        log: Log,
        around: &Surroundings,
    ) -> Result<Builder, Failure> {
        let mut builder =
            self.with_settings(Lancet::builder().observer(log), folders, log, around)?;
        #[cfg(feature = "pdf")]
        if let Some(reader) = crate::pdf::pdf_reader() {
            builder = builder.pdf_reader(reader);
        }
        #[cfg(feature = "syntax")]
        {
            builder = builder.syntax_reader(lancet_syntax::TreeReader::default());
        }
        if self.lifetime == Lifetime::ManyClients {
            builder = builder.resident_contents();
        }
        for root in &folders.roots {
            builder = builder.root(root);
        }
        for folder in &folders.read_roots {
            builder = builder.read_root(folder);
        }
        if let Some(folder) = &folders.state {
            builder = builder.state_dir(folder);
        }
        if let Some(home) = &around.home {
            builder = builder.home(home);
        }
        // Answers to a person's own command name shell commands; answers to models name tools.
        if let (Offer::All, Some(working)) = (self.offer, &around.working) {
            let working = working.clone();
            builder = builder.audience(Audience::Shell { working });
        }
        if let Offer::Prefixed(_, prefix) = self.offer {
            builder = builder.tool_prefix(prefix.clone());
        }
        if let ApproverKind::Terminal(approver) = self.approver {
            if let Some(folder) = &folders.state {
                approver.set_drafts_folder(folder.join("drafts"));
            }
            builder = builder.approver(approver);
        }
        Ok(builder)
    }

    /// Loads the settings of a command that ends after one call, with the rules of the other projects that it works in.
    fn load_for_call(
        &self,
        recipe: &SettingsInputs,
        others: &[PathBuf],
    ) -> Result<ReloadedSettings, Failure> {
        let mut loaded = recipe.load()?;
        add_rules_of_projects(&mut loaded, others)?;
        if self.flaw_use == FlawHandling::Refused {
            refuse_own_flaws(&loaded.settings)?;
        }
        if self.flaw_use != FlawHandling::Shown {
            report_flaws(&loaded.settings);
        }
        Ok(loaded)
    }

    /// Loads the settings, starts the launcher if they need it, and passes both on. An engine that stays open also gets
    /// the source of their changes.
    fn with_settings(
        &self,
        mut builder: Builder,
        folders: &WorkFolders,
        log: Log,
        around: &Surroundings,
    ) -> Result<Builder, Failure> {
        let recipe = SettingsInputs {
            around: around.clone(),
            place: self.place.clone(),
            first_root: folders.roots[0].clone(),
            tools: match self.offer {
                Offer::Chosen(tools) | Offer::Prefixed(tools, _) => tools.to_vec(),
                Offer::All => vec!["all".to_owned()],
            },
            mode: self.mode,
            diagnostics: self.diagnostics,
            writes: self.writes,
            answer_limit: self.answer_limit,
            log,
        };
        builder = builder.program_places(around.program_places());
        for file in recipe.files() {
            builder = builder.settings_file(file);
        }
        let loaded = match self.lifetime {
            Lifetime::OneCall => {
                let others = &folders.roots[1..];
                for file in files_of_projects(others) {
                    builder = builder.settings_file(file);
                }
                self.load_for_call(&recipe, others)?
            }
            Lifetime::OneClient | Lifetime::ManyClients => {
                let (loaded, live) = LiveSettings::begin(recipe)?;
                builder = builder.settings_source(live);
                loaded
            }
        };
        let asks_at_terminal = matches!(self.approver, ApproverKind::Terminal(_));
        let terminal = match asks_at_terminal || stdout_is_terminal() {
            true => TerminalUse::Possible,
            false => TerminalUse::None,
        };
        let (root, settings) = (&folders.roots[0], &loaded.settings);
        // Servers take seconds to load a project, so a command that ends after one call starts none.
        let wants_servers = self.lifetime.is_long()
            && settings.language.diagnostics != Some(Diagnostics::Off)
            && language::are_servers_trusted(around, root, self.place);
        let servers = match wants_servers {
            true => language::available_servers(settings),
            false => Vec::new(),
        };
        let begun =
            launcher::start_launcher(around, settings, root, self.place, terminal, &servers);
        if let Some(launcher) = begun {
            if !servers.is_empty() {
                let servers = language::new_language(settings, servers, root, launcher.clone());
                builder = builder.language(servers);
            }
            builder = builder
                .file_converter(launcher.clone())
                .program_runner(launcher);
        }
        builder = builder.settings(loaded.settings);
        if let Some(mode) = loaded.mode {
            builder = builder.mode(mode);
        }
        if let Some(limit) = loaded.answer_limit {
            builder = builder.answer_limit(limit);
        }
        if let Some(file) = around.user_settings() {
            builder = builder.user_settings(file);
        }
        Ok(builder)
    }
}

/// Reports the unusable parts of settings files on standard error. A command may open several engines, so each part is
/// reported once.
fn report_flaws(settings: &Settings) {
    static REPORTED: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    for flaw in settings.flaws.iter().map(ToString::to_string) {
        if !reported.contains(&flaw) {
            print_error(&format!("lancet: {flaw}\n"));
            reported.push(flaw);
        }
    }
}
