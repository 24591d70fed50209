//! `lancet pending --follow`: prints questions as they are recorded and decided. Calls of agents wait while it runs.

use serde_json::json;

use super::approve::record_decision;
use super::feed::{QuestionChange, QuestionFeed};
use super::find::unique_endings;
use super::line::{Columns, format_question};
use super::question_json::{question_json, state_name};
use crate::arguments::{PendingArguments, WorkArguments};
use crate::command::history::access::unreadable_failure;
use crate::command::history::time;
use crate::command::history::wake::{AtSignal, ChangeWait, Keys, WakeReason};
use crate::failure::{Exit, Failure};
use crate::guard::{self, Authority};
use crate::surroundings::Surroundings;
use crate::terminal::{
    Colour, Consent, Style, TerminalApprover, escape_line_for_terminal, print, print_error,
    stdout_is_terminal,
};

/// Runs `lancet pending --follow`.
pub(super) fn follow(arguments: &PendingArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let approver = TerminalApprover::new(Consent::Ask, around);
    let questions = super::open_questions(arguments, Some(approver.clone()), around)?;
    let state = around.state_dir(arguments.place.state_dir.as_deref())?;
    let _watch = questions
        .watch()
        .map_err(|error| Failure::system(format!("the state folder cannot be written: {error}")))?;
    let keys = match stdout_is_terminal() && !arguments.json {
        true => Keys::begin(),
        false => None,
    };
    print_error(match keys {
        Some(_) => {
            "lancet: waiting for questions, and agents' calls wait for your answer; d decides the newest one, q ends\n"
        }
        None => "lancet: waiting for questions, and agents' calls wait for an answer\n",
    });
    let colour = around.colour(stdout_is_terminal());
    let mut feed = QuestionFeed::new(questions);
    let waiting = ChangeWait::new(state.as_deref(), keys, AtSignal::EndProgram);
    loop {
        for news in feed.check_for_changes().map_err(unreadable_failure)? {
            print(&match arguments.json {
                true => change_json(&news),
                false => format_change(&news, colour),
            })?;
        }
        match waiting.wait() {
            WakeReason::Look => {}
            WakeReason::Key(b'd' | b'\n' | b'\r') => {
                waiting.with_line_input(|| {
                    decide_newest(&feed, &approver, &arguments.place, around)
                })?;
            }
            // Ctrl-D.
            WakeReason::Key(b'q' | 4) | WakeReason::End => return Ok(Exit::Done),
            WakeReason::Key(_) => {}
        }
    }
}

/// Returns the news about a question as one JSON line.
fn change_json(news: &QuestionChange) -> String {
    let (event, one) = match news {
        QuestionChange::Asked(one) => ("asked", one),
        QuestionChange::Closed(one) => (state_name(one.state), one),
    };
    let ending = unique_endings(std::slice::from_ref(one));
    let mut data = question_json(one, ending.first().map_or(one.id.as_str(), |id| id.shown));
    data["event"] = json!(event);
    format!("{data}\n")
}

/// Returns the news about a question for people: a new one as in the list, with the commands that decide it.
pub(in crate::command) fn format_change(news: &QuestionChange, colour: Colour) -> String {
    match news {
        QuestionChange::Asked(one) => {
            let one = std::slice::from_ref(one);
            let ending = unique_endings(one);
            let columns = Columns::for_questions(one, &ending);
            let lines = one.iter().zip(&ending).map(|(one, id)| {
                let how = format!(
                    "lancet pending show {id}, lancet pending approve {id}, lancet pending reject {id}",
                    id = id.shown
                );
                let how = colour.paint(Style::Dim, &how);
                format!("waits  {}       {how}\n", format_question(one, *id, columns, colour).replacen('\n', "\n       ", 1))
            });
            lines.collect()
        }
        QuestionChange::Closed(one) => format!(
            "{}  {}\n",
            colour.paint(Style::Dim, &time::format_clock(time::now_in_milliseconds())),
            escape_line_for_terminal(&one.describe_outcome())
        ),
    }
}

/// Prompts the user at the terminal with the newest open question, and records the answer.
pub(in crate::command) fn decide_newest(
    feed: &QuestionFeed,
    approver: &TerminalApprover,
    place: &WorkArguments,
    around: &Surroundings,
) -> Result<(), Failure> {
    let Some(found) = feed.newest_open_question().map_err(unreadable_failure)? else {
        print_error("lancet: no question is open\n");
        return Ok(());
    };
    if let Err(failure) = guard::require_authority("Deciding a question", place, around) {
        print_error(&format!("lancet: {failure}\n"));
        return Ok(());
    }
    let Some(answer) = approver.ask_recorded_question(&found.question).flatten() else {
        print_error(&format!("lancet: question {} stays open\n", found.id));
        return Ok(());
    };
    let by = Authority::Terminal.decided_by(around);
    // The next check reports the decision.
    if let Err(failure) = record_decision(feed.questions(), &found, &answer, &by) {
        print_error(&format!("lancet: {failure}\n"));
    }
    Ok(())
}
