//! The arguments of `lancet watch`.

use std::time::Duration;

use clap::Args;
use lancet::SessionName;

use super::WorkArguments;

/// Show every change of the project as it comes, with its diff
///
/// On a terminal u undoes the newest change that is shown (again, the one before), and q ends. Otherwise the changes
/// are printed as plain text until the reader leaves.
///
/// Calls of agents that need a person's approval wait while this runs. Their questions are shown, and on a terminal d decides the
/// newest one; `lancet pending` decides them from anywhere.
///
/// With --record it also records what any program changes in the project while it runs, for agents without hooks and for your
/// own work. Without a terminal it then shows no questions.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct WatchArguments {
    /// Only those of this session
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Record what any program changes in the project: one change whenever nothing has changed for two seconds
    #[arg(long, conflicts_with = "session")]
    pub(crate) record: bool,
    /// With --record: the client that makes the changes, for `lancet log` and `lancet undo --client` [default: watched]
    #[arg(long, value_name = "NAME", requires = "record", value_parser = client_name)]
    pub(crate) client: Option<SessionName>,
    /// With --record: record every so many seconds what has changed, instead of when nothing changes
    #[arg(long, value_name = "SECONDS", requires = "record", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) every: Option<u64>,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

impl WatchArguments {
    /// Returns the interval of `--every`.
    pub(crate) fn interval(&self) -> Option<Duration> {
        self.every.map(Duration::from_secs)
    }
}

/// Parses the name of a client, which must not be that of lancet's own commands.
fn client_name(typed: &str) -> Result<SessionName, String> {
    match typed {
        "lancet" | "shell" => Err(format!(
            "{typed} is the client of lancet's own commands: choose another name"
        )),
        _ => SessionName::new(typed.to_owned()).map_err(|error| error.to_string()),
    }
}

const EXAMPLES: &str = "\
Examples:
  lancet watch
      In a second terminal, beside the agent.

  lancet watch --session evening > changes.log

  lancet watch --record
      Records what any program changes. `lancet undo` skips it: undo it by id, with
      --client watched or with --include-unattributed.

  lancet watch --record --client aider
      For an agent that has no hooks. `lancet undo` undoes its changes like any other.";
