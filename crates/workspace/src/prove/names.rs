//! Tests whether names are stored as they were given: in case, and in the form of their characters.

use std::fs;
use std::io;
use std::path::Path;

use super::check::{Check, CheckResult};

/// `é` as one character and as two, which some file systems take for the same name.
const COMPOSED_NAME: &str = "caf\u{e9}";
const DECOMPOSED_NAME: &str = "cafe\u{301}";

/// Tests whether names that differ only in case are two names.
pub(super) fn check_case(room: &Path) -> io::Result<CheckResult> {
    fs::write(room.join("Readme"), "one")?;
    let is_found = fs::symlink_metadata(room.join("README")).is_ok();
    let (seen, meaning) = match is_found {
        true => (
            "a file is found by its name in another case",
            "lancet finds a file as it is spelled in the folder, and refuses to make a second one that differs in case",
        ),
        false => (
            "another case is another name",
            "names are compared byte by byte",
        ),
    };
    Ok(CheckResult::new(Check::Case, !is_found, seen, meaning))
}

/// Tests whether a name with an accent is stored as it was given, and whether its two forms are one name.
pub(super) fn check_unicode(room: &Path) -> io::Result<CheckResult> {
    fs::write(room.join(COMPOSED_NAME), "one")?;
    let mut names =
        fs::read_dir(room)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_kept = names.any(|name| name == COMPOSED_NAME);
    let is_folded = fs::symlink_metadata(room.join(DECOMPOSED_NAME)).is_ok();
    let seen = match (is_kept, is_folded) {
        (true, false) => "a name is listed as it was given, and another form is another name",
        (true, true) => "a name is listed as it was given, and found in another form, too",
        (false, _) => "a name is listed in another form than it was given",
    };
    let meaning = match is_kept && !is_folded {
        true => "names are compared byte by byte",
        false => "two spellings of an accent lead to one file",
    };
    Ok(CheckResult::new(
        Check::Unicode,
        is_kept && !is_folded,
        seen,
        meaning,
    ))
}
