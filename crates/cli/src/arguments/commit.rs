//! The arguments of `lancet commit`.

use clap::{ArgGroup, Args};

use super::WorkArguments;

const COMMIT: &str = "\
Examples:
  lancet commit --client claude-code -m 'Retry failed requests'
      What Claude Code changed, and nothing that you changed in the same files.

  lancet commit --since 2h --dry-run
      The patch of the last two hours, as it would be committed.

  lancet commit --session evening
      With the message from the editor, as `git commit` asks for it.";

/// Make a git commit of exactly the hunks that changes wrote and that are still in the files
///
/// Compares HEAD with the files, and commits the hunks that the selected changes wrote. What others wrote into the same files
/// stays uncommitted, and what is staged stays staged. Shows the patch and asks. Hooks, signing and `commit.*` settings of git
/// apply; each agent that wrote committed lines is named in a trailer (the setting commit.trailer).
///
/// Nothing is committed where that is not certain: during a merge, rebase, cherry-pick, revert or bisect, and where someone
/// else's uncommitted lines are at the same place or next to it.
///
/// Without an option: the changes since the newest prompt that an agent's hooks reported, else those of the last hour.
#[derive(Debug, Args)]
#[command(after_long_help = COMMIT)]
#[command(group = ArgGroup::new("whose").args(["since", "session", "client", "turn"]))]
pub(crate) struct CommitArguments {
    /// The message of the commit; without it git opens the editor
    #[arg(long, short = 'm', value_name = "WORDS")]
    pub(crate) message: Option<String>,
    /// The changes since then: `30m`, `2h`, `3d`, `today`, `yesterday`, or a date
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// The changes of this session and its sub-agents
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// The changes of this client: `claude-code`, `codex`, …; `shell` for commands typed at a shell
    #[arg(long, value_name = "NAME", visible_alias = "agent")]
    pub(crate) client: Option<String>,
    /// The changes of this turn
    #[arg(long, value_name = "TURN")]
    pub(crate) turn: Option<String>,
    /// Show the patch and commit nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Commit without asking
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
    /// Commit although HEAD names no branch
    #[arg(long)]
    pub(crate) detached: bool,
    /// One JSON object for programs
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}
