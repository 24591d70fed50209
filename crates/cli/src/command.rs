//! The commands, each in a separate file.

mod apply;
mod asking;
mod call;
mod commit;
mod complete;
mod doctor;
mod edit;
mod help;
mod history;
mod hook;
mod input;
mod install;
mod instead;
mod manual;
mod mcp;
mod moving;
mod pending;
mod permissions;
mod projects;
mod prompt;
mod read;
mod recording;
mod search;
mod serve;
mod sessions;
mod tools;
mod write;
mod writing;

use crate::arguments::Command;
use crate::failure::{Exit, Failure};
use crate::surroundings::Surroundings;

pub(crate) use help::start_page;
pub(crate) use hook::is_wanted as is_hook;
use input::{read_text_file, session_named_or_new};

/// Carries out a command.
pub(crate) fn run(command: &Command, around: &Surroundings) -> Result<Exit, Failure> {
    match command {
        Command::Mcp(arguments) => mcp::run(arguments, around),
        Command::Serve(arguments) => serve::run(arguments, around),
        Command::Install(arguments) => install::install(arguments, around),
        Command::Uninstall(arguments) => install::uninstall(arguments, around),
        Command::Hook(arguments) => hook::run(arguments, around),
        Command::Watch(arguments) => history::watch(arguments, around),
        Command::Events(arguments) => history::events(arguments, around),
        Command::Pending(arguments) => pending::run(arguments, around),
        Command::Sessions(arguments) => sessions::run(arguments, around),
        Command::Read(arguments) => read::run(arguments, around),
        Command::Edit(arguments) => edit::run(arguments, around),
        Command::Write(arguments) => write::run(arguments, around),
        Command::Mv(arguments) => moving::move_files(arguments, around),
        Command::Rm(arguments) => moving::remove_files(arguments, around),
        Command::Glob(arguments) => search::glob(arguments, around),
        Command::Grep(arguments) => search::grep(arguments, around),
        Command::Apply(arguments) => apply::run(arguments, around),
        Command::Prompt(arguments) => prompt::run(arguments, around),
        Command::Run(arguments) => recording::run_recorded(arguments, around),
        Command::Checkpoint(arguments) => recording::checkpoint(arguments, around),
        Command::Log(arguments) if arguments.checkpoints => {
            recording::list_checkpoints(arguments, around)
        }
        Command::Log(arguments) => history::log(arguments, around),
        Command::Show(arguments) => history::show(arguments, around),
        Command::Diff(arguments) => history::diff(arguments, around),
        Command::Blame(arguments) => history::blame(arguments, around),
        Command::Undo(arguments) => history::undo(arguments, around),
        Command::Redo(arguments) => history::redo(arguments, around),
        Command::Restore(arguments) => history::restore(arguments, around),
        Command::Commit(arguments) => commit::run(arguments, around),
        Command::Gc(arguments) => history::gc(arguments, around),
        Command::Stats(arguments) => history::stats(arguments, around),
        Command::Verify(arguments) => history::verify(arguments, around),
        Command::Projects(arguments) => projects::run(arguments, around),
        Command::Call(arguments) => call::run(arguments, around),
        Command::Tools(arguments) => tools::run(arguments, around),
        Command::Explain(arguments) => permissions::explain(arguments, around),
        Command::Rules(arguments) => permissions::rules(arguments, around),
        Command::Trust(arguments) => permissions::trust(arguments, around),
        Command::Doctor(arguments) => doctor::run(arguments, around),
        Command::Completions(arguments) => manual::completions(arguments),
        Command::Complete(arguments) => complete::complete(arguments, around),
        Command::Man(arguments) => manual::man(arguments, around),
        Command::Help(arguments) => help::run(arguments, around),
    }
}
