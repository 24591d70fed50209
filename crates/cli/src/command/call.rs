//! `lancet call`: any tool with raw JSON, as an agent would call it.

use std::path::Path;

use lancet::dialects::AppliedBy;
use serde_json::Value;

use super::{session_of, text_from};
use crate::answer::{OutputFormat, Presentation, put};
use crate::arguments::CallArguments;
use crate::failure::{Exit, Failure};
use crate::fault::watched;
use crate::opening::{ApproverKind, Offer, OpenRequest, Writes};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{Consent, TerminalApprover};

/// Runs `lancet call`.
pub(super) fn run(arguments: &CallArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let given = parse(&arguments.arguments, around)?;
    let approver = TerminalApprover::new(Consent::Ask, around);
    let request = OpenRequest {
        mode: arguments.mode,
        offer: Offer::Chosen(&arguments.choice.tools),
        approver: ApproverKind::Terminal(approver.clone()),
        ..OpenRequest::of_command(
            &arguments.common.place,
            RootHint::Folder,
            Writes::Agent(lancet::Mode::AcceptEdits),
        )
    };
    let lancet = request.open(around)?.lancet;
    let session = session_of(&lancet, arguments.common.session.as_ref());
    let reply = watched(&session, &arguments.tool, given, AppliedBy::Model);
    put(
        &reply,
        OutputFormat::from_json_flag(arguments.common.json),
        Presentation::Plain(&approver),
        around,
    )
}

fn parse(given: &str, around: &Surroundings) -> Result<Value, Failure> {
    let (text, name) = match given.strip_prefix('@') {
        Some(file) => (text_from(Path::new(file), "JSON", around)?, file),
        None if given == "-" => (text_from(Path::new("-"), "JSON", around)?, "standard input"),
        None => (given.to_owned(), "the command line"),
    };
    serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!("the arguments on {name} are not JSON: {error}; quote them for the shell like '{{\"file_path\": \"/a\"}}'"))
    })
}
