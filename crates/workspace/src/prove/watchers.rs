//! Tests whether the kernel notifies a watcher that a file was created, renamed over and removed.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::check::{Check, CheckAnswer, CheckResult};
use crate::watch::{FolderChange, FolderWatch, Interest, is_told_of, wait_for_changes};

/// How long the notification of a change may take.
const NOTIFICATION_PATIENCE: Duration = Duration::from_millis(500);

/// Makes changes in a watched folder and waits for the notification of each.
pub(super) fn check_watchers(room: &Path) -> io::Result<CheckResult> {
    let relied_on = is_told_of(room);
    let meaning = match relied_on {
        true => "searches and subscriptions rely on watches here",
        false => {
            "lancet does not rely on watches here, since changes made elsewhere are not reported; it looks every second"
        }
    };
    let watch = match FolderWatch::new() {
        Ok(watch) => watch,
        Err(error) => {
            let seen = format!("there is no watch to be had ({error})");
            let answer = CheckAnswer::Unknown;
            return Ok(CheckResult::new(Check::Watchers, answer, seen, meaning));
        }
    };
    if let Err(error) = watch.add(room, Interest::Files) {
        let seen = format!("the folder cannot be watched ({error})");
        return Ok(CheckResult::new(
            Check::Watchers,
            CheckAnswer::Unknown,
            seen,
            meaning,
        ));
    }
    let file = |name: &str| room.join(name);
    let mut untold = Vec::new();
    let mut tell = |what: &'static str, name: &str| -> io::Result<()> {
        if !is_reported(&watch, name.into())? {
            untold.push(what);
        }
        Ok(())
    };
    fs::write(file("made"), "one")?;
    tell("a new file", "made")?;
    fs::write(file("new"), "two")?;
    tell("a new file", "new")?;
    fs::rename(file("new"), file("made"))?;
    tell("a rename", "made")?;
    fs::remove_file(file("made"))?;
    tell("a removal", "made")?;
    let seen = match untold.is_empty() {
        true => "a new file, a rename and a removal by this machine are reported".to_owned(),
        false => format!("not reported: {}", untold.join(", ")),
    };
    let answer = CheckAnswer::from(untold.is_empty());
    Ok(
        CheckResult::new(Check::Watchers, answer, seen, meaning).with_contradiction(
            relied_on && answer == CheckAnswer::No,
            "searches rely on watches here, and a change was not reported",
        ),
    )
}

fn is_reported(watch: &FolderWatch, wanted: OsString) -> io::Result<bool> {
    let begun = Instant::now();
    while begun.elapsed() < NOTIFICATION_PATIENCE {
        let changes = watch.changes()?;
        let is_it = |change: &FolderChange| match change {
            FolderChange::File(_, name) => *name == wanted,
            FolderChange::Overflow => true,
            FolderChange::Gone(_) => false,
        };
        if changes.iter().any(is_it) {
            return Ok(true);
        }
        wait_for_changes(Some(watch), &[], Some(NOTIFICATION_PATIENCE))?;
    }
    Ok(false)
}
