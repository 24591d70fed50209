//! The arguments of `lancet watch`.

use clap::Args;

use super::{WorkArguments, examples};

/// Show every change of the project as it comes, with its diff
///
/// On a terminal u undoes the newest change that is shown (again, the one before), and q ends. Otherwise the changes
/// are printed as plain text until the reader leaves.
///
/// Calls of agents that need a person's approval wait while this runs. Their questions are shown, and on a terminal d decides the
/// newest one; `lancet pending` decides them from anywhere.
#[derive(Debug, Args)]
#[command(after_long_help = examples::WATCH)]
pub(crate) struct WatchArguments {
    /// Only those of this session
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}
