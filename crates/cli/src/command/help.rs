//! `lancet help`, and the page that `lancet` without a command shows.

use clap::CommandFactory as _;

use crate::arguments::{Arguments, HelpArguments};
use crate::failure::{Exit, Failure};
use crate::surroundings::Surroundings;
use crate::terminal::{Colour, Style, print, stdout_is_terminal};

/// The topic that is not a command.
const SETTINGS: &str = "settings";

/// Prints the help on a topic.
pub(super) fn run(arguments: &HelpArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let mut program = Arguments::command();
    program.build();
    let help = match arguments.topic.as_deref() {
        None => program.render_long_help(),
        Some(SETTINGS) => {
            print(&lancet::settings::help())?;
            return Ok(Exit::Done);
        }
        Some(topic) => match program.find_subcommand_mut(topic) {
            Some(command) => command.render_long_help(),
            None => return Err(unknown_topic(topic, &program, &[SETTINGS])),
        },
    };
    let colour = Colour::of(stdout_is_terminal(), around.plain);
    print(&match colour {
        Colour::On => help.ansi().to_string(),
        Colour::Off => help.to_string(),
    })?;
    Ok(Exit::Done)
}

/// The failure for a topic that does not exist, with the list of those that do.
pub(super) fn unknown_topic(topic: &str, program: &clap::Command, further: &[&str]) -> Failure {
    let mut names: Vec<&str> = program
        .get_subcommands()
        .map(clap::Command::get_name)
        .collect();
    names.extend(further);
    Failure::usage(format!(
        "there is no page on {topic:?}; there is one on {}",
        names.join(", ")
    ))
}

/// The page that `lancet` without a command shows.
pub(crate) fn start_page(colour: Colour) -> String {
    let command = |text: &str| colour.paint(Style::Bold, text);
    format!(
        "lancet {version}: file tools for AI agents. Every edit lands exactly where it was meant, or not at all.

Give it to your agent, from the folder of your project:
  {agent}
      (Claude Code; `lancet help mcp` tells how for Codex, Cursor, opencode, goose and Gemini CLI)

Or try it by hand:
  {read}
      shows a file as a model sees it
  {edit}
      replaces text: shows the diff, asks, writes
  {doctor}
      tells what lancet finds here, and what is wrong

All commands: lancet --help
",
        version = env!("CARGO_PKG_VERSION"),
        agent = command("claude mcp add lancet -- lancet mcp"),
        read = command("lancet read FILE"),
        edit = command("lancet edit FILE --old TEXT --new TEXT"),
        doctor = command("lancet doctor"),
    )
}
