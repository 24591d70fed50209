//! `lancet serve`: serves the tools over HTTP to any number of agents, and the page to people, until a signal ends it.

mod browser;
mod link;

use std::path::Path;
use std::time::Duration;

use lancet::questions::RecordedQuestion;
use lancet::tools::ANSWER_LIMIT_MCP;
use lancet_mcp::{
    Endpoint, Options, QuestionNotifier, QuestionRecording, RootsOrigin, hush_panics,
};
use lancet_serving::Level;
use lancet_serving::door::PageAccess;
use lancet_serving::tokens::{READ_TOKEN, Tokens, WRITE_TOKEN};
use lancet_web::{Access, ListenError, ListenOptions, Listening, Protection};

use self::browser::Opener;
use self::link::{PageAddress, PageReach};
use super::asking::{self, AskTarget};
use super::recording::ServerRecorder;
use crate::arguments::{AskOption, ServeArguments};
use crate::failure::{Exit, Failure};
use crate::guard;
use crate::opening::{ApproverKind, FlawHandling, Lifetime, Offer, OpenRequest, WriteAuthor};
use crate::surroundings::{AgentRoots, RootHint, Surroundings};
use crate::terminal::print_error;

/// How long each of the two steps of maintenance of the history at the end may take.
const MAINTENANCE_TIME: Duration = Duration::from_millis(300);

/// The last line of the message at the start.
const LAST_LINE: &str = "`lancet help serve` says how to connect an agent. Ctrl-C ends it.
";

/// Serves until a signal.
pub(super) fn run(arguments: &ServeArguments, around: &Surroundings) -> Result<Exit, Failure> {
    if arguments.link {
        return link::print_link(arguments, around);
    }
    if arguments.open {
        guard::refuse_agents("lancet serve --open", around)?;
    }
    if arguments.ask == Some(AskOption::Terminal) {
        return Err(Failure::usage(
            "--ask terminal holds a thread for each question, and four would stop the server for all agents; leave it out, and decide with `lancet pending --follow`",
        ));
    }
    let roots = roots_origin(arguments, around)?;
    // Listening comes first: a port that is in use is reported before anything is opened.
    let listening = listen(arguments)?;
    let opener = arguments.open.then(|| Opener::begin(around));
    let opened = open_request(arguments).open(around)?;
    let state = link::state_folder(arguments, around)?;
    let door = PageAccess::new(&state);
    let tokens = load_tokens(arguments, &state, &door)?;
    browser::remove_old_files(&state);
    let address = page_address(&listening, arguments);
    let (hosts, origins) = (arguments.allow_host.clone(), arguments.allow_origin.clone());
    let access =
        Access::new(tokens, hosts, origins).allow_public_url(arguments.public_url.as_ref());
    let log = opened.log.for_agents();
    let settings = opened.lancet.settings();
    let asking = AskTarget::new(
        arguments.ask,
        &settings.ask.by,
        QuestionRecording::Always,
        around,
    );
    let page = address.url.clone();
    let options = Options {
        answers: arguments.offer.answers(),
        data: arguments.offer.data_extent(),
        ask: asking.ask,
        // A question at the terminal would occupy a thread that all agents share.
        approver: None,
        notify: Some(QuestionNotifier::new(move |question| {
            print_error(&waiting_notice(question, &page));
            asking::notify_user(question);
        })),
        roots,
        log: log.clone(),
        ..Options::default()
    };
    let lancet = opened.lancet.clone();
    let _recorder = ServerRecorder::begin(&lancet, &arguments.place, around);
    hush_panics(log.clone());
    let greeting = format!(
        "{}{}{LAST_LINE}",
        connection_help(&listening, &state),
        link::page_message(&address, &door, around)
    );
    let noted = address.save_record(&state);
    noted.map_err(|error| Failure::system(format!("{}: {error}", state.display())))?;
    let (shown, folder) = (address.clone(), state.clone());
    let endpoint = move || {
        let endpoint = Endpoint::new(opened.lancet, options)?;
        print_error(&greeting);
        if let Some(opener) = opener {
            open_in_browser(opener, &shown, &door, &folder);
        }
        Ok(endpoint)
    };
    listening
        .run(access, Some(lancet.clone()), endpoint, log)
        .map_err(|error| Failure::system(error.to_string()))?;
    address.remove_record(&state);
    if let Some(history) = lancet.history() {
        let _ = history.clean(MAINTENANCE_TIME);
        let _ = history.tidy(MAINTENANCE_TIME);
    }
    Ok(Exit::Done)
}

