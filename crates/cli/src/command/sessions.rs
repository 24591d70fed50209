//! `lancet sessions`: the agents at work. Stopping one does no harm, so any caller may do it; letting it write again is
//! a person's decision.

mod line;

use lancet::sessions::{SessionOverview, Sessions};
use serde_json::{Value, json};

use super::history::access::{open_engine, unreadable_failure};
use super::history::time;
use crate::arguments::{ResumeArguments, SessionsArguments, SessionsCommand, StopArguments};
use crate::failure::{Exit, Failure};
use crate::guard::{self, Authority};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{
    confirm_at_terminal, escape_line_for_terminal, print, print_error, print_paged,
    stdout_is_terminal,
};

/// Runs `lancet sessions` and the commands below it.
pub(super) fn run(arguments: &SessionsArguments, around: &Surroundings) -> Result<Exit, Failure> {
    match &arguments.command {
        None => list(arguments, around),
        Some(SessionsCommand::Stop(asked)) => stop(asked, arguments, around),
        Some(SessionsCommand::Resume(asked)) => resume(asked, arguments, around),
    }
}

/// Opens the sessions of the user's current project.
fn sessions(arguments: &SessionsArguments, around: &Surroundings) -> Result<Sessions, Failure> {
    let reach = match arguments.all {
        true => RootHint::Nothing,
        false => RootHint::Project,
    };
    let lancet = open_engine(&arguments.place, reach, None, around)?;
    let without = || Failure::usage("no state folder: there is neither a home nor --state-dir");
    let sessions = lancet.sessions().ok_or_else(without)?;
    Ok(match arguments.all {
        true => sessions.in_all_projects(),
        false => sessions,
    })
}

fn list(arguments: &SessionsArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let sessions = sessions(arguments, around)?;
    let found = sessions.list().map_err(unreadable_failure)?;
    let overlaps = sessions.overlaps(&found).map_err(unreadable_failure)?;
    if arguments.json {
        let mut out: String = found
            .iter()
            .map(|one| format!("{}\n", session_json(one)))
            .collect();
        let overlaps = overlaps.iter().map(|overlap| {
            let sessions = overlap.sessions.iter();
            let sessions = sessions.map(
                |one| json!({ "session": one.key, "changed": one.changed.map(time::format_rfc3339) }),
            );
            json!({ "path": overlap.path, "sessions": sessions.collect::<Vec<_>>() })
        });
        let overlaps: Vec<Value> = overlaps.collect();
        out.push_str(&format!(
            "{}\n",
            json!({ "total": found.len(), "overlaps": overlaps })
        ));
        print(&out)?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        let whose = match arguments.all {
            true => "",
            false => " on this project (--all: on any)",
        };
        print_error(&format!("lancet: no agent is at work{whose}\n"));
        return Ok(Exit::Done);
    }
    let colour = around.colour(stdout_is_terminal());
    let mut text = line::format_sessions(&found, colour);
    text.push_str(&line::format_overlaps(&overlaps, around));
    print_paged(&text, around)?;
    Ok(Exit::Done)
}

fn stop(
    asked: &StopArguments,
    arguments: &SessionsArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let sessions = sessions(arguments, around)?.in_all_projects();
    let key = find_unique_session(&sessions, &asked.session)?;
    let words = asked.words.join(" ");
    let words = (!words.trim().is_empty()).then_some(words.as_str());
    let by = guard::decided_by(&arguments.place, around);
    let is_new = sessions
        .stop(&key, &by, words)
        .map_err(unwritable_failure)?;
    let shown = escape_line_for_terminal(&key);
    report_state(
        arguments,
        &key,
        "stopped",
        &match is_new {
            true => format!(
                "{shown} is stopped: its writes are refused until `lancet sessions resume {shown}`"
            ),
            false => format!("{shown} is stopped already"),
        },
    )
}

fn resume(
    asked: &ResumeArguments,
    arguments: &SessionsArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let authority = guard::require_authority("`lancet sessions resume`", &arguments.place, around)?;
    let sessions = sessions(arguments, around)?.in_all_projects();
    let key = find_unique_session(&sessions, &asked.session)?;
    let shown = escape_line_for_terminal(&key).into_owned();
    let Some(stop) = sessions.session_stop(&key).map_err(unreadable_failure)? else {
        return Err(Failure::refused(format!("{shown} is not stopped")));
    };
    if authority == Authority::Terminal {
        let question = format!(
            "{shown} was stopped {} ago by {}.\nLet it write again? [y/N]",
            time::format_age(stop.time),
            escape_line_for_terminal(&stop.by)
        );
        if confirm_at_terminal(&question) != Some(true) {
            return Ok(Exit::Refused);
        }
    }
    let by = authority.decided_by(around);
    sessions.resume(&key, &by).map_err(unwritable_failure)?;
    report_state(
        arguments,
        &key,
        "resumed",
        &format!("{shown} may write again"),
    )
}

/// Finds the session that was typed.
fn find_unique_session(sessions: &Sessions, typed: &str) -> Result<String, Failure> {
    let mut found = sessions.find(typed).map_err(unreadable_failure)?;
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Failure::refused(format!(
            "there is no session {}; `lancet sessions --all` lists them",
            escape_line_for_terminal(typed)
        ))),
        _ => Err(Failure::usage(format!(
            "several sessions end with {}: {}",
            escape_line_for_terminal(typed),
            escape_line_for_terminal(&found.join(", "))
        ))),
    }
}

fn report_state(
    arguments: &SessionsArguments,
    key: &str,
    state: &str,
    words: &str,
) -> Result<Exit, Failure> {
    print(&match arguments.json {
        true => format!(
            "{}\n",
            json!({ "session": key, "state": state, "text": words })
        ),
        false => format!("{words}\n"),
    })?;
    Ok(Exit::Done)
}

fn unwritable_failure(error: lancet::history::HistoryError) -> Failure {
    Failure::system(format!(
        "the state folder cannot be written: {error}; `lancet doctor` says more"
    ))
}

/// Returns a session for programs.
fn session_json(session: &SessionOverview) -> Value {
    let connections = session.connections.iter().map(|one| {
        json!({
            "client": one.client, "version": one.version, "since": one.since.map(time::format_rfc3339),
            "roots": one.roots, "pid": one.pid,
        })
    });
    let changed = session.activity.changed.iter().map(|file| {
        json!({ "path": file.path, "operations": file.operations, "time": time::format_rfc3339(file.time) })
    });
    let waiting = session.waiting.iter();
    let waiting =
        waiting.map(|one| json!({ "question": one.id, "tool": one.tool, "files": one.files }));
    let stop = session.stop.as_ref().map(
        |stop| json!({ "time": time::format_rfc3339(stop.time), "by": stop.by, "words": stop.words }),
    );
    json!({
        "session": session.key,
        "connections": connections.collect::<Vec<_>>(),
        "known_files": session.activity.known_files,
        "latest": session.activity.latest,
        "operations": session.activity.operations,
        "changed_files": session.activity.changed_files,
        "changed": changed.collect::<Vec<_>>(),
        "waiting": waiting.collect::<Vec<_>>(),
        "stopped": stop,
        "sub_agent": session.sub_agent.as_ref().map(|found| json!({ "kind": found.kind, "parent": found.parent })),
    })
}
