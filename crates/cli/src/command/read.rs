//! `lancet read`: a file, or lines of it.

use lancet::tools::ANSWER_LIMIT;
use lancet_mcp::Level;

use super::session_of;
use crate::answer::{Form, Shape, put};
use crate::arguments::ReadArguments;
use crate::failure::{Exit, Failure};
use crate::opening::{Lasts, Offer, Whom, Wish};
use crate::surroundings::{Reach, Surroundings, as_text};

/// Reads and shows.
pub(super) fn run(arguments: &ReadArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let file = around.absolute(&arguments.file)?;
    let file_path = as_text(&file)?;
    let wish = Wish {
        place: &arguments.common.place,
        reach: Reach::At(&file),
        mode: None,
        unasked_mode: lancet::Mode::Plan,
        offer: Offer::All,
        whom: Whom::Nobody,
        answer_limit: ANSWER_LIMIT,
        unasked_log: Level::Error,
        lasts: Lasts::OneCall,
    };
    let lancet = wish.open(around)?.lancet;
    let mut wanted = lancet::tools::ReadArguments::new(file_path);
    wanted.offset = arguments.offset;
    wanted.limit = arguments.limit;
    wanted.column = arguments.column;
    let reply = session_of(&lancet, arguments.common.session.as_ref()).read(wanted);
    put(
        &reply,
        Form::of(arguments.common.json),
        Shape::Lines,
        around,
    )
}
