//! The arguments of the commands on the questions that wait for a person.

use std::path::PathBuf;

use clap::{Arg, ArgGroup, Args, Subcommand};

use super::{WorkArguments, examples};

/// List the questions that wait for a person, and decide them
///
/// A question without an immediate answer is stored: it can be decided here, whichever agent asked, and the agent's call
/// then writes exactly what was approved. The questions about the project you are in are listed, newest first: id, age, who asks,
/// tool, files with the lines added and removed, and why. An id is shown by its last four characters, or more where another
/// question has the same; any ending of it that no other one has is accepted.
///
/// With --follow questions are printed as they come and as they are decided, and agents' calls wait for an answer while it
/// runs. On a terminal d decides the newest one, and q ends.
#[derive(Debug, Args)]
#[command(after_long_help = examples::PENDING, disable_help_subcommand = true, mut_args = for_all)]
pub(crate) struct PendingArguments {
    #[command(subcommand)]
    pub(crate) command: Option<PendingCommand>,
    /// Print questions as they come and as they are decided
    #[arg(long, short = 'f', conflicts_with = "all")]
    pub(crate) follow: bool,
    /// Those of all projects, too
    #[arg(long)]
    pub(crate) all: bool,
    /// One JSON object for programs; of a list one a line, and a last one with the total
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// Lets the options be given behind the inner command as well.
fn for_all(argument: Arg) -> Arg {
    match argument.get_id().as_str() {
        "follow" | "all" => argument,
        _ => argument.global(true),
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum PendingCommand {
    Show(QuestionArguments),
    Approve(ApproveArguments),
    Reject(RejectArguments),
}

/// Show one question: the diff with the numbers of its hunks, what may be answered, and what became of it
#[derive(Debug, Args)]
pub(crate) struct QuestionArguments {
    /// The question, by the end of its id
    #[arg(value_name = "ID")]
    pub(crate) question: String,
}

/// Approve a question, whole or in part
///
/// At a terminal the question is shown and the answer typed. Without a terminal the person's token (`person-token` in the state folder) is needed in
/// LANCET_TOKEN. A command that an agent runs is refused: an agent must not approve its own changes.
#[derive(Debug, Args)]
#[command(after_long_help = examples::APPROVE)]
#[command(group = ArgGroup::new("lasting").args(["session", "always"]).conflicts_with_all(["file", "hunk", "edit", "reason"]))]
pub(crate) struct ApproveArguments {
    /// The question, by the end of its id
    #[arg(value_name = "ID")]
    pub(crate) question: String,
    /// Only this file; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Vec<PathBuf>,
    /// Only this hunk, by its number in `lancet pending show`; may be given several times
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) hunk: Vec<u32>,
    /// Edit the text first
    #[arg(long, conflicts_with = "hunk")]
    pub(crate) edit: bool,
    /// No more questions about the same files for the same reason until the agent's session ends
    #[arg(long)]
    pub(crate) session: bool,
    /// Add the rule that the question offers to your settings
    #[arg(long)]
    pub(crate) always: bool,
    /// Words for the model
    #[arg(long, value_name = "WORDS")]
    pub(crate) reason: Option<String>,
}

/// Reject a question; the words are passed on to the model
#[derive(Debug, Args)]
#[command(after_long_help = examples::REJECT)]
pub(crate) struct RejectArguments {
    /// The question, by the end of its id
    #[arg(value_name = "ID")]
    pub(crate) question: String,
    /// Words for the model
    #[arg(value_name = "WORDS")]
    pub(crate) words: Vec<String>,
}
