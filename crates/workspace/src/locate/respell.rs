//! Names that look the same: another Unicode form, a narrow no-break space for a space, a curly apostrophe for a
//! straight one. Nothing else is forgiven in a name.

use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::os::fd::BorrowedFd;

use unicode_normalization::UnicodeNormalization as _;

use crate::disk::Disk;

/// In a folder with more entries nobody can say that a look-alike is the only one.
const MOST_ENTRIES: usize = 20_000;

/// A name of plain letters has no look-alike of these kinds, so its folder need not be listed.
pub(super) fn may_have_look_alikes(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| {
        name.chars()
            .any(|letter| !letter.is_ascii() || letter == ' ' || letter == '\'')
    })
}

/// The one entry of the folder that looks like `wanted`, where there is exactly one.
pub(super) fn only_look_alike(
    disk: &dyn Disk,
    folder: BorrowedFd<'_>,
    wanted: &OsStr,
) -> Option<OsString> {
    if !may_have_look_alikes(wanted) {
        return None;
    }
    let folded = fold(wanted.to_str()?);
    let mut seen = 0;
    let mut found: Option<OsString> = None;
    let mut several = false;
    let listed = disk.list(folder, &mut |name, _| {
        seen += 1;
        if seen > MOST_ENTRIES {
            several = true;
        } else if name.to_str().is_some_and(|name| fold(name) == folded) {
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

fn fold(name: &str) -> String {
    name.nfc()
        .map(|letter| match letter {
            '\u{202f}' => ' ',
            '\u{2018}' | '\u{2019}' => '\'',
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_three_kinds_of_difference_fold_away() {
        assert_eq!(
            fold("re\u{301}sume\u{301} 9.41\u{202f}AM"),
            fold("r\u{e9}sum\u{e9} 9.41 AM")
        );
        assert_eq!(fold("Ann\u{2019}s"), fold("Ann's"));
        assert_ne!(fold("a"), fold("A"));
        assert_ne!(fold("a\u{2014}b"), fold("a-b"));
    }
}
