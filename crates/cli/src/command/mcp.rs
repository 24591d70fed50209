//! `lancet mcp`: serves the tools to an agent. Nothing slow happens before serving begins, because the agent waits for
//! it.

use std::io::IsTerminal as _;
use std::time::Duration;

use lancet::tools::ANSWER_LIMIT_MCP;
use lancet_mcp::{Answers, Ask, Level, Options, serve_stdio};

use crate::ancestor::agent_process;
use crate::arguments::{AskOption, McpArguments, Mode};
use crate::failure::{Exit, Failure};
use crate::opening::{ApproverKind, Lifetime, Offer, OpenRequest, Writes};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::print_error;

/// How long each of the two steps of maintenance of the history at the end may take.
const TIDYING: Duration = Duration::from_millis(300);

/// Serves until the agent disconnects.
pub(super) fn run(arguments: &McpArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let (ask, approver) = match arguments.ask {
        Some(AskOption::Elicit) => (Ask::Elicit, ApproverKind::Client),
        // `Client` also creates the settings folder, for an answer "always". A client that can ask is certain only with
        // one of these two flags; without them a known client may still be asked.
        None if arguments.mode == Some(Mode::Ask) => (Ask::Known, ApproverKind::Client),
        None => (Ask::Known, ApproverKind::Nobody),
    };
    let request = OpenRequest {
        place: &arguments.place,
        reach: RootHint::Folder,
        mode: arguments.mode,
        writes: Writes::Agent(lancet::Mode::AcceptEdits),
        offer: match &arguments.prefix {
            Some(prefix) => Offer::Prefixed(&arguments.choice.tools, prefix),
            None => Offer::Chosen(&arguments.choice.tools),
        },
        approver,
        answer_limit: ANSWER_LIMIT_MCP,
        default_log_level: Level::Warn,
        lifetime: Lifetime::Long,
    };
    let opened = request.open(around)?;
    if std::io::stdin().is_terminal() {
        print_error(
            "lancet mcp waits for an agent's messages on standard input. Agents start this command themselves;\n\
             `lancet help mcp` tells how to add it to yours. Ctrl-C ends it.\n",
        );
    }
    let options = Options {
        session: arguments.session.clone(),
        environment: around.agent_sessions.clone(),
        agent_process: agent_process(),
        answers: if arguments.structured {
            Answers::Structured
        } else {
            Answers::Text
        },
        ask,
        log: opened.log.for_agents(),
        ..Options::default()
    };
    let lancet = opened.lancet.clone();
    serve_stdio(opened.lancet, options).map_err(|error| Failure::system(error.to_string()))?;
    // The agent has its answers and is gone, so there is time to compress the history and remove old changes.
    if let Some(history) = lancet.history() {
        let _ = history.clean(TIDYING);
        let _ = history.tidy(TIDYING);
    }
    Ok(Exit::Done)
}
