//! `lancet mcp`: serves the tools to an agent. Nothing slow happens before serving begins, because the agent waits for
//! it.

mod late;

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::time::Duration;

use lancet::tools::ANSWER_LIMIT_MCP;
use lancet_mcp::{Options, QuestionNotifier, QuestionRecording, RootsOrigin, serve_stdio};
use lancet_serving::Level;

use super::asking::{self, AskTarget};
use super::recording::ServerRecorder;
use crate::ancestor::agent_process;
use crate::arguments::{McpArguments, Mode, WorkArguments};
use crate::failure::{Exit, Failure};
use crate::opening::{ApproverKind, FlawHandling, Lifetime, Offer, OpenRequest, WriteAuthor};
use crate::surroundings::{AgentRoots, RootHint, Surroundings};
use crate::terminal::print_error;
use late::ClientRootsOpener;

/// How long each of the two steps of maintenance of the history at the end may take.
const MAINTENANCE_TIME: Duration = Duration::from_millis(300);

/// Serves until the agent disconnects.
pub(super) fn run(arguments: &McpArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let mut place = arguments.place.clone();
    let roots = match AgentRoots::detect(&place.root, around)? {
        AgentRoots::Named => RootsOrigin::Named,
        AgentRoots::Found => RootsOrigin::Found,
        AgentRoots::TooWide { folder, what } => {
            // The engine on the home folder only lists the tools; calls get one on the client's roots. The process
            // remains able to write below the home folder, because it cannot be confined a second time.
            place.root =
                vec![AgentRoots::widest_client_root(around).unwrap_or_else(|| folder.clone())];
            RootsOrigin::Wanted(Arc::new(ClientRootsOpener {
                arguments: arguments.clone(),
                around: around.clone(),
                started_in: (folder, what),
            }))
        }
    };
    let is_too_wide = matches!(roots, RootsOrigin::Wanted(_));
    let opened = open_request(arguments, &place).open(around)?;
    let settings = opened.lancet.settings();
    let asking = AskTarget::new(
        arguments.ask,
        &settings.ask.by,
        QuestionRecording::IfWatched,
        around,
    );
    if std::io::stdin().is_terminal() {
        print_error(
            "lancet mcp waits for an agent's messages on standard input. Agents start this command themselves;\n\
             `lancet help mcp` says how to add it to yours. Ctrl-C ends it.\n",
        );
    }
    let options = Options {
        session: arguments.session.clone(),
        environment: around.agent_sessions.clone(),
        agent_process: agent_process(),
        answers: arguments.offer.answers(),
        data: arguments.offer.data_extent(),
        ask: asking.ask,
        approver: asking.approver,
        notify: Some(QuestionNotifier::new(asking::notify_user)),
        roots,
        log: opened.log.for_agents(),
        ..Options::default()
    };
    let lancet = opened.lancet.clone();
    // An engine on the home folder only lists the tools; no project is served.
    let _recorder = (!is_too_wide).then(|| ServerRecorder::begin(&lancet, &place, around));
    serve_stdio(opened.lancet, options).map_err(|error| Failure::system(error.to_string()))?;
    // The agent has its answers and is disconnected, so there is time to compress the history and remove old changes.
    if let Some(history) = lancet.history() {
        let _ = history.clean(MAINTENANCE_TIME);
        let _ = history.tidy(MAINTENANCE_TIME);
    }
    Ok(Exit::Done)
}

/// Returns the request that opens the engine.
fn open_request<'a>(arguments: &'a McpArguments, place: &'a WorkArguments) -> OpenRequest<'a> {
    OpenRequest {
        place,
        reach: RootHint::Project,
        mode: arguments.mode,
        writes: WriteAuthor::Agent(lancet::Mode::AcceptEdits),
        offer: Offer::from_arguments(&arguments.offer),
        diagnostics: arguments.offer.diagnostics,
        // `Client` also creates the settings folder, for an answer "always". Only with one of these two flags is it
        // certain that a client prompts its user. Without them a known client may still do so.
        approver: match arguments.ask.is_some() || arguments.mode == Some(Mode::Ask) {
            true => ApproverKind::Client,
            false => ApproverKind::Nobody,
        },
        answer_limit: ANSWER_LIMIT_MCP,
        default_log_level: Level::Warn,
        flaw_use: FlawHandling::Reported,
        lifetime: Lifetime::OneClient,
    }
}
