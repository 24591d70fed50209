//! The arguments of the commands that record what other programs change.

use std::ffi::OsString;

use clap::Args;
use lancet::SessionName;

use super::WorkArguments;

/// Run a command and record what it changes
///
/// The command has this terminal, its streams and its signals, and its exit code is lancet's. What it changed in the project is
/// one change in `lancet log`, with its command line, exit code and duration; `lancet undo` undoes it. What lancet itself
/// changes meanwhile stays a separate change.
///
/// It records files that no ignore file leaves out (hidden ones too), files that git tracks, and small ignored files such
/// as `.env` directly in a folder that is not ignored. It never records `.git`.
#[derive(Debug, Args)]
#[command(after_long_help = RUN)]
pub(crate) struct RunArguments {
    /// A name for the change, for `lancet log`
    #[arg(long, value_name = "WORDS")]
    pub(crate) name: Option<String>,
    /// The session that the change belongs to
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<SessionName>,
    /// Print no summary at the end
    #[arg(long, short = 'q')]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
    /// The command and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND"
    )]
    pub(crate) command: Vec<OsString>,
}

/// Set a checkpoint: save the state of the project's files as they are now
///
/// `lancet log --checkpoints` lists them.
#[derive(Debug, Args)]
#[command(after_long_help = CHECKPOINT)]
pub(crate) struct CheckpointArguments {
    /// A name: 1 to 64 letters, digits and `._-`, with a capital or one of `._-` in it
    #[arg(value_parser = checkpoint_name)]
    pub(crate) name: Option<String>,
    /// One JSON object for programs
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// The longest name of a checkpoint.
const LONGEST: usize = 64;

/// Parses the name of a checkpoint, which must not look like an id.
fn checkpoint_name(typed: &str) -> Result<String, String> {
    let may_be = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if typed.is_empty() || typed.len() > LONGEST || !typed.bytes().all(may_be) {
        return Err("a name has 1 to 64 of A-Z, a-z, 0-9, `.`, `_` and `-`".to_owned());
    }
    let is_no_id = |byte: u8| byte.is_ascii_uppercase() || b"._-".contains(&byte);
    match typed.bytes().any(is_no_id) {
        true => Ok(typed.to_owned()),
        false => Err(format!(
            "{typed} could be an id: a name has a capital, `.`, `_` or `-` in it, such as {typed}-1"
        )),
    }
}

const RUN: &str = "\
Examples:
  lancet run cargo fmt
      Run it; `lancet undo` undoes what it changed.

  lancet run --name 'new schema' -- sh -c 'rm -r gen && make gen'
      Options of the command come after it, so that they are not lancet's.

The exit code is the command's: 128+n if signal n ended it, 127 if it was not found, 126 if it
could not be started.";

const CHECKPOINT: &str = "\
Examples:
  lancet checkpoint
  lancet checkpoint before-upgrade
  lancet log --checkpoints";
