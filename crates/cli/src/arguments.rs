//! The commands, options and help of the command line. Other modules interpret them.

mod blame;
mod change;
mod commit;
mod diff;
mod events;
mod examples;
mod exec;
mod history;
mod hook;
mod install;
mod manual;
mod mistakes;
mod moving;
mod one_command;
mod order;
mod pending;
mod permissions;
mod projects;
mod recording;
mod reply;
mod search;
mod serve;
mod sessions;
mod tools;
mod watch;
mod work;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lancet::SessionName;

pub(crate) use blame::BlameArguments;
pub(crate) use change::{EditArguments, WriteArguments, WriteFlags};
pub(crate) use history::{
    GcArguments, LogArguments, LogFormat, RedoArguments, RestoreArguments, ShowArguments,
    StatsArguments, UndoArguments, UndoFlags, VerifyArguments,
};

pub(crate) use commit::CommitArguments;
pub(crate) use diff::DiffArguments;
pub(crate) use events::EventsArguments;
pub(crate) use exec::ExecFlags;
pub(crate) use hook::HookArguments;
pub(crate) use install::{InstallArguments, ScopeArguments, UninstallArguments, WritesOption};
pub(crate) use manual::{
    CompleteArguments, CompletionKind, CompletionsArguments, HelpArguments, ManArguments,
};
pub(crate) use mistakes::add_tip;
pub(crate) use moving::{MvArguments, RmArguments};
pub(crate) use order::normalize_arguments;
pub(crate) use pending::{
    ApproveArguments, PendingArguments, PendingCommand, QuestionArguments, RejectArguments,
};
pub(crate) use permissions::{AskOption, ExplainArguments, RulesArguments, TrustArguments};
pub(crate) use projects::ProjectsArguments;
pub(crate) use recording::{CheckpointArguments, RunArguments};
pub(crate) use reply::{ApplyArguments, PromptArguments};
pub(crate) use search::{
    ColorWhen, FilterArguments, GlobArguments, GrepArguments, ListedKind, SortBy,
};
pub(crate) use serve::ServeArguments;
pub(crate) use sessions::{ResumeArguments, SessionsArguments, SessionsCommand, StopArguments};
pub(crate) use tools::{DiagnosticsOption, OfferArguments, ToolChoice, ToolFormat, ToolsArguments};
pub(crate) use watch::WatchArguments;
pub(crate) use work::{LogLevel, WorkArguments};

/// File tools for AI agents: every edit lands exactly where it was meant, or not at all
///
/// lancet gives a language model the tools it edits a code base with: Read, Edit, MultiEdit, Write,
/// NotebookEdit, Glob and Grep. An edit changes the bytes it names and no other. Where it is not certain that it lands where it was meant, the
/// file stays as it was and the answer says what to do next.
///
/// Agents use it through `lancet mcp`. The other commands do the same by hand, under the same checks.
#[derive(Debug, Parser)]
#[command(
    name = "lancet",
    version,
    disable_help_subcommand = true,
    max_term_width = 100
)]
#[command(subcommand_required = true, after_help = examples::PROGRAM, after_long_help = examples::PROGRAM_LONG)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to use colours; NO_COLOR, FORCE_COLOR, CLICOLOR and CLICOLOR_FORCE count, too
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        hide_short_help = true,
        hide_long_help = true,
        help = "When to use colours: auto, always or never; NO_COLOR, FORCE_COLOR, CLICOLOR and CLICOLOR_FORCE count, too"
    )]
    pub(crate) color: ColorWhen,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Mcp(McpArguments),
    Serve(ServeArguments),
    Install(InstallArguments),
    Uninstall(UninstallArguments),
    Hook(HookArguments),
    Watch(WatchArguments),
    Events(EventsArguments),
    Pending(PendingArguments),
    Sessions(SessionsArguments),
    Read(ReadArguments),
    Edit(EditArguments),
    Write(WriteArguments),
    Mv(MvArguments),
    Rm(RmArguments),
    Glob(GlobArguments),
    Grep(GrepArguments),
    Apply(ApplyArguments),
    Prompt(PromptArguments),
    Run(RunArguments),
    Checkpoint(CheckpointArguments),
    Log(LogArguments),
    Show(ShowArguments),
    Diff(DiffArguments),
    Blame(BlameArguments),
    Undo(UndoArguments),
    Redo(RedoArguments),
    Restore(RestoreArguments),
    Commit(CommitArguments),
    Gc(GcArguments),
    Stats(StatsArguments),
    Verify(VerifyArguments),
    Projects(ProjectsArguments),
    Call(CallArguments),
    Tools(ToolsArguments),
    Explain(ExplainArguments),
    Rules(RulesArguments),
    Trust(TrustArguments),
    Doctor(DoctorArguments),
    Completions(CompletionsArguments),
    #[command(hide = true)]
    Complete(CompleteArguments),
    Man(ManArguments),
    Help(HelpArguments),
}

