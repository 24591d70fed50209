//! The command lines of the programs that the launcher starts.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use lancet::programs::Formatter;
use lancet_formats::convert::PATH;

use crate::confinement::{CONFINED, LIMITED};
use crate::programs::ServerProgram;
use crate::temporary_folder::TemporaryFolder;

pub(crate) fn shell(arguments: Vec<OsString>) -> Command {
    let mut command = Command::new("sh");
    command.args(arguments);
    command
}

/// The command of an entry as it is written.
pub(crate) fn plain(entry: &[String]) -> io::Result<Command> {
    let [program, arguments @ ..] = entry else {
        return Err(rustix::io::Errno::NOENT.into());
    };
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}

/// The command that confines itself to a folder and then becomes the program of an entry.
pub(crate) fn confined(
    folder: &TemporaryFolder,
    entry: &[String],
    copy: Option<PathBuf>,
) -> io::Result<Command> {
    let mut command = Command::new(this_program()?);
    command.arg(CONFINED).arg(folder.path());
    for argument in entry {
        match &copy {
            Some(path) => command.arg(filled(argument, path.as_os_str())),
            None => command.arg(argument),
        };
    }
    command
        .current_dir(folder.path())
        .env("TMPDIR", folder.path());
    Ok(command)
}

/// The command that confines itself to a folder and then becomes a formatter. It works in the folder of the file, where
/// formatters look for their configuration, and may write nothing there.
pub(crate) fn formatting(
    folder: &TemporaryFolder,
    formatter: &Formatter,
    path: &Path,
) -> io::Result<Command> {
    let mut command = Command::new(this_program()?);
    command.arg(CONFINED).arg(folder.path());
    for argument in &formatter.command {
        command.arg(filled(argument, path.as_os_str()));
    }
    let folders = path.ancestors().skip(1);
    let works_in = folders.into_iter().find(|folder| folder.is_dir());
    command
        .current_dir(works_in.unwrap_or(folder.path()))
        .env("TMPDIR", folder.path());
    Ok(command)
}

/// The command that limits its memory and then becomes a language server.
pub(crate) fn limited(server: &ServerProgram, folder: &Path) -> io::Result<Command> {
    let mut command = Command::new(this_program()?);
    command
        .arg(LIMITED)
        .arg(server.memory.to_string())
        .args(&server.run)
        .current_dir(folder);
    Ok(command)
}

/// Fails where a program is not there, before anything is prepared for it.
pub(crate) fn find(program: &str) -> io::Result<()> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = match program.contains('/') {
        true => Path::new(program).is_file(),
        false => std::env::split_paths(&path).any(|folder| folder.join(program).is_file()),
    };
    match is_there {
        true => Ok(()),
        false => Err(rustix::io::Errno::NOENT.into()),
    }
}

/// An argument with the path of the file in it.
pub(crate) fn filled(argument: &str, path: &OsStr) -> OsString {
    let mut filled = OsString::new();
    for (number, part) in argument.split(PATH).enumerate() {
        if number > 0 {
            filled.push(path);
        }
        filled.push(part);
    }
    filled
}

/// The running program, also after an update has replaced its file.
fn this_program() -> io::Result<PathBuf> {
    match cfg!(target_os = "linux") {
        true => Ok("/proc/self/exe".into()),
        false => std::env::current_exe(),
    }
}