/// Returns the origin of the roots. Without roots that an agent may narrow, the server does not start.
fn roots_origin(arguments: &ServeArguments, around: &Surroundings) -> Result<RootsOrigin, Failure> {
    Ok(match AgentRoots::detect(&arguments.place.root, around)? {
        AgentRoots::Named => RootsOrigin::Named,
        AgentRoots::Found => RootsOrigin::Found,
        AgentRoots::TooWide { folder, what } => {
            let why = AgentRoots::explain_missing_roots(&folder, what);
            return Err(Failure::usage(format!(
                "{why} Start it in the folder of a project, or name one with --root FOLDER"
            )));
        }
    })
}

/// Returns the tokens. If new ones are made, all browsers that had access lose it.
fn load_tokens(
    arguments: &ServeArguments,
    state: &Path,
    door: &PageAccess,
) -> Result<Tokens, Failure> {
    let tokens = match arguments.new_token {
        true => Tokens::renew(state),
        false => Tokens::load(state),
    };
    let tokens = tokens.map_err(|error| Failure::system(error.to_string()))?;
    if arguments.new_token {
        let forgotten = door.forget_all();
        forgotten.map_err(|error| Failure::system(error.to_string()))?;
    }
    Ok(tokens)
}

/// Returns the line for the user at the terminal when something begins to wait.
fn waiting_notice(question: &RecordedQuestion, page: &str) -> String {
    let asked = &question.question;
    let files: Vec<String> = asked
        .files
        .iter()
        .map(|file| file.escaped_relative_path())
        .collect();
    let client = asked.client.as_deref().unwrap_or("an agent");
    format!(
        "lancet: {client} waits for an answer about {}: {page}/waiting/{id}, or `lancet pending show {id}`\n",
        files.join(", "),
        id = question.id
    )
}

/// Returns the address of a server's page.
fn page_address(listening: &Listening, arguments: &ServeArguments) -> PageAddress {
    PageAddress {
        url: listening.page_url(&arguments.allow_host),
        listens: listening.address(),
        reach: match listening.is_on_network() {
            true => PageReach::Network,
            false => PageReach::Machine,
        },
    }
}

/// Opens the page in a browser, or reports why not.
fn open_in_browser(opener: Option<Opener>, address: &PageAddress, door: &PageAccess, state: &Path) {
    let Some(opener) = opener else {
        return link::report_no_browser("there is no screen, or no program that opens one");
    };
    let opened = address
        .new_link(door)
        .and_then(|link| opener.open(state, &link.text, &link.code));
    if let Err(error) = opened {
        link::report_no_browser(&error.to_string());
    }
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

/// Returns the information that the user at the terminal needs to connect an agent. The tokens themselves are not
/// shown: a terminal's lines are stored, copied and shared.
fn connection_help(listening: &Listening, state: &Path) -> String {
    let file = |name: &str| state.join(name).display().to_string();
    let public = listening
        .public_url()
        .map(|url| format!("Others reach it at {url}\n"));
    let open = listening.is_reachable_without_proxy().then_some(
        "Warning: other machines may also reach it without the proxy, and then unencrypted. Let a firewall allow the proxy alone, or listen on 127.0.0.1\n",
    );
    format!(
        "lancet serves at {}\n{}{}\
         Token: {} (for reading alone: {})\n",
        listening.url(),
        public.unwrap_or_default(),
        open.unwrap_or_default(),
        file(WRITE_TOKEN),
        file(READ_TOKEN)
    )
}

/// Returns the request that opens the engine.
fn open_request(arguments: &ServeArguments) -> OpenRequest<'_> {
    OpenRequest {
        place: &arguments.place,
        reach: RootHint::Project,
        mode: arguments.mode,
        writes: WriteAuthor::Agent(lancet::Mode::Ask),
        offer: Offer::from_arguments(&arguments.offer),
        diagnostics: arguments.offer.diagnostics,
        approver: ApproverKind::Client,
        answer_limit: ANSWER_LIMIT_MCP,
        default_log_level: Level::Warn,
        flaw_use: FlawHandling::Reported,
        lifetime: Lifetime::ManyClients,
    }
}
