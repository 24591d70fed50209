//! The arguments of `lancet blame`.

use std::path::PathBuf;

use clap::Args;

use super::WorkArguments;

const BLAME: &str = "\
Examples:
  lancet blame src/main.rs
  lancet blame src/main.rs --json | jq -r '.lines[] | select(.by == \"agent\") | .line'";

/// Show who wrote each line of a file, and when
///
/// Each line has the change that wrote it, the client (`shell` for commands typed at a shell) and the time. `before` are
/// the lines that no recorded change wrote: they were there before, or another program wrote them. After an undo the lines
/// are those of the earlier change again.
#[derive(Debug, Args)]
#[command(after_long_help = BLAME)]
pub(crate) struct BlameArguments {
    /// The file
    pub(crate) file: PathBuf,
    /// One JSON object for programs
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}
