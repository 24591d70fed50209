//! `lancet write`: writes a whole file, or appends to one.

use std::io::IsTerminal as _;
use std::path::Path;

use lancet::tools::WriteMode;
use serde_json::json;

use super::text_from;
use super::writing::{ChangeSetup, OtherChange};
use crate::answer::{OutputFormat, Presentation, put};
use crate::arguments::WriteArguments;
use crate::failure::{Exit, Failure};
use crate::fault::watched;
use crate::surroundings::Surroundings;
use crate::terminal::WorkLine;

/// Runs `lancet write`.
pub(super) fn run(arguments: &WriteArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let content = match (&arguments.content, &arguments.from) {
        (Some(text), _) => text.clone(),
        (None, Some(from)) => text_from(from, "--from", around)?,
        (None, None) if arguments.input.is_some() => text_from(Path::new("-"), "-", around)?,
        (None, None) => unasked_input(around)?,
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
            WriteMode::Append => OtherChange::Kept,
            _ => OtherChange::Lost,
        },
        around,
    )?;
    let mut wanted = lancet::tools::WriteArguments::new(setup.file_path, content);
    wanted.mode = mode;
    wanted.revision = setup.revision;
    wanted.insist = arguments.writing.insist;
    wanted.dry_run = arguments.writing.diff;
    let working = WorkLine::begin("writing");
    let reply = watched(&setup.session, "Write", json!(wanted), setup.applied_by);
    drop(working);
    put(
        &reply,
        OutputFormat::from_json_flag(arguments.common.json),
        Presentation::of_change(&setup.approver, arguments.common.session.as_ref()),
        around,
    )
}

/// Reads the text from standard input if none was given. Empty input is an error: a script without input would empty
/// the file.
fn unasked_input(around: &Surroundings) -> Result<String, Failure> {
    let how = "give the text with --content TEXT or --from FILE, or on standard input (`lancet write FILE < OTHER`)";
    if std::io::stdin().is_terminal() {
        return Err(Failure::usage(how));
    }
    let text = text_from(Path::new("-"), "-", around)?;
    match text.is_empty() {
        true => Err(Failure::usage(format!(
            "standard input is empty; {how}. For an empty file use --content ''."
        ))),
        false => Ok(text),
    }
}
