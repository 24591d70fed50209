//! `lancet hook AGENT`: processes one event that an agent reports by its hooks. The agent waits for the answer and
//! takes a failure for a veto. So the command ends in time and with success, whatever its input was.

mod conversation;
mod detached;
mod event;
mod exit_code;
mod message;
mod observe;
mod own_call;
mod recorder;
mod tool;
mod words;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use lancet::history::ConversationReport;
use lancet::{Lancet, SessionName};
use lancet_install::Agent;
use lancet_serving::conversation::session_name_for_hook;
use serde_json::{Value, json};

use self::conversation::EventOrigin;
use self::event::{Event, HookEvent};
use self::observe::Observed;
use crate::ancestor::agent_process;
use crate::arguments::{HookArguments, WorkArguments};
use crate::failure::{Exit, Failure};
use crate::opening::{OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{print, print_error};

/// The largest event that is read, in bytes: it contains the texts of the agent's own reading tool.
const MAX_EVENT_BYTES: u64 = 16 << 20;

/// How long a look at the files may keep the agent waiting. It goes on afterwards.
const LOOKING: Duration = Duration::from_millis(1_900);

/// How long an event that is recorded may take: agents are configured to wait five seconds.
const RECORDING_TIMEOUT: Duration = Duration::from_secs(3);

/// The agents that have hooks.
pub(super) const AGENTS: [&str; 6] = ["claude", "codex", "gemini", "qwen", "copilot", "opencode"];

/// Reports whether a command line is a hook of an agent, which must end with exit code 0.
pub(crate) fn is_wanted(typed: &[std::ffi::OsString]) -> bool {
    typed.get(1).is_some_and(|command| command == "hook")
}

/// Runs `lancet hook`.
pub(super) fn run(arguments: &HookArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let agent = match arguments.agent.as_str() {
        "claude-code" => "claude",
        name => name,
    };
    if !AGENTS.contains(&agent) {
        print_error(&format!(
            "lancet: {agent} is no agent whose hooks lancet knows; it knows {}\n",
            AGENTS.join(", ")
        ));
        return Ok(Exit::Done);
    }
    if let Some(process) = &arguments.recorder {
        recorder::run(process, &arguments.place, around);
        return Ok(Exit::Done);
    }
    let begun = Instant::now();
    let (told, tells) = mpsc::channel();
    let request = HookRequest {
        agent: agent.to_owned(),
        place: arguments.place.clone(),
        around: around.clone(),
        is_plugin: arguments.plugin,
        detached_from: arguments.detached.clone(),
        looking: LOOKING.max(Duration::from_millis(arguments.within)),
        begun,
    };
    if request.detached_from.is_some() {
        detached::leave();
        let _ = request.answer(&|| None);
        return Ok(Exit::Done);
    }
    let worker = thread::Builder::new().spawn(move || {
        let recording = || told.send(HookMessage::Recording).ok();
        let found = request.answer(&recording);
        let _ = told.send(HookMessage::Ended(found));
    });
    let mut limit = Duration::from_millis(arguments.within);
    // The worker's end of the channel is closed where no thread could be started.
    drop(worker);
    loop {
        match tells.recv_timeout(limit.saturating_sub(begun.elapsed())) {
            Ok(HookMessage::Recording) => limit = limit.max(RECORDING_TIMEOUT),
            Ok(HookMessage::Ended(Some(answer))) => {
                // An answer that cannot be written is no reason for a veto.
                let _ = print(&format!("{answer}\n"));
                return Ok(Exit::Done);
            }
            Ok(HookMessage::Ended(None)) | Err(_) => return Ok(Exit::Done),
        }
    }
}

/// A message from the working thread to the waiting one.
enum HookMessage {
    /// The event is one that later commands rely on, so its record is waited for.
    Recording,
    /// The event is processed, and this is the answer.
    Ended(Option<Value>),
}

/// One run of the command.
struct HookRequest {
    agent: String,
    place: WorkArguments,
    around: Surroundings,
    is_plugin: bool,
    /// The agent's process, in a process of its own that looks at the files; empty if it is not known.
    detached_from: Option<String>,
    /// How long a look may keep the agent waiting.
    looking: Duration,
    begun: Instant,
}

impl HookRequest {
    /// Returns the answer to the event on standard input; none where no answer is needed.
    fn answer(&self, recording: &dyn Fn() -> Option<()>) -> Option<Value> {
        let mut bytes = Vec::new();
        let input = std::io::stdin().lock();
        input
            .take(MAX_EVENT_BYTES + 1)
            .read_to_end(&mut bytes)
            .ok()?;
        if bytes.len() as u64 > MAX_EVENT_BYTES {
            return None;
        }
        let sent: Value = serde_json::from_slice(&bytes).ok()?;
        let agent = self.agent.as_str();
        let event = HookEvent::parse(agent, &sent)?;
        // The hooks that were installed in addition to the plugin have processed the event. Claude Code gives the tools
        // of a plugin different names, so only the plugin's hooks see calls of them.
        let folder = event.folder.as_deref();
        let beside = || agent_with_second_installation(agent, &self.place, &self.around, folder);
        if let Some(installed) = self.is_plugin.then(beside).flatten() {
            match event.event {
                Event::SessionStart(_) => {
                    return Some(json!({ "systemMessage": double_installation_notice(installed) }));
                }
                Event::Changed { .. } | Event::BeforeCall { .. } if agent == "claude" => {}
                _ => return None,
            }
        }
        let id = event.session.clone();
        let id = id.or_else(|| self.around.session_of_agent(agent))?;
        let mut around = self.around.clone();
        around.working = event.folder.clone().or(around.working);
        if let Some(process) = &self.detached_from {
            let process = Some(process.as_str()).filter(|process| !process.is_empty());
            self.look(&event, &id, process, &around);
            return None;
        }
        // Later calls and commands rely on the record of these events.
        if !matches!(event.event, Event::Changed { .. } | Event::Read { .. }) {
            recording();
        }
        let process = agent_process();
        if event.event.is_looked_at() {
            match detached::start(&bytes, process.as_deref()) {
                Ok(child) => {
                    detached::wait(child, self.looking.saturating_sub(self.begun.elapsed()));
                }
                Err(_) => self.look(&event, &id, process.as_deref(), &around),
            }
        }
        let decision = match &event.event {
            Event::BeforeCall { decision, .. } => decision.clone(),
            _ => None,
        };
        process_event(agent, &id, &event, process.as_deref(), &self.place, &around).or(decision)
    }

    /// Looks at the files. A failure is reported, and does not concern the agent.
    fn look(&self, event: &HookEvent, id: &str, process: Option<&str>, around: &Surroundings) {
        let observed = Observed {
            agent: &self.agent,
            id,
            process,
            place: &self.place,
            around,
            read_until: self.begun + self.looking,
        };
        if let Err(failure) = observed.look(event) {
            print_error(&format!("lancet: {}\n", failure.message));
        }
    }
}

/// Processes an event and returns the answer to it, if there is one.
fn process_event(
    agent: &str,
    id: &str,
    event: &HookEvent,
    process: Option<&str>,
    place: &WorkArguments,
    around: &Surroundings,
) -> Option<Value> {
    let is_only_looked_at = matches!(event.event, Event::OwnCall(_) | Event::Pause);
    if is_only_looked_at {
        return None;
    }
    let lancet = open(place, around)?;
    let history = lancet.history()?;
    let _ = history.record_hook_run(agent, event.event.name());
    let origin = EventOrigin {
        history: &history,
        agent,
        process,
        id,
    };
    match &event.event {
        Event::SessionStart(report) => origin.record_report(event, *report).map(drop),
        Event::Prompt(text) => {
            let name = origin.record_report(event, ConversationReport::Prompt)?;
            let _ = history.record_prompt(&name, text);
            return words::comments_for_prompt(&lancet, agent, &name);
        }
        Event::TurnEnd => {
            let name = session_name_for_hook(agent, id)?;
            history.end_turn(process?, &name).ok()
        }
        Event::SubAgentStart => {
            let owner = origin.find_owner(event)?;
            let since = event.time.unwrap_or_default();
            history.begin_run(process?, &owner.session, since).ok()
        }
        Event::SubAgentStop => history.end_run(&origin.find_owner(event)?.session).ok(),
        Event::SubAgentReturned => history.note_parent_continues(process?).ok(),
        Event::BeforeCall { call, .. } => origin.announce_call(event, call),
        Event::Read { path, text, call } => {
            let name = origin.reading_session(event, call)?;
            let session = lancet.session(&SessionName::new(name).ok()?);
            let path = absolute(around, path)?;
            session.note_seen(path, text).ok().map(drop)
        }
        Event::Changed { call, answer } => {
            let shown = message::change_message(&history, call.as_deref(), answer);
            return shown.map(|text| json!({ "systemMessage": text }));
        }
        Event::OwnCall(_) | Event::Pause => None,
    };
    None
}

/// Returns the agent if `lancet install` has installed lancet in it as well.
fn agent_with_second_installation(
    agent: &str,
    place: &WorkArguments,
    around: &Surroundings,
    folder: Option<&Path>,
) -> Option<&'static Agent> {
    let agent = lancet_install::find_agent(agent)?;
    let state = around.state_dir(place.state_dir.as_deref()).ok()??;
    let folder = folder.or(around.working.as_deref())?;
    super::install::is_installed(&state, agent, folder).then_some(agent)
}

fn double_installation_notice(agent: &Agent) -> String {
    format!(
        "lancet is in {} twice, as a plugin and by `lancet install`: `lancet uninstall {}` leaves the plugin, removing the plugin leaves the other.",
        agent.title, agent.name
    )
}

/// Returns the absolute path of a file that an agent names, relative to the folder of the event.
fn absolute(around: &Surroundings, path: &str) -> Option<PathBuf> {
    around.absolute(Path::new(path)).ok()
}

/// Opens the engine on the project of the event or, if its folder is in no project, on that folder alone.
fn open(place: &WorkArguments, around: &Surroundings) -> Option<Lancet> {
    let request = |reach| OpenRequest::for_command(place, reach, WriteAuthor::Person);
    let opened = request(RootHint::Project)
        .open(around)
        .or_else(|_| request(RootHint::Nothing).open(around));
    Some(opened.ok()?.lancet)
}
