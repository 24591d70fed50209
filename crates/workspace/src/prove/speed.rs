//! Measures how long a durable edit takes, and which guarantee it reports.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use super::check::{Check, CheckResult};
use super::edits::Editor;
use super::request::ProofRequest;
use crate::write_promise::WritePromise;

/// How many edits are timed, and for how long at most.
const TIMED_EDITS: u32 = 21;
const MAX_DURATION: Duration = Duration::from_secs(5);

/// Edits a file several times; returns the result and the median time of an edit.
pub(super) fn check_speed(
    room: &Path,
    promise: &WritePromise,
    request: &ProofRequest<'_>,
) -> io::Result<(CheckResult, Duration)> {
    let (root, state) = (room.join("root"), room.join("state"));
    fs::create_dir(&root)?;
    let editor = Editor::create(&root, &state)?;
    // The first edit creates the state folder and tests the file system.
    let (_, first) = editor.edit_once()?;
    let mut other = (first.guarantee != promise.replaced).then_some(first.guarantee);
    let mut is_durable = first.durable;
    let edit = median_time(request, Check::Speed, || {
        let (_, written) = editor.edit_once()?;
        is_durable &= written.durable;
        if written.guarantee != promise.replaced {
            other = Some(written.guarantee);
        }
        Ok(())
    })?;
    let flush = median_time(request, Check::Speed, || {
        let mut file = File::create(room.join("flushed"))?;
        file.write_all(b"a line\n")?;
        file.sync_all()
    })?;
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let named = other.unwrap_or(promise.replaced);
    let seen = format!(
        "{:.1} ms an edit with its flushes, {:.1} ms a flush alone (medians); the edits named the guarantee {named}",
        milliseconds(edit),
        milliseconds(flush),
    );
    let meaning = match is_durable {
        true => "an edit that was answered survives a power cut, if the disk keeps its word",
        false => "the folder cannot be flushed: after a power cut the old file may be back",
    };
    let why = format!(
        "edits name the guarantee {named}, and lancet doctor expects {}",
        promise.replaced
    );
    let result = CheckResult::new(Check::Speed, true, seen, meaning)
        .with_contradiction(other.is_some(), &why)
        .with_figures(vec![
            ("editMilliseconds", milliseconds(edit)),
            ("flushMilliseconds", milliseconds(flush)),
        ]);
    Ok((result, edit))
}

fn median_time(
    request: &ProofRequest<'_>,
    check: Check,
    mut work: impl FnMut() -> io::Result<()>,
) -> io::Result<Duration> {
    let begun = Instant::now();
    let mut times = Vec::new();
    for number in 0..TIMED_EDITS {
        request.check_stop()?;
        request.report_progress(check, number, TIMED_EDITS);
        let before = Instant::now();
        work()?;
        times.push(before.elapsed());
        if begun.elapsed() > MAX_DURATION {
            break;
        }
    }
    times.sort();
    Ok(times[times.len() / 2])
}
