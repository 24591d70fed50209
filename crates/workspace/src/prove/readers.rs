//! Tests whether a reader in another process finds a whole file at every moment, while the file is renamed over and
//! while lancet edits it.

use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use super::check::{Check, CheckResult, replaced_file_keeps_name};
use super::edits::Editor;
use super::numbered_text;
use super::request::ProofRequest;
use super::role::RoleProcess;
use crate::write_promise::WritePromise;

/// The maximum number of renames and of edits, and their maximum duration.
const MAX_RENAMES: u64 = 400;
const MAX_EDITS: u64 = 60;
const MAX_DURATION: Duration = Duration::from_secs(3);

/// The counts of what the reader found.
#[derive(Clone, Copy, Debug)]
struct ReaderTally {
    whole: u64,
    missing: u64,
    torn: u64,
    failed: u64,
}

impl ReaderTally {
    fn parse(said: &str) -> Option<ReaderTally> {
        let mut numbers = said.lines().last()?.split(' ').map(str::parse);
        let mut next = || numbers.next()?.ok();
        Some(ReaderTally {
            whole: next()?,
            missing: next()?,
            torn: next()?,
            failed: next()?,
        })
    }

    fn describe(self, changes: u64) -> String {
        let ReaderTally {
            whole,
            missing,
            torn,
            failed,
        } = self;
        let mut words =
            format!("{changes} times: {whole} reads whole, {missing} missing, {torn} torn");
        if failed > 0 {
            words.push_str(&format!(", {failed} failed"));
        }
        words
    }

    fn as_figures(self, changes: u64) -> Vec<(&'static str, f64)> {
        [
            ("changes", changes),
            ("whole", self.whole),
            ("missing", self.missing),
            ("torn", self.torn),
            ("failed", self.failed),
        ]
        .map(|(name, number)| (name, number as f64))
        .to_vec()
    }
}

/// Reads in another process while `change` is called; returns how often it was called, and what was found.
fn run_while_reading(
    file: &Path,
    most: u64,
    request: &ProofRequest<'_>,
    mut change: impl FnMut(u64) -> io::Result<()>,
) -> io::Result<(u64, ReaderTally)> {
    let words = ["read".into(), file.into()];
    let mut reader = RoleProcess::start(request.role_command(&words))?;
    let silent = || io::Error::other("the process that reads did not answer");
    // Anything read ahead beyond the first line is lost with the buffer; the rest comes only at the end.
    let mut output = BufReader::new(reader.0.stdout.take().ok_or_else(silent)?);
    let mut said = String::new();
    output.read_line(&mut said)?;
    let begun = Instant::now();
    let mut changes = 0;
    while changes < most && begun.elapsed() < MAX_DURATION {
        request.check_stop()?;
        changes += 1;
        change(changes)?;
    }
    drop(reader.0.stdin.take());
    io::Read::read_to_string(&mut output, &mut said)?;
    reader.0.wait()?;
    let found = ReaderTally::parse(&said).ok_or_else(silent)?;
    Ok((changes, found))
}

/// Renames new files over one that is being read.
pub(super) fn check_renames(room: &Path, request: &ProofRequest<'_>) -> io::Result<CheckResult> {
    let (file, new) = (room.join("read"), room.join("new"));
    fs::write(&file, numbered_text::numbered_text(0))?;
    let (changes, found) = run_while_reading(&file, MAX_RENAMES, request, |number| {
        fs::write(&new, numbered_text::numbered_text(number))?;
        fs::rename(&new, &file)
    })?;
    let holds = found.missing == 0 && found.torn == 0;
    let meaning = match holds {
        true => "a rename is one step for readers",
        false => "a rename is not one step here: no program can replace a file without a gap",
    };
    Ok(CheckResult::new(
        Check::RenameReaders,
        holds,
        found.describe(changes),
        meaning,
    )
    .with_figures(found.as_figures(changes)))
}

/// Edits a file that is being read.
pub(super) fn check_edits(
    room: &Path,
    promise: &WritePromise,
    request: &ProofRequest<'_>,
) -> io::Result<CheckResult> {
    let (root, state) = (room.join("root"), room.join("state"));
    fs::create_dir(&root)?;
    let editor = Editor::create(&root, &state)?;
    let (changes, found) = run_while_reading(editor.path(), MAX_EDITS, request, |_| {
        editor.edit_once().map(|_| ())
    })?;
    let keeps = replaced_file_keeps_name(promise);
    let holds = found.missing == 0 && found.torn == 0;
    let meaning = match (holds, keeps) {
        (true, _) => "readers see the old file or the new one",
        (false, false) if found.torn == 0 => {
            "the name is missing for a moment while a file is replaced, as the guarantee says"
        }
        (false, _) => "readers see what they should not",
    };
    Ok(
        CheckResult::new(Check::EditReaders, holds, found.describe(changes), meaning)
            .with_contradiction(
                found.torn > 0 || keeps && found.missing > 0,
                "readers found the file missing or torn while lancet replaced it by an exchange",
            )
            .with_figures(found.as_figures(changes)),
    )
}
