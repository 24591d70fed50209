//! The other processes of `lancet doctor --prove`: this program, started again to lock, to read, or to edit until it is
//! killed.

use std::ffi::{OsStr, OsString};
use std::process::Command;

use crate::failure::Exit;

/// The argument that makes this program such a process. The arguments of its role follow.
const WORD: &str = "--proof-role";

/// Reports whether this program was started in a role.
pub(crate) fn is_wanted(typed: &[OsString]) -> bool {
    typed.get(1).is_some_and(|word| word == OsStr::new(WORD))
}

/// Runs the role.
pub(crate) fn run_role(typed: &[OsString]) -> Exit {
    let words = typed.get(2..).unwrap_or_default();
    match lancet_workspace::play_proof_role(words) {
        Ok(()) => Exit::Done,
        Err(_) => Exit::System,
    }
}

/// Returns the command that starts this program in a role.
pub(crate) fn role_command(words: &[OsString]) -> Command {
    let program = match cfg!(target_os = "linux") {
        // This names the running program even after an update has replaced its file.
        true => "/proc/self/exe".into(),
        false => std::env::current_exe().unwrap_or_else(|_| "lancet".into()),
    };
    let mut command = Command::new(program);
    command.arg(WORD).args(words);
    command
}
