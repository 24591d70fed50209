//! `lancet mcp`: the engine for an agent. Does nothing before serving that an agent would have to wait for.

use std::io::IsTerminal as _;

use lancet::declare::ANSWER_LIMIT_MCP;
use lancet_mcp::{Answers, Level, Options, serve_stdio};

use crate::arguments::McpArguments;
use crate::failure::{Exit, Failure};
use crate::opening::{Offer, Wish};
use crate::surroundings::{Reach, Surroundings};
use crate::terminal::print_error;

/// Serves until the agent leaves.
pub(super) fn run(arguments: &McpArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let wish = Wish {
        place: &arguments.place,
        reach: Reach::Folder,
        mode: arguments.mode,
        unasked_mode: lancet::Mode::AcceptEdits,
        offer: Offer::Chosen(&arguments.choice.tools),
        approver: None,
        answer_limit: ANSWER_LIMIT_MCP,
        unasked_log: Level::Warn,
    };
    let opened = wish.open(around)?;
    if std::io::stdin().is_terminal() {
        print_error(
            "lancet mcp waits for an agent's messages on standard input. Agents start this command themselves;\n\
             `lancet help mcp` tells how to add it to yours. Ctrl-C ends it.\n",
        );
    }
    let options = Options {
        session: arguments.session.clone(),
        answers: if arguments.structured {
            Answers::Structured
        } else {
            Answers::Text
        },
        log: opened.log.for_agents(),
        ..Options::default()
    };
    serve_stdio(opened.lancet, options).map_err(|error| Failure::system(error.to_string()))?;
    Ok(Exit::Done)
}
