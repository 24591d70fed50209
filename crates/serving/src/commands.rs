//! The command lines of the programs that the launcher starts.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use lancet::programs::Formatter;
use lancet_formats::convert::PATH_PLACEHOLDER;

use crate::confinement::{CONFINED_ARGUMENT, LIMITED_ARGUMENT};
use crate::programs::ServerProgram;
use crate::temporary_folder::TemporaryFolder;

pub(crate) fn shell_command(arguments: Vec<OsString>) -> Command {
    let mut command = Command::new("sh");
    command.args(arguments);
    command
}

/// Returns the command of an entry unchanged.
pub(crate) fn unconfined_command(entry: &[String]) -> io::Result<Command> {
    let (program, arguments) = resolve_program(entry)?;
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}

/// Returns the command that confines itself to a folder and then becomes the program of an entry.
pub(crate) fn confined_command(
    folder: &TemporaryFolder,
    entry: &[String],
    copy: Option<PathBuf>,
) -> io::Result<Command> {
    let (program, arguments) = resolve_program(entry)?;
    let mut command = Command::new(current_program()?);
    command
        .arg(CONFINED_ARGUMENT)
        .arg(folder.path())
        .arg(program);
    for argument in arguments {
        match &copy {
            Some(path) => command.arg(insert_path(argument, path.as_os_str())),
            None => command.arg(argument),
        };
    }
    command
        .current_dir(folder.path())
        .env("TMPDIR", folder.path());
    Ok(command)
}

/// Returns the command that confines itself to a folder and then becomes a formatter. It works in the folder of the
/// file, where formatters look for their configuration, but may write nothing there.
pub(crate) fn formatter_command(
    folder: &TemporaryFolder,
    formatter: &Formatter,
    path: &Path,
) -> io::Result<Command> {
    let (program, arguments) = resolve_program(&formatter.command)?;
    let mut command = Command::new(current_program()?);
    command
        .arg(CONFINED_ARGUMENT)
        .arg(folder.path())
        .arg(program);
    for argument in arguments {
        command.arg(insert_path(argument, path.as_os_str()));
    }
    let folders = path.ancestors().skip(1);
    let works_in = folders.into_iter().find(|folder| folder.is_dir());
    command
        .current_dir(works_in.unwrap_or(folder.path()))
        .env("TMPDIR", folder.path());
    Ok(command)
}

/// Returns the command that limits its memory and then becomes a language server.
pub(crate) fn language_server_command(
    server: &ServerProgram,
    folder: &Path,
) -> io::Result<Command> {
    let (program, arguments) = resolve_program(&server.run)?;
    let mut command = Command::new(current_program()?);
    command
        .arg(LIMITED_ARGUMENT)
        .arg(server.memory.to_string())
        .arg(program)
        .args(arguments)
        .current_dir(folder);
    Ok(command)
}

/// Returns the full path of an entry's program, and its arguments. The path is resolved here and not at the start of
/// the program: programs are started in folders of the project, and a relative folder in PATH would then be one of
/// the project's.
fn resolve_program(entry: &[String]) -> io::Result<(PathBuf, &[String])> {
    let missing = || io::Error::from(rustix::io::Errno::NOENT);
    let [program, arguments @ ..] = entry else {
        return Err(missing());
    };
    let program = match program.contains('/') {
        true => Some(PathBuf::from(program)).filter(|path| path.is_file()),
        false => std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(program))
            .find(|path| path.is_file()),
    };
    Ok((program.ok_or_else(missing)?, arguments))
}

/// Returns an argument with the path of the file inserted.
pub(crate) fn insert_path(argument: &str, path: &OsStr) -> OsString {
    let mut filled = OsString::new();
    for (number, part) in argument.split(PATH_PLACEHOLDER).enumerate() {
        if number > 0 {
            filled.push(path);
        }
        filled.push(part);
    }
    filled
}

/// Returns the path of the running program, even after an update has replaced its file.
fn current_program() -> io::Result<PathBuf> {
    match cfg!(target_os = "linux") {
        true => Ok("/proc/self/exe".into()),
        false => std::env::current_exe(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_program_to_absolute_path() {
        let entry = ["sh".to_owned(), "-c".to_owned()];
        let (program, arguments) = resolve_program(&entry).expect("it is there");
        assert!(program.is_absolute() && program.ends_with("sh"));
        assert_eq!(arguments, ["-c"]);
        for missing in [&[][..], &["no-such-program".to_owned()]] {
            let error = resolve_program(missing).expect_err("it is not there");
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
        }
    }
}
