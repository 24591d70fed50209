//! Opens an engine for a command: resolves roots, settings, mode, state folder and log, then confines the process (Landlock).

use std::path::{Path, PathBuf};

use lancet::Lancet;
use lancet::doors::Audience;
use lancet_mcp::Level;

use crate::arguments::{Mode, WorkArguments};
use crate::failure::Failure;
pub(crate) use crate::live::Writes;
use crate::live::{Live, Recipe};
use crate::log::Log;
use crate::surroundings::{RootHint, Surroundings, resolve_read_roots, resolve_roots};
use crate::terminal::{TerminalApprover, stdout_is_terminal};
use crate::wall::{self, Wall, WritableFolders};

/// The tools that a command offers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Offer<'a> {
    /// The tools that settings and `--tools` choose for models.
    Chosen(&'a [String]),
    /// All tools, for a person's own command.
    All,
}

/// Who is asked before a write.
#[derive(Clone, Debug)]
pub(crate) enum ApproverKind {
    /// No one is asked.
    Nobody,
    /// The person at the terminal is asked.
    Terminal(TerminalApprover),
    /// The user of the MCP client is asked.
    Client,
}

/// How long an engine stays open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifetime {
    /// For one command; the settings are read once.
    OneCall,
    /// Until the client disconnects; changed settings apply from the next call on.
    Long,
}

/// The parameters of an engine that a command opens.
pub(crate) struct OpenRequest<'a> {
    /// The common flags: roots, settings files, state folder, log.
    pub(crate) place: &'a WorkArguments,
    /// The files that the command will touch, which decides the default roots.
    pub(crate) reach: RootHint<'a>,
    /// The value of `--mode`.
    pub(crate) mode: Option<Mode>,
    /// Whose writes they are, which decides the mode where the flag names none.
    pub(crate) writes: Writes,
    /// The tools that are offered.
    pub(crate) offer: Offer<'a>,
    /// Who is asked before a write.
    pub(crate) approver: ApproverKind,
    /// The longest answer in characters, if the settings name none.
    pub(crate) answer_limit: usize,
    /// The log level if neither flag nor environment names one.
    pub(crate) default_log_level: Level,
    /// How long the engine stays open.
    pub(crate) lifetime: Lifetime,
}

/// An open engine and the log beside it.
pub(crate) struct Opened {
    pub(crate) lancet: Lancet,
    pub(crate) log: Log,
    /// The confinement of this process by the kernel (Landlock).
    pub(crate) wall: Wall,
}

/// Whether lancet's own folders are created before the process is confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Footprint {
    Made,
    None,
}

impl OpenRequest<'_> {
    /// Opens the engine and creates the folders that it may need.
    pub(crate) fn open(self, around: &Surroundings) -> Result<Opened, Failure> {
        self.open_leaving(Footprint::Made, around)
    }

    /// Opens the engine for inspection; nothing is created.
    pub(crate) fn open_to_inspect(self, around: &Surroundings) -> Result<Opened, Failure> {
        self.open_leaving(Footprint::None, around)
    }

    fn open_leaving(self, footprint: Footprint, around: &Surroundings) -> Result<Opened, Failure> {
        let log = Log::new(
            self.place.log,
            around.log.as_deref(),
            self.default_log_level,
        )?;
        let roots = resolve_roots(&self.place.root, self.reach, around)?;
        let state_dir = around.state_dir(self.place.state_dir.as_deref())?;
        let all = ["all".to_owned()];
        let tools = match self.offer {
            Offer::Chosen(tools) => tools,
            Offer::All => &all,
        };
        let recipe = Recipe {
            around: around.clone(),
            place: self.place.clone(),
            first_root: roots[0].clone(),
            tools: tools.to_vec(),
            mode: self.mode,
            writes: self.writes,
            answer_limit: self.answer_limit,
            log,
        };
        let mut builder = Lancet::builder().observer(log);
        for file in recipe.files() {
            builder = builder.settings_file(file);
        }
        let lasts = self.lifetime;
        let reread = match lasts {
            Lifetime::OneCall => recipe.load()?,
            Lifetime::Long => {
                let (reread, live) = Live::begin(recipe)?;
                builder = builder.settings_source(live);
                reread
            }
        };
        builder = builder.settings(reread.settings);
        if let Some(mode) = reread.mode {
            builder = builder.mode(mode);
        }
        if let Some(limit) = reread.answer_limit {
            builder = builder.answer_limit(limit);
        }
        for root in &roots {
            builder = builder.root(root);
        }
        let read_roots = resolve_read_roots(&self.place.read_root, around)?;
        for folder in &read_roots {
            builder = builder.read_root(folder);
        }
        if let Some(file) = around.user_settings() {
            builder = builder.user_settings(file);
        }
        if let Some(folder) = &state_dir {
            builder = builder.state_dir(folder);
        }
        let asks = !matches!(self.approver, ApproverKind::Nobody);
        let at_terminal = matches!(self.approver, ApproverKind::Terminal(_));
        if let Some(home) = &around.home {
            builder = builder.home(home);
        }
        // Answers to a person's own command name shell commands; answers to models name tools.
        if let (Offer::All, Some(working)) = (self.offer, &around.working) {
            let working = working.clone();
            builder = builder.audience(Audience::Shell { working });
        }
        if let ApproverKind::Terminal(approver) = self.approver {
            if let Some(folder) = &state_dir {
                approver.keep_drafts_in(folder.join("drafts"));
            }
            builder = builder.approver(approver);
        }
        let lancet = builder
            .open()
            .map_err(|error| Failure::usage(error.to_string()))?;
        if at_terminal || stdout_is_terminal() {
            wall::prepare();
        }
        let mut gates = WritableFolders {
            folders: roots,
            made: Vec::new(),
        };
        let settings = around.user_settings();
        let settings = settings.as_deref().and_then(Path::parent);
        // The settings are written only after a person's answer.
        for (folder, wanted) in [(state_dir.as_deref(), true), (settings, asks)] {
            let make = wanted && footprint == Footprint::Made;
            let gate = if make {
                &mut gates.made
            } else {
                &mut gates.folders
            };
            gate.extend(folder.map(Path::to_path_buf));
        }
        if lasts == Lifetime::Long {
            let parent = state_dir.as_deref().and_then(Path::parent);
            let parent = parent.filter(|parent| is_narrow(parent, around, &read_roots));
            gates.folders.extend(parent.map(Path::to_path_buf));
        }
        let wall = wall::raise(&gates);
        Ok(Opened { lancet, log, wall })
    }
}

/// Whether the parent of the state folder may be writable, too. Landlock rules apply to folders and not to names, so a state
/// folder that is removed and created again would be closed to a long-lived process. The parent stays closed if it is the
/// home folder or above it, the folder of temporary files, or contains a read root.
fn is_narrow(folder: &Path, around: &Surroundings, read_roots: &[PathBuf]) -> bool {
    let mut closed = around.home.iter().chain(read_roots);
    let is_wide = closed.any(|closed| closed.starts_with(folder));
    folder.parent().is_some() && !is_wide && folder != std::env::temp_dir()
}
