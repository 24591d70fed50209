//! `lancet pending --follow`: prints questions as they are recorded and decided. Calls of agents wait while it runs.

use serde_json::json;

use super::approve::decide;
use super::feed::{Feed, News};
use super::find::endings;
use super::line::{Columns, line};
use super::question_json::{object, state};
use crate::arguments::{PendingArguments, WorkArguments};
use crate::command::history::access::unreadable;
use crate::command::history::time;
use crate::command::history::wake::{ChangeWait, Keys, Wake};
use crate::failure::{Exit, Failure};
use crate::guard::{self, Authority};
use crate::surroundings::Surroundings;
use crate::terminal::{
    Colour, Consent, Style, TerminalApprover, print, print_error, stdout_is_terminal, visible_line,
};

/// Runs `lancet pending --follow`.
pub(super) fn follow(arguments: &PendingArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let approver = TerminalApprover::new(Consent::Ask, around);
    let questions = super::questions(arguments, Some(approver.clone()), around)?;
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
    let mut feed = Feed::new(questions);
    let waiting = ChangeWait::new(state.as_deref(), keys);
    loop {
        for news in feed.look().map_err(unreadable)? {
            print(&match arguments.json {
                true => news_object(&news),
                false => news_line(&news, colour),
            })?;
        }
        match waiting.wait() {
            Wake::Look => {}
            Wake::Key(b'd' | b'\n' | b'\r') => {
                waiting.with_lines(|| decide_newest(&feed, &approver, &arguments.place, around))?;
            }
            // Ctrl-D.
            Wake::Key(b'q' | 4) | Wake::End => return Ok(Exit::Done),
            Wake::Key(_) => {}
        }
    }
}

/// Returns the news about a question as one JSON line.
fn news_object(news: &News) -> String {
    let (event, one) = match news {
        News::Asked(one) => ("asked", one),
        News::Closed(one) => (state(one.state), one),
    };
    let ending = endings(std::slice::from_ref(one));
    let mut data = object(one, ending.first().map_or(one.id.as_str(), |id| id.shown));
    data["event"] = json!(event);
    format!("{data}\n")
}

/// Returns the news about a question for people: a new one as in the list, with the commands that decide it.
pub(in crate::command) fn news_line(news: &News, colour: Colour) -> String {
    match news {
        News::Asked(one) => {
            let one = std::slice::from_ref(one);
            let ending = endings(one);
            let columns = Columns::for_questions(one, &ending);
            let lines = one.iter().zip(&ending).map(|(one, id)| {
                let how = format!(
                    "lancet pending show {id}, lancet pending approve {id}, lancet pending reject {id}",
                    id = id.shown
                );
                let how = colour.paint(Style::Dim, &how);
                format!("waits  {}       {how}\n", line(one, *id, columns, colour).replacen('\n', "\n       ", 1))
            });
            lines.collect()
        }
        News::Closed(one) => format!(
            "{}  {}\n",
            colour.paint(Style::Dim, &time::clock(time::now())),
            visible_line(&one.what_became_of_it())
        ),
    }
}

/// Prompts the user at the terminal with the newest open question, and records the answer.
pub(in crate::command) fn decide_newest(
    feed: &Feed,
    approver: &TerminalApprover,
    place: &WorkArguments,
    around: &Surroundings,
) -> Result<(), Failure> {
    let Some(found) = feed.newest().map_err(unreadable)? else {
        print_error("lancet: no question is open\n");
        return Ok(());
    };
    if let Err(failure) = guard::authority("Deciding a question", place, around) {
        print_error(&format!("lancet: {failure}\n"));
        return Ok(());
    }
    let Some(answer) = approver.ask_on_record(&found.question).flatten() else {
        print_error(&format!("lancet: question {} stays open\n", found.id));
        return Ok(());
    };
    let by = Authority::Terminal.decided_by(around);
    // The next check reports the decision.
    if let Err(failure) = decide(feed.questions(), &found, &answer, &by) {
        print_error(&format!("lancet: {failure}\n"));
    }
    Ok(())
}
