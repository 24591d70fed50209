//! `lancet read`: shows a file, or lines of it.

use lancet::tools::ANSWER_LIMIT;
use lancet_mcp::Level;

use super::session_of;
use crate::answer::{OutputFormat, Presentation, put};
use crate::arguments::ReadArguments;
use crate::failure::{Exit, Failure};
use crate::opening::{ApproverKind, Lifetime, Offer, OpenRequest};
use crate::surroundings::{RootHint, Surroundings, as_text};

/// Runs `lancet read`.
pub(super) fn run(arguments: &ReadArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let file = around.absolute(&arguments.file)?;
    let file_path = as_text(&file)?;
    let request = OpenRequest {
        place: &arguments.common.place,
        reach: RootHint::At(&file),
        mode: None,
        unasked_mode: lancet::Mode::Plan,
        offer: Offer::All,
        approver: ApproverKind::Nobody,
        answer_limit: ANSWER_LIMIT,
        unasked_log: Level::Error,
        lifetime: Lifetime::OneCall,
    };
    let lancet = request.open(around)?.lancet;
    let mut wanted = lancet::tools::ReadArguments::new(file_path);
    wanted.offset = arguments.offset;
    wanted.limit = arguments.limit;
    wanted.column = arguments.column;
    let reply = session_of(&lancet, arguments.common.session.as_ref()).read(wanted);
    put(
        &reply,
        OutputFormat::of(arguments.common.json),
        Presentation::Lines,
        around,
    )
}
