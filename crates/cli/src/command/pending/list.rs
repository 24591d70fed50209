//! `lancet pending` without a subcommand: lists the open questions, newest first.

use serde_json::json;

use super::find::unique_endings;
use super::line::{Columns, format_question};
use super::question_json::question_json;
use crate::arguments::PendingArguments;
use crate::command::history::access::unreadable_failure;
use crate::failure::{Exit, Failure};
use crate::surroundings::Surroundings;
use crate::terminal::{print, print_error, print_paged, stdout_is_terminal};

/// Lists the questions that are open.
pub(super) fn list(arguments: &PendingArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let questions = super::open_questions(arguments, None, around)?;
    let open = questions.open().map_err(unreadable_failure)?;
    let shown = unique_endings(&open);
    if arguments.json {
        let mut out = String::new();
        for (one, id) in open.iter().zip(shown) {
            out.push_str(&format!("{}\n", question_json(one, id.shown)));
        }
        out.push_str(&format!("{}\n", json!({ "total": open.len() })));
        print(&out)?;
        return Ok(Exit::Done);
    }
    if open.is_empty() {
        let whose = match arguments.all {
            true => "",
            false => " about this project (--all: about any)",
        };
        print_error(&format!(
            "lancet: no question is open{whose}; `lancet pending --follow` waits for the next one\n"
        ));
        return Ok(Exit::Done);
    }
    let colour = around.colour(stdout_is_terminal());
    let columns = Columns::for_questions(&open, &shown);
    let lines = open.iter().zip(&shown);
    let text: String = lines
        .map(|(one, id)| format_question(one, *id, columns, colour))
        .collect();
    print_paged(&text, around)?;
    if stdout_is_terminal() {
        let id = shown.first().map_or("ID", |id| id.shown);
        print_error(&format!(
            "lancet: `lancet pending show {id}` has the diff; `lancet pending approve {id}` and `lancet pending reject {id}` decide\n"
        ));
    }
    Ok(Exit::Done)
}
