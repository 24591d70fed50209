//! The arguments of `lancet diff`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::WorkArguments;
use super::history::parse_positive_number;

const DIFF: &str = "\
Examples:
  lancet diff
      What became of the files since your last prompt to an agent, else in the last hour.

  lancet diff --since today src
      Of the files below src, since midnight.

  lancet diff k29f
      What that change touched, from before it to now; `lancet show k29f` has the change itself.

  lancet diff --session evening --stat
  lancet diff --since 2h > today.patch
      For `git apply`, in a tree that does not have these changes yet.";

/// Show what became of the files that changes touched: the difference between then and now
///
/// Each file that the changes touched is compared with the file as it was before the first of them. Steps in between do not
/// show, and a file that is as it was is left out. What others wrote into these files since is part of the difference. The
/// output is one patch, with paths from the top of the project, that `git apply` takes; secret files and others that
/// cannot be shown are named on standard error.
///
/// Without an option: the changes since the newest prompt that an agent's hooks reported, else those of the last hour. An
/// argument that exists as a path is a path; after `--` all are.
#[derive(Debug, Args)]
#[command(after_long_help = DIFF)]
#[command(group = ArgGroup::new("since when").args(["since", "session", "client", "turn", "to_checkpoint"]))]
pub(crate) struct DiffArguments {
    /// A change, by its id from the log, and files or folders to limit the difference to
    #[arg(value_name = "ID|PATH")]
    pub(crate) targets: Vec<OsString>,
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
    /// The changes of a session since one of its prompts: since the newest prompt of all, or the N-th newest of that session
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", value_parser = parse_positive_number,
        conflicts_with_all = ["since", "client", "turn", "to_checkpoint"])]
    pub(crate) to_prompt: Option<usize>,
    /// The changes since this checkpoint
    #[arg(long, value_name = "CHECKPOINT")]
    pub(crate) to_checkpoint: Option<String>,
    /// The files with their numbers of lines, not the patch
    #[arg(long)]
    pub(crate) stat: bool,
    /// One JSON object for programs
    #[arg(long, conflicts_with = "stat")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
    /// Files or folders, whatever they are called
    #[arg(last = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
}

impl DiffArguments {
    /// Reports whether an option says which changes are meant.
    pub(crate) fn has_selection(&self) -> bool {
        let given = [
            &self.since,
            &self.session,
            &self.client,
            &self.turn,
            &self.to_checkpoint,
        ];
        self.to_prompt.is_some() || given.iter().any(|given| given.is_some())
    }
}
