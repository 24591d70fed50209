//! The commands for working on this repository: `cargo xtask test | tidy | docs | package | bench | size | compare |
//! torture`. Nothing here is part of lancet or needed by it at run time.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command for people at a terminal"
)]

mod agents;
mod bench;
mod book;
mod errors_page;
mod package;
mod page;
mod repository;
mod run;
mod size;
mod test;
mod tidy;
mod torture;

use std::process::ExitCode;

use book::Browser;
use test::system::SystemPackages;

const USAGE: &str = "\
cargo xtask COMMAND

  test       set up what the tests need, then every test and every check; ends with `N passed, N failed`
             [--no-system-packages]: install nothing with apt-get, and leave out the tests that need what is missing
  tidy       the project rules alone (a few seconds)
  docs       write docs/errors.md from the code, and build the site into target/book [--open: in a browser, too]
  package    the packages that lancet is installed from, into dist/ (docs/install.md): a wheel, npm, Debian and others
             for this machine's processor [--target TARGET ...]: for those of Rust's names [--all]: for x86-64 and arm64
             [--binary PATH ...]: of these binaries instead of a release build [--into FOLDER] [--quick]: compressed less
  bench      instruction counts held to their limits (valgrind); [--side-by-side]: beside other servers, too;
             [--compare]: start, memory, size, Edit, Read and Grep beside the last release's figures [--build]: and ./try
  size       how many bytes of a release build each crate takes [--binary PATH]: of this program, which has its symbols
  compare    the same three hundred edits through each agent's own edit tool and through lancet (docs/edits-compared.md)
             [--seed N] [AGENT ...]: about ten minutes for each agent
  torture    the long forms: the promises of the write in full, the laws over many more cases, then each fuzz target
             for a while [--only write|history|laws|agents|editors|fuzz] [--cases N] [--seconds N]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["test"] => test::all(SystemPackages::Install),
        ["test", "--no-system-packages"] => test::all(SystemPackages::LeaveOut),
        ["tidy"] => tidy::print(),
        ["docs"] => book::build(Browser::Leave),
        ["docs", "--open"] => book::build(Browser::Open),
        ["package", options @ ..] => package::all(options),
        ["bench", options @ ..] => bench::all(options),
        ["size", options @ ..] => size::print(options),
        ["compare", options @ ..] => agents::compare(options),
        ["torture", options @ ..] => torture::all(options),
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(3)
        }
    }
}
