//! Tests that a process that is killed while it edits leaves the old file or the new one, and that no acknowledged edit
//! is lost. The kills are real (SIGKILL). A power cut is not tested, because its result depends on the disk alone.

use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use super::check::{Check, CheckResult, replaced_file_keeps_name};
use super::edits::Editor;
use super::request::ProofRequest;
use super::role::{FAILED_PREFIX, RoleProcess};
use crate::random::random;
use crate::write_promise::WritePromise;

/// The counts of what the kills left.
#[derive(Default)]
struct KillTally {
    kills: u64,
    /// Edits that were acknowledged.
    answered: u64,
    /// Kills after which the file was the last one acknowledged, and those after which it was the next.
    old: u64,
    new: u64,
    /// Before recovery: the name was missing, or the text not whole.
    missing_at_first: u64,
    torn_at_first: u64,
    /// After recovery: the file was not whole, or an acknowledged edit was missing.
    damaged: u64,
    lost: u64,
    /// Temporary files at the end, which lancet removes after a day if nothing else identifies their owner.
    left_over: u64,
}

/// Kills writers, with waits that depend on how long an edit takes.
pub(super) fn check_kills(
    room: &Path,
    promise: &WritePromise,
    request: &ProofRequest<'_>,
    edit: Duration,
) -> io::Result<CheckResult> {
    let (root, state) = (room.join("root"), room.join("state"));
    fs::create_dir(&root)?;
    drop(Editor::create(&root, &state)?);
    let mut tally = KillTally::default();
    let mut last = 0;
    // The time from the start of a process to its first answer.
    let mut start = Duration::from_millis(50);
    for number in 0..request.kills {
        request.check_stop()?;
        request.report_progress(Check::Kills, number, request.kills);
        // Every fourth is killed at any time from its start on, also while it recovers what the previous one left.
        let at_once = number % 4 == 3;
        let wait = random_part(if at_once { start } else { edit * 2 });
        let answered = kill_writer([&root, &state], request, at_once, wait, &mut start)?;
        tally.kills += 1;
        tally.answered += answered.map_or(0, |number| number.saturating_sub(last));
        let known = answered.unwrap_or(last).max(last);
        let editor = Editor::open(&root, &state)?;
        if editor.current_number().is_none() {
            match editor.path().exists() {
                true => tally.torn_at_first += 1,
                false => tally.missing_at_first += 1,
            }
        }
        editor.recover()?;
        match editor.current_number() {
            Some(found) if found == known => tally.old += 1,
            Some(found) if found == known + 1 => tally.new += 1,
            Some(_) => tally.lost += 1,
            None => {
                // There is no file that the next one could edit.
                tally.damaged += 1;
                break;
            }
        }
        last = editor.current_number().unwrap_or(known);
        tally.left_over = editor.leftover_names()?.len() as u64;
    }
    request.check_stop()?;
    Ok(tally.to_check_result(promise))
}

/// Starts a writer and kills it; returns the last number that it reported as written.
fn kill_writer(
    [root, state]: [&Path; 2],
    request: &ProofRequest<'_>,
    at_once: bool,
    wait: Duration,
    start: &mut Duration,
) -> io::Result<Option<u64>> {
    let words = ["edit".into(), root.into(), state.into()];
    let mut writer = RoleProcess::start(request.role_command(&words))?;
    let begun = Instant::now();
    let output = writer.0.stdout.take();
    let mut output = BufReader::new(output.ok_or(io::ErrorKind::BrokenPipe)?);
    let mut said = String::new();
    if !at_once {
        output.read_line(&mut said)?;
        *start = begun.elapsed();
    }
    std::thread::sleep(wait);
    writer.0.kill()?;
    io::Read::read_to_string(&mut output, &mut said)?;
    writer.0.wait()?;
    // A line that the kill cut off was not acknowledged.
    let whole = said.rfind('\n').map_or("", |end| &said[..end]);
    match whole.lines().last() {
        None => Ok(None),
        Some(line) => match (line.parse(), line.strip_prefix(FAILED_PREFIX)) {
            (Ok(number), _) => Ok(Some(number)),
            (Err(_), Some(reason)) => Err(io::Error::other(format!("an edit failed: {reason}"))),
            (Err(_), None) => Err(io::Error::other("the process that edits did not answer")),
        },
    }
}

/// Returns a random part of a time.
fn random_part(time: Duration) -> Duration {
    time.mul_f64((random() % 1000) as f64 / 1000.0)
}

impl KillTally {
    fn to_check_result(&self, promise: &WritePromise) -> CheckResult {
        let keeps = replaced_file_keeps_name(promise);
        let holds = self.damaged == 0 && self.lost == 0;
        let mut seen = format!(
            "{} kills during {} answered edits: {} left the old file, {} the new one, {} something else; {} answered edits lost",
            self.kills, self.answered, self.old, self.new, self.damaged, self.lost
        );
        if self.missing_at_first > 0 {
            seen.push_str(&format!(
                "; {} times the name was missing until the next lancet started",
                self.missing_at_first
            ));
        }
        if self.left_over > 0 {
            seen.push_str(&format!(
                "; {} temporary files left, which lancet takes away after a day",
                self.left_over
            ));
        }
        let meaning = "what a killed lancet leaves, the next one completes or undoes";
        let at_first = self.torn_at_first > 0 || keeps && self.missing_at_first > 0;
        let why = match holds {
            true => "a kill left the file missing or torn until the next lancet started",
            false => "a kill damaged a file or lost an edit that was answered",
        };
        CheckResult::new(Check::Kills, holds, seen, meaning)
            .with_contradiction(!holds || at_first, why)
            .with_figures(
                [
                    ("kills", self.kills),
                    ("answered", self.answered),
                    ("old", self.old),
                    ("new", self.new),
                    ("missingAtFirst", self.missing_at_first),
                    ("tornAtFirst", self.torn_at_first),
                    ("damaged", self.damaged),
                    ("lost", self.lost),
                    ("leftOver", self.left_over),
                ]
                .map(|(name, number)| (name, number as f64))
                .to_vec(),
            )
    }
}
