//! `lancet call`: any tool with raw JSON, as an agent would call it.

use std::path::Path;

use lancet::dialects::AppliedBy;
use serde_json::Value;

use super::{read_text_file, session_named_or_new};
use crate::answer::{OutputFormat, Presentation, print_reply};
use crate::arguments::CallArguments;
use crate::failure::{Exit, Failure};
use crate::fault::call_registered;
use crate::opening::{ApproverKind, Offer, OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{Consent, TerminalApprover};

/// Runs `lancet call`.
pub(super) fn run(arguments: &CallArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let given = parse_call_arguments(&arguments.arguments, around)?;
    let approver = TerminalApprover::new(Consent::Ask, around);
    let request = OpenRequest {
        mode: arguments.mode,
        offer: Offer::Chosen(&arguments.choice.tools),
        approver: ApproverKind::Terminal(approver.clone()),
        ..OpenRequest::for_command(
            &arguments.common.place,
            RootHint::Folder,
            WriteAuthor::Agent(lancet::Mode::AcceptEdits),
        )
    };
    let lancet = request.open(around)?.lancet;
    let session = session_named_or_new(&lancet, arguments.common.session.as_ref());
    let reply = call_registered(&session, &arguments.tool, given, AppliedBy::Model);
    print_reply(
        &reply,
        OutputFormat::from_json_flag(arguments.common.json),
        Presentation::Plain(&approver),
        around,
    )
}

fn parse_call_arguments(given: &str, around: &Surroundings) -> Result<Value, Failure> {
    let (text, name) = match given.strip_prefix('@') {
        Some(file) => (read_text_file(Path::new(file), "JSON", around)?, file),
        None if given == "-" => (
            read_text_file(Path::new("-"), "JSON", around)?,
            "standard input",
        ),
        None => (given.to_owned(), "the command line"),
    };
    serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!("the arguments on {name} are not JSON: {error}; quote them for the shell like '{{\"file_path\": \"/a\"}}'"))
    })
}