impl Command {
    /// Reports whether the command runs another one (`--exec`, or git), which the kernel's sandbox would confine.
    pub(crate) fn runs_another(&self) -> bool {
        let proof = match self {
            Command::Edit(arguments) => &arguments.proof,
            Command::Apply(arguments) => &arguments.proof,
            Command::Undo(arguments) => &arguments.flags.proof,
            Command::Redo(arguments) => &arguments.flags.proof,
            Command::Restore(arguments) => &arguments.flags.proof,
            Command::Mv(arguments) => &arguments.flags.proof,
            Command::Rm(arguments) => &arguments.flags.proof,
            // git and its hooks write outside the roots.
            Command::Commit(_) => return true,
            _ => return false,
        };
        proof.exec.is_some()
    }
}

/// Serve the tools to an agent over MCP (standard input and output)
///
/// An agent starts this command by itself; at a terminal it only waits for protocol messages. The agent can then read
/// and change files below the roots, and none outside of them: the folders of --root, else the git work tree around the
/// working folder, else that folder. An agent that sends its own roots narrows them to what both have in common. Started
/// in the home folder or at the top of the file system, lancet accepts only the agent's roots below the home folder, and
/// refuses every call if there are none. Writes need no approval, because the agent asks its user itself; protected
/// names (.git, shell start-up files, agents' settings) and secret files are only written if a person can be asked.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = examples::MCP)]
pub(crate) struct McpArguments {
    /// What happens to writes [default: the settings' mode, else accept-edits]
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<Mode>,
    /// Keep the record of what the model has seen under this name, across restarts
    ///
    /// Without it the agent's own conversation id is used where it sends one, else the record ends with the process.
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<SessionName>,
    /// Who is asked about writes that need a person's approval [default: the setting ask.by]
    ///
    /// By default: the user of an agent that is known to ask them (Claude Code, Codex), and every terminal with
    /// `lancet pending --follow` or `lancet watch` open. If there is neither, such writes are declined.
    #[arg(long, value_name = "WHOM")]
    pub(crate) ask: Option<AskOption>,
    #[command(flatten)]
    pub(crate) offer: OfferArguments,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

fn line_number(typed: &str) -> Result<u64, String> {
    let number = typed.parse();
    number.map_err(|_| "lines count from 1; --tail shows the last ones".to_owned())
}

/// Show files, or lines of them
///
/// On a terminal lines are numbered and coloured by their syntax, a long file opens in the pager, and
/// the last line names range, encoding, line endings and the revision: a short hash of the bytes, which `edit` and
/// `write` can be held to with --revision. Off a terminal the lines are printed as they are. With --session, --column or
/// --number a file is shown as a model sees it, page by page.
///
/// A picture is shown where the terminal is known to show pictures (kitty, iTerm2 and their like), and named in one line
/// everywhere else; a notebook is shown as its cells.
#[derive(Debug, Args)]
#[command(after_long_help = examples::READ)]
pub(crate) struct ReadArguments {
    /// Files; `FILE:10-20` shows lines 10 to 20, `FILE:10` one line, `FILE:10-` all from there on,
    /// `FILE:-3` the last three
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// No numbers, colours or pager, on a terminal either
    #[arg(long, short = 'p')]
    pub(crate) plain: bool,
    /// Number the lines as a model sees them, off a terminal too
    #[arg(long, short = 'n', conflicts_with = "plain")]
    pub(crate) number: bool,
    /// First line to show, from 1
    #[arg(long, value_name = "LINE", allow_negative_numbers = true, value_parser = line_number)]
    pub(crate) offset: Option<u64>,
    /// How many lines to show
    #[arg(long, value_name = "LINES", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: Option<u64>,
    /// Show the last lines, so many
    #[arg(long, value_name = "LINES", conflicts_with_all = ["offset", "limit"], value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) tail: Option<u64>,
    /// Show the line at --offset alone, from this character on
    #[arg(long, value_name = "CHARACTER", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) column: Option<u64>,
    /// Pages of a PDF: 3, 1-5 or 10-; at most 20 at a time
    #[arg(long, value_name = "PAGES")]
    pub(crate) pages: Option<String>,
    /// Show the names and line ranges of source code instead of its text
    #[arg(long, conflicts_with_all = ["plain", "column", "pages", "tail"])]
    pub(crate) outline: bool,
    #[command(flatten)]
    pub(crate) common: SharedOptions,
}

/// Call any tool with raw JSON, as an agent would
///
/// Prints the answer that the model would read. Writes need no approval, except for protected names. A call
/// without --session has read nothing before: give `revision` in the arguments, or use the same --session for a Read
/// and the calls after it.
#[derive(Debug, Args)]
#[command(after_long_help = examples::CALL)]
pub(crate) struct CallArguments {
    /// The tool: Read, Edit, MultiEdit, Write, NotebookEdit, Glob, Grep, or another that `lancet tools` names
    pub(crate) tool: String,
    /// Its arguments: JSON, `@FILE`, or `-` for standard input
    #[arg(value_name = "JSON", default_value = "{}", hide_default_value = true)]
    pub(crate) arguments: String,
    /// What happens to writes [default: the settings' mode, else accept-edits]
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<Mode>,
    #[command(flatten)]
    pub(crate) choice: ToolChoice,
    #[command(flatten)]
    pub(crate) common: SharedOptions,
}

/// Report what lancet finds here: roots, settings, state folder, file system
///
/// Every setting is shown with the layer that set it. Each problem comes with the command that fixes it. Changes
/// nothing.
///
/// With --prove a file system is tested instead: whether it exchanges names, keeps locks, notifies watchers, keeps
/// modes, links and times, and leaves a whole file when a writer is killed, and whether that agrees with the guarantee
/// that lancet names there.
#[derive(Debug, Args)]
#[command(after_long_help = examples::DOCTOR)]
pub(crate) struct DoctorArguments {
    /// As `lancet mcp` would be started
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<Mode>,
    #[command(flatten)]
    pub(crate) choice: ToolChoice,
    /// Try out the file system of FOLDER, in a temporary folder inside it [default: the working folder]
    ///
    /// The folder is removed at the end. The report has no name of a machine, a user or a file, but for FOLDER itself.
    #[arg(
        long,
        value_name = "FOLDER",
        num_args = 0..=1,
        default_missing_value = ".",
        conflicts_with_all = ["mode", "tools", "root", "config"]
    )]
    pub(crate) prove: Option<PathBuf>,
    /// How many writers --prove kills
    #[arg(long, value_name = "N", default_value_t = 200, requires = "prove", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub(crate) kills: u32,
    /// One JSON object for programs
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// Options shared by the commands on files.
#[derive(Debug, Args)]
pub(crate) struct SharedOptions {
    /// Work in a named session; edits are limited to lines that it has read
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<SessionName>,
    /// One JSON object for programs
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// What happens to writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Every write needs approval
    Ask,
    /// Writes inside the roots need no approval, except for protected names
    AcceptEdits,
    /// Nothing is written
    Plan,
    /// Only protected names and secret files need approval; deny rules apply
    Bypass,
}
