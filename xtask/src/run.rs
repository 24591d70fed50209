//! Starts programs: their output is shown as it comes, or passed on line by line where it is counted.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;

/// Makes a command that runs in the repository's top folder.
pub(crate) fn command(program: impl AsRef<Path>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program.as_ref());
    command.args(arguments).current_dir(crate::house::top());
    command
}

/// Makes a command for the cargo that runs this program, so that one toolchain does everything.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    command(
        std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()),
        arguments,
    )
}

/// Runs a command to its end with its output on the terminal; says whether it succeeded.
pub(crate) fn succeeds(command: &mut Command) -> anyhow::Result<bool> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| described(command))?;
    Ok(status.success())
}

/// Runs a command and passes on each line of its standard output; says whether it succeeded.
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
