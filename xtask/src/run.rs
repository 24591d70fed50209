//! Starts programs: their output is shown as it comes, or passed on line by line if it is counted or stored.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;

/// Creates a command that runs in the repository's top folder.
pub(crate) fn command(program: impl AsRef<Path>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program.as_ref());
    command
        .args(arguments)
        .current_dir(crate::repository::top());
    command
}

/// Creates a command for the cargo that runs this program, so that one toolchain does everything.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    command(
        std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()),
        arguments,
    )
}

/// Runs a command to its end with its output on the terminal; returns whether it succeeded.
pub(crate) fn succeeds(command: &mut Command) -> anyhow::Result<bool> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| described(command))?;
    Ok(status.success())
}

/// Runs a command and passes on each line of its standard output; returns whether it succeeded.
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
    pass_on(output, &mut line_came)?;
    Ok(child.wait()?.success())
}

/// Runs a command and passes on each line of its standard output and standard error, in the order in which they arrive;
/// returns whether it succeeded.
pub(crate) fn each_line_of_both(
    command: &mut Command,
    mut line_came: impl FnMut(&str),
) -> anyhow::Result<bool> {
    let (reader, writer) = std::io::pipe()?;
    let spawned = command
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .spawn();
    // The command value holds an end of the pipe, and the lines would never end.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = spawned.with_context(|| described(command))?;
    pass_on(reader, &mut line_came)?;
    Ok(child.wait()?.success())
}

/// Returns the same command at low priority, so that it uses only the processor time that others leave.
pub(crate) fn lowered(command: &Command) -> Command {
    started_by("nice", &["-n", "15"], command)
}

/// Returns the same command with a time limit, after which it is ended with the processes that it started.
pub(crate) fn limited(command: &Command, minutes: u32) -> Command {
    let limit = format!("{minutes}m");
    started_by("timeout", &["--kill-after=10s", &limit], command)
}

/// Returns a program with arguments that starts the command, with its environment and in its folder.
fn started_by(program: &str, arguments: &[&str], command: &Command) -> Command {
    let mut outer = Command::new(program);
    outer
        .args(arguments)
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        outer.current_dir(folder);
    }
    outer
}

fn pass_on(output: impl std::io::Read, line_came: &mut impl FnMut(&str)) -> anyhow::Result<()> {
    let mut reader = BufReader::new(output);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes)? > 0 {
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_end_matches('\n');
        line_came(line);
        bytes.clear();
    }
    Ok(())
}

fn described(command: &Command) -> String {
    format!("could not start {}", command.get_program().display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_outputs_come_in_order_and_end() {
        let mut lines = Vec::new();
        let mut run = command("sh", &["-c", "echo one; echo two >&2; echo three; exit 4"]);
        let succeeded = each_line_of_both(&mut run, |line| lines.push(line.to_owned()));
        assert!(!succeeded.expect("started"));
        assert_eq!(lines, ["one", "two", "three"]);
    }

    #[test]
    fn a_command_that_takes_too_long_is_ended_with_what_it_started() {
        let mut lines = Vec::new();
        let hangs = command("sh", &["-c", "echo begun; sleep 600 & sleep 600"]);
        let mut limited = started_by("timeout", &["--kill-after=10s", "1s"], &hangs);
        let succeeded = each_line_of_both(&mut limited, |line| lines.push(line.to_owned()));
        // The lines would not end while a process holds the other end of the pipe.
        assert!(!succeeded.expect("started"));
        assert_eq!(lines, ["begun"]);
    }

    #[test]
    fn a_lowered_command_keeps_its_arguments_environment_and_folder() {
        let mut run = command("sh", &["-c", "echo $WORD; nice; pwd"]);
        run.env("WORD", "kept").current_dir("/");
        let output = lowered(&run).output().expect("started");
        let text = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines[0], lines[2]), ("kept", "/"));
        assert!(lines[1].parse::<u32>().is_ok_and(|nice| nice >= 15));
    }
}
