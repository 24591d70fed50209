//! Tests that the two calls that must not replace a file do not: a rename with that flag, and a hard link.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;

use super::check::{Check, CheckAnswer, CheckResult};
use crate::disk::{Disk as _, RealDisk, ReplaceMode};
use crate::write_promise::WritePromise;

/// The result of a call that must not replace a file.
struct CallResult {
    answer: CheckAnswer,
    seen: String,
    replaced: bool,
}

/// Tries both calls on a name that is taken, and then on one that is free.
pub(super) fn check_free_names(
    room: &Path,
    promise: &WritePromise,
) -> io::Result<[CheckResult; 2]> {
    let disk = RealDisk;
    let folder = disk.open_folder(room)?;
    let at = folder.as_fd();
    let rename = attempt_call(room, |from, to| {
        disk.rename_at(at, from, to, ReplaceMode::Never)
    })?;
    let link = attempt_call(room, |from, to| disk.link_at(at, from, at, to))?;
    let is_exact = promise.host.respects_rename_flags();
    let meaning = match (is_exact, rename.answer) {
        (true, CheckAnswer::Yes) => "lancet gives new names by such a rename here",
        (true, _) => "lancet gives new names by a hard link, or by a check and a rename",
        (false, _) => {
            "lancet does not rely on it here: the kernel refuses names that it knows, whatever the file system would do"
        }
    };
    let renamed = CheckResult::new(Check::RenameNoReplace, rename.answer, rename.seen, meaning)
        .with_contradiction(
            rename.replaced && is_exact,
            "lancet relies on the kernel here, and such a rename replaced a file",
        );
    let meaning = match link.answer {
        CheckAnswer::Yes => "lancet can give a name that must be free by a hard link",
        _ => "without hard links lancet checks a name and then takes it where renames may replace",
    };
    let linked = CheckResult::new(Check::LinkNoReplace, link.answer, link.seen, meaning)
        .with_contradiction(
            link.replaced,
            "lancet relies on a hard link never replacing a file, and one did",
        );
    Ok([renamed, linked])
}

fn attempt_call(
    room: &Path,
    call: impl Fn(&OsStr, &OsStr) -> io::Result<()>,
) -> io::Result<CallResult> {
    let [from, to, free] = ["from", "to", "free"].map(OsStr::new);
    for name in [from, to, free] {
        let _ = fs::remove_file(room.join(name));
    }
    for name in [from, to] {
        fs::write(room.join(name), name.as_encoded_bytes())?;
    }
    let over = call(from, to);
    let replaced = fs::read(room.join(to))? != to.as_encoded_bytes();
    if replaced {
        return Ok(CallResult {
            answer: CheckAnswer::No,
            seen: "a file was replaced".to_owned(),
            replaced: true,
        });
    }
    let onto_free = call(from, free);
    let arrived = fs::read(room.join(free)).is_ok_and(|text| text == from.as_encoded_bytes());
    let (answer, seen) = match (over, onto_free) {
        (Err(_), Ok(())) if arrived => (
            CheckAnswer::Yes,
            "a taken name is refused, a free one is given".to_owned(),
        ),
        (Ok(()), _) => (
            CheckAnswer::No,
            "it reports success for a name that is taken, and does nothing".to_owned(),
        ),
        (_, Ok(())) => (
            CheckAnswer::No,
            "it reports success for a free name, and the file is not there".to_owned(),
        ),
        (_, Err(error)) => (CheckAnswer::No, format!("there is no such call ({error})")),
    };
    Ok(CallResult {
        answer,
        seen,
        replaced: false,
    })
}
