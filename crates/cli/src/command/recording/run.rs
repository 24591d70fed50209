//! `lancet run`: a checkpoint, a command with the caller's terminal, a checkpoint. The differences are one change.

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Instant;

use lancet::recording::{RecordedCall, RecordedLook, Recording, format_command, quote_argument};

use super::recording_failure;
use super::started::{StartError, run_to_end};
use crate::arguments::RunArguments;
use crate::command::session_named_or_new;
use crate::failure::{Exit, Failure};
use crate::fault::caller;
use crate::opening::{OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{escape_for_terminal, print_error};

/// The longest name of a change.
const LONGEST_NAME: usize = 80;

/// Runs `lancet run`.
pub(in crate::command) fn run_recorded(
    arguments: &RunArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let request =
        OpenRequest::for_command(&arguments.place, RootHint::Project, WriteAuthor::Person);
    // The kernel's sandbox would confine the command as well.
    let lancet = request.open_unconfined(around)?;
    let session = session_named_or_new(&lancet, arguments.session.as_ref());
    let without = || Failure::usage("no state folder: there is neither a home nor --state-dir");
    let recording = lancet.recording().ok_or_else(without)?;
    let begun = recording.begin_run(&session);
    let begun = begun.map_err(|error| Failure {
        message: format!(
            "{}. The command was not started.",
            recording_failure(&error).message
        ),
        ..recording_failure(&error)
    })?;
    let started = Instant::now();
    let ended = run_to_end(&arguments.command);
    let duration = started.elapsed();
    let code = match &ended {
        Ok(code) => *code,
        Err(error) => {
            print_error(&format!(
                "lancet: {}\n",
                escape_for_terminal(&error.to_string())
            ));
            error.exit_code()
        }
    };
    if matches!(ended, Err(StartError::NotFound { .. })) {
        let _ = recording.forget_run(&begun);
        return Ok(Exit::Command(code));
    }
    let words: Vec<String> = arguments
        .command
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let name = arguments.name.as_ref();
    let call = RecordedCall {
        command: Some(format_command(&words)),
        exit_code: Some(i32::from(code)),
        duration: i64::try_from(duration.as_millis()).unwrap_or(i64::MAX),
        name: name.map(|name| name.chars().take(LONGEST_NAME).collect()),
        ..RecordedCall::default()
    };
    match recording.end_run(&begun, &caller(), call, &session) {
        Ok(look) => report_recording(arguments, &recording, &look),
        // The command has run, and the caller relies on its exit code.
        Err(error) => print_error(&format!("lancet: {}\n", recording_failure(&error).message)),
    }
    Ok(Exit::Command(code))
}

/// Reports what was recorded, at a terminal. That the project itself is gone is always reported.
fn report_recording(arguments: &RunArguments, recording: &Recording, look: &RecordedLook) {
    let is_reported = look.is_root_removed || std::io::stderr().is_terminal();
    if arguments.quiet || !is_reported {
        return;
    }
    let files = |number: usize| match number {
        1 => "1 file".to_owned(),
        more => format!("{more} files"),
    };
    let mut line = match &look.operation {
        Some((id, number)) if look.is_root_removed => format!(
            "{} was removed with {}; `{}` takes it back",
            escape_for_terminal(&recording.root().display().to_string()),
            files(*number),
            escape_for_terminal(&undo_from_above(recording.root(), id))
        ),
        None if look.is_root_removed => format!(
            "{} was removed, and nothing in it can be restored",
            escape_for_terminal(&recording.root().display().to_string())
        ),
        Some((_, 0)) => match &look.head {
            Some(head) => format!("HEAD moved: {}", escape_for_terminal(&head.to_string())),
            None if look.not_kept.is_empty() => return,
            None => "nothing changed that can be undone".to_owned(),
        },
        Some((id, number)) => {
            let short = &id[id.len().saturating_sub(4)..];
            format!(
                "{} changed; `lancet undo {short}` takes it back",
                files(*number)
            )
        }
        None => return,
    };
    if let Some(first) = look.not_kept.first() {
        let shown = first.strip_prefix(recording.root()).unwrap_or(first);
        let more = match look.not_kept.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        line.push_str(&format!(
            "; not {}{more}, which cannot be undone",
            escape_for_terminal(&shown.display().to_string())
        ));
    }
    print_error(&format!("lancet: {line}\n"));
}

/// Returns the command that undoes a change which removed the root: it names the nearest folder above that is there.
fn undo_from_above(root: &Path, id: &str) -> String {
    let above = root.ancestors().skip(1).find(|folder| folder.is_dir());
    let above = above.unwrap_or(Path::new("/")).to_string_lossy();
    let short = &id[id.len().saturating_sub(4)..];
    format!("lancet undo {short} --root {}", quote_argument(&above))
}
