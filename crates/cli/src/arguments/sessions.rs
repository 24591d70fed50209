//! The arguments of the commands on the sessions at work.

use clap::{Arg, Args, Subcommand};

use super::WorkArguments;

const SESSIONS: &str = "\
Examples:
  lancet sessions
      Who is at work here, and on what.

  lancet sessions stop claude-code.5e1f 'Leave the parser alone, please.'
      Nothing more is written by this session until you say so.

  lancet sessions resume claude-code.5e1f

`lancet help ledgers` says which conversation is which session.";

const STOP: &str = "\
Examples:
  lancet sessions stop evening 'Leave the parser alone.'
      With words that the model reads.";

/// List the agents at work, and stop the writes of one
///
/// A session is one conversation of one agent. The sessions at work on the current project are listed: name, client, since when,
/// how many files it knows and has changed, and how many of its calls wait. Files that two of them work on are named below.
///
/// A session that is stopped goes on reading; its writes are refused in every process until you let it write again.
#[derive(Debug, Args)]
#[command(after_long_help = SESSIONS, disable_help_subcommand = true, mut_args = for_all)]
pub(crate) struct SessionsArguments {
    #[command(subcommand)]
    pub(crate) command: Option<SessionsCommand>,
    /// List the sessions of all projects
    #[arg(long)]
    pub(crate) all: bool,
    /// One JSON object for programs; of a list one a line, and a last one with the total and the files that several work on
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// Lets the options be given behind the inner command as well.
fn for_all(argument: Arg) -> Arg {
    match argument.get_id().as_str() {
        "all" => argument,
        _ => argument.global(true),
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    Stop(StopArguments),
    Resume(ResumeArguments),
}

/// Stop the writes of a session; the message is passed on to the model
///
/// Stopping needs no token, because it only prevents writes. A call that waits for an answer then writes nothing, whatever
/// the answer is.
#[derive(Debug, Args)]
#[command(after_long_help = STOP)]
pub(crate) struct StopArguments {
    /// The session, by its name or the end of it
    #[arg(value_name = "NAME")]
    pub(crate) session: String,
    /// A message for the model
    #[arg(value_name = "WORDS")]
    pub(crate) words: Vec<String>,
}

/// Let a session write again
///
/// At a terminal the answer is typed. Without a terminal the person's token (`person-token` in the state folder) is needed in LANCET_TOKEN. A command
/// that an agent runs is refused.
#[derive(Debug, Args)]
pub(crate) struct ResumeArguments {
    /// The session, by its name or the end of it
    #[arg(value_name = "NAME")]
    pub(crate) session: String,
}
