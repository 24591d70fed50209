//! The program `lancet`: parses the command line, runs a command, and ends with its exit code.

mod ancestor;
mod answer;
mod arguments;
mod called;
mod command;
mod failure;
mod fault;
mod guard;
mod language;
mod launcher;
mod live;
mod log;
mod opening;
mod pdf;
mod proof_role;
mod surroundings;
mod terminal;

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::error::ErrorKind;

use answer::OutputFormat;
use arguments::Arguments;
use failure::{Exit, Failure};
use surroundings::Surroundings;
use terminal::print_error;

fn main() -> ExitCode {
    let typed = arguments::normalize_arguments(std::env::args_os().collect());
    // The format is needed before anything is parsed, so that the error for a wrong command line uses it as well.
    let form = OutputFormat::from_json_flag(typed.iter().any(|word| word == "--json"));
    fault::hush_panics(form);
    let ended = catch_unwind(AssertUnwindSafe(|| start(&typed, form)));
    let exit = ended.unwrap_or_else(|_| {
        fault::report_panic(form);
        Exit::System
    });
    // Agents take a hook's other exit codes for a veto.
    match command::is_hook(&called::normalize_program_name(typed)) {
        true => Exit::Done.into(),
        false => exit.into(),
    }
}

fn start(typed: &[OsString], form: OutputFormat) -> Exit {
    if launcher::is_wanted(typed) {
        return launcher::run_launcher(typed);
    }
    if pdf::is_wanted(typed) {
        return pdf::run_worker();
    }
    if proof_role::is_wanted(typed) {
        return proof_role::run_role(typed);
    }
    let typed = &called::normalize_program_name(typed.to_vec());
    if is_version_wanted(typed) {
        // A closed standard output is not a failure.
        let _ = writeln!(std::io::stdout(), "lancet {}", env!("CARGO_PKG_VERSION"));
        return Exit::Done;
    }
    handle_sigxfsz();
    let mut around = Surroundings::from_environment();
    if around.is_ascii {
        terminal::use_ascii();
    }
    if typed.len() <= 1 {
        let colour = around.colour(std::io::stderr().is_terminal());
        print_error(&command::start_page(colour));
        return Exit::Usage;
    }
    let ended = match Arguments::parse(typed) {
        Ok(arguments) => {
            around.color = arguments.color;
            around.runs_another = arguments.command.runs_another();
            command::run(&arguments.command, &around)
        }
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            ) =>
        {
            // A closed standard output is not a failure.
            let _ = error.print();
            Ok(Exit::Done)
        }
        Err(error) if form == OutputFormat::Json => {
            let words = arguments::add_tip(error, typed).to_string();
            Err(Failure::usage(
                words.trim_end().trim_start_matches("error: "),
            ))
        }
        Err(error) => {
            let _ = arguments::add_tip(error, typed).print();
            Ok(Exit::Usage)
        }
    };
    ended.unwrap_or_else(|failure| {
        answer::print_failure(&failure, form);
        failure.exit
    })
}

/// Reports whether only the version is requested. Agents and installers do that often, and describing all commands to
/// clap for it took 2.4 of 4.1 million instructions.
fn is_version_wanted(typed: &[OsString]) -> bool {
    matches!(typed, [_, word] if word == "--version" || word == "-V")
}

/// Handles SIGXFSZ, which otherwise ends the process at a write beyond `ulimit -f`; with a handler the write fails as
/// on a full disk and is reported. It is a handler and not "ignore", because child processes inherit "ignore".
fn handle_sigxfsz() {
    let unused = std::sync::Arc::default();
    // If the handler is refused, the signal ends the process as before.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, unused);
}
