//! `--exec`: runs a command after a change and undoes the change if the command fails.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

use lancet::history::{IdMatch, Operation};
use lancet::outcome::{FileOutcome, Outcome};
use lancet::recording::{RecordedCall, Recording};
use lancet::undo::{Conflicts, Selection, UndoRequest};
use lancet::{Lancet, Reply, Session};

use super::recording_failure;
use super::started::run_to_end;
use crate::answer::{OutputFormat, Presentation, print_reply};
use crate::arguments::{ExecFlags, WorkArguments};
use crate::command::history::access::unreadable_failure;
use crate::failure::{Exit, Failure};
use crate::fault::{begin_unlimited_call, caller};
use crate::opening::{ApproverKind, OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings, resolve_roots};
use crate::terminal::{Consent, TerminalApprover, escape_line_for_terminal, print_error};

/// How a change is reverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::command) enum Reversal {
    /// The change is undone.
    Undo,
    /// The change is an undo, and is redone.
    Redo,
}

/// Runs the command of `--exec`, if there is one and the change was made. `exit` is the exit code of the change.
pub(in crate::command) fn prove_change(
    flags: &ExecFlags,
    reply: &Reply,
    reversal: Reversal,
    place: &WorkArguments,
    exit: Exit,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let Outcome::Changed(change) = reply.outcome() else {
        return Ok(exit);
    };
    let Some(operation) = change.operation.clone().filter(|_| !change.dry_run) else {
        return Ok(exit);
    };
    let paths = changed_paths(&change.files, around);
    let proven = ProvenChange {
        operations: vec![operation],
        reach: RootHint::AtAll(&paths),
        reversal,
    };
    prove_operations(flags, &proven, place, exit, around)
}

/// A change that is proved by a command.
pub(in crate::command) struct ProvenChange<'a> {
    /// The operations that made it, oldest first.
    pub(in crate::command) operations: Vec<String>,
    /// The files that it touched.
    pub(in crate::command) reach: RootHint<'a>,
    /// How it is reverted.
    pub(in crate::command) reversal: Reversal,
}

/// Runs the command of `--exec`, if there is one, after a change that one operation or several made.
pub(in crate::command) fn prove_operations(
    flags: &ExecFlags,
    proven: &ProvenChange<'_>,
    place: &WorkArguments,
    exit: Exit,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let (Some(command), Some(newest)) = (&flags.exec, proven.operations.last()) else {
        return Ok(exit);
    };
    let approver = TerminalApprover::new(Consent::Given, around);
    let request = OpenRequest {
        approver: ApproverKind::Terminal(approver.clone()),
        ..OpenRequest::for_command(place, proven.reach, WriteAuthor::Person)
    };
    // The kernel's sandbox would confine the command as well.
    let lancet = request.open_unconfined(around)?;
    let session = lancet.new_session();
    let without = || Failure::usage("no state folder: there is neither a home nor --state-dir");
    let recording = lancet.recording().ok_or_else(without)?;
    // An undo of the change undoes what the command changed, too. An undo itself is not undone but redone.
    let parent = match proven.reversal {
        Reversal::Undo => Some(newest.clone()),
        Reversal::Redo => None,
    };
    let (code, own_change) = run_recorded(command, parent, &recording, &session)?;
    if code == 0 {
        return Ok(exit);
    }
    let shown = escape_line_for_terminal(command).into_owned();
    if flags.keep_on_failure {
        print_error(&format!(
            "lancet: `{shown}` ended with {code}; the change stays, `lancet undo` undoes it\n"
        ));
        return Ok(Exit::Refused);
    }
    let reverted = Reverted {
        lancet: &lancet,
        approver: &approver,
        around,
    };
    let mut is_reverted = true;
    for operation in &proven.operations {
        is_reverted &= reverted.is_undone(operation)?;
    }
    let what = match (proven.reversal, is_reverted) {
        (Reversal::Undo, false) => "undoing the change",
        (Reversal::Redo, false) => "redoing what was undone",
        (Reversal::Undo, true) => "the change is undone already",
        (Reversal::Redo, true) => "what was undone is redone already",
    };
    print_error(&format!("lancet: `{shown}` ended with {code}; {what}\n"));
    let mut worst = Exit::Refused;
    if let Some(own) = own_change
        && !reverted.revert_own_change(own)?
    {
        worst = Exit::System;
    }
    if !is_reverted && !reverted.revert_operations(proven)? {
        worst = Exit::System;
    }
    Ok(worst)
}

