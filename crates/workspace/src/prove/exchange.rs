//! Tests whether an exchange of two names exchanges them, and what happens instead if it does not.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;

use super::check::{Check, CheckAnswer, CheckResult, replaced_file_keeps_name};
use crate::disk::{Disk as _, RealDisk, ReplaceMode};
use crate::write_promise::WritePromise;

/// Exchanges two files and checks a listing, and what the names lead to.
pub(super) fn check_exchange(room: &Path, promise: &WritePromise) -> io::Result<CheckResult> {
    let disk = RealDisk;
    let [first, second] = ["first", "second"].map(OsStr::new);
    for name in [first, second] {
        fs::write(room.join(name), name.as_encoded_bytes())?;
    }
    let folder = disk.open_folder(room)?;
    let before = list_inodes(room)?;
    let done = disk.rename_at(folder.as_fd(), first, second, ReplaceMode::Exchange);
    let after = list_inodes(room)?;
    let content = |name: &OsStr| fs::read(room.join(name)).ok();
    let contents = [content(first), content(second)];
    let is_crossed = contents == [second, first].map(|name| Some(name.as_encoded_bytes().to_vec()));
    let are_crossed = after == [before[1], before[0]] && before[0] != before[1];
    let (answer, seen) = match done {
        Err(error) => (CheckAnswer::No, format!("it is refused ({error})")),
        Ok(()) if is_crossed && are_crossed => (
            CheckAnswer::Yes,
            "the listing and both contents are exchanged".to_owned(),
        ),
        Ok(()) if after.iter().any(Option::is_none) => (
            CheckAnswer::No,
            "it reports success, and the listing lacks a name: it did a plain rename".to_owned(),
        ),
        Ok(()) if !is_crossed => (
            CheckAnswer::No,
            "it reports success, and the contents are not exchanged".to_owned(),
        ),
        Ok(()) => (
            CheckAnswer::No,
            "it reports success, and the listing does not show it".to_owned(),
        ),
    };
    let is_false = answer == CheckAnswer::No && seen.starts_with("it reports success");
    let relied_on = replaced_file_keeps_name(promise) || promise.host.respects_rename_flags();
    let meaning = match (replaced_file_keeps_name(promise), answer) {
        (true, _) => "lancet replaces files by an exchange here",
        (false, CheckAnswer::Yes) => {
            "lancet does without it here, because other machines may write these files"
        }
        (false, _) => "lancet does without it here",
    };
    let contradicts =
        is_false && relied_on || replaced_file_keeps_name(promise) && answer != CheckAnswer::Yes;
    Ok(
        CheckResult::new(Check::Exchange, answer, seen, meaning).with_contradiction(
            contradicts,
            "lancet would exchange names here, and they are not exchanged: a file could vanish",
        ),
    )
}

/// Returns the inode numbers of the two names in a new listing.
fn list_inodes(room: &Path) -> io::Result<[Option<u64>; 2]> {
    let disk = RealDisk;
    let folder = disk.open_folder(room)?;
    let entries = disk.list_inodes(folder.as_fd())?;
    Ok(["first", "second"].map(|wanted| {
        let mut entries = entries.iter();
        entries
            .find(|(name, _)| name == wanted)
            .map(|(_, inode)| *inode)
    }))
}
