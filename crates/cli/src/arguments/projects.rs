//! The arguments of `lancet projects`.

use clap::Args;

use super::WorkArguments;

/// List the projects that have changes
///
/// One line each, the most recently changed first: the folder, how many changes are recorded, the time of the newest, the
/// agents at work in it, and how many questions wait. `lancet log --all` lists the changes of all of them.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  lancet projects\n  lancet projects --json | jq -r 'select(.waiting > 0) | .root'"
)]
pub(crate) struct ProjectsArguments {
    /// One JSON object a line for programs, and a last one with the total
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}