/// Returns the paths of the changed files, before and after the change. Those in the project around the working folder
/// come first, because the command runs in the project of the first one.
fn changed_paths(files: &[FileOutcome], around: &Surroundings) -> Vec<PathBuf> {
    let names = files
        .iter()
        .flat_map(|file| std::iter::once(&file.path).chain(&file.from_path));
    let mut paths: Vec<PathBuf> = names.cloned().collect();
    let project = resolve_roots(&[], RootHint::Recorded, around).unwrap_or_default();
    paths.sort_by_key(|path| !project.iter().any(|root| path.starts_with(root)));
    paths
}

/// Runs the command and records what it changes, as a part of the operation `parent`. Returns its exit code and the id of
/// its change.
fn run_recorded(
    command: &str,
    parent: Option<String>,
    recording: &Recording,
    session: &Session,
) -> Result<(u8, Option<String>), Failure> {
    let begun = recording.begin_run(session);
    let begun = begun.map_err(|error| Failure {
        message: format!(
            "{}. The command was not started, and the change stays.",
            recording_failure(&error).message
        ),
        ..recording_failure(&error)
    })?;
    let words: [OsString; 5] = [
        "sh".into(),
        "-c".into(),
        "cd -- \"$0\" && eval \"$1\"".into(),
        recording.root().into(),
        command.into(),
    ];
    let started = Instant::now();
    let code = run_to_end(&words).unwrap_or_else(|error| {
        print_error(&format!(
            "lancet: {}\n",
            escape_line_for_terminal(&error.to_string())
        ));
        error.exit_code()
    });
    let call = RecordedCall {
        command: Some(command.to_owned()),
        exit_code: Some(i32::from(code)),
        duration: i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX),
        parent,
        ..RecordedCall::default()
    };
    let look = recording
        .end_run(&begun, &caller(), call, session)
        .map_err(|error| recording_failure(&error))?;
    Ok((code, look.operation.map(|(id, _)| id)))
}

/// Reverts the changes.
struct Reverted<'a> {
    lancet: &'a Lancet,
    approver: &'a TerminalApprover,
    around: &'a Surroundings,
}

impl Reverted<'_> {
    /// Returns a change by its whole id.
    fn find(&self, id: &str) -> Result<Option<Operation>, Failure> {
        let Some(history) = self.lancet.history() else {
            return Ok(None);
        };
        match history.find(id).map_err(unreadable_failure)? {
            IdMatch::One(found) => Ok(Some(*found)),
            IdMatch::None | IdMatch::Several(_) => Ok(None),
        }
    }

    /// Returns whether a change is undone, or a change that was an undo is redone.
    fn is_undone(&self, id: &str) -> Result<bool, Failure> {
        Ok(self.find(id)?.is_some_and(|found| found.is_undone()))
    }

    /// Reverts the operations of the change that are still in effect, newest first. Returns whether every file has its
    /// old state again.
    fn revert_operations(&self, proven: &ProvenChange<'_>) -> Result<bool, Failure> {
        let mut is_whole = true;
        for operation in proven.operations.iter().rev() {
            if self.is_undone(operation)? {
                continue;
            }
            let selection = Selection::Operation(operation.clone());
            is_whole &= self.revert(match proven.reversal {
                Reversal::Undo => UndoRequest::undo(selection),
                Reversal::Redo => UndoRequest::redo(selection),
            })?;
        }
        Ok(is_whole)
    }

    /// Reverts what the command changed. Returns whether all of it has its old state again: HEAD stays where the
    /// command moved it, and the way back is named.
    fn revert_own_change(&self, id: String) -> Result<bool, Failure> {
        let found = self.find(&id)?;
        let has_files = found.as_ref().is_none_or(|found| !found.files.is_empty());
        let head = found.and_then(|found| found.recorded?.head);
        if let Some(head) = head.as_ref().filter(|_| !has_files) {
            print_error(&format!(
                "lancet: the command moved HEAD ({}), and HEAD stays there; `{}` moves it back\n",
                escape_line_for_terminal(&head.to_string()),
                escape_line_for_terminal(&head.command_back())
            ));
            return Ok(false);
        }
        // The answer of the undo names HEAD itself.
        let is_reverted = self.revert(UndoRequest::undo(Selection::Operation(id)))?;
        Ok(is_reverted && head.is_none())
    }

    /// Reverts one change and prints what was done. Returns whether every file has its old state again: a file that was
    /// changed meanwhile stays, and is named.
    fn revert(&self, request: UndoRequest) -> Result<bool, Failure> {
        let mut request = request.conflicts(Conflicts::LeaveOut);
        request.cancel = Some(begin_unlimited_call());
        let reply = self.lancet.new_session().undo_or_redo(request, caller());
        let exit = print_reply(
            &reply,
            OutputFormat::Text,
            Presentation::Change(self.approver),
            self.around,
        )?;
        Ok(exit == Exit::Done)
    }
}
