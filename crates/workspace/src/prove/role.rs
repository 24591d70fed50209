//! The other processes of a proof: this program, started again to lock, to read, or to edit until it is killed.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::edits::Editor;
use super::locking::{LockKind, LockTry};
use super::numbered_text;

/// The text before the reason if an edit failed.
pub(super) const FAILED_PREFIX: &str = "failed: ";

/// A process of a proof, killed on drop.
#[derive(Debug)]
pub(super) struct RoleProcess(pub(super) Child);

impl RoleProcess {
    /// Starts it with its input and output connected to this process.
    pub(super) fn start(mut command: Command) -> io::Result<RoleProcess> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::null());
        command.spawn().map(RoleProcess)
    }

    /// Closes its input, which ends it, and returns what it printed.
    pub(super) fn finish(mut self) -> io::Result<String> {
        drop(self.0.stdin.take());
        let mut printed = String::new();
        if let Some(output) = &mut self.0.stdout {
            output.read_to_string(&mut printed)?;
        }
        self.0.wait()?;
        Ok(printed)
    }
}

impl Drop for RoleProcess {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Plays a role of a proof in a process that [`prove_file_system`](crate::prove_file_system) started. `words` are the
/// arguments it was started with.
///
/// # Errors
/// The role is not known, or the system refused.
pub fn play_proof_role(words: &[std::ffi::OsString]) -> io::Result<()> {
    let text: Vec<&str> = words
        .iter()
        .map(|word| word.to_str().unwrap_or(""))
        .collect();
    let path = |at: usize| words.get(at).map(Path::new).unwrap_or(Path::new(""));
    match text.as_slice() {
        ["lock", kind, _] => try_lock(kind, path(2)),
        ["read", _] => read_repeatedly(path(1)),
        ["edit", _, _] => edit_repeatedly(path(1), path(2)),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    }
}

fn print_line(words: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{words}")?;
    out.flush()
}

/// Tries to take a lock that another process may hold, and prints the result.
fn try_lock(kind: &str, path: &Path) -> io::Result<()> {
    let kind = LockKind::from_name(kind).ok_or(io::ErrorKind::InvalidInput)?;
    let held = kind.take_lock(path);
    print_line(LockTry::from_result(&held).name())
}

/// Reads a file over and over until the input ends, and prints what was found.
fn read_repeatedly(path: &Path) -> io::Result<()> {
    static ENDED: AtomicBool = AtomicBool::new(false);
    thread::spawn(|| {
        let mut rest = Vec::new();
        let _ = io::stdin().read_to_end(&mut rest);
        ENDED.store(true, Ordering::SeqCst);
    });
    let (mut whole, mut missing, mut torn, mut failed) = (0_u64, 0_u64, 0_u64, 0_u64);
    // The first answer signals to the other process that this one is running.
    let mut is_told = false;
    while !ENDED.load(Ordering::SeqCst) {
        match fs::read(path) {
            Ok(bytes) if numbered_text::text_number(&bytes).is_some() => whole += 1,
            Ok(_) => torn += 1,
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing += 1,
            Err(_) => failed += 1,
        }
        if !is_told {
            print_line("reading")?;
            is_told = true;
        }
    }
    print_line(&format!("{whole} {missing} {torn} {failed}"))
}

/// Edits a file over and over, each time to the text of the next number, and prints each number that is written.
fn edit_repeatedly(root: &Path, state: &Path) -> io::Result<()> {
    let editor = Editor::open(root, state)?;
    editor.recover()?;
    loop {
        match editor.edit_once() {
            Ok((number, _)) => print_line(&number.to_string())?,
            Err(error) => return print_line(&format!("{FAILED_PREFIX}{error}")),
        }
    }
}
