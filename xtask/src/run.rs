//! Programs started by the house's commands: their output shown as it comes, or handed on line by line
//! where it is counted.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;

/// A command in the repository's top folder.
pub(crate) fn command(program: impl AsRef<Path>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program.as_ref());
    command.args(arguments).current_dir(crate::house::top());
    command
}

/// The cargo that runs us, so that one toolchain does everything.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    command(
        std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()),
        arguments,
    )
}

/// Runs a command to its end with its output on the terminal; whether it succeeded.
pub(crate) fn succeeds(command: &mut Command) -> anyhow::Result<bool> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| described(command))?;
    Ok(status.success())
}

/// Runs a command, handing on each line of its standard output; whether it succeeded.
pub(crate) fn each_line(
    command: &mut Command,
    mut line_came: impl FnMut(&str),
) -> anyhow::Result<bool> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| described(command))?;
    let output = child.stdout.take().context("no standard output")?;
    let mut reader = BufReader::new(output);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes)? > 0 {
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_end_matches('\n');
        line_came(line);
        bytes.clear();
    }
    Ok(child.wait()?.success())
}

fn described(command: &Command) -> String {
    format!("could not start {}", command.get_program().display())
}
