//! `lancet watch`: shows each change as it is made, and undoes one with a key. Questions that wait for a person are
//! shown as well, and decided with a key.

use std::collections::VecDeque;

use lancet::history::{History, IdMatch, LogQuery, Operation, OperationKind};
use lancet::undo::{Selection, UndoRequest};
use lancet::{Cancel, Lancet};

use super::access::{open_engine, unreadable_failure};
use super::line::{Columns, LineForm, format_operation};
use super::log::format_diffs;
use super::wake::{AtSignal, ChangeWait, Keys, WakeReason};
use crate::arguments::{DiagnosticsOption, WatchArguments};
use crate::command::pending::{QuestionFeed, decide_newest, format_change};
use crate::command::recording::RecordingThread;
use crate::failure::{Exit, Failure};
use crate::fault::caller;
use crate::opening::{ApproverKind, Lifetime, OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{
    Colour, Consent, TerminalApprover, escape_for_terminal, print, print_error, stdout_is_terminal,
};

/// How many of the newest changes are examined and remembered: one that was begun earlier may end later.
const EXAMINED_CHANGES: usize = 200;
/// The most lines of a change's diff.
const MAX_DIFF_LINES: usize = 200;

/// The state of `lancet watch`: which changes it has shown, and which of them a key can undo.
struct Watch {
    history: History,
    session: Option<String>,
    colour: Colour,
    /// The ids of the changes that existed at the start or are shown, newest last.
    known: VecDeque<String>,
    /// The ids of the changes that can be undone with a key, newest last.
    shown: Vec<String>,
}

/// Runs `lancet watch`.
pub(crate) fn watch(arguments: &WatchArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let lancet = open_watched(arguments, around)?;
    let without = || Failure::usage("no state folder: there is neither a home nor --state-dir");
    let mut watch = Watch {
        history: lancet.history().ok_or_else(without)?,
        session: arguments.session.clone(),
        colour: around.colour(stdout_is_terminal()),
        known: VecDeque::new(),
        shown: Vec::new(),
    };
    for operation in watch.newest_operations()? {
        watch.known.push_front(operation.id);
    }
    let recording = match arguments.record {
        true => Some(RecordingThread::begin(&lancet, arguments)?),
        false => None,
    };
    let questions = lancet.questions().ok_or_else(without)?;
    // Calls that need a person's approval wait as long as this program runs. A recorder in the background is no person.
    let is_watched = recording.is_none() || stdout_is_terminal();
    let _watched = is_watched
        .then(|| questions.watch())
        .transpose()
        .map_err(|error| Failure::system(format!("the state folder cannot be written: {error}")))?;
    let mut feed = QuestionFeed::new(questions);
    let state = around.state_dir(arguments.place.state_dir.as_deref())?;
    let keys = match stdout_is_terminal() {
        true => Keys::begin(),
        false => None,
    };
    print_error(match (&keys, &recording) {
        (Some(_), _) => {
            "lancet: waiting for changes; u takes the newest one back, d decides the newest question, q ends\n"
        }
        (None, None) => "lancet: waiting for changes\n",
        (None, Some(_)) => "lancet: recording changes\n",
    });
    let at_signal = match recording {
        Some(_) => AtSignal::Return,
        None => AtSignal::EndProgram,
    };
    let waiting = ChangeWait::new(state.as_deref(), keys, at_signal);
    loop {
        if recording.as_ref().is_some_and(RecordingThread::has_ended) {
            return end(recording);
        }
        for news in feed.check_for_changes().map_err(unreadable_failure)? {
            print(&format_change(&news, watch.colour))?;
        }
        match waiting.wait() {
            WakeReason::Look => watch.show_new_changes()?,
            WakeReason::Key(b'd') => {
                let asked = TerminalApprover::new(Consent::Ask, around);
                if let Some(state) = &state {
                    asked.set_drafts_folder(state.join("drafts"));
                }
                waiting
                    .with_line_input(|| decide_newest(&feed, &asked, &arguments.place, around))?;
            }
            WakeReason::Key(b'u') => {
                waiting.with_line_input(|| watch.undo_newest_shown(&lancet));
                watch.show_new_changes()?;
            }
            // Ctrl-D.
            WakeReason::Key(b'q' | 4) | WakeReason::End => return end(recording),
            WakeReason::Key(_) => {}
        }
    }
}

/// Opens the engine. While changes are recorded, changed settings apply at once.
fn open_watched(arguments: &WatchArguments, around: &Surroundings) -> Result<Lancet, Failure> {
    let approver = TerminalApprover::new(Consent::Given, around);
    if !arguments.record {
        return open_engine(&arguments.place, RootHint::Project, Some(approver), around);
    }
    let request = OpenRequest {
        approver: ApproverKind::Terminal(approver),
        lifetime: Lifetime::OneClient,
        diagnostics: Some(DiagnosticsOption::Off),
        ..OpenRequest::for_command(&arguments.place, RootHint::Project, WriteAuthor::Person)
    };
    Ok(request.open(around)?.lancet)
}

/// Ends the command; what has changed up to now is recorded.
fn end(recording: Option<RecordingThread>) -> Result<Exit, Failure> {
    recording.map_or(Ok(()), RecordingThread::end)?;
    Ok(Exit::Done)
}

impl Watch {
    /// Returns the newest changes, newest first.
    fn newest_operations(&self) -> Result<Vec<Operation>, Failure> {
        let query = LogQuery {
            session: self.session.clone(),
            limit: Some(EXAMINED_CHANGES),
            ..LogQuery::default()
        };
        self.history.log(&query).map_err(unreadable_failure)
    }

    /// Shows the new changes.
    fn show_new_changes(&mut self) -> Result<(), Failure> {
        for operation in self.newest_operations()?.into_iter().rev() {
            if self.known.contains(&operation.id) {
                continue;
            }
            self.show_change(&operation)?;
            if operation.kind == OperationKind::Change {
                self.shown.push(operation.id.clone());
            }
            self.known.push_back(operation.id);
            while self.known.len() > 2 * EXAMINED_CHANGES {
                self.known.pop_front();
            }
        }
        Ok(())
    }

    fn show_change(&self, operation: &Operation) -> Result<(), Failure> {
        let short = self.history.short_ids(std::slice::from_ref(operation));
        let short = short.map_err(unreadable_failure)?;
        let Some(short) = short.first().copied() else {
            return Ok(());
        };
        let columns = Columns::for_operations([(operation, short.shown)].into_iter());
        let form = LineForm::Whole;
        let mut out = format_operation(
            &self.history,
            operation,
            short,
            columns,
            None,
            form,
            None,
            self.colour,
        );
        let diffs = format_diffs(&self.history, operation, &|_| true, self.colour)?;
        let mut lines = diffs.split_inclusive('\n');
        out.extend(lines.by_ref().take(MAX_DIFF_LINES));
        match lines.count() {
            0 => {}
            more => out.push_str(&format!(
                "… {more} more lines: lancet show {}\n\n",
                short.shown
            )),
        }
        print(&out)
    }

    /// Undoes the newest change that is shown and still in effect. The undo is shown as a separate change, or reported
    /// here if only the changes of one session are shown.
    fn undo_newest_shown(&mut self, lancet: &Lancet) {
        let stands = |id: &str| match self.history.find(id) {
            Ok(IdMatch::One(found)) => !found.is_undone(),
            _ => false,
        };
        let newest = self.shown.iter().rposition(|id| stands(id));
        let Some(id) = newest.map(|at| self.shown[at].clone()) else {
            return print_error("lancet: no change that is shown here can be undone\n");
        };
        let mut asked = UndoRequest::undo(Selection::Operation(id));
        asked.cancel = Some(Cancel::new());
        let reply = lancet.new_session().undo_or_redo(asked, caller());
        // With `--session` the undo is not shown as a change: it is in a different session.
        if reply.refusal().is_some() || self.session.is_some() {
            print_error(&format!("lancet: {}\n", escape_for_terminal(reply.text())));
        }
    }
}
