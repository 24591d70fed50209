//! What may be typed to read events.

use clap::Args;

use super::{WorkArguments, examples};

/// Print what happens in all projects as JSON, one object a line
///
/// Each change of a file, each question that waits for a person and its decision, and the begin and end of agents' sessions, of
/// every process that uses the state folder, in the order in which they were recorded. Files that may not be read are not named.
#[derive(Debug, Args)]
#[command(after_long_help = examples::EVENTS)]
pub(crate) struct EventsArguments {
    /// Go on with what comes, until the reader leaves
    #[arg(long, short = 'f')]
    pub(crate) follow: bool,
    /// Only what came after this: the number of an event (`seq`), or a change by its id [default: all that is kept; with --follow what comes from now on]
    #[arg(long, value_name = "SEQ|OP")]
    pub(crate) since: Option<String>,
    /// Taken, since other commands have it: JSON is the only form
    #[arg(long, hide = true)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}
