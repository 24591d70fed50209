//! `lancet help`, and the page that `lancet` without a command shows.

mod markdown;

use clap::CommandFactory as _;

use crate::arguments::{Arguments, HelpArguments};
use crate::failure::{Exit, Failure};
use crate::surroundings::Surroundings;
use crate::terminal::{Colour, Style, print, print_paged, stdout_is_terminal};

/// The topics that are pages of `docs/`, which are their only source.
const PAGES: [(&str, &str); 7] = [
    ("agents", include_str!("../../../../docs/agents.md")),
    ("asking", include_str!("../../../../docs/asking.md")),
    ("errors", include_str!("../../../../docs/errors.md")),
    ("history", include_str!("../../../../docs/history.md")),
    ("ledgers", include_str!("../../../../docs/sessions.md")),
    (
        "permissions",
        include_str!("../../../../docs/permissions.md"),
    ),
    ("replies", include_str!("../../../../docs/replies.md")),
];

/// The topic that is generated from the table of settings.
const SETTINGS: &str = "settings";

/// The topic for the options that all commands take.
const OPTIONS: &str = "options";

/// Prints the help on a topic.
pub(super) fn run(arguments: &HelpArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let mut program = Arguments::command();
    program.build();
    let colour = around.colour(stdout_is_terminal());
    let topic = arguments.topic.as_deref();
    if let Some((_, text)) = PAGES.iter().find(|(name, _)| Some(*name) == topic) {
        print_paged(&markdown::render_page(text, colour), around)?;
        return Ok(Exit::Done);
    }
    let help = match topic {
        None => program.render_long_help(),
        Some(SETTINGS) => {
            print_paged(&lancet::settings::help(), around)?;
            return Ok(Exit::Done);
        }
        Some(OPTIONS) => {
            print_paged(OPTIONS_PAGE, around)?;
            return Ok(Exit::Done);
        }
        Some(topic) => match program.find_subcommand_mut(topic) {
            Some(command) => command.render_long_help(),
            None => {
                let mut further: Vec<&str> = PAGES.iter().map(|(name, _)| *name).collect();
                further.extend([OPTIONS, SETTINGS]);
                return Err(unknown_topic(topic, &program, &further));
            }
        },
    };
    print(&match colour {
        Colour::On => help.ansi().to_string(),
        Colour::Off => help.to_string(),
    })?;
    Ok(Exit::Done)
}

/// The page of the options that all commands take.
const OPTIONS_PAGE: &str = "\
Options that all commands take, before or after their own:

  --color WHEN
      When to use colours: auto, always or never. Without it: on a terminal, unless NO_COLOR is set
      or CLICOLOR is 0, and everywhere where FORCE_COLOR or CLICOLOR_FORCE is set.

  --root FOLDER
      A folder that lancet may work in; may be given several times. Nothing outside of the roots
      is written, nor read but for --read-root. Without it: the project, which is the git work
      tree around the working folder, else the working folder (for agents never `/` or your home
      folder). A command that names a file elsewhere works in that file's project.

  --read-root FOLDER
      A folder outside the roots that may be read and is never written; may be given several times.

  --config FILE
      One more settings file, over yours and the project's.

  --settings FILE
      Claude Code's settings.json: its permissions about files count here, too.

  --state-dir FOLDER
      Where lancet keeps its own records: history and sessions. Without it: $LANCET_STATE_DIR, else
      $XDG_STATE_HOME/lancet, else ~/.local/state/lancet.

  --log LEVEL
      What to log on standard error: error, warn, info or debug; also $LANCET_LOG. Names and paths
      are logged, never the contents of files.

Environment:
  LANCET_PAGER, PAGER     the pager for long output; empty or `cat` means none
  VISUAL, EDITOR          the editor for `e` at a question
  NO_COLOR                no colours
  LANCET_TOKEN            the person's token, for programs that may approve
";

/// Returns the failure for a topic that does not exist, with the list of those that are not hidden.
pub(super) fn unknown_topic(topic: &str, program: &clap::Command, further: &[&str]) -> Failure {
    let mut names: Vec<&str> = program
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(clap::Command::get_name)
        .collect();
    names.extend(further);
    Failure::usage(format!(
        "there is no page on {topic:?}; there is one on {}",
        names.join(", ")
    ))
}

/// Returns the page that `lancet` without a command shows.
pub(crate) fn start_page(colour: Colour) -> String {
    let command = |text: &str| colour.paint(Style::Bold, text);
    format!(
        "lancet {version}: file tools for AI agents. Every edit lands exactly where it was meant, or not at all.

Give it to your agent:
  {agent}
      lists the agents that are here; `lancet install claude-code` adds it to one

Or try it by hand:
  {read}
      shows a file, numbered and coloured
  {edit}
      replaces text: shows the diff, asks, writes
  {doctor}
      reports what lancet finds here, and what is wrong

All commands: lancet --help
",
        version = env!("CARGO_PKG_VERSION"),
        agent = command("lancet install"),
        read = command("lancet read FILE"),
        edit = command("lancet edit FILE --old TEXT --new TEXT"),
        doctor = command("lancet doctor"),
    )
}
