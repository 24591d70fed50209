//! Looks at the project's files when an agent reports a prompt, a call of its own tools, or the end of a turn, and
//! records what changed.

use std::path::PathBuf;
use std::time::Instant;

use lancet::recording::{BegunCall, EndedCall, RecordedLook, Recording};
use lancet::{Caller, Session, SessionName};
use lancet_serving::conversation::hook_client;

use super::conversation::EventOrigin;
use super::event::{Event, HookEvent};
use super::own_call::{CallMoment, OwnCall};
use super::recorder;
use crate::arguments::WorkArguments;
use crate::failure::Failure;
use crate::opening::{OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings};

/// The agent whose event is processed.
pub(super) struct Observed<'o> {
    pub(super) agent: &'o str,
    /// The agent's id of the conversation.
    pub(super) id: &'o str,
    /// The agent's process; none where the system does not provide it.
    pub(super) process: Option<&'o str>,
    pub(super) place: &'o WorkArguments,
    pub(super) around: &'o Surroundings,
    /// Files that are reached later are not read: the agent goes on by then.
    pub(super) read_until: Instant,
}

impl Observed<'_> {
    /// Looks at the files of the project that the event is about. A folder that is too wide to be a project, such as
    /// the home folder, is not looked at.
    pub(super) fn look(&self, event: &HookEvent) -> Result<(), Failure> {
        let request = OpenRequest::for_command(self.place, RootHint::Project, WriteAuthor::Person);
        let lancet = request.open(self.around)?.lancet;
        let (Some(history), Some(recording)) = (lancet.history(), lancet.recording()) else {
            return Ok(());
        };
        let _ = history.record_hook_run(self.agent, event.event.name());
        let origin = EventOrigin {
            history: &history,
            agent: self.agent,
            process: self.process,
            id: self.id,
        };
        let named = origin
            .find_owner(event)
            .and_then(|owner| SessionName::new(owner.session).ok());
        let Some(named) = named else { return Ok(()) };
        let session = lancet.session(&named);
        let recording = recording.for_agent(self.process);
        let recorded = self.record(event, &recording, &session).transpose();
        let look = recorded
            .map_err(|error| Failure::system(format!("the files cannot be recorded: {error}")))?;
        if let Some(look) = look {
            recorder::ensure(&recording, look.files, self.process);
        }
        Ok(())
    }

    fn record(
        &self,
        event: &HookEvent,
        recording: &Recording,
        session: &Session,
    ) -> Option<Result<RecordedLook, lancet::recording::RecordError>> {
        let caller = Caller {
            client: hook_client(self.agent).map(str::to_owned),
            ..Caller::default()
        };
        let until = Some(self.read_until);
        Some(match &event.event {
            Event::Prompt(_) => recording.at_prompt(session, &caller, until),
            Event::TurnEnd | Event::Pause => recording.at_end(session, &caller),
            Event::OwnCall(call) => {
                let caller = Caller {
                    turn: call.turn.clone(),
                    call: call.id.clone(),
                    ..caller
                };
                if call.moment == CallMoment::Before {
                    let begun = self.begun(call, session);
                    return Some(recording.begin_call(&begun, &caller, session, until));
                }
                let ended = EndedCall {
                    key: self.key(call, session),
                    tool: call.id.is_none().then(|| call.tool.clone()),
                    exit_code: call.exit_code,
                    end: call.end,
                };
                recording.end_call(&ended, &caller, session)
            }
            _ => return None,
        })
    }

    fn begun(&self, call: &OwnCall, session: &Session) -> BegunCall {
        let absolute = |path: &PathBuf| self.around.absolute(path).ok();
        // Names are compared with those of the look, whose root has no links.
        let resolved = |path: PathBuf| match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) => folder
                .canonicalize()
                .map_or(path.clone(), |folder| folder.join(name)),
            _ => path,
        };
        BegunCall {
            key: self.key(call, session),
            tool: call.tool.clone(),
            command: call.command.clone(),
            paths: call
                .paths
                .iter()
                .filter_map(absolute)
                .map(resolved)
                .collect(),
            process: self.process.map(str::to_owned),
            end_report: call.end_report,
        }
    }

    /// Returns what identifies a call: the agent's id, or else what is called.
    fn key(&self, call: &OwnCall, session: &Session) -> String {
        match &call.id {
            Some(id) => format!("{} {id}", self.agent),
            None => format!("{} {} {}", session.key(), call.tool, call.arguments),
        }
    }
}
