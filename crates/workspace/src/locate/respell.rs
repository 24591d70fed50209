//! Finds look-alike names: another Unicode normalization, another kind of space, a curly apostrophe for a straight one
//! (the table is in the text crate). No other difference is ignored.

use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::os::fd::BorrowedFd;

use lancet_text::fold_name;

use crate::disk::Disk;

/// The most entries of a folder in which a misspelled name is resolved to a similar one. In a larger folder it would
/// take too long to check that only one name is similar.
const MAX_ENTRIES: usize = 20_000;

/// Returns whether a name can have look-alikes; for plain ASCII letters the folder need not be listed.
pub(super) fn may_have_look_alikes(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| {
        name.chars()
            .any(|letter| !letter.is_ascii() || letter == ' ' || letter == '\'')
    })
}

/// Returns the only entry of the folder that looks like `wanted` and is not `wanted` itself; `None` if there is none or
/// more than one.
pub(super) fn only_look_alike(
    disk: &dyn Disk,
    folder: BorrowedFd<'_>,
    wanted: &OsStr,
) -> Option<OsString> {
    if !may_have_look_alikes(wanted) {
        return None;
    }
    let folded = fold_name(wanted.to_str()?);
    let mut seen = 0;
    let mut found: Option<OsString> = None;
    let mut several = false;
    let listed = disk.list(folder, &mut |name, _| {
        seen += 1;
        if seen > MAX_ENTRIES {
            several = true;
        } else if name.to_str().is_some_and(|name| fold_name(name) == folded) {
            several = found.is_some();
            found = Some(name.to_owned());
        }
        if several {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    match listed {
        Ok(()) if !several => found.filter(|name| name != wanted),
        _ => None,
    }
}
