//! The arguments of the commands that show, undo and restore changes.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

use super::{ExecFlags, WorkArguments, examples};

/// List the changes that lancet made, newest first
///
/// One line each: id, local time, who made it, tool, files, lines added and removed, and the first changed line. The changes of the
/// whole project are listed, wherever in it you are. An id is shown by its last four characters, or more where another
/// change has the same; any ending or beginning of it that no other change has is accepted, and on a terminal the characters
/// that are enough stand out.
///
/// On a terminal a long list goes through $LANCET_PAGER, else $PAGER, else less; empty or `cat` means none.
#[derive(Debug, Args)]
#[command(after_long_help = examples::LOG)]
pub(crate) struct LogArguments {
    /// Only changes of this file, or below this folder
    pub(crate) path: Option<PathBuf>,
    /// Only those of this session and its sub-agents
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Only those of this client: `claude-code`, `codex`, …; `shell` for commands typed at a shell
    #[arg(long, value_name = "NAME", visible_alias = "agent")]
    pub(crate) client: Option<String>,
    /// Only those of this turn
    #[arg(long, value_name = "TURN")]
    pub(crate) turn: Option<String>,
    /// Only those since then: `30m`, `2h`, `3d`, `today`, `yesterday`, or a date (`2026-01-31`, `2026-01-31T16:20`, with `Z` in UTC)
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// At most so many
    #[arg(long, short = 'n', visible_alias = "limit", value_name = "NUMBER", allow_negative_numbers = true, value_parser = parse_positive_number)]
    pub(crate) number: Option<usize>,
    /// The checkpoints of the project instead
    #[arg(long, conflicts_with_all = ["path", "session", "client", "turn", "since", "oneline", "stat", "patch", "format", "other_folders"])]
    pub(crate) checkpoints: bool,
    /// Only id, tool, files and what was changed
    #[arg(long)]
    pub(crate) oneline: bool,
    /// With the files of each change, one a line
    #[arg(long)]
    pub(crate) stat: bool,
    /// With the diffs
    #[arg(long, short = 'p')]
    pub(crate) patch: bool,
    /// `patch`: a series that `git am` and `git apply` take, oldest first; `attribution`: which change wrote
    /// which lines of the current files, as JSON (Agent Trace)
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    pub(crate) format: Option<LogFormat>,
    /// Also those in other folders that have or had the same path: in another container, or before the folder was made again
    #[arg(long)]
    pub(crate) other_folders: bool,
    /// Changes of all projects, whatever folder you are in
    #[arg(long, conflicts_with_all = ["path", "other_folders", "format", "checkpoints"])]
    pub(crate) all: bool,
    /// One JSON object a line, and a last one with the total
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

pub(super) fn parse_positive_number(typed: &str) -> Result<usize, String> {
    match typed.parse() {
        Ok(0) => Err("give at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err("give a number".to_owned()),
    }
}

/// Other forms of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// A series of patches
    Patch,
    /// Who wrote which lines
    Attribution,
}

/// Show one change: who made it, when, and its diff
///
/// `FILE@ID` prints the file as that change left it, `FILE@ID^` as it was before.
#[derive(Debug, Args)]
#[command(after_long_help = examples::SHOW)]
pub(crate) struct ShowArguments {
    /// The change, by its id from the log, or a file: its newest change [default: the newest of all]
    #[arg(value_name = "ID|FILE[@ID[^]]")]
    pub(crate) operation: Option<String>,
    /// One JSON object for programs
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// Undo changes
///
/// Without an argument the newest change of the project that has not been undone; again, the one before. A file
/// that was changed since is left alone, and what was changed is shown; one that is back already (edited back, checked
/// out, removed) counts as undone. Shows the diff and asks before it writes.
///
/// More than 500 changes are undone in steps, newest first. Each step is all or none, and a separate operation. The
/// same command goes on after an interruption (Ctrl-C).
#[derive(Debug, Args)]
#[command(after_long_help = examples::UNDO)]
#[command(group = ArgGroup::new("which").args(["operation", "number", "file", "session", "client", "turn", "since"]))]
pub(crate) struct UndoArguments {
    /// This change, by its id from the log
    #[arg(value_name = "ID")]
    pub(crate) operation: Option<String>,
    /// Only this hunk of the change, by its number in `lancet show`, counted from 1 over the files; without ID of the newest
    /// change
    #[arg(long, value_name = "N", value_parser = parse_positive_number,
        conflicts_with_all = ["number", "file", "session", "client", "turn", "since", "merge", "keep_going"])]
    pub(crate) hunk: Option<usize>,
    /// So many of the newest changes, at once
    #[arg(short = 'n', value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) number: Option<u32>,
    /// The newest change of this file, and of no other
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// All changes of this session and its sub-agents, at once
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// All changes of this client, at once: `claude-code`, `codex`, …; `shell` for commands typed at a shell
    #[arg(long, value_name = "NAME", visible_alias = "agent")]
    pub(crate) client: Option<String>,
    /// All changes of this turn, at once
    #[arg(long, value_name = "TURN")]
    pub(crate) turn: Option<String>,
    /// All changes since then, at once: `30m`, `2h`, `3d`, `today`, `yesterday`, or a date
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Of these, only changes up to then
    #[arg(long, value_name = "TIME", requires = "which", conflicts_with_all = ["operation", "number", "file"])]
    pub(crate) until: Option<String>,
    /// All changes of a session since one of its prompts, at once: since the newest, or the N-th newest; --session says which
    /// session, else it is the one of the newest prompt
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", value_parser = parse_positive_number,
        conflicts_with_all = ["operation", "number", "file", "client", "turn", "since"])]
    pub(crate) to_prompt: Option<usize>,
    /// All recorded changes of the project since this checkpoint, at once
    #[arg(long, value_name = "CHECKPOINT",
        conflicts_with_all = ["operation", "number", "file", "session", "client", "turn", "since", "to_prompt"])]
    pub(crate) to_checkpoint: Option<String>,
    /// Also changes whose caller is not known: those between two recorded calls, and those of `lancet watch --record`
    #[arg(long, conflicts_with_all = ["operation", "file", "client", "turn"])]
    pub(crate) include_unattributed: bool,
    /// Where a file was changed since: take out this change alone, if neither its lines nor the ones next to them were
    /// touched
    #[arg(long)]
    pub(crate) merge: bool,
    /// Leave out the files that were changed since, name them, and undo the others
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// The present name of a changed file that another program moved
    #[arg(long = "as", value_name = "PATH", conflicts_with = "hunk")]
    pub(crate) moved_to: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) flags: UndoFlags,
}

