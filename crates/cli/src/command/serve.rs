//! `lancet serve`: serves the tools over HTTP to any number of agents, until a signal ends it.

use std::path::Path;
use std::time::Duration;

use lancet::questions::RecordedQuestion;
use lancet::tools::ANSWER_LIMIT_MCP;
use lancet_mcp::{Answers, Endpoint, Notify, Options, Page, RootsOrigin, hush_panics};
use lancet_serving::Level;
use lancet_serving::tokens::{READ_TOKEN, Tokens, WRITE_TOKEN};
use lancet_web::{Access, ListenError, ListenOptions, Listening, Protection};

use super::asking::{self, Asking};
use crate::arguments::{AskOption, ServeArguments};
use crate::failure::{Exit, Failure};
use crate::opening::{ApproverKind, Lifetime, Offer, OpenRequest, Writes};
use crate::surroundings::{AgentRoots, RootHint, Surroundings};
use crate::terminal::print_error;

/// How long each of the two steps of maintenance of the history at the end may take.
const TIDYING: Duration = Duration::from_millis(300);

/// Serves until a signal.
pub(super) fn run(arguments: &ServeArguments, around: &Surroundings) -> Result<Exit, Failure> {
    if arguments.ask == Some(AskOption::Terminal) {
        return Err(Failure::usage(
            "--ask terminal holds a thread for each question, and four would stop the server for all agents; leave it out, and decide with `lancet pending --follow`",
        ));
    }
    let roots = match AgentRoots::of(&arguments.place.root, around)? {
        AgentRoots::Named => RootsOrigin::Named,
        AgentRoots::Found => RootsOrigin::Found,
        AgentRoots::TooWide { folder, what } => {
            let why = AgentRoots::why(&folder, what);
            return Err(Failure::usage(format!(
                "{why} Start it in the folder of a project, or name one with --root FOLDER"
            )));
        }
    };
    // Listening comes first: a port that is taken is said before anything is opened.
    let listening = listen(arguments)?;
    let opened = request(arguments).open(around)?;
    let state = around.state_dir(arguments.place.state_dir.as_deref())?;
    let state = state.ok_or_else(|| {
        Failure::usage(
            "there is no state folder to keep the tokens in; name one with --state-dir FOLDER",
        )
    })?;
    let tokens = match arguments.new_token {
        true => Tokens::renew(&state),
        false => Tokens::load(&state),
    };
    let tokens = tokens.map_err(|error| Failure::system(error.to_string()))?;
    let (hosts, origins) = (arguments.allow_host.clone(), arguments.allow_origin.clone());
    let access = Access::new(tokens, hosts, origins).reached_at(arguments.public_url.as_ref());
    let log = opened.log.for_agents();
    let settings = opened.lancet.settings();
    let asking = Asking::new(arguments.ask, &settings.ask.by, Page::Always, around);
    let options = Options {
        answers: match arguments.structured {
            true => Answers::Structured,
            false => Answers::Text,
        },
        ask: asking.ask,
        // A question at the terminal would hold a thread that all agents share.
        approver: None,
        notify: Some(Notify::new(|question| {
            print_error(&waits(question));
            asking::notify(question);
        })),
        roots,
        log: log.clone(),
        ..Options::default()
    };
    let lancet = opened.lancet.clone();
    hush_panics(log.clone());
    let greeting = greeting(&listening, &state);
    let endpoint = move || {
        let endpoint = Endpoint::new(opened.lancet, options)?;
        print_error(&greeting);
        Ok(endpoint)
    };
    listening
        .run(access, Some(lancet.clone()), endpoint, log)
        .map_err(|error| Failure::system(error.to_string()))?;
    if let Some(history) = lancet.history() {
        let _ = history.clean(TIDYING);
        let _ = history.tidy(TIDYING);
    }
    Ok(Exit::Done)
}

/// The line for the person at the terminal when something begins to wait.
fn waits(question: &RecordedQuestion) -> String {
    let asked = &question.question;
    let files: Vec<String> = asked
        .files
        .iter()
        .map(|file| file.shown_relative())
        .collect();
    let client = asked.client.as_deref().unwrap_or("an agent");
    format!(
        "lancet: {client} waits for an answer about {}: lancet pending show {}\n",
        files.join(", "),
        question.id
    )
}

fn listen(arguments: &ServeArguments) -> Result<Listening, Failure> {
    let protection = match (&arguments.tls, &arguments.public_url) {
        (Some(files), _) => match files.as_slice() {
            [certificate, key] => Protection::Tls(certificate.clone(), key.clone()),
            _ => return Err(Failure::usage("--tls takes two files: CERT KEY")),
        },
        (None, Some(url)) if url.is_encrypted() || !arguments.insecure => {
            Protection::Proxy(url.clone())
        }
        _ if arguments.insecure => Protection::Waived,
        _ => Protection::None,
    };
    let address = arguments.listen.clone();
    let options = ListenOptions {
        address,
        protection,
    };
    Listening::new(&options).map_err(|error| match error {
        ListenError::System(..) | ListenError::Taken(_) => Failure::system(error.to_string()),
        _ => Failure::usage(error.to_string()),
    })
}

/// What the person at the terminal needs to connect an agent. The tokens themselves are not shown: a terminal's lines are
/// kept, copied and shared.
fn greeting(listening: &Listening, state: &Path) -> String {
    let file = |name: &str| state.join(name).display().to_string();
    let public = listening
        .public_url()
        .map(|url| format!("Others reach it at {url}\n"));
    let open = listening.is_open_beside_proxy().then_some(
        "Warning: other machines may also reach it without the proxy, and then unencrypted. Let a firewall allow the proxy alone, or listen on 127.0.0.1\n",
    );
    format!(
        "lancet serves at {}\n{}{}\
         Token: {} (for reading alone: {})\n\
         `lancet help serve` tells how to connect an agent. Ctrl-C ends it.\n",
        listening.url(),
        public.unwrap_or_default(),
        open.unwrap_or_default(),
        file(WRITE_TOKEN),
        file(READ_TOKEN)
    )
}

/// What the engine is opened with.
fn request(arguments: &ServeArguments) -> OpenRequest<'_> {
    OpenRequest {
        place: &arguments.place,
        reach: RootHint::Project,
        mode: arguments.mode,
        writes: Writes::Agent(lancet::Mode::Ask),
        offer: match &arguments.prefix {
            Some(prefix) => Offer::Prefixed(&arguments.choice.tools, prefix),
            None => Offer::Chosen(&arguments.choice.tools),
        },
        approver: ApproverKind::Client,
        answer_limit: ANSWER_LIMIT_MCP,
        default_log_level: Level::Warn,
        lifetime: Lifetime::Long,
    }
}
