//! From what was typed and what is around to an open engine: roots, settings, mode, state folder, log.

use std::path::{Path, PathBuf};

use lancet::Lancet;
use lancet::doors::Audience;
use lancet_mcp::Level;

use crate::arguments::{Mode, Place};
use crate::failure::Failure;
use crate::live::{Live, Recipe};
use crate::log::Log;
use crate::surroundings::{Reach, Surroundings, resolve_read_roots, resolve_roots};
use crate::terminal::{TerminalApprover, stdout_is_terminal};
use crate::wall::{self, Gates, Wall};

/// Which tools a command has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Offer<'a> {
    /// Those that settings and `--tools` choose for models.
    Chosen(&'a [String]),
    /// All: a person's own command does what its name says.
    All,
}

/// Who is asked about writes.
#[derive(Clone, Debug)]
pub(crate) enum Whom {
    /// Nobody.
    Nobody,
    /// The person at the terminal.
    Terminal(TerminalApprover),
    /// The user of the client that is served.
    Client,
}

/// How long an engine is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lasts {
    /// For one command: what the settings say at its start holds to its end.
    OneCall,
    /// Until a client leaves: settings that somebody changes meanwhile count at the next call.
    Long,
}

/// What a command wants opened.
pub(crate) struct Wish<'a> {
    /// Where, and by which files.
    pub(crate) place: &'a Place,
    /// What it will touch.
    pub(crate) reach: Reach<'a>,
    /// `--mode`
    pub(crate) mode: Option<Mode>,
    /// The mode where neither flag nor settings name one.
    pub(crate) unasked_mode: lancet::Mode,
    /// Which tools it has.
    pub(crate) offer: Offer<'a>,
    /// Who is asked.
    pub(crate) whom: Whom,
    /// The longest answer where the settings name none, in characters.
    pub(crate) answer_limit: usize,
    /// How much is logged where nobody says.
    pub(crate) unasked_log: Level,
    /// How long it is open.
    pub(crate) lasts: Lasts,
}

/// An open engine and the log beside it.
pub(crate) struct Opened {
    pub(crate) lancet: Lancet,
    pub(crate) log: Log,
    /// What the kernel keeps this process from.
    pub(crate) wall: Wall,
}

/// Whether folders of lancet's own are made for what may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Footprint {
    Made,
    None,
}

impl Wish<'_> {
    /// Opens it.
    pub(crate) fn open(self, around: &Surroundings) -> Result<Opened, Failure> {
        self.open_leaving(Footprint::Made, around)
    }

    /// Opens it only to look at it: nothing is made.
    pub(crate) fn open_to_look(self, around: &Surroundings) -> Result<Opened, Failure> {
        self.open_leaving(Footprint::None, around)
    }

    fn open_leaving(self, footprint: Footprint, around: &Surroundings) -> Result<Opened, Failure> {
        let log = Log::new(self.place.log, around.log.as_deref(), self.unasked_log)?;
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
            unasked_mode: self.unasked_mode,
            answer_limit: self.answer_limit,
            log,
        };
        let mut builder = Lancet::builder().observer(log);
        for file in recipe.files() {
            builder = builder.settings_file(file);
        }
        let lasts = self.lasts;
        let reread = match lasts {
            Lasts::OneCall => recipe.load()?,
            Lasts::Long => {
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
        let asks = !matches!(self.whom, Whom::Nobody);
        let at_terminal = matches!(self.whom, Whom::Terminal(_));
        if let Some(home) = &around.home {
            builder = builder.home(home);
        }
        // A person's own command answers in words that can be typed; what models call is answered as it is to them.
        if let (Offer::All, Some(working)) = (self.offer, &around.working) {
            let working = working.clone();
            builder = builder.audience(Audience::Shell { working });
        }
        if let Whom::Terminal(approver) = self.whom {
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
        let mut gates = Gates {
            folders: roots,
            made: Vec::new(),
        };
        let settings = around.user_settings();
        let settings = settings.as_deref().and_then(Path::parent);
        // Only a person's answer is ever written to the settings.
        for (folder, wanted) in [(state_dir.as_deref(), true), (settings, asks)] {
            let make = wanted && footprint == Footprint::Made;
            let gate = if make {
                &mut gates.made
            } else {
                &mut gates.folders
            };
            gate.extend(folder.map(Path::to_path_buf));
        }
        if lasts == Lasts::Long {
            let parent = state_dir.as_deref().and_then(Path::parent);
            let parent = parent.filter(|parent| is_narrow(parent, around, &read_roots));
            gates.folders.extend(parent.map(Path::to_path_buf));
        }
        let wall = wall::raise(&gates);
        Ok(Opened { lancet, log, wall })
    }
}

/// Whether the folder around the state folder may be open, too: the kernel knows folders and not their names, so that a
/// state folder which is removed and made again would be closed to a process that lasts. Not where that folder is the home
/// folder or above it, the one for temporary files, or holds what may only be read.
fn is_narrow(folder: &Path, around: &Surroundings, read_roots: &[PathBuf]) -> bool {
    let mut closed = around.home.iter().chain(read_roots);
    let is_wide = closed.any(|closed| closed.starts_with(folder));
    folder.parent().is_some() && !is_wide && folder != std::env::temp_dir()
}