impl UndoArguments {
    /// Reports whether the newest changes are meant, or one by its id.
    pub(crate) fn names_few(&self) -> bool {
        let given = [
            &self.session,
            &self.client,
            &self.turn,
            &self.since,
            &self.to_checkpoint,
        ];
        self.to_prompt.is_none() && given.iter().all(|given| given.is_none())
    }
}

/// Redo what the latest undo undid
#[derive(Debug, Args)]
#[command(after_long_help = examples::REDO)]
pub(crate) struct RedoArguments {
    /// This change, or this undo, by its id from the log
    #[arg(value_name = "ID")]
    pub(crate) operation: Option<String>,
    /// The latest undo of changes of this client
    #[arg(
        long,
        value_name = "NAME",
        visible_alias = "agent",
        conflicts_with = "operation"
    )]
    pub(crate) client: Option<String>,
    #[command(flatten)]
    pub(crate) flags: UndoFlags,
}

/// Bring files back to a state that the history has
///
/// `FILE@ID` is the file as that change left it, `FILE@ID^` as it was before. Several files are one change and one
/// question. A file alone lists its versions.
#[derive(Debug, Args)]
#[command(after_long_help = examples::RESTORE)]
pub(crate) struct RestoreArguments {
    /// Files, each with a change
    #[arg(value_name = "FILE[@ID[^]]", required = true)]
    pub(crate) states: Vec<OsString>,
    #[command(flatten)]
    pub(crate) flags: UndoFlags,
}

/// Remove the oldest changes beyond the limits, and compress the rest
///
/// The limits are `history.max_size` and `history.max_age` in the settings. A change that is too old is removed by a clean-up a
/// day after the one that marked it. The newest change of each file stays, and for
/// an hour the first one of each file in every session. Objects that git has dropped since a checkpoint are listed: they
/// count towards the limits, and `--git` removes them. To forget everything, remove the state folder that `lancet
/// doctor` names while no agent runs.
#[derive(Debug, Args)]
#[command(after_long_help = examples::GC)]
pub(crate) struct GcArguments {
    /// Say what would be removed and remove nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also remove the objects that git has dropped; the checkpoints that need them lose these files
    #[arg(long)]
    pub(crate) git: bool,
    /// One JSON object for programs
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// Sum up the changes by file, tool, session and client
///
/// Nothing of it is sent anywhere: lancet has no telemetry.
#[derive(Debug, Args)]
#[command(after_long_help = examples::STATS)]
pub(crate) struct StatsArguments {
    /// Only changes of this file, or below this folder
    pub(crate) path: Option<PathBuf>,
    /// Changes of all projects
    #[arg(long, conflicts_with = "path")]
    pub(crate) all: bool,
    /// Only those of this session
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Only those of this client: `claude-code`, `codex`, …; `shell` for commands typed at a shell
    #[arg(long, value_name = "NAME", visible_alias = "agent")]
    pub(crate) client: Option<String>,
    /// Only those since then: `30m`, `2h`, `3d`, `today`, `yesterday`, or a date
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// One JSON object for programs
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// Check that the history and the files agree
///
/// Every stored content must have its hash, the changes of every file must follow on each other, and every file of the
/// project must be what a recorded change left or what someone else wrote. Every exception is listed, and the exit code
/// is then 1. Changes nothing.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  lancet verify\n  lancet verify --json | jq .faults")]
pub(crate) struct VerifyArguments {
    /// One JSON object for programs
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// The flags that `undo`, `redo`, `restore`, `mv` and `rm` share.
#[derive(Debug, Args)]
pub(crate) struct UndoFlags {
    /// Show what would be written, and write nothing
    #[arg(long, aliases = ["diff", "check"])]
    pub(crate) dry_run: bool,
    /// Write without asking; protected names are asked about all the same
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
    /// Write without asking, protected names too if LANCET_TOKEN has the person's token
    #[arg(long)]
    pub(crate) yes_protected: bool,
    #[command(flatten)]
    pub(crate) proof: ExecFlags,
    /// One JSON object for programs
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}
