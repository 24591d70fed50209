//! The arguments for reading events.

use clap::Args;

use super::{WorkArguments, examples};

/// Print what happens in all projects as JSON, one object a line
///
/// Each change of a file, each question that waits for a person and its decision, and the start and end of agents' sessions, of
/// every process that uses the state folder, in the order in which they were recorded. Files that may not be read are not named.
///
/// With --editor it is the link to a person's editor, as long as its standard input is open: agents' calls that need
/// approval wait meanwhile, and a line `{"unsaved": [paths]}` says in which files there are unsaved changes. Each such line
/// replaces the last. An edit of such a file is asked about, in every mode but `bypass`.
#[derive(Debug, Args)]
#[command(after_long_help = examples::EVENTS)]
pub(crate) struct EventsArguments {
    /// Keep printing new events until the reader closes the pipe
    #[arg(long, short = 'f')]
    pub(crate) follow: bool,
    /// Only what came after this: the number of an event (`seq`), or a change by its id [default: all that is kept; with --follow what comes from now on]
    #[arg(long, value_name = "SEQ|OP")]
    pub(crate) since: Option<String>,
    /// Be the link to the editor of this name, which sends on standard input which of its files are not saved
    #[arg(long, value_name = "NAME", requires = "follow", value_parser = editor_name)]
    pub(crate) editor: Option<String>,
    /// Accepted because other commands have it: JSON is the only form
    #[arg(long, hide = true)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: WorkArguments,
}

/// The longest name of an editor, in characters.
const LONGEST_NAME: usize = 40;

/// Parses the name of an editor, which questions show.
fn editor_name(typed: &str) -> Result<String, String> {
    let is_plain = |letter: char| letter.is_alphanumeric() || " -_.+".contains(letter);
    match typed.chars().count() {
        1..=LONGEST_NAME if typed.chars().all(is_plain) && typed.trim() == typed => {
            Ok(typed.to_owned())
        }
        _ => Err(format!(
            "it has 1 to {LONGEST_NAME} letters and digits, with `-`, `_`, `.`, `+` and spaces between them"
        )),
    }
}
