//! `lancet write`: writes a whole file, or appends to one.

use std::io::IsTerminal as _;
use std::path::Path;

use lancet::tools::WriteMode;
use serde_json::json;

use super::read_text_file;
use super::writing::{ChangeSetup, ConcurrentChange};
use crate::answer::{OutputFormat, Presentation, print_reply};
use crate::arguments::WriteArguments;
use crate::failure::{Exit, Failure};
use crate::fault::call_registered;
use crate::surroundings::Surroundings;
use crate::terminal::ElapsedTimeLine;

/// Runs `lancet write`.
pub(super) fn run(arguments: &WriteArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let content = match (&arguments.content, &arguments.from) {
        (Some(text), _) => text.clone(),
        (None, Some(from)) => read_text_file(from, "--from", around)?,
        (None, None) if arguments.input.is_some() => read_text_file(Path::new("-"), "-", around)?,
        (None, None) => read_standard_input(around)?,
    };
    let mode = match (arguments.append, arguments.create) {
        (true, _) => WriteMode::Append,
        (false, true) => WriteMode::Create,
        (false, false) => WriteMode::Overwrite,
    };
    let setup = ChangeSetup::new(
        &arguments.file,
        &arguments.writing,
        &arguments.common,
        match mode {
            WriteMode::Append => ConcurrentChange::Kept,
            _ => ConcurrentChange::Lost,
        },
        around,
    )?;
    let mut wanted = lancet::tools::WriteArguments::new(setup.file_path, content);
    wanted.mode = mode;
    wanted.revision = setup.revision;
    wanted.insist = arguments.writing.insist;
    wanted.dry_run = arguments.writing.diff;
    let working = ElapsedTimeLine::begin("writing");
    let reply = call_registered(&setup.session, "Write", json!(wanted), setup.applied_by);
    drop(working);
    print_reply(
        &reply,
        OutputFormat::from_json_flag(arguments.common.json),
        Presentation::Change(&setup.approver),
        around,
    )
}

/// Reads the text from standard input if none was given. Empty input is an error: a script without input would empty
/// the file.
fn read_standard_input(around: &Surroundings) -> Result<String, Failure> {
    let how = "give the text with --content TEXT or --from FILE, or on standard input (`lancet write FILE < OTHER`)";
    if std::io::stdin().is_terminal() {
        return Err(Failure::usage(how));
    }
    let text = read_text_file(Path::new("-"), "-", around)?;
    match text.is_empty() {
        true => Err(Failure::usage(format!(
            "standard input is empty; {how}. For an empty file use --content ''."
        ))),
        false => Ok(text),
    }
}
