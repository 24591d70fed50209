//! `lancet pending`: the questions that wait for a person, and their decisions.

mod approve;
mod feed;
mod find;
mod follow;
mod hunks;
mod line;
mod list;
mod question_json;
mod reject;
mod selection;
mod show;

use lancet::questions::Questions;

use super::history::access::open_engine;
use crate::arguments::{PendingArguments, PendingCommand};
use crate::failure::{Exit, Failure};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::TerminalApprover;

pub(super) use feed::QuestionFeed;
pub(super) use follow::{decide_newest, format_change};

/// Runs `lancet pending` and the commands below it.
pub(super) fn run(arguments: &PendingArguments, around: &Surroundings) -> Result<Exit, Failure> {
    match &arguments.command {
        None if arguments.follow => follow::follow(arguments, around),
        None => list::list(arguments, around),
        Some(PendingCommand::Show(asked)) => show::show(asked, arguments, around),
        Some(PendingCommand::Approve(asked)) => approve::approve(asked, arguments, around),
        Some(PendingCommand::Reject(asked)) => reject::reject(asked, arguments, around),
    }
}

/// Opens the questions of the user's current project.
fn open_questions(
    arguments: &PendingArguments,
    approver: Option<TerminalApprover>,
    around: &Surroundings,
) -> Result<Questions, Failure> {
    let reach = match arguments.all {
        true => RootHint::Nothing,
        false => RootHint::Project,
    };
    let lancet = open_engine(&arguments.place, reach, approver, around)?;
    let without = || Failure::usage("no state folder: there is neither a home nor --state-dir");
    let questions = lancet.questions().ok_or_else(without)?;
    Ok(match arguments.all {
        true => questions.in_all_projects(),
        false => questions,
    })
}
