//! `lancet completions` and `lancet man`, generated from the same definition of the command line as the help.

mod scripts;

use std::path::Path;

use clap::CommandFactory as _;
use clap_mangen::Man;

use super::help::unknown_topic;
use crate::arguments::{Arguments, CompletionsArguments, ManArguments};
use crate::failure::{Exit, Failure};
use crate::surroundings::Surroundings;
use crate::terminal::print;

/// Prints a completion script.
pub(super) fn completions(arguments: &CompletionsArguments) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut Arguments::command(),
        "lancet",
        &mut script,
    );
    let script = String::from_utf8_lossy(&script);
    print(&scripts::add_history_completion(&script, arguments.shell))?;
    Ok(Exit::Done)
}

/// Prints a manual page, or writes all of them.
pub(super) fn man(arguments: &ManArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let mut program = Arguments::command();
    program.build();
    if let Some(folder) = &arguments.dir {
        return write_manual_pages(&program, &around.absolute(folder)?);
    }
    let page = match &arguments.command {
        None => render_manual_page(&program)?,
        Some(name) => render_manual_page(
            program
                .find_subcommand(name)
                .ok_or_else(|| unknown_topic(name, &program, &[]))?,
        )?,
    };
    print(&page)?;
    Ok(Exit::Done)
}

fn render_manual_page(command: &clap::Command) -> Result<String, Failure> {
    let name = command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
        .to_owned();
    let mut page = Vec::new();
    let man = Man::new(command.clone())
        .title(name.to_uppercase())
        .source(concat!("lancet ", env!("CARGO_PKG_VERSION")))
        .manual("lancet");
    man.render(&mut page)
        .map_err(|error| Failure::system(format!("the page cannot be made: {error}")))?;
    // The generator calls the text after the options "EXTRA"; it consists of examples.
    Ok(String::from_utf8_lossy(&page).replace("\n.SH EXTRA\n", "\n.SH EXAMPLES\n"))
}

fn write_manual_pages(program: &clap::Command, folder: &Path) -> Result<Exit, Failure> {
    let refused = |error: std::io::Error| Failure::system(format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(refused)?;
    let commands = program.get_subcommands().filter(|one| !one.is_hide_set());
    let with_inner = commands.flat_map(|one| std::iter::once(one).chain(one.get_subcommands()));
    for command in std::iter::once(program).chain(with_inner) {
        let name = command
            .get_display_name()
            .unwrap_or_else(|| command.get_name());
        std::fs::write(
            folder.join(format!("{name}.1")),
            render_manual_page(command)?,
        )
        .map_err(refused)?;
    }
    Ok(Exit::Done)
}
